// views.ts - ways to look at the scene, for keys, buttons and the axes in the corner.
import { boxTransform, boxUnion } from "../../sdk/maths.js";
import type { Box, Id, Vec3 } from "../../sdk/types.js";
import type { Editor } from "../editor";

/** The box about what can be seen of these and of all below them; where nothing can be seen, about their places. */
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

/** Shows all that is selected, or everything where nothing is. */
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

/** Nearer where the factor is below 1. */
export function zoom(editor: Editor, factor: number): void {
  editor.following.value = null;
  editor.rig.zoom(factor);
}

export function toggleParallel(editor: Editor): void {
  editor.following.value = null;
  editor.rig.setParallel(!editor.rig.parallel.peek());
}
