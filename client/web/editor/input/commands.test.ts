// commands.test.ts - each chord has one command in each keymap, and the usual keys do the usual.
import assert from "node:assert/strict";
import { test } from "node:test";

import { chordOf, keysOf } from "./chord";
import { COMMANDS, commandOf } from "./commands";
import { heldTo } from "./grab";

const key = (key: string, code: string, more = {}) => ({
  key,
  code,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
});

test("commands_no_chord_does_two_things", () => {
  for (const keymap of ["common", "blender"] as const) {
    const seen = new Map<string, string>();
    for (const command of COMMANDS.filter(({ run }) => run)) {
      for (const chord of command.keys[keymap]) {
        assert.ok(!seen.has(chord), `${chord} is ${seen.get(chord)} and ${command.id} (${keymap})`);
        seen.set(chord, command.id);
      }
    }
  }
});

test("commands_have_names_of_their_own", () => {
  assert.equal(new Set(COMMANDS.map(({ id }) => id)).size, COMMANDS.length);
});

test("commands_keys_that_people_know_do_what_they_expect", () => {
  const expected: [string, string, string][] = [
    ["W", "tool-move", "common"],
    ["E", "tool-rotate", "common"],
    ["R", "tool-scale", "common"],
    ["F", "frame-selected", "common"],
    ["G", "grab-tv", "blender"],
    ["R", "grab-rv", "blender"],
    ["S", "grab-su", "blender"],
    ["X", "delete", "blender"],
    ["Mod+Z", "undo", "common"],
    ["Mod+Y", "redo", "common"],
    ["Mod+Shift+Z", "redo", "blender"],
    ["Mod+A", "select-all", "common"],
  ];
  for (const [chord, id, keymap] of expected)
    assert.equal(commandOf(chord, keymap as "common" | "blender")?.id, id, chord);
  assert.equal(commandOf("Enter", "common"), null);
});

test("chord_is_of_the_letter_the_digit_or_the_sign", () => {
  assert.equal(chordOf(key("w", "KeyW")), "W");
  assert.equal(chordOf(key("W", "KeyW", { shiftKey: true })), "Shift+W");
  assert.equal(chordOf(key("z", "KeyY", { ctrlKey: true })), "Mod+Z");
  assert.equal(chordOf(key("z", "KeyZ", { metaKey: true })), "Mod+Z");
  assert.equal(chordOf(key("\u0446", "KeyW")), "W");
  assert.equal(chordOf(key("1", "Numpad1")), "1");
  assert.equal(chordOf(key("!", "Digit1", { shiftKey: true })), "Shift+1");
  assert.equal(chordOf(key("?", "Slash", { shiftKey: true })), "?");
  assert.equal(chordOf(key("+", "Equal", { shiftKey: true })), "+");
  assert.equal(chordOf(key("Delete", "Delete")), "Delete");
});

test("chord_is_shown_key_by_key", () => {
  assert.deepEqual(keysOf("Mod+Shift+Z"), ["Ctrl", "Shift", "Z"]);
  assert.deepEqual(keysOf("+"), ["+"]);
  assert.deepEqual(keysOf("Escape"), ["Esc"]);
});

test("grab_an_axis_holds_the_same_kind_of_motion_to_it_and_again_frees_it", () => {
  const cases: [string, "x" | "y" | "z", boolean, string | null][] = [
    ["tv", "x", false, "tx"],
    ["tx", "y", false, "ty"],
    ["tx", "x", false, "tv"],
    ["tv", "z", true, "txy"],
    ["txy", "z", true, "tv"],
    ["tv", "y", true, "tzx"],
    ["rv", "z", false, "rz"],
    ["rb", "x", false, "rx"],
    ["rx", "x", false, "rv"],
    ["rv", "x", true, null],
    ["su", "y", false, "sy"],
    ["su", "x", true, "syz"],
    ["bxp", "x", false, null],
  ];
  for (const [handle, axis, plane, next] of cases)
    assert.equal(heldTo(handle, axis, plane), next, `${handle} ${axis}`);
});
