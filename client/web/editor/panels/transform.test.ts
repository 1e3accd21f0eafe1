// transform.test.ts - numbers of several nodes, read, typed and changed.
import assert from "node:assert/strict";
import { test } from "node:test";

import { SceneModel } from "../../sdk/index.js";
import { EulerMemory } from "./eulermemory";
import {
  changeNumber,
  changeScale,
  commonNumber,
  faultOf,
  parseEntry,
  resetField,
} from "./transform";

function scene(): SceneModel {
  const model = new SceneModel();
  const half = Math.SQRT1_2;
  model.apply([
    {
      from: 0,
      seq: 1,
      nodes: [
        { id: 1, name: "a", parent: null, t: [1, 2, 3], r: [0, half, 0, half] },
        { id: 2, name: "b", parent: null, t: [1, 5, 3], s: [1, 1, 2] },
      ],
    },
  ]);
  return model;
}

test("transform_common_numbers_are_told_others_are_mixed", () => {
  const model = scene();
  const numbers = [0, 1, 2].map((axis) =>
    commonNumber(model, [1, 2], "t", axis, new EulerMemory("XYZ")),
  );
  assert.deepEqual(numbers, [1, null, 3]);
  assert.equal(commonNumber(model, [], "t", 0, new EulerMemory("XYZ")), undefined);
  assert.equal(commonNumber(model, [9], "t", 0, new EulerMemory("XYZ")), undefined);
});

test("transform_one_number_changes_and_the_others_stay", () => {
  assert.deepEqual(
    changeNumber(scene(), [1, 2], "t", 1, new EulerMemory("XYZ"), () => 5),
    [{ id: 1, t: [1, 5, 3] }],
  );
  assert.deepEqual(
    changeNumber(scene(), [2], "s", 2, new EulerMemory("XYZ"), (before) => before * 2),
    [{ id: 2, s: [1, 1, 4] }],
  );
});

test("transform_angles_go_as_three_with_their_order", () => {
  const [change] = changeNumber(scene(), [2], "r", 2, new EulerMemory("ZYX"), () => 0.5);
  assert.deepEqual(change, { id: 2, euler: [0, 0, 0.5], order: "ZYX" });
});

test("transform_proportions_stay", () => {
  assert.deepEqual(
    changeScale(scene(), [1, 2], 2, () => 4),
    [
      { id: 1, s: [4, 4, 4] },
      { id: 2, s: [2, 2, 4] },
    ],
  );
  assert.deepEqual(
    changeScale(scene(), [1], 0, () => 1),
    [],
  );
});

const ENTRIES: [text: string, field: "t" | "r" | "s", before: number, after: number][] = [
  ["2", "t", 7, 2],
  ["+=30mm", "t", 7, 7.03],
  ["-= 1", "t", 7, 6],
  ["*=2", "t", 7, 14],
  ["/=2", "r", 3, 1.5],
  ["*=50%", "s", 4, 2],
];

for (const [text, field, before, after] of ENTRIES) {
  test(`transform_entry_${text}`, () =>
    assert.ok(Math.abs((parseEntry(text, field)?.(before) ?? NaN) - after) < 1e-12));
}

test("transform_entry_that_is_no_number_is_none", () => {
  for (const text of ["", "x", "+=", "*=2m"]) assert.equal(parseEntry(text, "t"), null);
});

test("transform_reset_is_as_if_nothing_was_done", () => {
  assert.deepEqual(resetField([4], "t"), [{ id: 4, t: [0, 0, 0] }]);
  assert.deepEqual(resetField([4], "r"), [{ id: 4, r: [0, 0, 0, 1] }]);
  assert.deepEqual(resetField([4], "s"), [{ id: 4, s: [1, 1, 1] }]);
});

test("fields_ask_back_where_a_number_can_mean_two_things", () => {
  const unclear = '"1,500" is not clear: type 1500 or 1.500.';
  for (const text of ["1,500", "1,500 mm", "+=1,500", "2*1,500"])
    assert.equal(faultOf(text, "t"), unclear, text);
  assert.equal(faultOf("1,500,000", "t"), '"1,500,000" is not clear: type 1500000.');
  for (const text of ["1,5", "0,125", "1,2345", "1.500", "1500", ",500"])
    assert.equal(faultOf(text, "t"), "", text);
  assert.equal(faultOf("abc", "r"), '"abc" is not a number.');
});

test("transform_scale_of_0_becomes_the_number", () => {
  const model = new SceneModel();
  const nodes = [
    { id: 1, name: "a", parent: null, t: [0, 0, 0], s: [0, 0, 0] },
    { id: 2, name: "b", parent: null, t: [0, 0, 0], s: [0, 2, 3] },
  ] as const;
  model.apply([{ from: 0, seq: 1, nodes: nodes as never }]);
  assert.deepEqual(
    changeScale(model, [1, 2], 0, () => 4),
    [
      { id: 1, s: [4, 4, 4] },
      { id: 2, s: [4, 2, 3] },
    ],
  );
  assert.deepEqual(
    changeScale(model, [1], 0, () => 0),
    [],
  );
});
