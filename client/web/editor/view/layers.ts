// layers.ts - everything that is drawn in the view, from the ground up.
import type { View } from "./view";

export function startLayers(view: View): void {
  void view;
}
