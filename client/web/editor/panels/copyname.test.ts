// copyname.test.ts - copies get unique names.
import assert from "node:assert/strict";
import { test } from "node:test";

import { SceneModel } from "../../sdk/index.js";
import { copyNames } from "./copyname";

function sceneOf(...names: string[]): SceneModel {
  const scene = new SceneModel();
  scene.apply([
    {
      from: 0,
      seq: 1,
      nodes: names.map((name, i) => ({
        id: i + 1,
        name,
        parent: null,
        t: [0, 0, 0],
        r: [0, 0, 0, 1],
        s: [1, 1, 1],
      })),
    },
  ]);
  return scene;
}

test("copyname_is_the_next_number_that_nothing_has", () => {
  const next = copyNames(sceneOf("rod", "rod.002", ""));
  assert.deepEqual(["rod", "rod", "rod.002", "bolt", ""].map(next), [
    "rod.001",
    "rod.003",
    "rod.004",
    "bolt.001",
    "",
  ]);
});

test("copyname_fits_what_the_server_takes", () => {
  const [name] = ["ü".repeat(128)].map(copyNames(sceneOf("ü".repeat(128))));
  assert.equal(name, `${"ü".repeat(126)}.001`);
});
