// boxhit.test.ts - rays meet the nearest box in front of them.
import assert from "node:assert/strict";
import { test } from "node:test";

import { SceneModel } from "../../sdk/index.js";
import type { Box, Vec3 } from "../../sdk/types.js";
import { boxHit } from "./boxhit";

const UNIT: Box = [-1, -1, -1, 1, 1, 1];

function sceneOf(...nodes: { t: Vec3; bounds?: Box }[]): SceneModel {
  const scene = new SceneModel();
  scene.apply([{ from: 0, seq: 1, nodes: nodes.map((node, i) => ({ id: i + 1, ...node })) }]);
  return scene;
}

test("boxhit_is_the_nearest_entry_into_a_visible_node", () => {
  const scene = sceneOf(
    { t: [0, 0, -20], bounds: UNIT },
    { t: [0, 0, -10], bounds: UNIT },
    { t: [0, 0, -5] },
    { t: [0, 0, 10], bounds: UNIT },
  );
  assert.deepEqual(boxHit(scene, [0, 0, 0, 0, 0, -1]), [0, 0, -9]);
  assert.deepEqual(boxHit(scene, [0.5, 0, 0, 0, 0, -1]), [0.5, 0, -9]);
  assert.equal(boxHit(scene, [3, 0, 0, 0, 0, -1]), null);
  assert.equal(boxHit(scene, [0, 0, 0, 1, 0, 0]), null);
});

test("boxhit_looks_through_the_box_that_the_eye_is_in", () => {
  const room = { t: [0, 0, 0] as Vec3, bounds: [-50, -50, -50, 50, 50, 50] as Box };
  const scene = sceneOf(room, { t: [0, 0, -10], bounds: UNIT });
  assert.deepEqual(boxHit(scene, [0, 0, 0, 0, 0, -1]), [0, 0, -9]);
});
