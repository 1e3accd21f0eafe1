// scenename.test.ts - valid names of scenes, and names made from those of files.
import assert from "node:assert/strict";
import { test } from "node:test";

import { freeName, nameFault, toSceneName } from "./scenename";

const NAMES: [from: string, to: string][] = [
  ["2CylinderEngine.glb", "2cylinderengine"],
  ["Robot Arm (v2).gltf", "robot-arm-v2"],
  ["Brücke_é.glb", "brucke_e"],
  ["___.glb", "scene"],
  ["x".repeat(80), "x".repeat(64)],
];

for (const [from, to] of NAMES) {
  test(`scenename_of_${from.slice(0, 20)}`, () => {
    assert.equal(toSceneName(from), to);
    assert.equal(nameFault(to), null);
  });
}

test("scenename_faults_are_told", () => {
  for (const name of ["", "Arm", "-arm", "a b", "ä", "x".repeat(65)])
    assert.notEqual(nameFault(name), null, name);
});

test("scenename_taken_ones_are_counted", () => {
  assert.equal(freeName("arm", ["base"]), "arm");
  assert.equal(freeName("arm", ["arm", "arm-2"]), "arm-3");
  assert.equal(nameFault(freeName("x".repeat(64), ["x".repeat(64)])), null);
});
