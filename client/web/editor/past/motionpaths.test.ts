// motionpaths.test.ts - a path that is longer than a page of the server ends at the present place.
import { signal } from "@preact/signals";
import assert from "node:assert/strict";
import { test } from "node:test";

import { SceneModel } from "../../sdk/index.js";
import type { PathPoint } from "../../sdk/types.js";
import type { Editor } from "../editor";
import type { MotionPath } from "./worldpath";
import { MotionPaths } from "./motionpaths";

/** A node that was moved once a second. */
const points: readonly PathPoint[] = Array.from({ length: 20_010 }, (_, i) => ({
  seq: i,
  edit: i,
  time: i,
  t: [i, 0, 0],
  r: [0, 0, 0, 1],
  s: [1, 1, 1],
  parent: null,
}));

test("motionpath_of_a_path_longer_than_a_page_ends_where_the_node_is", async () => {
  const scene = new SceneModel();
  scene.apply([{ from: 0, seq: 1, nodes: [{ id: 1 }] }]);
  const path = (_: number, { limit = 0, since = -1 }: { limit?: number; since?: number }) =>
    Promise.resolve(points.filter(({ time }) => time > since).slice(0, limit));
  const session = { on: () => {}, scene, path };
  const shown = signal<readonly MotionPath[]>([]);
  const motionPaths = new MotionPaths({
    session,
    selection: signal([1]),
    motionPaths: shown,
    fail: assert.fail,
  } as unknown as Editor);
  motionPaths.shown.value = true;
  await new Promise((resolve) => setImmediate(resolve));
  const { stops } = shown.value[0];
  assert.deepEqual(stops.at(-1)?.point, [20_009, 0, 0]);
  assert.ok(stops.length <= 20_000);
});
