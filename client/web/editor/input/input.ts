// input.ts - what mouse, touch, pen and keys do in the view.
import { effect } from "@preact/signals";

import type { Editor } from "../editor";
import type { View } from "../view/view";
import { startFollowing } from "./follow";
import { startKeys } from "./keys";
import { startLastView } from "./lastview";
import { startPointers } from "./pointers";
import { startSnapSteps } from "./snap";

/** @returns what ends it */
export function startInput(view: View): () => void {
  const { editor, canvas } = view;
  editor.session.setTool({ orbit: "turntable" });
  editor.rig.resize(canvas.clientWidth, canvas.clientHeight);
  const stops = [
    startPointers(editor, canvas),
    startKeys(editor),
    startCursor(editor, canvas),
    startLastView(editor),
    startFollowing(editor),
    startSnapSteps(editor),
  ];
  return () => stops.forEach((stop) => stop());
}

/** What a press would do, as the shape of the cursor. */
function startCursor(editor: Editor, canvas: HTMLCanvasElement): () => void {
  return effect(() => {
    const { input } = editor;
    const handle = input.dragged.value ?? editor.gizmo.value?.hover;
    const doing = input.navigating.value;
    canvas.style.cursor = doing
      ? "grabbing"
      : input.dragged.value
        ? "grabbing"
        : handle
          ? "grab"
          : input.navigates.value
            ? "move"
            : input.marquee.value
              ? "crosshair"
              : "default";
  });
}
