// edits.ts - edits that keys, buttons and menus share.
import type { GizmodError } from "../../sdk/index.js";
import type { Editor } from "../editor";

/** Takes back one's own latest edit. Where others are in the way it says who, and offers to do it all the same. */
export async function undo(editor: Editor, force = false): Promise<void> {
  await editor.session.undo({ force }).catch((error) => refused(editor, error, "Undo anyway", () => void undo(editor, true)));
}

export async function redo(editor: Editor, force = false): Promise<void> {
  await editor.session.redo({ force }).catch((error) => refused(editor, error, "Redo anyway", () => void redo(editor, true)));
}

/** Deletes what is selected, with all that hangs below. */
export async function deleteSelected(editor: Editor): Promise<void> {
  const ids = editor.selection.peek();
  const names = ids.length === 1 ? editor.session.scene.get(ids[0])?.name || "a node" : `${ids.length} nodes`;
  const done = await editor.try(() => editor.session.delete(ids));
  if (done) editor.say("info", `Deleted ${names}`, { label: "Undo", run: () => void undo(editor) });
}

function refused(editor: Editor, error: GizmodError, label: string, run: () => void): void {
  if (error.code === "conflict") editor.say("warn", error.message, { label, run });
  else if (error.code === "bad_state") editor.say("info", error.message.replace(/^\w+: (\w)/, (_, first: string) => first.toUpperCase()));
  else editor.fail(error);
}
