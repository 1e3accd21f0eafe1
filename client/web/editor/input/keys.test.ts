// keys.test.ts - keys that are pressed quickly after something was chosen: in the view the server
// says what that is, in the tree the page knows.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Emitter } from "../../sdk/emitter.js";
import { SceneModel, type Session } from "../../sdk/index.js";
import type { Id } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { EditorState } from "../editorstate";
import { chordOf } from "./chord";
import { startKeys } from "./keys";
import { selectAt, selectNodes } from "./select";

const page = new EventTarget();
class NoElement {}
Object.assign(globalThis, {
  window: page,
  document: { body: page },
  HTMLElement: NoElement,
  HTMLCanvasElement: NoElement,
  requestAnimationFrame: () => 1,
  cancelAnimationFrame: () => {},
});

/** A page that listens to keys; the server picks when `picked` or `unpicked` is called. */
function stand() {
  const events = new Emitter<Record<string, unknown>>();
  const done: unknown[][] = [];
  let answer = { resolve: (_: { id: Id }[]) => {}, reject: (_: Error) => {} };
  const scene = new SceneModel();
  scene.apply([{ from: 0, seq: 1, nodes: [{ id: 3 }, { id: 4 }] }]);
  const session = Object.assign(events, {
    scene,
    selection: [] as readonly Id[],
    role: "editor",
    tool: { mode: "translate" },
    predicting: true,
    handleAt: () => null,
    pick: () => new Promise((resolve, reject) => (answer = { resolve, reject })),
    select: (ids: readonly Id[]) => {
      events.emit("selection", ids);
      return Promise.resolve();
    },
    delete: (ids: readonly Id[]) => Promise.resolve(done.push(["delete", ...ids])),
    grab: (handle: string) => Promise.resolve(done.push(["grab", handle])),
    cancel: () => Promise.resolve(done.push(["cancel"])),
    move: () => {},
    setTool: (tool: unknown) => done.push(["tool", tool]),
    setCamera: () => {},
  });
  const editor = new EditorState(session as unknown as Session) as Editor;
  editor.input.keymap.value = "blender";
  editor.say = () => {};
  events.emit("status", { phase: "online" });
  const stop = startKeys(editor);
  return {
    editor,
    done,
    stop,
    picked: (id: Id) => answer.resolve([{ id }]),
    unpicked: () => answer.reject(Object.assign(new Error("lost"), { code: "lost" })),
    lost: () => events.emit("status", { phase: "offline" }),
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** @returns whether the page used the key */
function press(...keys: string[]): boolean {
  return keys.every((key) => {
    const event = new Event("keydown", { cancelable: true });
    const code = /^[a-z]$/.test(key) ? `Key${key.toUpperCase()}` : key;
    page.dispatchEvent(Object.assign(event, { key, code }));
    return event.defaultPrevented;
  });
}

test("keys_right_after_a_click_act_on_what_the_server_then_selects", async () => {
  const { editor, done, picked, stop } = stand();
  void selectAt(editor, [5, 5], "set");
  assert.ok(press("g", "x"));
  assert.deepEqual(done, [], "X alone would delete the nodes that were selected before");
  picked(3);
  await turn();
  await turn();
  assert.deepEqual(editor.selection.peek(), [3]);
  assert.deepEqual(done, [["grab", "tv"], ["cancel"], ["grab", "tx"]]);
  stop();
});

test("keys_right_after_a_row_of_the_tree_wait_for_nobody", () => {
  const { editor, done, stop } = stand();
  selectNodes(editor, [4]);
  assert.ok(press("Delete"));
  assert.deepEqual(done, [["delete", 4]]);
  stop();
});

test("keys_after_a_click_that_was_lost_do_nothing_to_the_previous_selection", async () => {
  for (const how of ["lost", "unpicked"] as const) {
    const one = stand();
    selectNodes(one.editor, [4]);
    void selectAt(one.editor, [5, 5], "set");
    press("Delete");
    one[how]();
    await turn();
    await turn();
    assert.deepEqual(one.done, [], how);
    assert.ok(press("Delete"), "later keys act again");
    assert.deepEqual(one.done, [["delete", 4]]);
    one.stop();
  }
});

test("keys_of_tools_do_not_wait_for_a_selection", () => {
  const { editor, done, stop } = stand();
  void selectAt(editor, [5, 5], "set");
  press("q");
  press("t");
  assert.deepEqual(done, [["tool", { mode: "bounds" }]]);
  stop();
});

test("keys_escape_ends_following_before_it_deselects", () => {
  const { editor, stop } = stand();
  selectNodes(editor, [4]);
  editor.following.value = 2;
  press("Escape");
  assert.equal(editor.following.peek(), null);
  assert.deepEqual(editor.selection.peek(), [4]);
  press("Escape");
  assert.deepEqual(editor.selection.peek(), []);
  stop();
});

test("keys_are_read_by_what_the_keyboard_prints_and_elsewhere_by_their_place", () => {
  const key = (key: string, code: string, more: object = {}) =>
    chordOf({ key, code, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });
  const ctrlKey = true;
  const altGr = { getModifierState: (name: string) => name === "AltGraph" };
  const read: [string, string][] = [
    [key("z", "KeyW"), "Z"], // French
    [key("z", "KeyY", { ctrlKey }), "Mod+Z"], // German
    [key("я", "KeyZ", { ctrlKey }), "Mod+Z"], // Russian
    [key("Ζ", "KeyZ", { shiftKey: true }), "Shift+Z"], // Greek
    [key("ı", "KeyI"), "I"], // Turkish
    [key(";", "KeyZ"), ";"], // Dvorak
    [key(",", "KeyW"), ","],
    [key("z", "Slash", { ctrlKey }), "Mod+Z"],
    [key("&", "Digit1"), "1"], // French
    [key("1", "Digit1", { shiftKey: true }), "Shift+1"],
    [key("Z", "KeyZ"), "Z"], // with the caps locked
    [key("å", "KeyA", { altKey: true }), "Alt+A"], // Apple's
    [key("Dead", "KeyE", { altKey: true }), "Alt+E"],
    [key("[", "Digit8", { ctrlKey, altKey: true, ...altGr }), "["], // German on Windows
    [key("{", "Digit7", altGr), "{"], // and on Linux
    [key("ż", "KeyZ", { ctrlKey, altKey: true, ...altGr }), "AltGr+ż"], // Polish
    [key("x", "KeyX", altGr), "AltGr+x"],
  ];
  for (const [chord, meant] of read) assert.equal(chord, meant);
});

test("keys_of_a_drag_are_letters_without_ctrl_command_or_alt", () => {
  const { editor, done, stop } = stand();
  selectNodes(editor, [4]);
  press("g");
  done.length = 0;
  for (const more of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }])
    for (const [key, code] of [
      ["x", "KeyX"],
      ["ч", "KeyX"],
      ["5", "Digit5"],
    ])
      page.dispatchEvent(Object.assign(new Event("keydown"), { key, code, ...more }));
  assert.deepEqual(done, []);
  page.dispatchEvent(Object.assign(new Event("keydown"), { key: "ч", code: "KeyX" }));
  assert.deepEqual(done, [["cancel"], ["grab", "tx"]]);
  page.dispatchEvent(
    Object.assign(new Event("keydown"), { key: "я", code: "KeyZ", metaKey: true }),
  );
  assert.deepEqual(done.slice(2), [["cancel"]], "Command Z takes the drag back");
  assert.equal(editor.input.running, null);
  stop();
});
