import assert from "node:assert/strict";
import { test } from "node:test";

import { angleWords, dragWords, lengthWords } from "./words";

test("words_lengths_come_in_the_unit_that_reads_best", () => {
  const cases: [number, string][] = [
    [0, "0.0 mm"], [-0, "0.0 mm"], [0.012, "12.0 mm"], [-0.5, "\u2212500.0 mm"], [1, "1.000 m"], [-12.3456, "\u221212.346 m"], [1500, "1.500 km"],
    [2.5e-5, "25.0 \u00b5m"], [1e-12, "0.0 mm"],
  ];
  for (const [metres, words] of cases) assert.equal(lengthWords(metres), words);
});

test("words_angles_are_degrees_and_never_minus_nothing", () => {
  assert.equal(angleWords(Math.PI / 4), "45.0\u00b0");
  assert.equal(angleWords(-4 * Math.PI), "\u2212720.0\u00b0");
  assert.equal(angleWords(-1e-9), "0.0\u00b0");
});

test("words_of_a_drag_name_the_axes_that_it_counts_along", () => {
  const cases: [string, number[], string][] = [
    ["tx", [0.012], "X 12.0 mm"],
    ["tzx", [1, -0.25], "Z 1.000 m   X \u2212250.0 mm"],
    ["tv", [1, 2], "Right 1.000 m   Up 2.000 m"],
    ["ry", [Math.PI / 2], "Y 90.0\u00b0"],
    ["rb", [0.1], "5.7\u00b0"],
    ["syz", [1.5], "YZ \u00d7 1.500"],
    ["su", [0.5], "\u00d7 0.500"],
    ["bxp", [2], "\u00d7 2.000"],
  ];
  for (const [handle, value, words] of cases) assert.equal(dragWords(handle, value), words, handle);
});
