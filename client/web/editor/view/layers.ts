// layers.ts - everything that is drawn in the view, from the ground up.
import { PinLayer } from "../people/pins";
import { PresenceLayer } from "../people/presence";
import { Tops } from "../people/tops";
import { Anchor } from "./anchor";
import { Empties } from "./empties";
import { Ghost } from "./ghost";
import { gizmoLayer } from "./gizmo";
import { Grid } from "./grid";
import { Light } from "./light";
import { Selection } from "./selection";
import { Stage } from "./stage";
import { Trail } from "./trail";
import type { View } from "./view";

export function startLayers(view: View): void {
  const anchor = new Anchor(view);
  const stage = new Stage(view, anchor);
  const tops = new Tops(view, stage);
  const selection = new Selection(view, anchor, stage);
  const pins = new PinLayer(view, stage, tops);
  view.add(anchor);
  view.add(new Light(view));
  view.add(new Grid(view));
  view.add(stage);
  view.add(new Ghost(view, anchor, stage));
  view.add(selection);
  view.add(new Empties(view, anchor, stage, selection));
  view.add(new Trail(view, anchor));
  view.add(gizmoLayer(view));
  view.add(tops);
  view.add(pins);
  view.add(new PresenceLayer(view, tops, () => pins.areas));
}
