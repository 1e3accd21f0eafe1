// dragtext.test.ts - the read-out of a drag for each handle.
import assert from "node:assert/strict";
import { test } from "node:test";

import { angleText, dragText } from "./dragtext";

test("words_angles_are_degrees_and_never_minus_nothing", () => {
  assert.equal(angleText(Math.PI / 4), "45.0\u00b0");
  assert.equal(angleText(-4 * Math.PI), "\u2212720.0\u00b0");
  assert.equal(angleText(-1e-9), "0.0\u00b0");
});

test("words_of_a_drag_name_the_axes_that_it_counts_along", () => {
  const cases: [string, number[], string][] = [
    ["tx", [0.012], "X 0.012 m"],
    ["tzx", [0.1, -0.25], "Z 0.1 m   X \u22120.25 m"],
    ["tv", [1, 2], "Right 1 m   Up 2 m"],
    ["ry", [Math.PI / 2], "Y 90.0\u00b0"],
    ["rb", [0.1], "5.7\u00b0"],
    ["syz", [1.5], "YZ \u00d7 1.500"],
    ["su", [0.5], "\u00d7 0.500"],
    ["bxp", [2], "\u00d7 2.000"],
  ];
  for (const [handle, value, words] of cases) assert.equal(dragText(handle, value), words, handle);
});
