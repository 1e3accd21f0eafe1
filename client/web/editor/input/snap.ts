// snap.ts - snapping on and off.
import type { Editor } from "../editor";

/** Where nothing was said: 0.1 m, 15 degrees, a tenth. */
export const SNAP_STEPS = { t: 0.1, r: Math.PI / 12, s: 0.1 };

export function toggleSnap(editor: Editor): void {
  const { snap } = editor.tool.peek();
  editor.setTool({ snap: { ...SNAP_STEPS, ...snap, on: !snap?.on } });
}
