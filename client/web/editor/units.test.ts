// Lengths in metres everywhere, units that are typed, and lengths in words.
import assert from "node:assert/strict";
import { test } from "node:test";

import type { Edit } from "../sdk/types.js";
import { dragText } from "./input/dragtext";
import { valueOf } from "./input/typedvalue";
import { compact, evaluate, shown } from "./panels/expression";
import { changeLines, describe } from "./past/edittext";
import { BARE_UNIT, inBare, inBase, lengthText } from "./units";

test("units_a_length_is_in_metres_to_a_millimetre_and_a_small_one_keeps_three_digits", () => {
  const cases: [metres: number, words: string][] = [
    [0, "0 m"],
    [-0, "0 m"],
    [1e-12, "0 m"],
    [-1e-12, "0 m"],
    [0.0000042, "0.0000042 m"],
    [0.0125, "0.0125 m"],
    [0.000123456, "0.000123 m"],
    [0.9996, "1 m"],
    [-0.5, "\u22120.5 m"],
    [1, "1 m"],
    [-12.3456, "\u221212.346 m"],
    [100, "100 m"],
    [1500, "1500 m"],
    [12_345.6789, "12345.679 m"],
    [205_667_123, "205667123 m"],
  ];
  for (const [metres, words] of cases) assert.equal(lengthText(metres), words);
});

test("units_a_field_a_label_and_a_read_out_say_the_same_number_in_metres", () => {
  for (const [metres, number] of [
    [0.00042, "0.00042"],
    [0.0125, "0.0125"],
    [0.5, "0.5"],
    [12.5, "12.5"],
    [388.25, "388.25"],
    [150_000, "150000"],
  ] as const) {
    const changes: Edit["changes"] = [
      { id: 1, before: { t: [0, 0, 0] }, after: { t: [metres, 0, 0] } },
    ];
    const edit: Edit = {
      id: 1,
      by: 1,
      user: "Ada",
      kind: "translate",
      nodes: [1],
      seq: 1,
      began: 1,
      ended: 2,
      changes,
    };
    assert.equal(`${shown(metres, "length")} ${BARE_UNIT.length}`, `${number} m`);
    assert.equal(dragText("tx", [metres]), `X ${number} m`);
    assert.equal(
      describe(edit, () => "piston"),
      `Ada moved piston ${number} m`,
    );
    assert.equal(changeLines(changes[0], () => "")[0].after, `${number}, 0, 0 m`);
  }
  assert.equal(compact(-205_667_123, "length", 8), "-2.057e8");
});

test("units_a_number_without_one_is_in_metres_and_a_typed_unit_is_exact", () => {
  assert.equal(evaluate("5", "length"), 5);
  assert.deepEqual(valueOf("30, -5", "txy"), [30, -5]);
  for (const [text, metres] of [
    ["30mm", 0.03],
    ["570 mm", 0.57],
    ["0.1m", 0.1],
    ["2 km", 2000],
    ["1in", 0.0254],
  ] as const) {
    assert.equal(evaluate(text, "length"), metres, text);
    assert.deepEqual(valueOf(text, "tx"), [metres], text);
  }
  assert.deepEqual(
    [evaluate("50%", "factor"), evaluate("2", "factor"), evaluate("180", "angle")],
    [0.5, 2, Math.PI],
  );
});

test("units_what_a_field_shows_is_read_as_the_same_length_to_the_bit", () => {
  for (let millimetres = 1; millimetres < 5000; millimetres += 7) {
    const metres = millimetres / 1000;
    assert.equal(evaluate(shown(metres, "length"), "length"), metres, `${metres}`);
  }
});

test("units_names_are_only_those_that_there_are", () => {
  for (const text of ["2constructor", "2 m2", "2 kg"])
    assert.equal(evaluate(text, "length"), null, text);
  assert.equal(inBase(2, 0.3048), 0.6096);
  assert.equal(inBare(Math.PI, "angle"), 180);
});
