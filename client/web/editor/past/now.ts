// now.ts - returns to the present. The button that was pressed disappears with the past, so the
// view gets the keyboard focus.
import type { Editor } from "../editor";

export function returnToNow({ timeline }: Editor): void {
  timeline.player.toNow();
  document.querySelector<HTMLElement>("canvas[role=application]")?.focus({ preventScroll: true });
}
