// The box about a node and what is below it, along its own axes; and boxes as matrices of the unit
// box.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as THREE from "three";

import { SceneModel } from "../../sdk/index.js";
import { transformPoint } from "../../sdk/maths.js";
import type { Box } from "../../sdk/types.js";
import { LocalBounds } from "./bounds";
import { boxMatrix } from "./boxmesh";

const UNIT: Box = [-1, -1, -1, 1, 1, 1];
const QUARTER_TURN = [0, Math.SQRT1_2, 0, Math.SQRT1_2];

/** A turned group (1) with two boxes below it (2, 3), of which one is 10 m along the group's x. */
function makeScene(): SceneModel {
  const scene = new SceneModel();
  scene.apply([
    {
      from: 0,
      seq: 1,
      nodes: [
        { id: 1, t: [100, 0, 0], r: QUARTER_TURN },
        { id: 2, parent: 1, bounds: UNIT },
        { id: 3, parent: 1, t: [10, 0, 0], bounds: UNIT },
      ],
    },
  ]);
  return scene;
}

const rounded = (box: Box | null): number[] | undefined =>
  box?.map((value) => Math.round(1e6 * value) / 1e6 + 0);

test("bounds_of_a_group_are_along_its_own_axes", () => {
  assert.deepEqual(rounded(new LocalBounds().of(makeScene(), 1)), [-1, -1, -1, 11, 1, 1]);
});

test("bounds_of_what_has_none_are_null", () => {
  const scene = new SceneModel();
  scene.apply([{ from: 0, seq: 1, nodes: [{ id: 1 }] }]);
  assert.equal(new LocalBounds().of(scene, 1), null);
});

test("bounds_follow_a_child_that_moved_by_itself", () => {
  const scene = makeScene();
  const bounds = new LocalBounds();
  bounds.of(scene, 1);
  scene.apply([{ from: 1, seq: 2, nodes: [{ id: 3, t: [20, 0, 0] }] }]);
  bounds.moved(scene, 3);
  assert.deepEqual(rounded(bounds.of(scene, 1)), [-1, -1, -1, 21, 1, 1]);
});

test("bounds_box_matrix_takes_the_unit_box_to_the_bounds", () => {
  const matrix = boxMatrix(
    [1, 2, 3, 5, 4, 9],
    new THREE.Matrix4().makeTranslation(100, 0, 0).elements,
  );
  assert.deepEqual(transformPoint(matrix, [-0.5, -0.5, -0.5]), [101, 2, 3]);
  assert.deepEqual(transformPoint(matrix, [0.5, 0.5, 0.5]), [105, 4, 9]);
});

test("bounds_flat_box_has_an_inverse", () => {
  const matrix = boxMatrix([0, 0, 0, 1, 0, 1], new THREE.Matrix4().elements);
  assert.notEqual(new THREE.Matrix4().fromArray(matrix).determinant(), 0);
});
