// input.ts - what mouse, touch, pen and keys do in the view.
import type { View } from "../view/view";

/** @returns what ends it */
export function startInput(view: View): () => void {
  void view;
  return () => {};
}
