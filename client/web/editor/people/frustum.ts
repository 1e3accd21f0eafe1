// frustum.ts - draws another person's camera as lines: from the eye to the corners of its picture,
// with a triangle that points up. Its size is constant on the screen, so that it is visible from
// far away and does not fill the view from near.
import type { Color, Quaternion } from "three";
import { Vector3 } from "three";

import type { LineBatch } from "./linebatch";

/** The most segments and quads of one camera. */
export const SEGMENTS = 14;
export const SHEETS = 1;

/** Left, right, bottom and top at 1 m, if the person's client did not send them. */
const LENS_UNKNOWN = [-0.66, 0.66, -0.41, 0.41];
/** The distance from the middle of the picture to its corners, as a part of the size. */
const SPREAD = 0.62;

const near = Array.from({ length: 4 }, () => new Vector3());
const far = Array.from({ length: 4 }, () => new Vector3());
const roof = [new Vector3(), new Vector3(), new Vector3()];

/** @param size the greatest length in metres */
export function drawFrustum(
  lines: LineBatch,
  eye: Vector3,
  turn: Quaternion,
  lens: readonly number[] | undefined,
  parallel: boolean,
  size: number,
  colour: Color,
): void {
  const [left, right, bottom, top] = lens ?? LENS_UNKNOWN;
  const reach = Math.hypot(Math.max(-left, right), Math.max(-bottom, top));
  const depth = parallel ? size : Math.min(size, (SPREAD * size) / reach);
  const scale = parallel ? (SPREAD * size) / reach : depth;
  const put = (out: Vector3, x: number, y: number, z: number) =>
    out.set(x, y, z).applyQuaternion(turn).add(eye);
  const corners = [
    [left, bottom],
    [right, bottom],
    [right, top],
    [left, top],
  ];
  corners.forEach(([x, y], i) => {
    put(far[i], x * scale, y * scale, -depth);
    if (parallel) put(near[i], x * scale, y * scale, 0);
    else near[i].copy(eye);
  });
  for (let i = 0; i < 4; i++) {
    lines.segment(near[i], far[i], colour);
    lines.segment(far[i], far[(i + 1) % 4], colour);
    if (parallel) lines.segment(near[i], near[(i + 1) % 4], colour);
  }
  const middle = ((left + right) / 2) * scale,
    half = 0.3 * (right - left) * scale,
    above = (top + 0.12 * (top - bottom)) * scale;
  put(roof[0], middle - half, above, -depth);
  put(roof[1], middle + half, above, -depth);
  put(roof[2], middle, above + half, -depth);
  lines.segment(roof[0], roof[2], colour);
  lines.segment(roof[1], roof[2], colour);
  lines.sheet(far, colour);
}
