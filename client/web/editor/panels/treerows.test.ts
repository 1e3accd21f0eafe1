// treerows.test.ts - the rows of the tree, open, closed and searched.
import assert from "node:assert/strict";
import { test } from "node:test";

import { SceneModel } from "../../sdk/index.js";
import { above, nameOf, opensAtFirst, topmost, treeRows } from "./treerows";

/** arm(1) > upper(2) > hand(3), lamp(4); base(5) > hand(6) */
const NODES: [id: number, name: string, parent: number | null][] = [
  [1, "arm", null],
  [2, "upper", 1],
  [3, "hand", 2],
  [4, "Lamp", 1],
  [5, "base", null],
  [6, "", 5],
];

function scene(nodes = NODES): SceneModel {
  const model = new SceneModel();
  model.apply([
    { from: 0, seq: 1, nodes: nodes.map(([id, name, parent]) => ({ id, name, parent })) },
  ]);
  return model;
}

const all = () => true;

test("treerows_open_tree_is_in_order_with_places", () => {
  const rows = treeRows(scene(), all, "");
  assert.deepEqual(
    rows.map((row) => [row.id, row.depth, row.place, row.count]),
    [
      [1, 0, 1, 2],
      [2, 1, 1, 2],
      [3, 2, 1, 1],
      [4, 1, 2, 2],
      [5, 0, 2, 2],
      [6, 1, 1, 1],
    ],
  );
});

test("treerows_closed_rows_hide_what_is_below", () => {
  const rows = treeRows(scene(), (id) => id !== 1, "");
  assert.deepEqual(
    rows.map(({ id, open }) => [id, open]),
    [
      [1, false],
      [5, true],
      [6, undefined],
    ],
  );
});

test("treerows_search_keeps_what_is_above", () => {
  const rows = treeRows(scene(), () => false, "HAND");
  assert.deepEqual(
    rows.map(({ id, aside, open }) => [id, aside, open]),
    [
      [1, true, true],
      [2, true, true],
      [3, false, undefined],
    ],
  );
  assert.deepEqual(
    rows.map(({ count }) => count),
    [1, 1, 1],
  );
});

test("treerows_search_by_id_finds_one", () =>
  assert.deepEqual(
    treeRows(scene(), all, "#4").map(({ id }) => id),
    [1, 4],
  ));
test("treerows_search_for_nothing_known_is_empty", () =>
  assert.deepEqual(treeRows(scene(), all, "wheel"), []));
test("treerows_above_is_nearest_first", () => assert.deepEqual(above(scene(), 3), [2, 1]));
test("treerows_topmost_drops_what_is_below", () =>
  assert.deepEqual(topmost(scene(), [3, 1, 6]), [1, 6]));
test("treerows_no_name_is_called_by_its_id", () => assert.equal(nameOf(scene(), 6), "node 6"));

test("treerows_large_scenes_begin_closed_below_the_top", () => {
  const large = scene(
    Array.from(
      { length: 400 },
      (_, i) => [i + 1, "n", i === 0 ? null : i] as [number, string, number | null],
    ),
  );
  assert.deepEqual(
    [opensAtFirst(scene(), 3), opensAtFirst(large, 0), opensAtFirst(large, 1)],
    [true, true, false],
  );
});

test("treerows_a_chain_of_the_deepest_scene_is_no_overflow", () => {
  const deep = scene(
    Array.from(
      { length: 20000 },
      (_, i) => [i + 1, "n", i === 0 ? null : i] as [number, string, number | null],
    ),
  );
  assert.equal(treeRows(deep, all, "").length, 20000);
});
