// layers.ts - everything that is drawn in the view, from the ground up.
import { gizmoLayer } from "./gizmo";
import type { View } from "./view";

export function startLayers(view: View): void {
  view.add(gizmoLayer(view));
}
