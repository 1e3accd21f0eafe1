// What a restore would change, before it is asked for.
import assert from "node:assert/strict";
import { test } from "node:test";

import { SceneModel } from "../../sdk/index.js";
import { deltaTo, differ, differenceText } from "./diff";

const scene = (...nodes: object[]): SceneModel => {
  const model = new SceneModel();
  model.apply([{ from: 0, seq: 1, nodes }]);
  return model;
};
const node = (id: number, more: object = {}): object => ({
  id,
  name: `node ${id}`,
  parent: null,
  t: [0, 0, 0],
  r: [0, 0, 0, 1],
  s: [1, 1, 1],
  ...more,
});

test("diff_alike_scenes_differ_in_nothing", () => {
  assert.equal(differenceText(differ(scene(node(1)), scene(node(1)))), "");
});

for (const more of [
  { name: "rod" },
  { parent: 1 },
  { t: [0, 0, 1e-9] },
  { r: [1, 0, 0, 0] },
  { s: [1, 1, 2] },
]) {
  test(`diff_sees_${Object.keys(more)[0]}`, () =>
    assert.deepEqual(differ(scene(node(1), node(2)), scene(node(1), node(2, more))).changed, [2]));
}

test("diff_counts_what_comes_and_goes", () => {
  const words = differenceText(
    differ(scene(node(1), node(2), node(3)), scene(node(1, { t: [1, 0, 0] }), node(4))),
  );
  assert.equal(words, "1 node changes, 1 node is restored, 2 nodes are removed");
});

test("diff_applied_makes_one_scene_the_other_with_only_what_is_otherwise", () => {
  const from = scene(node(1), node(2), node(3), node(4, { parent: 3 }));
  const to = scene(
    node(1, { t: [1, 0, 0] }),
    node(2),
    node(4, { parent: 1, name: "rod" }),
    node(5, { bounds: [0, 0, 0, 1, 1, 1] }),
  );
  const heard: unknown[] = [];
  from.on("change", (change) => heard.push(change));
  from.apply([deltaTo(from, to)]);
  const before = new Map([[1, { t: [0, 0, 0], r: [0, 0, 0, 1], s: [1, 1, 1] }]]);
  assert.deepEqual(heard, [
    { all: false, added: [5], gone: [3], moved: [1, 4], structure: [4], from: before },
  ]);
  assert.deepEqual(
    [...from.nodes.values()].sort((a, b) => a.id - b.id),
    [...to.nodes.values()],
  );
  assert.deepEqual(from.roots, to.roots);
});
