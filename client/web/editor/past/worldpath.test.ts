// Where a node went in the world, from its own path and those of its parents.
import assert from "node:assert/strict";
import { test } from "node:test";

import type { Id, PathPoint, Vec3 } from "../../sdk/types.js";
import { worldStops } from "./worldpath";

const at = (time: number, edit: number, t: Vec3, more: Partial<PathPoint> = {}): PathPoint => ({
  seq: time,
  edit,
  time,
  t,
  r: [0, 0, 0, 1],
  s: [1, 1, 1],
  parent: null,
  ...more,
});
const near = (a: Vec3, b: Vec3): void =>
  a.forEach((value, i) => assert.ok(Math.abs(value - b[i]) < 1e-12, `${a} is not ${b}`));

test("path_drag_is_its_points_and_only_its_ends_are_stops", () => {
  const paths = new Map([
    [1, [at(0, 1, [0, 0, 0]), at(10, 2, [0, 0, 0]), at(11, 2, [1, 0, 0]), at(12, 2, [2, 0, 0])]],
  ]);
  assert.deepEqual(worldStops(paths, 1, [0, 0, 0]), [
    { point: [0, 0, 0], time: 0 },
    { point: [1, 0, 0], time: 11, between: true },
    { point: [2, 0, 0], time: 12 },
  ]);
});

test("path_a_point_of_the_node_turns_with_it", () => {
  const half = Math.SQRT1_2;
  const paths = new Map([
    [1, [at(0, 1, [5, 0, 0]), at(1, 2, [5, 0, 0], { r: [0, half, 0, half] })]],
  ]);
  const [before, after] = worldStops(paths, 1, [1, 0, 0]);
  near(before.point, [6, 0, 0]);
  near(after.point, [5, 0, -1]);
});

test("path_moves_with_a_parent_that_is_dragged", () => {
  const paths = new Map([
    [1, [at(0, 1, [0, 0, 0]), at(20, 3, [0, 0, 0]), at(24, 3, [4, 0, 0])]],
    [2, [at(0, 1, [0, 1, 0], { parent: 1 })]],
  ]);
  assert.deepEqual(
    worldStops(paths, 2, [0, 0, 0]).map(({ point }) => point),
    [
      [0, 1, 0],
      [4, 1, 0],
    ],
  );
});

test("path_inside_of_a_drag_a_node_is_on_the_line", () => {
  // While 2 goes straight from 20 to 24, its parent is moved at 21.
  const paths = new Map<Id, PathPoint[]>([
    [1, [at(0, 1, [0, 0, 0]), at(21, 4, [0, 0, 7])]],
    [
      2,
      [
        at(0, 1, [0, 0, 0], { parent: 1 }),
        at(20, 3, [0, 0, 0], { parent: 1 }),
        at(24, 3, [4, 0, 0], { parent: 1 }),
      ],
    ],
  ]);
  const stop = worldStops(paths, 2, [0, 0, 0]).find(({ time }) => time === 21);
  near(stop?.point as Vec3, [1, 0, 7]);
});

test("path_hung_elsewhere_it_follows_the_new_parent", () => {
  const paths = new Map([
    [1, [at(0, 1, [10, 0, 0])]],
    [2, [at(0, 1, [20, 0, 0])]],
    [3, [at(0, 1, [1, 0, 0], { parent: 1 }), at(5, 2, [1, 0, 0], { parent: 2 })]],
  ]);
  assert.deepEqual(
    worldStops(paths, 3, [0, 0, 0]).map(({ point }) => point),
    [
      [11, 0, 0],
      [21, 0, 0],
    ],
  );
});

test("path_begins_where_the_node_was_made", () => {
  const paths = new Map([
    [1, [at(0, 1, [0, 0, 0]), at(50, 9, [5, 0, 0])]],
    [2, [at(60, 10, [0, 0, 0], { parent: 1 })]],
  ]);
  assert.deepEqual(worldStops(paths, 2, [0, 0, 0]), [{ point: [5, 0, 0], time: 60 }]);
});

test("path_of_an_unknown_node_is_empty", () =>
  assert.deepEqual(worldStops(new Map(), 7, [0, 0, 0]), []));

test("path_between_edits_a_node_rests", () => {
  const paths = new Map([
    [1, [at(0, 1, [0, 0, 0]), at(5, 3, [0, 0, 7])]],
    [2, [at(0, 1, [0, 0, 0], { parent: 1 }), at(10, 2, [4, 0, 0], { parent: 1 })]],
  ]);
  assert.deepEqual(
    worldStops(paths, 2, [0, 0, 0]).map(({ point }) => point),
    [
      [0, 0, 0],
      [0, 0, 7],
      [4, 0, 7],
    ],
  );
});

test("path_drag_that_ends_in_a_rest_still_ends_in_a_stop", () => {
  const paths = new Map([[1, [at(10, 2, [0, 0, 0]), at(11, 2, [1, 0, 0]), at(12, 2, [1, 0, 0])]]]);
  assert.deepEqual(
    worldStops(paths, 1, [0, 0, 0]).map(({ between }) => between),
    [undefined, undefined],
  );
});
