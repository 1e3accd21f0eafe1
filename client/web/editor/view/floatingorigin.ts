// floatingorigin.ts - where the single-precision numbers of the GPU count from. World coordinates are doubles; what is written into buffers is relative to a point near
// what is looked at, so that a millimetre stays a millimetre a thousand kilometres from the world's origin. Whoever fills buffers puts the object below `group`, takes
// `group.position` off every coordinate, and fills them again when `version` changed.
import * as THREE from "three";

import type { Layer, View } from "./view";

/** How far the target of the view may be from the anchor, in distances from the eye to the target: a float then still is a tenth of a pixel or finer. */
const AWAY_MAX = 1000;

export class FloatingOrigin implements Layer {
  readonly group = new THREE.Group();
  version = 0;

  constructor(view: View) {
    view.world.add(this.group);
  }

  update(view: View): void {
    const { target, distance } = view.editor.rig;
    const at = this.group.position;
    if (Math.hypot(target[0] - at.x, target[1] - at.y, target[2] - at.z) <= AWAY_MAX * distance)
      return;
    at.set(...target);
    this.version++;
  }
}
