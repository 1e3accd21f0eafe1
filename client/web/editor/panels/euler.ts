// euler.ts - rotations as three Euler angles, in the protocol's terms: XYZ turns about x, then
// about the new y, then about the new z. Radians. Pure.
import type { EulerOrder, Quat, Vec3 } from "../../sdk/types.js";

/**
 * Closer than this to a quarter turn of the middle angle, only the sum or the difference of the
 * first and the last angle can be told (gimbal lock).
 */
const POLE = 1 - 1e-14;
/** Rotations whose quaternions are this close are one rotation. */
const SAME = 1e-9;

const AXIS: Record<string, number> = { X: 0, Y: 1, Z: 2 };

/** The axes of an order, as numbers: XZY is [0, 2, 1]. */
export function axesOf(order: EulerOrder): [number, number, number] {
  return [AXIS[order[0]], AXIS[order[1]], AXIS[order[2]]];
}

/**
 * The angles about x, y and z, whatever the order; the middle one is within a quarter turn. At a
 * pole the first one gets the whole rotation.
 */
export function eulerFromQuat(q: Quat, order: EulerOrder): Vec3 {
  const [i, j, k] = axesOf(order);
  const sign = signOf(order);
  const at = (row: number, column: number): number => element(q, row, column);
  const sine = sign * at(i, k);
  const out: Vec3 = [0, 0, 0];
  if (Math.abs(sine) < POLE) {
    out[j] = Math.asin(sine);
    out[i] = Math.atan2(-sign * at(j, k), at(k, k));
    out[k] = Math.atan2(-sign * at(i, j), at(i, i));
  } else {
    out[j] = (Math.sign(sine) * Math.PI) / 2;
    out[i] = Math.atan2(sign * at(k, j), at(j, j));
  }
  // Turns -0 into 0.
  return [out[0] + 0, out[1] + 0, out[2] + 0];
}

/** The rotation that the server makes of these angles. */
export function quatFromEuler(angles: Vec3, order: EulerOrder): Quat {
  return axesOf(order).reduce((q, axis) => turnedBy(q, axis, angles[axis]), [0, 0, 0, 1] as Quat);
}

/** Whether these angles make this rotation. */
export function isRotation(angles: Vec3, order: EulerOrder, q: Quat): boolean {
  const made = quatFromEuler(angles, order);
  const apart = (sign: number): number => Math.hypot(...q.map((part, i) => part - sign * made[i]));
  return Math.min(apart(1), apart(-1)) < SAME;
}

/**
 * The angles of the same rotation that are nearest to the angles before, which are these themselves
 * if they make it. So an angle can grow beyond a quarter turn and a whole turn, as it was typed or
 * dragged, and at a pole the turn is shared as it was.
 */
export function eulerNear(q: Quat, order: EulerOrder, before: Vec3): Vec3 {
  if (isRotation(before, order, q)) return before;
  const [i, j, k] = axesOf(order);
  const one = eulerFromQuat(q, order);
  if (Math.abs(one[j]) === Math.PI / 2) return nearAtPole(one, order, before);
  const other: Vec3 = [...one];
  other[i] += Math.PI;
  other[j] = Math.PI - one[j];
  other[k] += Math.PI;
  const [a, b] = [unwound(one, before), unwound(other, before)];
  return apart(a, before) <= apart(b, before) ? a : b;
}

/**
 * At a pole the angles of a rotation are a line: what is added to the first angle is taken from or
 * added to the last one. The nearest point of that line.
 */
function nearAtPole(one: Vec3, order: EulerOrder, before: Vec3): Vec3 {
  const [i, j, k] = axesOf(order);
  const way = signOf(order) * Math.sign(one[j]);
  const missing = one[i] - (before[i] + way * before[k]);
  const half = (missing - TURN * Math.round(missing / TURN)) / 2;
  const out = unwound(one, before);
  out[i] = before[i] + half;
  out[k] = before[k] + way * half;
  return out;
}

/** 1 for the orders XYZ, YZX and ZXY, -1 for the others. */
function signOf(order: EulerOrder): 1 | -1 {
  const [i, j] = axesOf(order);
  return (j - i + 3) % 3 === 1 ? 1 : -1;
}

/** A rotation, and then a turn about one of its own axes. */
function turnedBy(q: Quat, axis: number, angle: number): Quat {
  const [sine, cosine] = [Math.sin(angle / 2), Math.cos(angle / 2)];
  const [next, last] = [(axis + 1) % 3, (axis + 2) % 3];
  const out: Quat = [0, 0, 0, q[3] * cosine - q[axis] * sine];
  out[axis] = q[axis] * cosine + q[3] * sine;
  out[next] = q[next] * cosine + q[last] * sine;
  out[last] = q[last] * cosine - q[next] * sine;
  return out;
}

const TURN = 2 * Math.PI;

function unwound(angles: Vec3, before: Vec3): Vec3 {
  return angles.map(
    (angle, axis) => angle + TURN * Math.round((before[axis] - angle) / TURN),
  ) as Vec3;
}

/** How far two triples of angles are apart. */
export function apart(a: Vec3, b: Vec3): number {
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
