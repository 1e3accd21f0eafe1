// select.test.ts - how clicks combine with the selection.
import assert from "node:assert/strict";
import { test } from "node:test";

import { selectModeOf, combined } from "./select";

test("select_shift_adds_and_ctrl_turns_round", () => {
  const keys = { shiftKey: false, ctrlKey: false, metaKey: false };
  assert.equal(selectModeOf(keys), "set");
  assert.equal(selectModeOf({ ...keys, shiftKey: true }), "add");
  assert.equal(selectModeOf({ ...keys, ctrlKey: true }), "toggle");
  assert.equal(selectModeOf({ ...keys, metaKey: true, shiftKey: true }), "toggle");
});

test("select_what_is_chosen_joins_what_was_selected", () => {
  assert.deepEqual(combined([1, 2, 3], [3, 4], "set"), [3, 4]);
  assert.deepEqual(combined([1, 2, 3], [3, 4], "add"), [1, 2, 3, 4]);
  assert.deepEqual(combined([1, 2, 3], [3, 4], "toggle"), [1, 2, 4]);
});
