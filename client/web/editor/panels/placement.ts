// placement.ts - the transform of a node under another parent at the same place in the world. Pure;
// glTF's terms.
import { compose, invertAffine, multiply } from "../../sdk/maths.js";
import type { SceneModel } from "../../sdk/index.js";
import type { Id, Quat, Vec3 } from "../../sdk/types.js";
import { along, cross, dot, quatFromAxes, unit } from "../input/camera";

export interface Placement {
  t: Vec3;
  r: Quat;
  s: Vec3;
  /**
   * The relative part of the matrix that translation, rotation and scale cannot express: 0 unless
   * it is skewed.
   */
  residual: number;
}

/**
 * The transform of a node below `parent` that keeps its place in the world. A node with a scale of
 * 0 keeps its own rotation and scale, and below a parent of no size all its numbers.
 */
export function placeUnder(scene: SceneModel, id: Id, parent: Id | null): Placement {
  const above = scene.world(parent);
  const local = multiply(invertAffine(above), scene.world(id));
  const node = scene.get(id);
  const isFlat = node?.s.includes(0) ?? false;
  const isFinite = hasSize(above) && Array.from(local).every(Number.isFinite);
  if (!node || (isFinite && !isFlat)) return decompose(local, node?.s ?? [1, 1, 1]);
  const t: Vec3 = isFinite ? [local[12], local[13], local[14]] : [...node.t];
  const { r, s } = node;
  return { t, r: [...r], s: [...s], residual: isFinite ? difference(local, compose(t, r, s)) : 1 };
}

/**
 * Decomposes an affine matrix into translation, rotation and scale. The factors have the signs of
 * `like`, as far as the handedness of the matrix allows.
 */
export function decompose(m: ArrayLike<number>, like: Vec3 = [1, 1, 1]): Placement {
  const columns = [0, 1, 2].map((i): Vec3 => [m[4 * i], m[4 * i + 1], m[4 * i + 2]]);
  const signs: number[] = like.map((factor) => (factor < 0 ? -1 : 1));
  const mirrored = dot(cross(columns[0], columns[1]), columns[2]) < 0;
  if (mirrored !== signs[0] * signs[1] * signs[2] < 0) signs[0] = -signs[0];
  const s = columns.map((column, i) => signs[i] * (Math.hypot(...column) || 1e-15)) as Vec3;
  const x = unit(scaled(columns[0], 1 / s[0]));
  const y0 = scaled(columns[1], 1 / s[1]);
  const y = unit(along(y0, x, -dot(x, y0)));
  const r = quatFromAxes(x, y, cross(x, y));
  const t: Vec3 = [m[12], m[13], m[14]];
  return { t, r, s, residual: difference(m, compose(t, r, s)) };
}

function hasSize(m: ArrayLike<number>): boolean {
  const [x, y, z] = [0, 1, 2].map((i): Vec3 => [m[4 * i], m[4 * i + 1], m[4 * i + 2]]);
  return dot(cross(x, y), z) !== 0;
}

function difference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let apart = 0;
  let size = 0;
  for (const i of [0, 1, 2, 4, 5, 6, 8, 9, 10]) {
    apart += (a[i] - b[i]) ** 2;
    size += a[i] ** 2;
  }
  return size === 0 ? 0 : Math.sqrt(apart / size);
}

const scaled = (a: Vec3, by: number): Vec3 => [a[0] * by, a[1] * by, a[2] * by];
