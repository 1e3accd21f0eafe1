// now.ts - the way back from the past by a button. The button goes with the past: the keys go on in the view rather than nowhere.
import type { Editor } from "../editor";

export function returnToNow({ timeline }: Editor): void {
  timeline.player.toNow();
  document.querySelector<HTMLElement>("canvas[role=application]")?.focus({ preventScroll: true });
}
