// euler.ts - rotations as three Euler angles, in the protocol's terms: XYZ turns about x, then
// about the new y, then about the new z. Radians. Pure.
import type { EulerOrder, Quat, Vec3 } from "../../sdk/types.js";

/**
 * Closer than this to a quarter turn of the middle angle, the first and the last angle cannot be
 * told apart (gimbal lock): the first one gets the whole rotation.
 */
const POLE = 1 - 1e-12;

const AXIS: Record<string, number> = { X: 0, Y: 1, Z: 2 };

/** The axes of an order, as numbers: XZY is [0, 2, 1]. */
export function axesOf(order: EulerOrder): [number, number, number] {
  return [AXIS[order[0]], AXIS[order[1]], AXIS[order[2]]];
}

/** The angles about x, y and z, whatever the order; the middle one is within a quarter turn. */
export function eulerFromQuat(q: Quat, order: EulerOrder): Vec3 {
  const [i, j, k] = axesOf(order);
  const sign = (j - i + 3) % 3 === 1 ? 1 : -1;
  const at = (row: number, column: number): number => element(q, row, column);
  const sine = sign * at(i, k);
  const out: Vec3 = [0, 0, 0];
  out[j] = Math.asin(Math.max(-1, Math.min(1, sine)));
  if (Math.abs(sine) < POLE) {
    out[i] = Math.atan2(-sign * at(j, k), at(k, k));
    out[k] = Math.atan2(-sign * at(i, j), at(i, i));
  } else {
    out[i] = Math.atan2(sign * at(k, j), at(j, j));
  }
  // Turns -0 into 0.
  return [out[0] + 0, out[1] + 0, out[2] + 0];
}

/**
 * The angles of the same rotation that are nearest to the angles before. So an angle can grow
 * beyond a quarter turn and a whole turn, as it was typed or dragged.
 */
export function eulerNear(q: Quat, order: EulerOrder, before: Vec3): Vec3 {
  const [i, j, k] = axesOf(order);
  const one = eulerFromQuat(q, order);
  const other: Vec3 = [...one];
  other[i] += Math.PI;
  other[j] = Math.PI - one[j];
  other[k] += Math.PI;
  const [a, b] = [unwound(one, before), unwound(other, before)];
  return apart(a, before) <= apart(b, before) ? a : b;
}

const TURN = 2 * Math.PI;

function unwound(angles: Vec3, before: Vec3): Vec3 {
  return angles.map(
    (angle, axis) => angle + TURN * Math.round((before[axis] - angle) / TURN),
  ) as Vec3;
}

function apart(a: Vec3, b: Vec3): number {
  return Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) + Math.abs(a[2] - b[2]);
}

/** One element of the rotation's matrix. */
function element(q: Quat, row: number, column: number): number {
  const w = q[3];
  if (row === column) {
    const [a, b] = [q[(row + 1) % 3], q[(row + 2) % 3]];
    return 1 - 2 * (a * a + b * b);
  }
  const third = 3 - row - column;
  const sign = (column - row + 3) % 3 === 1 ? -1 : 1;
  return 2 * (q[row] * q[column] + sign * w * q[third]);
}
