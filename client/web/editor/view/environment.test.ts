// environment.test.ts - what metals cost the first picture where WebGL runs in software: nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as THREE from "three";

import { Environment } from "./environment";
import type { Part } from "./instances";

/** A renderer that counts how often it is asked for anything, and has nothing. */
function counting() {
  let count = 0;
  const renderer = new Proxy({} as THREE.WebGLRenderer, {
    get() {
      count++;
      throw new Error("the renderer is used");
    },
  });
  return { renderer, count: () => count };
}

const metal = () => new THREE.MeshStandardMaterial({ metalness: 1 });
const parts = (material: THREE.Material): Part[][] => [[{ material } as Part]];

test("in software metals are dull, and no map is drawn, also after a lost context", () => {
  const { renderer, count } = counting();
  const environment = new Environment(renderer, true);
  const material = metal();
  environment.light(parts(material));
  environment.restore();
  environment.dispose();
  assert.equal(count(), 0);
  assert.equal(material.metalness, 0);
  assert.equal(material.envMap, null);
});

test("on a graphics processor the map is drawn for metals, and for nothing else", () => {
  const { renderer, count } = counting();
  const environment = new Environment(renderer, false);
  environment.light(parts(new THREE.MeshStandardMaterial({ metalness: 0 })));
  environment.light(parts(new THREE.MeshBasicMaterial()));
  environment.restore();
  assert.equal(count(), 0);
  assert.throws(() => environment.light(parts(metal())), /the renderer is used/);
});
