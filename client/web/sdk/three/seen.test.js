// What `share` sends is what three.js shows: the place of an object, however its matrices are made,
// and the box around all of it, whatever kind of object it is.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BatchedMesh,
  Bone,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Float32BufferAttribute,
  Group,
  InstancedMesh,
  LOD,
  Line,
  LineSegments,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  Object3D,
  Points,
  Quaternion,
  Skeleton,
  SkinnedMesh,
  Sprite,
  Vector3,
} from "three";

import { boundsOf, placeOf, put, updateWorldByHand, worldMatrix } from "./seen.js";

const ALONE = new Set();
const unit = () => new BoxGeometry(1, 1, 1);
const near = (got, wanted) =>
  wanted.every((number, i) => Math.abs(got[i] - number) <= 1e-6) && got.length === wanted.length;
const assertNear = (got, wanted) =>
  assert.ok(got && near(got, wanted), `is ${got}, should be ${wanted}`);
const cube = (x = 0, y = 0, z = 0) => {
  const mesh = new Mesh(unit());
  mesh.position.set(x, y, z);
  return mesh;
};

test("seen_instances_batches_and_bones_are_in_the_box", () => {
  const instances = new InstancedMesh(unit(), new MeshBasicMaterial(), 3);
  instances.setMatrixAt(0, new Matrix4());
  instances.setMatrixAt(1, new Matrix4().makeTranslation(10, 0, 0));
  instances.setMatrixAt(2, new Matrix4().makeTranslation(99, 0, 0));
  instances.count = 2;
  instances.position.set(3, 3, 3);
  assertNear(boundsOf(instances, ALONE), [-0.5, -0.5, -0.5, 10.5, 0.5, 0.5]);
  assert.equal(instances.boundingBox, null, "what the object remembers is left alone");

  const batch = new BatchedMesh(2, 100, 200, new MeshBasicMaterial());
  const shape = batch.addGeometry(unit());
  batch.setMatrixAt(batch.addInstance(shape), new Matrix4().makeTranslation(0, 4, 0));
  batch.setMatrixAt(batch.addInstance(shape), new Matrix4().makeTranslation(0, -4, 0));
  assertNear(boundsOf(batch, ALONE), [-0.5, -4.5, -0.5, 0.5, 4.5, 0.5]);

  const geometry = unit(),
    count = geometry.attributes.position.count;
  geometry.setAttribute("skinIndex", new Float32BufferAttribute(new Array(4 * count).fill(0), 4));
  const weights = Array.from({ length: 4 * count }, (_, i) => (i % 4 === 0 ? 1 : 0));
  geometry.setAttribute("skinWeight", new Float32BufferAttribute(weights, 4));
  const skinned = new SkinnedMesh(geometry),
    bone = new Bone();
  skinned.add(bone);
  skinned.bind(new Skeleton([bone]));
  skinned.position.set(100, 0, 0);
  bone.position.set(0, 0, 7);
  assertNear(boundsOf(skinned, ALONE), [-0.5, -0.5, 6.5, 0.5, 0.5, 7.5]);
});

test("seen_morphs_are_in_the_box_at_their_full_weight_and_as_they_are", () => {
  const geometry = unit(),
    count = geometry.attributes.position.count;
  const up = Array.from({ length: 3 * count }, (_, i) => (i % 3 === 1 ? 2 : 0));
  geometry.morphAttributes.position = [new Float32BufferAttribute(up, 3)];
  geometry.morphTargetsRelative = true;
  const mesh = new Mesh(geometry);
  assertNear(boundsOf(mesh, ALONE), [-0.5, -0.5, -0.5, 0.5, 2.5, 0.5]);
  mesh.morphTargetInfluences[0] = 3;
  assertNear(boundsOf(mesh, ALONE), [-0.5, -0.5, -0.5, 0.5, 6.5, 0.5]);
});

test("seen_points_lines_and_what_is_drawn_of_a_buffer", () => {
  const places = [0, 0, 0, 1, 2, 3, 9, 9, 9, -7, -7, -7];
  for (const Kind of [Points, Line, LineSegments, Mesh]) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(places), 3));
    assertNear(boundsOf(new Kind(geometry), ALONE), [-7, -7, -7, 9, 9, 9]);
    geometry.setDrawRange(1, 2);
    assertNear(boundsOf(new Kind(geometry), ALONE), [1, 2, 3, 9, 9, 9]);
    geometry.setDrawRange(0, 2);
    assertNear(boundsOf(new Kind(geometry), ALONE), [0, 0, 0, 1, 2, 3]);
    geometry.setIndex([3, 2, 1, 0]);
    assertNear(boundsOf(new Kind(geometry), ALONE), [-7, -7, -7, 9, 9, 9]);
    geometry.setDrawRange(2, 2);
    assertNear(boundsOf(new Kind(geometry), ALONE), [0, 0, 0, 1, 2, 3]);
  }
});

test("seen_sprites_turn_and_every_level_of_detail_counts", () => {
  const sprite = new Sprite();
  sprite.scale.set(6, 8, 1);
  sprite.position.set(50, 0, 0);
  assertNear(boundsOf(sprite, ALONE), [-5 / 6, -5 / 8, -5, 5 / 6, 5 / 8, 5]);
  const group = new Group();
  group.add(sprite);
  assertNear(boundsOf(group, ALONE), [45, -5, -5, 55, 5, 5]);

  const detail = new LOD();
  detail.addLevel(cube(), 0);
  detail.addLevel(cube(0, 0, 5), 10);
  detail.levels[1].object.visible = false; // as LOD itself does
  assertNear(boundsOf(detail, ALONE), [-0.5, -0.5, -0.5, 0.5, 0.5, 5.5]);
});

test("seen_children_count_unless_they_are_hidden_or_shared_themselves", () => {
  const group = new Group(),
    hidden = cube(0, 90, 0),
    own = cube(0, 0, 80),
    below = cube(0, 3, 0);
  hidden.visible = false;
  hidden.add(cube(0, 1, 0));
  below.scale.set(-2, 2, 2);
  group.add(hidden, own, below);
  assertNear(boundsOf(group, new Set([group, own])), [-1, 2, -1, 1, 4, 1]);
  group.scale.set(0, 0, 0); // its own size does not matter in its own space
  assertNear(boundsOf(group, new Set([group, own])), [-1, 2, -1, 1, 4, 1]);
  assert.equal(boundsOf(new Group(), ALONE), undefined);
  assert.equal(boundsOf(new Mesh(new BufferGeometry()), ALONE), undefined);
  below.matrixAutoUpdate = false;
  below.matrix.makeTranslation(7, 0, 0);
  assertNear(boundsOf(group, new Set([group, own])), [6.5, -0.5, -0.5, 7.5, 0.5, 0.5]);
});

test("seen_place_is_the_matrix_if_that_is_set_by_hand", () => {
  const mesh = cube(1, 1, 1);
  assert.deepEqual(placeOf(mesh).t, [1, 1, 1]);
  mesh.matrixAutoUpdate = false;
  const turn = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), 0.5);
  mesh.matrix.compose(new Vector3(5, 6, 7), turn, new Vector3(-2, 3, 4));
  const { t, r, s } = placeOf(mesh);
  assert.deepEqual(t, [5, 6, 7]);
  assertNear(r, turn.toArray());
  assertNear(s, [-2, 3, 4]);
  const before = mesh.matrix.clone();
  put(mesh, { t, r, s });
  assertNear(mesh.matrix.elements, before.elements);
});

test("seen_place_of_a_flattened_matrix_has_a_scale_of_0", () => {
  for (const scale of [
    [0, 0, 0],
    [2, 0, 0],
    [0, 2, 0],
    [0, 0, 2],
    [0, 3, 2],
    [3, 0, 2],
    [3, 2, 0],
  ]) {
    const mesh = cube();
    mesh.matrixAutoUpdate = false;
    mesh.matrix.compose(
      new Vector3(1, 2, 3),
      new Quaternion(0.5, 0.5, 0.5, 0.5),
      new Vector3(...scale),
    );
    const place = placeOf(mesh);
    assertNear(place.s, scale);
    const again = new Matrix4().compose(
      new Vector3(...place.t),
      new Quaternion(...place.r),
      new Vector3(...place.s),
    );
    assertNear(again.elements, mesh.matrix.elements);
  }
});

test("seen_place_that_no_node_has_is_an_error", () => {
  const mesh = cube();
  mesh.name = "bent";
  mesh.matrixAutoUpdate = false;
  mesh.matrix.set(1, 0.5, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
  assert.throws(() => placeOf(mesh), /the matrix of "bent" shears/);
  mesh.matrix.set(1, 0, 0, NaN, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
  assert.throws(() => placeOf(mesh), /is not finite/);
  mesh.matrix.set(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0.5, 1);
  assert.throws(() => placeOf(mesh), /bent/);
});

test("seen_place_of_a_world_matrix_set_by_hand", () => {
  const parent = new Object3D(),
    mesh = cube(9, 9, 9);
  parent.position.set(1, 0, 0);
  parent.scale.set(2, 2, 2);
  parent.add(mesh);
  mesh.matrixWorldAutoUpdate = false;
  mesh.matrixWorld.makeTranslation(5, 0, 0);
  assertNear(placeOf(mesh).t, [2, 0, 0]);
  assertNear(placeOf(mesh).s, [0.5, 0.5, 0.5]);
  put(mesh, { t: [3, 0, 0], r: [0, 0, 0, 1], s: [1, 1, 1] });
  updateWorldByHand(mesh);
  assertNear(
    worldMatrix(mesh).elements,
    new Matrix4().makeTranslation(7, 0, 0).scale(new Vector3(2, 2, 2)).elements,
  );
});

test("seen_place_with_a_pivot", { skip: !("pivot" in new Object3D()) }, () => {
  const mesh = cube(1, 0, 0);
  mesh.pivot = new Vector3(0, 1, 0);
  mesh.quaternion.setFromAxisAngle(new Vector3(0, 0, 1), Math.PI / 2);
  mesh.updateMatrix();
  const shown = mesh.matrix.clone(),
    place = placeOf(mesh);
  assertNear(place.t, shown.elements.slice(12, 15));
  put(mesh, place);
  mesh.updateMatrix();
  assertNear(mesh.matrix.elements, shown.elements);
  assertNear(mesh.position.toArray(), [1, 0, 0]);
});
