import assert from "node:assert/strict";
import { test } from "node:test";

import type { LengthUnit } from "../units";
import { angleWords, dragWords, lengthWords } from "./words";

test("words_lengths_are_in_the_unit_of_the_scene_and_what_is_small_in_it_is_still_seen", () => {
  const cases: [number, LengthUnit, string][] = [
    [0, "mm", "0.0 mm"], [-0, "m", "0.000 m"], [0.012, "mm", "12.0 mm"], [0.0125, "m", "0.0125 m"], [-0.5, "mm", "\u2212500.0 mm"],
    [1, "m", "1.000 m"], [-12.3456, "m", "\u221212.346 m"], [1500, "km", "1.500 km"], [1500, "m", "1500.000 m"],
    [2.5e-5, "mm", "0.0250 mm"], [0.0125, "km", "0.0000125 km"], [1e-12, "mm", "0.0 mm"],
  ];
  for (const [metres, unit, words] of cases) assert.equal(lengthWords(metres, unit), words);
});

test("words_angles_are_degrees_and_never_minus_nothing", () => {
  assert.equal(angleWords(Math.PI / 4), "45.0\u00b0");
  assert.equal(angleWords(-4 * Math.PI), "\u2212720.0\u00b0");
  assert.equal(angleWords(-1e-9), "0.0\u00b0");
});

test("words_of_a_drag_name_the_axes_that_it_counts_along", () => {
  const cases: [string, number[], string][] = [
    ["tx", [0.012], "X 12.0 mm"],
    ["tzx", [0.1, -0.25], "Z 100.0 mm   X \u2212250.0 mm"],
    ["tv", [1, 2], "Right 1000.0 mm   Up 2000.0 mm"],
    ["ry", [Math.PI / 2], "Y 90.0\u00b0"],
    ["rb", [0.1], "5.7\u00b0"],
    ["syz", [1.5], "YZ \u00d7 1.500"],
    ["su", [0.5], "\u00d7 0.500"],
    ["bxp", [2], "\u00d7 2.000"],
  ];
  for (const [handle, value, words] of cases) assert.equal(dragWords(handle, value, "mm"), words, handle);
});
