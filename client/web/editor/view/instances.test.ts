// Shapes as instances: where each is written, however others come and go.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as THREE from "three";

import { InstanceSet, type Part } from "./instances";

const part = (): Part => ({
  geometry: new THREE.BoxGeometry(),
  material: new THREE.MeshBasicMaterial(),
  primitive: "mesh",
});
const at = (x: number, y = 0, z = 0, scale = 1): number[] => [
  scale,
  0,
  0,
  0,
  0,
  1,
  0,
  0,
  0,
  0,
  1,
  0,
  x,
  y,
  z,
  1,
];
const meshes = (set: InstanceSet): THREE.InstancedMesh[] =>
  set.group.children as THREE.InstancedMesh[];

/**
 * Where the instances of a set are in the world, with what the batch as a whole does, in ascending
 * order.
 */
function places(set: InstanceSet): number[] {
  const matrix = new THREE.Matrix4();
  return meshes(set)
    .flatMap((mesh) => {
      mesh.updateMatrixWorld(true);
      return Array.from({ length: mesh.count }, (_, i) => {
        mesh.getMatrixAt(i, matrix);
        return matrix.premultiply(mesh.matrixWorld).elements[12];
      });
    })
    .sort((a, b) => a - b);
}

test("instances_same_shape_is_one_draw_call", () => {
  const set = new InstanceSet(new THREE.Vector3());
  const parts = [part()];
  for (let id = 1; id <= 100; id++) set.put(id, parts, at(id));
  assert.equal(meshes(set).length, 1);
  assert.deepEqual(
    places(set),
    Array.from({ length: 100 }, (_, i) => i + 1),
  );
});

test("instances_two_parts_are_two_draw_calls", () => {
  const set = new InstanceSet(new THREE.Vector3());
  set.put(1, [part(), part()], at(5));
  assert.deepEqual(places(set), [5, 5]);
});

test("instances_moved_one_leaves_the_others", () => {
  const set = new InstanceSet(new THREE.Vector3());
  const parts = [part()];
  for (const id of [1, 2, 3]) set.put(id, parts, at(id));
  set.put(2, parts, at(20));
  assert.deepEqual(places(set), [1, 3, 20]);
});

test("instances_removed_one_gives_its_place_to_the_last", () => {
  const set = new InstanceSet(new THREE.Vector3());
  const parts = [part()];
  for (const id of [1, 2, 3]) set.put(id, parts, at(id));
  set.remove(1);
  set.put(3, parts, at(30));
  assert.deepEqual(places(set), [2, 30]);
  assert.deepEqual([...set.ids], [2, 3]);
});

test("instances_last_of_a_batch_takes_the_batch_away", () => {
  const set = new InstanceSet(new THREE.Vector3());
  set.put(1, [part()], at(1));
  set.remove(1);
  assert.equal(meshes(set).length, 0);
});

test("instances_other_parts_replace_what_was_drawn", () => {
  const set = new InstanceSet(new THREE.Vector3());
  set.put(1, [part()], at(1));
  set.put(1, [part(), part()], at(2));
  assert.deepEqual(places(set), [2, 2]);
});

test("instances_origin_is_taken_off_before_the_numbers_become_floats", () => {
  const set = new InstanceSet(new THREE.Vector3(3e7, 0, 0));
  set.put(1, [part()], at(3e7 + 0.125));
  assert.deepEqual(places(set), [0.125]);
});

test("instances_mirrored_one_is_in_a_mirrored_batch_at_its_place", () => {
  const set = new InstanceSet(new THREE.Vector3());
  const parts = [part()];
  set.put(1, parts, at(1));
  set.put(2, parts, at(2, 0, 0, -1));
  assert.deepEqual(places(set), [1, 2]);
  assert.deepEqual(
    meshes(set)
      .map((mesh) => Math.sign(mesh.matrixWorld.determinant()))
      .sort(),
    [-1, 1],
  );
});

test("instances_that_are_mirrored_later_change_their_batch", () => {
  const set = new InstanceSet(new THREE.Vector3());
  const parts = [part()];
  set.put(1, parts, at(1));
  set.put(1, parts, at(1, 0, 0, -1));
  assert.equal(meshes(set).length, 1);
  assert.equal(meshes(set)[0].scale.x, -1);
});

test("instances_upload_only_what_was_written", () => {
  const set = new InstanceSet(new THREE.Vector3());
  const parts = [part()];
  for (let id = 0; id < 64; id++) set.put(id, parts, at(id));
  set.flush();
  set.put(10, parts, at(100));
  set.put(12, parts, at(120));
  set.flush();
  assert.deepEqual(meshes(set)[0].instanceMatrix.updateRanges, [{ start: 160, count: 48 }]);
});

test("instances_growth_keeps_colours", () => {
  const set = new InstanceSet(new THREE.Vector3(), { coloured: true });
  const parts = [part()];
  for (let id = 0; id < 3; id++) set.put(id, parts, at(id), new THREE.Color(id, 0, 0));
  const colours = meshes(set)[0].instanceColor?.array as Float32Array;
  assert.deepEqual([colours[0], colours[3], colours[6]], [0, 1, 2]);
});
