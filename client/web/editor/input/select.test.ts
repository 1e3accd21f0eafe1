import assert from "node:assert/strict";
import { test } from "node:test";

import { choiceOf, combined } from "./select";

test("select_shift_adds_and_ctrl_turns_round", () => {
  const keys = { shiftKey: false, ctrlKey: false, metaKey: false };
  assert.equal(choiceOf(keys), "set");
  assert.equal(choiceOf({ ...keys, shiftKey: true }), "add");
  assert.equal(choiceOf({ ...keys, ctrlKey: true }), "toggle");
  assert.equal(choiceOf({ ...keys, metaKey: true, shiftKey: true }), "toggle");
});

test("select_what_is_chosen_joins_what_was_selected", () => {
  assert.deepEqual(combined([1, 2, 3], [3, 4], "set"), [3, 4]);
  assert.deepEqual(combined([1, 2, 3], [3, 4], "add"), [1, 2, 3, 4]);
  assert.deepEqual(combined([1, 2, 3], [3, 4], "toggle"), [1, 2, 4]);
});
