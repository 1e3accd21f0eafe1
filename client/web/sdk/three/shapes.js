// shapes.js - the shapes of a gizmo's handles, in parts of its length L and from its origin: the
// shapes that the server picks by (proto/README.md). Pure.
import { cross, dot, minus, unit } from "./vectors.js";

/** @import {Vec3} from "../types.js" */

export const AXIS_FROM = 0.12;
export const QUAD_FROM = 0.5;
export const QUAD_TO = 0.75;
export const VIEW_RING = 1.2;
export const VIEW_DISC = 0.08;
export const SCALE_DISC = 0.12;
/** The distance of the boxes of the universal gizmo. */
export const BOX_AT = 1.1;
/** Half the widths of the squares on the faces and corners of the bounds. */
export const FACE_HALF = 0.06;
export const CORNER_HALF = 0.04;

/**
 * A ring seen this nearly face-on (sine) shows whole; tilted more, the half that faces the viewer.
 */
const FACE_ON_SINE = 0.02;

/**
 * What is drawn, seen from one place. Lengths are parts of `size`, from the gizmo's origin.
 * @typedef {object} Sight
 * @property {boolean} perspective
 * @property {Vec3} eye meaningful in perspective only
 * @property {Vec3} right unit, as `up` and `back`
 * @property {Vec3} up
 * @property {Vec3} back towards the viewer
 * @property {number} pixel the length of a pixel at the origin
 */

/**
 * From the point towards the viewer, unit.
 * @param {Sight} sight
 * @param {Vec3} point
 * @returns {Vec3}
 */
export function toViewer(sight, point) {
  return sight.perspective ? unit(minus(sight.eye, point)) : sight.back;
}

/**
 * The angles, from `first` towards `second`, between which a ring about the origin faces the
 * viewer.
 * @param {Vec3} viewer unit
 * @param {Vec3} first
 * @param {Vec3} second
 * @returns {[number, number]}
 */
export function ringSpan(viewer, first, second) {
  const x = dot(viewer, first),
    y = dot(viewer, second),
    tilt = Math.hypot(x, y);
  if (tilt <= FACE_ON_SINE) return [-Math.PI, Math.PI];
  const middle = Math.atan2(y, x),
    half = Math.acos(-FACE_ON_SINE / tilt);
  return [middle - half, middle + half];
}

/** The three axes of a gizmo. @param {ArrayLike<number>} axes @returns {[Vec3, Vec3, Vec3]} */
export function columns(axes) {
  return [
    [axes[0], axes[1], axes[2]],
    [axes[3], axes[4], axes[5]],
    [axes[6], axes[7], axes[8]],
  ];
}

/**
 * Which axis a handle is named after, the first one of a plane: 0 to 2, or -1 for none.
 * @param {string} handle
 */
export function axisOf(handle) {
  return /^[trs]/.test(handle) || /^b[xyz]/.test(handle) ? "xyz".indexOf(handle[1]) : -1;
}

/**
 * The axis that gives the handle of a plane its colour: the one perpendicular to it. @param
 * {string} handle
 */
export const normalOf = (handle) => (axisOf(handle) + 2) % 3;

/**
 * -1, 0 or 1 along each axis of the bounds: which face or corner a handle is on.
 * @param {string} handle
 * @returns {Vec3}
 */
export function sideOf(handle) {
  /** @param {string} letter */
  const sign = (letter) => (letter === "p" ? 1 : -1);
  if (handle.length === 4) return [sign(handle[1]), sign(handle[2]), sign(handle[3])];
  const axis = axisOf(handle);
  return /** @type {Vec3} */ ([0, 1, 2].map((i) => (i === axis ? sign(handle[2]) : 0)));
}

/**
 * The four corners of a plane's handle.
 * @param {Vec3} first
 * @param {Vec3} second
 * @returns {Vec3[]}
 */
export function quad(first, second, factor = 1) {
  const from = QUAD_FROM * factor,
    to = QUAD_TO * factor;
  /** @param {number} a @param {number} b @returns {Vec3} */
  const at = (a, b) => [
    first[0] * a + second[0] * b,
    first[1] * a + second[1] * b,
    first[2] * a + second[2] * b,
  ];
  return [at(from, from), at(to, from), at(to, to), at(from, to)];
}

// ---- solids: convex bodies whose outline and shades are found by what faces the viewer ----

/**
 * @typedef {{ points: Vec3[], faces: number[][], edges: [a: number, b: number, face: number, face:
 * number][] }} Solid
 */

/**
 * @param {Vec3[]} points
 * @param {number[][]} faces counterclockwise from outside
 * @returns {Solid}
 */
function solid(points, faces) {
  /** @type {Map<string, [number, number, number, number]>} */
  const edges = new Map();
  faces.forEach((face, index) => {
    face.forEach((a, i) => {
      const b = face[(i + 1) % face.length],
        key = `${Math.min(a, b)} ${Math.max(a, b)}`;
      const known = edges.get(key);
      if (known) known[3] = index;
      else edges.set(key, [a, b, index, index]);
    });
  });
  return { points, faces, edges: [...edges.values()] };
}

/** From a disc of radius 1 about the origin, in x and y, to z = 1. */
export const CONE = cone(20);
/** From -1 to 1. */
export const CUBE = solid(
  [
    [-1, -1, -1],
    [1, -1, -1],
    [1, 1, -1],
    [-1, 1, -1],
    [-1, -1, 1],
    [1, -1, 1],
    [1, 1, 1],
    [-1, 1, 1],
  ],
  [
    [3, 2, 1, 0],
    [4, 5, 6, 7],
    [0, 1, 5, 4],
    [2, 3, 7, 6],
    [1, 2, 6, 5],
    [3, 0, 4, 7],
  ],
);

/** @param {number} sides */
function cone(sides) {
  /** @type {Vec3[]} */
  const points = [[0, 0, 1]];
  const base = [],
    faces = [];
  for (let i = 0; i < sides; i++) {
    const angle = (2 * Math.PI * i) / sides;
    points.push([Math.cos(angle), Math.sin(angle), 0]);
    faces.push([0, 1 + i, 1 + ((i + 1) % sides)]);
    base.unshift(1 + i);
  }
  return solid(points, [...faces, base]);
}

/** Across three points, unit. @param {Vec3} a @param {Vec3} b @param {Vec3} c @returns {Vec3} */
export const normal = (a, b, c) => unit(cross(minus(b, a), minus(c, a)));
