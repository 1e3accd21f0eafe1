// input.ts - starts mouse, touch, pen and keyboard input in the view.
import { effect } from "@preact/signals";

import { sizeOf } from "../../sdk/canvasplace.js";
import type { Editor } from "../editor";
import type { View } from "../view/view";
import { startFollowing } from "./follow";
import { startKeys } from "./keys";
import { startLastView } from "./lastview";
import { startPointers } from "./pointers";
import { startSnapSteps } from "./snap";

/** @returns a function that ends the input */
export function startInput(view: View): () => void {
  const { editor, canvas } = view;
  editor.session.setTool({ orbit: "turntable" });
  const { width, height } = sizeOf(canvas);
  editor.rig.resize(width, height);
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

/** The shape of the cursor shows what a press would do. */
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
