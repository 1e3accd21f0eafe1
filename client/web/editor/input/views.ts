// views.ts - commands that change the view, for keys, buttons and the compass.
import { boxTransform, boxUnion } from "../../sdk/maths.js";
import type { Box, Id, Vec3 } from "../../sdk/types.js";
import type { Editor } from "../editor";

/**
 * The box around the visible parts of these nodes and of all below them; if nothing is visible,
 * around their origins.
 */
function boxOf(editor: Editor, ids: readonly Id[]): Box | null {
  const scene = editor.scene.peek();
  let box: Box | null = null;
  for (const top of ids) {
    for (const id of scene.below(top)) {
      const bounds = scene.get(id)?.bounds;
      if (bounds) box = boxUnion(box, boxTransform(bounds, scene.world(id)));
    }
  }
  return box ?? scene.box(ids);
}

/** Frames the selection, or everything if nothing is selected. */
export function frameSelected(editor: Editor): void {
  const ids = editor.selection.peek();
  const box = boxOf(editor, ids.length > 0 ? ids : editor.scene.peek().roots);
  editor.following.value = null;
  if (box) editor.rig.frame(box, { fly: true });
}

export function frameAll(editor: Editor, { fly = true } = {}): void {
  const box = boxOf(editor, editor.scene.peek().roots);
  editor.following.value = null;
  if (box) editor.rig.frame(box, { fly });
}

/** Looks at the target from that side. */
export function lookFrom(editor: Editor, side: Vec3): void {
  editor.following.value = null;
  editor.rig.lookFrom(side);
}

/** Zooms in if the factor is below 1. */
export function zoom(editor: Editor, factor: number): void {
  editor.following.value = null;
  editor.rig.zoom(factor);
}

export function toggleParallel(editor: Editor): void {
  editor.following.value = null;
  editor.rig.setParallel(!editor.rig.parallel.peek());
}
