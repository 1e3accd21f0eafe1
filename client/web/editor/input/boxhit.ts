// boxhit.ts - finds the nearest box of a node under a pixel, without the server. Pure.
import type { SceneModel } from "../../sdk/index.js";
import { boxTransform } from "../../sdk/maths.js";
import type { Box, Ray, Vec3 } from "../../sdk/types.js";
import { along } from "./camera";

/**
 * The nearest point at which the ray enters the box of a visible node; null for none. The direction
 * of the ray has length 1. A box around the beginning of the ray, for example a room, does not
 * count.
 */
export function boxHit(scene: SceneModel, [x, y, z, dx, dy, dz]: Ray): Vec3 | null {
  const from: Vec3 = [x, y, z];
  const ahead: Vec3 = [dx, dy, dz];
  let nearest = Infinity;
  for (const [id, { bounds }] of scene.nodes) {
    const metres = bounds ? entry(boxTransform(bounds, scene.world(id)), from, ahead) : Infinity;
    if (metres < nearest) nearest = metres;
  }
  return nearest === Infinity ? null : along(from, ahead, nearest);
}

/** The distance at which the ray enters the box; Infinity if it does not. */
function entry(box: Box, from: Vec3, ahead: Vec3): number {
  let enters = 0;
  let leaves = Infinity;
  for (let i = 0; i < 3; i++) {
    const a = (box[i] - from[i]) / ahead[i];
    const b = (box[3 + i] - from[i]) / ahead[i];
    enters = Math.max(enters, Math.min(a, b));
    leaves = Math.min(leaves, Math.max(a, b));
  }
  return enters > 0 && enters <= leaves ? enters : Infinity;
}
