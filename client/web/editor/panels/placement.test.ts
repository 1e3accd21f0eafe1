// placement.test.ts - a node keeps its place in the world under another parent.
import assert from "node:assert/strict";
import { test } from "node:test";

import { SceneModel } from "../../sdk/index.js";
import { compose } from "../../sdk/maths.js";
import type { Quat, Vec3 } from "../../sdk/types.js";
import { decompose, placeUnder } from "./placement";

const TURN: Quat = [0.5, 0.5, 0.5, 0.5];
const far = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Math.max(...Array.from(a, (value, i) => Math.abs(value - b[i])));

function scene(nodes: object[]): SceneModel {
  const model = new SceneModel();
  model.apply([{ from: 0, seq: 1, nodes }]);
  return model;
}

const PLACES: [name: string, t: Vec3, r: Quat, s: Vec3][] = [
  ["nothing", [0, 0, 0], [0, 0, 0, 1], [1, 1, 1]],
  ["all", [1, -2, 3], TURN, [2, 3, 4]],
  ["half_a_turn_about_x", [0, 0, 0], [1, 0, 0, 0], [1, 1, 1]],
  ["half_a_turn_about_y", [0, 0, 0], [0, 1, 0, 0], [1, 2, 1]],
  ["half_a_turn_about_z", [0, 0, 0], [0, 0, 1, 0], [1, 1, 3]],
  ["one_mirror", [0, 1, 0], TURN, [1, -2, 3]],
  ["three_mirrors", [0, 1, 0], TURN, [-1, -2, -3]],
  ["small", [1e6, 0, 0], TURN, [1e-6, 1e-6, 1e-6]],
];

for (const [name, t, r, s] of PLACES) {
  test(`placement_decomposes_${name}`, () => {
    const matrix = compose(t, r, s);
    const place = decompose(matrix, s);
    assert.ok(
      far(compose(place.t, place.r, place.s), matrix) < 1e-9 * Math.max(...s.map(Math.abs), 1),
      JSON.stringify(place),
    );
    assert.ok(far(place.s, s) < 1e-9);
    assert.ok(place.residual < 1e-9);
  });
}

test("placement_under_another_parent_stays_in_the_world", () => {
  const model = scene([
    { id: 1, name: "a", parent: null, t: [5, 0, 0], r: TURN, s: [2, 2, 2] },
    { id: 2, name: "b", parent: null, t: [0, 7, 1], r: [0, 0.6, 0, 0.8], s: [-3, 3, 3] },
    { id: 3, name: "moved", parent: 1, t: [1, 2, 3], r: [0.6, 0, 0, 0.8], s: [1, 2, 1] },
  ]);
  const before = Array.from(model.world(3));
  const { t, r, s, residual } = placeUnder(model, 3, 2);
  assert.ok(residual < 1e-9);
  model.apply([{ from: 1, seq: 2, nodes: [{ id: 3, t, r, s, parent: 2 }] }]);
  assert.ok(far(model.world(3), before) < 1e-9);
});

test("placement_at_the_root_is_that_in_the_world", () => {
  const model = scene([
    { id: 1, name: "a", parent: null, t: [5, 0, 0], s: [2, 2, 2] },
    { id: 2, name: "moved", parent: 1, t: [1, 0, 0] },
  ]);
  assert.deepEqual(placeUnder(model, 2, null).t, [7, 0, 0]);
});

test("placement_tells_of_a_skew", () => {
  const model = scene([
    { id: 1, name: "stretched", parent: null, s: [4, 1, 1] },
    { id: 2, name: "moved", parent: null, r: [0, 0, Math.SQRT1_2 / 2, Math.sqrt(0.875)] },
  ]);
  assert.ok(placeUnder(model, 2, 1).residual > 0.1);
});

test("placement_of_a_node_without_a_size_keeps_its_own_numbers", () => {
  const model = scene([
    { id: 1, name: "hidden", parent: null, t: [1, 2, 3], r: TURN, s: [0, 0, 0] },
    { id: 2, name: "there", parent: null, t: [1, 0, 0], r: [0, 0, 0, 1], s: [2, 2, 2] },
  ]);
  const under = placeUnder(model, 1, 2);
  assert.deepEqual([under.t, under.r, under.s], [[0, 1, 1.5], TURN, [0, 0, 0]]);
  const nowhere = placeUnder(model, 2, 1); // nothing below it has a place
  assert.deepEqual([nowhere.t, nowhere.s, nowhere.residual], [[1, 0, 0], [2, 2, 2], 1]);
});
