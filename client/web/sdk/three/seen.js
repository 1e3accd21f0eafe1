// seen.js - what three.js shows of an object: where it stands, and the box around all of it.
//
// three.js draws by matrices. `position`, `quaternion` and `scale` say where an object is only
// while `matrixAutoUpdate` makes its matrix of them (and `pivot` then moves it too); with
// `matrixWorldAutoUpdate` off not even `matrix` counts, but `matrixWorld` alone.
import { Box3, Matrix4, Quaternion, Vector3 } from "three";

/** @import {Object3D} from "three" */
/** @import {Box, Quat, Vec3} from "../types.js" */

/** How far a matrix may be from the place that is sent for it, in parts of its size. */
const SHEAR_MAX = 1e-6;

const IDENTITY = new Matrix4();

/** @param {Object3D} object @returns {Matrix4} its place in its parent's space, as it is shown */
export function localMatrix(object) {
  if (object.matrixAutoUpdate) object.updateMatrix();
  if (object.matrixWorldAutoUpdate) return object.matrix;
  if (!object.parent) return object.matrixWorld;
  return new Matrix4().copy(worldMatrix(object.parent)).invert().multiply(object.matrixWorld);
}

/** @param {Object3D} object @returns {Matrix4} */
export function worldMatrix(object) {
  if (!object.matrixWorldAutoUpdate) return object.matrixWorld;
  const local = localMatrix(object);
  return object.parent ? new Matrix4().multiplyMatrices(worldMatrix(object.parent), local) : local;
}

/** @param {Object3D} object */
export function isAtOrigin(object) {
  return localMatrix(object).equals(IDENTITY);
}

/**
 * The place of an object in its parent's space.
 * @param {Object3D} object
 * @returns {{ t: Vec3, r: Quat, s: Vec3 }}
 */
export function placeOf(object) {
  const isPlain = object.matrixAutoUpdate && object.matrixWorldAutoUpdate;
  const { position, quaternion, scale } =
    isPlain && !(/** @type {any} */ (object).pivot)
      ? object
      : decompose(localMatrix(object), object.name);
  return {
    t: /** @type {Vec3} */ (position.toArray()),
    r: /** @type {Quat} */ (quaternion.toArray()),
    s: /** @type {Vec3} */ (scale.toArray()),
  };
}

/**
 * Puts an object where its node is. The object's matrices stay the ones that three.js shows.
 * @param {Object3D} object
 * @param {{ t: Vec3, r: Quat, s: Vec3 }} place
 */
export function put(object, { t, r, s }) {
  const { pivot } = /** @type {{ pivot?: Vector3 | null }} */ (object); // newer ones have it
  object.position.fromArray(t);
  object.quaternion.fromArray(r);
  object.scale.fromArray(s);
  if (pivot) {
    const matrix = new Matrix4().compose(object.position, object.quaternion, object.scale);
    object.position.copy(pivot).applyMatrix4(matrix).sub(pivot);
  }
  if (!object.matrixAutoUpdate) object.updateMatrix();
}

/** A world matrix that three.js does not make is made here. @param {Object3D} object */
export function updateWorldByHand(object) {
  if (object.matrixAutoUpdate) object.updateMatrix();
  if (object.parent) object.matrixWorld.multiplyMatrices(worldMatrix(object.parent), object.matrix);
  else object.matrixWorld.copy(object.matrix);
}

/**
 * @param {Matrix4} matrix
 * @param {string} name
 */
function decompose(matrix, name) {
  const position = new Vector3(),
    quaternion = new Quaternion(),
    scale = new Vector3();
  const columns = [0, 1, 2].map((i) => new Vector3().setFromMatrixColumn(matrix, i));
  position.setFromMatrixPosition(matrix);
  scale.set(...lengthsOf(columns));
  if (new Matrix4().makeBasis(columns[0], columns[1], columns[2]).determinant() < 0) scale.x *= -1;
  quaternion.setFromRotationMatrix(rotationOf(columns, scale));
  const again = new Matrix4().compose(position, quaternion, scale).elements;
  const size = Math.max(Math.abs(scale.x), scale.y, scale.z);
  const isExact = matrix.elements.every((number, i) => {
    const most = i < 12 && i % 4 < 3 ? SHEAR_MAX * size : 0;
    return Math.abs(number - again[i]) <= most;
  });
  if (!isExact)
    throw new Error(
      `gizmod: the matrix of "${name}" shears or is not finite, which a node's translation, ` +
        "rotation and scale cannot say",
    );
  return { position, quaternion, scale };
}

/** @param {Vector3[]} columns @returns {[number, number, number]} */
function lengthsOf([x, y, z]) {
  return [x.length(), y.length(), z.length()];
}

/**
 * The rotation of three columns that are square to each other; a column of 0 is square to the rest.
 * @param {Vector3[]} columns
 * @param {Vector3} scale
 */
function rotationOf(columns, scale) {
  const axes = columns.map((column, i) => column.clone().divideScalar(scale.getComponent(i) || 1));
  const there = axes.filter((axis) => axis.lengthSq() > 0);
  if (there.length === 0) return IDENTITY;
  if (there.length === 1) {
    const only = axes.indexOf(there[0]);
    const across = new Vector3(Math.abs(there[0].x) < 0.5 ? 1 : 0, 0, 0);
    if (across.x === 0) across.y = 1;
    axes[(only + 1) % 3].crossVectors(there[0], across).normalize();
  }
  const lost = axes.findIndex((axis) => axis.lengthSq() === 0);
  if (lost >= 0) axes[lost].crossVectors(axes[(lost + 1) % 3], axes[(lost + 2) % 3]).normalize();
  return new Matrix4().makeBasis(axes[0], axes[1], axes[2]);
}

// ---- boxes ----

/**
 * The box in the object's own space around all that is seen of it and of everything below it,
 * except objects that are shared themselves and children that are hidden. Each kind of object says
 * itself what it shows: instances, batches, bones, morphs.
 * @param {Object3D} object
 * @param {Set<Object3D>} others
 * @returns {Box | undefined}
 */
export function boundsOf(object, others) {
  const box = new Box3();
  object.updateWorldMatrix(true, true);
  grow(box, object, new Matrix4(), (at) => at !== object && others.has(at));
  const numbers = [...box.min.toArray(), ...box.max.toArray()];
  return numbers.every(Number.isFinite) && !box.isEmpty()
    ? /** @type {Box} */ (numbers)
    : undefined;
}

/**
 * @param {Box3} box
 * @param {any} at
 * @param {Matrix4} place of `at` in the space of the box
 * @param {(at: Object3D) => boolean} isOther
 */
function grow(box, at, place, isOther) {
  const own = ownBox(at);
  if (own && !own.isEmpty()) box.union(own.applyMatrix4(place));
  for (const child of at.children) {
    if (isOther(child) || (!child.visible && !at.isLOD)) continue;
    const inner = new Matrix4().multiplyMatrices(place, localMatrix(child));
    grow(box, child, inner, isOther);
  }
}

/** @param {any} at @returns {Box3 | null} what the object itself shows, in its own space */
function ownBox(at) {
  if (at.isSprite) return spriteBox(at);
  if (!at.geometry) return null;
  const part = drawnPart(at);
  if (part) return verticesBox(at, part);
  at.geometry.computeBoundingBox();
  if (at.isSkinnedMesh) bendBones(at);
  if (typeof at.computeBoundingBox !== "function") return posedBox(at);
  const before = at.boundingBox;
  at.boundingBox = null;
  at.computeBoundingBox();
  const box = at.boundingBox?.clone() ?? null;
  at.boundingBox = before;
  return box && isFiniteBox(box) ? box : posedBox(at);
}

/** Brings the bones up to date, as drawing does. @param {any} mesh */
function bendBones({ skeleton, bindMode, bindMatrixInverse, matrixWorld }) {
  for (const bone of skeleton?.bones ?? []) bone.updateWorldMatrix(true, false);
  if (bindMode === "attached") bindMatrixInverse.copy(matrixWorld).invert();
}

/** @param {Box3} box */
const isFiniteBox = ({ min, max }) =>
  [...min.toArray(), ...max.toArray()].every((number) => !Number.isNaN(number));

/**
 * The box of the geometry; of a morphed one as it is now, without its targets, and with each alone
 * at its full weight.
 * @param {any} at
 */
function posedBox(at) {
  const { geometry, morphTargetInfluences: weights } = at;
  if (!weights?.length || !geometry.morphAttributes.position || !at.getVertexPosition)
    return geometry.boundingBox.clone();
  const box = new Box3(),
    now = [...weights],
    all = { start: 0, end: geometry.attributes.position.count };
  for (let target = -2; target < now.length; target++) {
    if (target >= -1) weights.fill(0);
    if (target >= 0) weights[target] = 1;
    box.union(verticesBox(at, all));
  }
  for (const [i, weight] of now.entries()) weights[i] = weight;
  return box;
}

/**
 * The vertices, or indices, that are drawn, if those are not all; buffers are often longer than
 * what is drawn of them.
 * @param {any} at
 */
function drawnPart({ geometry, isInstancedMesh, isBatchedMesh }) {
  const { drawRange, index, attributes } = geometry;
  const count = index?.count ?? attributes.position?.count ?? 0;
  const end = Math.min(count, drawRange.start + drawRange.count);
  const isPart = drawRange.start > 0 || end < count;
  return isPart && !isInstancedMesh && !isBatchedMesh
    ? { start: drawRange.start, end, index }
    : null;
}

/**
 * @param {any} at
 * @param {{ start: number, end: number, index?: any }} part
 */
function verticesBox(at, { start, end, index }) {
  const box = new Box3(),
    point = new Vector3();
  for (let i = start; i < end; i++) {
    const vertex = index ? index.getX(i) : i;
    if (at.getVertexPosition) at.getVertexPosition(vertex, point);
    else point.fromBufferAttribute(at.geometry.attributes.position, vertex);
    box.expandByPoint(point);
  }
  return box;
}

/**
 * A sprite turns to the viewer, so it may be seen anywhere in a ball around its place.
 * @param {import("three").Sprite} sprite
 */
function spriteBox({ center, scale }) {
  const reach = Math.hypot(
    Math.max(Math.abs(center.x), Math.abs(1 - center.x)) * scale.x,
    Math.max(Math.abs(center.y), Math.abs(1 - center.y)) * scale.y,
  );
  const radius = new Vector3(reach, reach, reach);
  radius
    .divide(new Vector3(scale.x || 1, scale.y || 1, scale.z || 1))
    .set(Math.abs(radius.x), Math.abs(radius.y), Math.abs(radius.z));
  return new Box3(radius.clone().negate(), radius);
}
