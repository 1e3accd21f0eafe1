// Which boxes are made anew when nodes move: those of the people who have selected them, and no
// others.
import assert from "node:assert/strict";
import { test } from "node:test";

import { SceneModel } from "../../sdk/index.js";
import type { Box } from "../../sdk/types.js";
import { LocalBounds } from "./bounds";
import { SelectionBoxes } from "./selectionboxes";

const UNIT: Box = [-1, -1, -1, 1, 1, 1];
const NODES = 1000;

test("boxes_of_people_whose_nodes_rest_are_not_asked_for_again", () => {
  const scene = new SceneModel();
  const nodes = Array.from({ length: NODES }, (_, i) => ({
    id: i + 1,
    t: [4 * i, 0, 0],
    bounds: UNIT,
  }));
  scene.apply([
    { from: 0, seq: 1, nodes: [...nodes, { id: NODES + 1, parent: NODES, bounds: UNIT }] },
  ]);
  const bounds = new LocalBounds();
  let asked = 0;
  const boxes = new SelectionBoxes({ of: (scene, id) => (asked++, bounds.of(scene, id)) });
  const many = nodes.slice(0, NODES - 1).map(({ id }) => id);
  boxes.set(scene, [
    [7, many],
    [8, [NODES]],
    [9, [1, NODES]],
  ]);
  assert.deepEqual([...boxes.touched([NODES + 1])], [8, 9], "what is below a node is in its box");
  for (const session of boxes.touched([NODES])) boxes.of(scene, session);
  assert.equal(asked, 3, "one node of the one and two of the other, none of the many");
  assert.deepEqual([...boxes.touched([1])], [7, 9]);
  assert.deepEqual(boxes.of(scene, 7)?.box, [-1, -1, -1, 4 * (NODES - 2) + 1, 1, 1]);
  assert.equal(boxes.of(scene, 10), null);
});
