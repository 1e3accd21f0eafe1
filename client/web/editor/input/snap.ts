// snap.ts - snapping on and off, and its steps. That of distances follows the zoom until somebody types one: a tenth of a metre is nothing in a street, and leaps in a watch.
import { effect } from "@preact/signals";

import type { Editor } from "../editor";
import { roundAbove } from "./round";

/** 15 degrees, a tenth; of distances where nothing is drawn. */
export const SNAP_STEPS = { t: 0.1, r: Math.PI / 12, s: 0.1 };
/** The least that a step of distances is on the screen, where the gizmo is. */
const STEP_PX = 10;

export function toggleSnap(editor: Editor): void {
  const { snap } = editor.tool.peek();
  editor.setTool({ snap: { ...SNAP_STEPS, ...snap, on: !snap?.on } });
}

/** To whole steps of the axes, as the lines of the grid are, or by whole steps from where it was. */
export function toggleSnapToGrid(editor: Editor): void {
  editor.setTool({ snap: { absolute: !editor.tool.peek().snap?.absolute } });
}

/** This distance from now on; null for what suits the zoom. */
export function setSnapDistance(editor: Editor, metres: number | null): void {
  editor.input.snapDistance.value = metres;
  if (metres !== null) editor.setTool({ snap: { t: metres } });
}

/** Sees to it that there are steps, so that Ctrl snaps also where snapping was never switched on. A drag goes on with those that it began with. @returns what ends it */
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
