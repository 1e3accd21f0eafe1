// vectors.js - the few vector functions that drawing the handles needs: plain [x, y, z], each
// result a new array.

/** @import {Vec3} from "../types.js" */

/**
 * @param {ArrayLike<number>} p
 * @param {ArrayLike<number>} direction
 * @param {number} [length]
 * @returns {Vec3}
 */
export const along = (p, direction, length = 1) => [
  p[0] + direction[0] * length,
  p[1] + direction[1] * length,
  p[2] + direction[2] * length,
];

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b @returns {Vec3} */
export const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];

/** @param {ArrayLike<number>} a @param {number} factor @returns {Vec3} */
export const times = (a, factor) => [a[0] * factor, a[1] * factor, a[2] * factor];

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b @returns {Vec3} */
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** @param {ArrayLike<number>} a */
export const length = (a) => Math.hypot(a[0], a[1], a[2]);

/**
 * The unit vector of this direction; the vector itself if its length is 0. @param
 * {ArrayLike<number>} a @returns {Vec3}
 */
export const unit = (a) => times(a, 1 / (length(a) || 1));

/** A unit vector perpendicular to this one. @param {ArrayLike<number>} a @returns {Vec3} */
export const across = (a) => unit(cross(a, Math.abs(a[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0]));
