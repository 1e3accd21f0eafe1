// views.ts - ways to look at the scene, for keys, buttons and the axes in the corner.
import type { Vec3 } from "../../sdk/types.js";
import type { Editor } from "../editor";

/** Shows all that is selected, or everything where nothing is. */
export function frameSelected(editor: Editor): void {
  const ids = editor.selection.peek();
  const box = editor.scene.peek().box(ids.length > 0 ? ids : editor.scene.peek().roots);
  if (box) editor.rig.frame(box, { fly: true });
}

export function frameAll(editor: Editor, { fly = true } = {}): void {
  const box = editor.scene.peek().box(editor.scene.peek().roots);
  if (box) editor.rig.frame(box, { fly });
}

/** Looks at the target from that side. */
export function lookFrom(editor: Editor, side: Vec3): void {
  editor.following.value = null;
  editor.rig.lookFrom(side);
}

export function toggleParallel(editor: Editor): void {
  editor.rig.setParallel(!editor.rig.parallel.peek());
}
