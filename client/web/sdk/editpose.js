// editpose.js - the transform in a typed edit.
import { quatMultiply } from "./maths.js";

/** @import {EulerOrder, NodeChange, Quat, Transform, Vec3} from "./types.js" */

/**
 * The transform of a node in an edit; null for none, if the edit also changes the parent, or if the
 * server will refuse it.
 * @param {NodeChange} edit
 * @param {Vec3} from where it is, for single coordinates
 * @returns {Partial<Transform> | null}
 */
export function poseOfEdit({ t, x, y, z, r, s, euler, order = "XYZ", parent }, from) {
  const turn = euler ? quatOf(euler, order) : r && unit(r);
  const isSingle = x !== undefined || y !== undefined || z !== undefined;
  /** @type {Vec3 | undefined} */
  const to = isSingle ? [x ?? from[0], y ?? from[1], z ?? from[2]] : t;
  const numbers = [...(to ?? []), ...(turn ?? []), ...(s ?? [])];
  const isTwice = (euler && r) || (isSingle && t);
  const isBad = isTwice || s?.includes(0) || !numbers.every(Number.isFinite);
  if (parent !== undefined || numbers.length === 0 || isBad) return null;
  return { ...(to && { t: to }), ...(turn && { r: turn }), ...(s && { s }) };
}

/** @param {Quat} r @returns {Quat} */
function unit([x, y, z, w]) {
  const length = Math.hypot(x, y, z, w);
  return [x / length, y / length, z / length, w / length];
}

/**
 * The rotation by three angles about x, y and z, each about the axes that the previous ones left.
 * @param {Vec3} euler
 * @param {EulerOrder} order
 */
function quatOf(euler, order) {
  /** @type {Quat} */
  let turn = [0, 0, 0, 1];
  for (const letter of order) {
    const axis = "XYZ".indexOf(letter);
    /** @type {Quat} */
    const one = [0, 0, 0, Math.cos(euler[axis] / 2)];
    one[axis] = Math.sin(euler[axis] / 2);
    turn = quatMultiply(turn, one);
  }
  return turn;
}
