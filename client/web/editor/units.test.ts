import assert from "node:assert/strict";
import { test } from "node:test";

import { dragWords } from "./input/words";
import { valueOf } from "./input/typed";
import { compact, evaluate, shown } from "./panels/expression";
import { lengthWords } from "./past/words";
import { type LengthUnit, inBare, inBase, lengthUnitOf } from "./units";

const UNITS: LengthUnit[] = ["mm", "m", "km"];

test("units_a_scene_is_shown_in_the_unit_that_keeps_its_numbers_short", () => {
  const sizes: [metres: number, unit: LengthUnit][] = [
    [0, "m"], [0.001, "mm"], [0.49, "mm"], [0.5, "m"], [3, "m"], [99_999, "m"], [100_000, "km"], [6.4e6, "km"],
  ];
  for (const [metres, unit] of sizes) assert.equal(lengthUnitOf(metres), unit, `${metres}`);
});

test("units_a_field_a_label_and_a_read_out_say_the_same", () => {
  const said = UNITS.map((unit) => [shown(12.5, "length", unit), lengthWords(12.5, unit), dragWords("tx", [12.5], unit)]);
  assert.deepEqual(said, [
    ["12500", "12500 mm", "X 12500.0 mm"],
    ["12.5", "12.5 m", "X 12.500 m"],
    ["0.0125", "0.0125 km", "X 0.0125 km"],
  ]);
  assert.deepEqual([shown(1234.567891, "length", "km"), compact(-205_667_123, "length", "km", 8)], ["1.234568", "-205667"]);
});

test("units_a_number_without_one_is_in_that_of_the_scene_and_a_typed_one_is_exact_in_all", () => {
  for (const [i, size] of [1e-3, 1, 1e3].entries()) {
    assert.equal(evaluate("30", "length", UNITS[i]), 30 * size);
    assert.deepEqual(valueOf("30, -5", "txy", UNITS[i]), [30 * size, -5 / (1 / size)]);
    for (const [text, metres] of [["30mm", 0.03], ["570 mm", 0.57], ["0.1m", 0.1], ["2 km", 2000], ["1in", 0.0254]] as const) {
      assert.equal(evaluate(text, "length", UNITS[i]), metres, `${text} in ${UNITS[i]}`);
      assert.deepEqual(valueOf(text, "tx", UNITS[i]), [metres], `${text} in ${UNITS[i]}`);
    }
    assert.deepEqual([evaluate("50%", "factor", UNITS[i]), evaluate("2", "factor", UNITS[i])], [0.5, 2]);
    assert.equal(evaluate("180", "angle", UNITS[i]), Math.PI);
  }
});

test("units_what_a_field_shows_is_read_as_the_same_length_to_the_bit", () => {
  for (let millimetres = 1; millimetres < 5000; millimetres += 7) {
    const metres = millimetres / 1000;
    for (const unit of ["mm", "m"] as const) assert.equal(evaluate(shown(metres, "length", unit), "length", unit), metres, `${metres} in ${unit}`);
  }
});

test("units_names_are_only_those_that_there_are", () => {
  for (const text of ["2constructor", "2 m2", "2 kg"]) assert.equal(evaluate(text, "length", "mm"), null, text);
  assert.equal(inBase(2, 0.3048), 0.6096);
  assert.equal(inBare(Math.PI, "angle", "mm"), 180);
});
