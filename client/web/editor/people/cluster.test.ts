// cluster.test.ts - pins that would overlap are combined.
import assert from "node:assert/strict";
import { test } from "node:test";

import { cluster } from "./cluster";

test("cluster_pins_near_the_first_of_a_cluster_join_it_others_stand_alone", () => {
  const pins = [
    [0, 0],
    [50, 0],
    [10, 5],
    [60, 0],
    [200, 200],
  ].map(([x, y], id) => ({ id, at: [x, y] as [number, number] }));
  const clusters = cluster(pins, 24).map(({ members }) => members.map(({ id }) => id));
  assert.deepEqual(clusters, [[0, 2], [1, 3], [4]]);
});
