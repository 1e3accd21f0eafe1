// layers.ts - adds everything that the view draws, from the ground up.
import { PinLayer } from "../people/pins";
import { PresenceLayer } from "../people/presence";
import { BoxTops } from "../people/boxtops";
import { FloatingOrigin } from "./floatingorigin";
import { Empties } from "./empties";
import { Ghost } from "./ghost";
import { gizmoLayer } from "./gizmo";
import { Grid } from "./grid";
import { Light } from "./light";
import { Selection } from "./selection";
import { NodeLayer } from "./nodelayer";
import { MotionPathLayer } from "./motionpathlayer";
import type { View } from "./view";

export function startLayers(view: View): void {
  const origin = new FloatingOrigin(view);
  const nodeLayer = new NodeLayer(view, origin);
  const boxTops = new BoxTops(view, nodeLayer);
  const selection = new Selection(view, origin, nodeLayer);
  const pins = new PinLayer(view, nodeLayer, boxTops);
  view.add(origin);
  view.add(new Light(view));
  view.add(new Grid(view));
  view.add(nodeLayer);
  view.add(new Ghost(view, origin, nodeLayer));
  view.add(selection);
  view.add(new Empties(view, origin, nodeLayer, selection));
  view.add(new MotionPathLayer(view, origin));
  view.add(gizmoLayer(view));
  view.add(boxTops);
  view.add(pins);
  view.add(new PresenceLayer(view, boxTops, () => pins.areas));
}
