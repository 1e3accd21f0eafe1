// importwarnings.test.ts - what a person reads of a file that was not used as a whole.
import assert from "node:assert/strict";
import { test } from "node:test";

import { warningText } from "./importwarnings";

test("warnings_are_told_the_first_three_in_words", () => {
  assert.equal(warningText("a.glb", { warnings: [], residual: 1e-8 }), null);
  assert.equal(warningText("a.glb", { residual: 0 }), null); // an earlier server
  assert.equal(
    warningText("a.glb", { warnings: ["images[0].uri: names the file a.png"], residual: 0 }),
    "Not all of a.glb could be used: images[0].uri: names the file a.png.",
  );
  assert.match(
    warningText("a.glb", { warnings: ["b", "c", "d"], residual: 0.1234 }) ?? "",
    /used: a matrix shears, .* off by up to 0\.12 of its size; b; c; and 1 more\.$/,
  );
});
