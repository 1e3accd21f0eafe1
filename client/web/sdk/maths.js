// maths.js - the few functions on matrices and boxes that a client needs, in double precision and
// without a library. Matrices: 16 numbers, by columns, for column vectors. Functions with `out`
// write the result there and return it; `out` must not be one of the arguments.

/** @import {Box, Mat4, Quat, Transform, Vec3} from "./types.js" */

/**
 * The matrix of a translation, rotation and scale, as in glTF.
 * @param {Vec3} t
 * @param {Quat} r
 * @param {Vec3} s
 */
export function compose(t, r, s, out = new Float64Array(16)) {
  const x = r[0],
    y = r[1],
    z = r[2],
    w = r[3];
  out[0] = (1 - 2 * (y * y + z * z)) * s[0];
  out[1] = 2 * (x * y + z * w) * s[0];
  out[2] = 2 * (x * z - y * w) * s[0];
  out[4] = 2 * (x * y - z * w) * s[1];
  out[5] = (1 - 2 * (x * x + z * z)) * s[1];
  out[6] = 2 * (y * z + x * w) * s[1];
  out[8] = 2 * (x * z + y * w) * s[2];
  out[9] = 2 * (y * z - x * w) * s[2];
  out[10] = (1 - 2 * (x * x + y * y)) * s[2];
  for (let i = 0; i < 3; i++) out[12 + i] = t[i];
  out[3] = out[7] = out[11] = 0;
  out[15] = 1;
  return out;
}

/** a b @param {Mat4} a @param {Mat4} b */
export function multiply(a, b, out = new Float64Array(16)) {
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let i = 0; i < 4; i++) sum += a[4 * i + row] * b[4 * column + i];
      out[4 * column + row] = sum;
    }
  }
  return out;
}

/** The inverse of an affine matrix; the identity if it has none. @param {Mat4} m */
export function invertAffine(m, out = new Float64Array(16)) {
  const [a, b, c, , d, e, f, , g, h, i] = Array.from(m);
  const A = e * i - f * h,
    B = f * g - d * i,
    C = d * h - e * g;
  const det = a * A + b * B + c * C;
  if (!Number.isFinite(1 / det)) return set(out, IDENTITY);
  const rows = [
    A,
    c * h - b * i,
    b * f - c * e,
    B,
    a * i - c * g,
    c * d - a * f,
    C,
    b * g - a * h,
    a * e - b * d,
  ];
  for (let column = 0; column < 3; column++) {
    for (let row = 0; row < 3; row++) out[4 * column + row] = rows[3 * column + row] / det;
    out[4 * column + 3] = 0;
  }
  for (let row = 0; row < 3; row++)
    out[12 + row] = -(out[row] * m[12] + out[4 + row] * m[13] + out[8 + row] * m[14]);
  out[15] = 1;
  return out;
}

/**
 * Transforms a point, perspective division included.
 * @param {Mat4} m
 * @param {ArrayLike<number>} p
 * @returns {Vec3}
 */
export function transformPoint(m, p) {
  const w = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15];
  /** @param {number} row */
  const at = (row) => (m[row] * p[0] + m[4 + row] * p[1] + m[8 + row] * p[2] + m[12 + row]) / w;
  return [at(0), at(1), at(2)];
}

/**
 * The smallest box along the axes around a box that an affine matrix transforms.
 * @param {Box} box
 * @param {Mat4} m
 * @returns {Box}
 */
export function boxTransform(box, m) {
  /** @type {Box} */
  const out = [m[12], m[13], m[14], m[12], m[13], m[14]];
  for (let row = 0; row < 3; row++) {
    for (let column = 0; column < 3; column++) {
      const a = m[4 * column + row] * box[column],
        b = m[4 * column + row] * box[3 + column];
      out[row] += Math.min(a, b);
      out[3 + row] += Math.max(a, b);
    }
  }
  return out;
}

/** @param {Box | null} a @param {Box} b @returns {Box} */
export function boxUnion(a, b) {
  if (a === null) return [...b];
  return /** @type {Box} */ (
    a.map((value, i) => (i < 3 ? Math.min(value, b[i]) : Math.max(value, b[i])))
  );
}

/**
 * The point between two points.
 * @param {Vec3} a
 * @param {Vec3} b
 * @param {number} share 0 for `a`, 1 for `b`
 * @returns {Vec3}
 */
export function lerp(a, b, share) {
  const at = (/** @type {number} */ i) => a[i] + share * (b[i] - a[i]);
  return [at(0), at(1), at(2)];
}

/**
 * The rotation between two rotations, by the shorter way and at a constant speed.
 * @param {Quat} a a unit quaternion, as `b`
 * @param {Quat} b
 * @param {number} share 0 for `a`, 1 for `b`
 * @returns {Quat}
 */
export function slerp(a, b, share) {
  const dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const angle = Math.acos(Math.min(1, Math.abs(dot)));
  const sine = Math.sin(angle);
  // If the sine is nearly 0, linear interpolation is exact enough.
  const ofA = sine < 1e-9 ? 1 - share : Math.sin((1 - share) * angle) / sine;
  const ofB = (sine < 1e-9 ? share : Math.sin(share * angle) / sine) * (dot < 0 ? -1 : 1);
  const at = (/** @type {number} */ i) => ofA * a[i] + ofB * b[i];
  return [at(0), at(1), at(2), at(3)];
}

/** The rotation by `b`, then by `a`. @param {Quat} a @param {Quat} b @returns {Quat} */
export function quatMultiply([ax, ay, az, aw], [bx, by, bz, bw]) {
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

/**
 * A transform to write to. Its arrays hold fractions, so that the engine need not convert them
 * later.
 * @returns {Transform}
 */
export const newTransform = () => ({
  t: [0.5, 0.5, 0.5],
  r: [0.5, 0.5, 0.5, 0.5],
  s: [0.5, 0.5, 0.5],
});

/**
 * @template {number[]} List
 * @param {Readonly<List>} from
 * @param {List} to as long
 */
export function copyList(from, to) {
  for (let i = 0; i < to.length; i++) to[i] = from[i];
  return to;
}

/**
 * The transform of which ten numbers, t, r and s, begin at an index.
 * @param {ArrayLike<number>} numbers
 * @param {number} at
 * @param {Transform} out
 */
export function transformAt(numbers, at, out) {
  for (let i = 0; i < 3; i++) out.t[i] = numbers[at + i];
  for (let i = 0; i < 4; i++) out.r[i] = numbers[at + 3 + i];
  for (let i = 0; i < 3; i++) out.s[i] = numbers[at + 7 + i];
  return out;
}

/** A vector turned by a unit quaternion. @param {Quat} q @param {Vec3} v @returns {Vec3} */
export function quatRotate([x, y, z, w], [a, b, c]) {
  const [p, q, r] = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
  return [a + w * p + y * r - z * q, b + w * q + z * p - x * r, c + w * r + x * q - y * p];
}

/** @param {Float64Array} out @param {Mat4} m */
function set(out, m) {
  for (let i = 0; i < 16; i++) out[i] = m[i];
  return out;
}

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
