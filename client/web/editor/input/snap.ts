// snap.ts - switches snapping and sets its steps. The snap distance follows the zoom until the
// person types one, because a tenth of a metre is too small for a street and too large for a watch.
import { effect } from "@preact/signals";

import type { Editor } from "../editor";
import { roundAbove } from "./round";

/** Radians and a factor; the distance counts only while nothing is drawn. */
export const SNAP_STEPS = { t: 0.1, r: Math.PI / 12, s: 0.1 };
/** The least length of a snap distance on the screen, at the gizmo. */
const STEP_PX = 10;

export function toggleSnap(editor: Editor): void {
  const { snap } = editor.tool.peek();
  editor.setTool({ snap: { ...SNAP_STEPS, ...snap, on: !snap?.on } });
}

/**
 * Switches between absolute steps, which are the lines of the grid, and steps from where the drag
 * began.
 */
export function toggleSnapToGrid(editor: Editor): void {
  editor.setTool({ snap: { absolute: !editor.tool.peek().snap?.absolute } });
}

/** Sets the snap distance; null to let it follow the zoom. */
export function setSnapDistance(editor: Editor, metres: number | null): void {
  editor.input.snapDistance.value = metres;
  if (metres !== null) editor.setTool({ snap: { t: metres } });
}

/**
 * Sets the steps even while snapping is off, so that Ctrl can snap. A running drag keeps the steps
 * of its beginning.
 * @returns a function that ends this
 */
export function startSnapSteps(editor: Editor): () => void {
  const { input, rig, session } = editor;
  editor.setTool({ snap: { ...SNAP_STEPS, ...session.tool.snap } });
  return effect(() => {
    rig.revision.value;
    const origin = editor.gizmo.value?.origin;
    if (input.snapDistance.value !== null || input.dragged.value !== null || rig.height <= 1)
      return;
    const t = roundAbove(STEP_PX * ((origin && rig.metresPerPxAt(origin)) || rig.metresPerPx));
    if (t !== editor.tool.peek().snap?.t) editor.setTool({ snap: { t } });
  });
}
