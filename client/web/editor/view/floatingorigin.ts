// floatingorigin.ts - the floating origin of the single-precision coordinates on the GPU. World
// coordinates are doubles; what is written into buffers is relative to a point near the target of
// the view, so that a millimetre stays a millimetre a thousand kilometres from the world's origin.
// Code that fills buffers adds its object to `group`, subtracts `group.position` from every
// coordinate, and fills the buffers again when `version` has changed.
import * as THREE from "three";

import type { Layer, View } from "./view";

/**
 * How far the target of the view may be from the origin, in distances from the eye to the target:
 * the error of a float is then at most a tenth of a pixel.
 */
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
