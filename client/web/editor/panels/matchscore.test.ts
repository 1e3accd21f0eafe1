// matchscore.test.ts - the order of the results of a search.
import assert from "node:assert/strict";
import { test } from "node:test";

import { matchScore } from "./matchscore";

test("match_beginnings_of_words_come_first", () => {
  assert.ok(matchScore("Frame all", "fra") > matchScore("Universal frame", "fra"));
  assert.ok(matchScore("Frame all", "all") > matchScore("Small", "all"));
  assert.equal(matchScore("Frame all", "all x"), 0);
  assert.ok(matchScore("View from the top", "top view") > 0);
});
