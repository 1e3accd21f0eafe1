// scenemenu.test.ts - a setting in the menu of the scene is kept for the next visit.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Emitter } from "../../sdk/emitter.js";
import { SceneModel, type Session } from "../../sdk/index.js";
import type { Editor } from "../editor";
import { EditorState } from "../editorstate";
import { sceneMenu } from "./scenemenu";

const kept = new Map<string, string>();
const storage = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => kept.set(key, value),
  removeItem: (key: string) => kept.delete(key),
};
Object.assign(globalThis, {
  localStorage: storage,
  sessionStorage: storage,
  location: new URL("http://127.0.0.1:1/?scene=arm"),
});

function visit(): Editor {
  const session = Object.assign(new Emitter(), {
    scene: new SceneModel(),
    sceneName: "arm",
    smooth: true,
    displayName: "Ada",
    setCamera: () => {},
  });
  return new EditorState(session as unknown as Session) as Editor;
}

test("scenemenu_switches_the_smooth_motion_of_others_for_good", () => {
  const choice = (editor: Editor) =>
    sceneMenu(editor).find(({ label }) => label === "Smooth motion of others");
  const first = visit();
  assert.equal(choice(first)?.on, true);
  choice(first)?.run?.();
  assert.equal(first.session.smooth, false);
  const second = visit();
  assert.equal(second.session.smooth, false);
  choice(second)?.run?.();
  assert.equal(visit().session.smooth, true);
});
