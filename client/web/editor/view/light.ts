// light.ts - the light of the view: a hemisphere light, and a lamp that moves with the camera.
import * as THREE from "three";

import type { Layer, View } from "./view";

export class Light implements Layer {
  readonly #lamp = new THREE.DirectionalLight(0xffffff, 1.7);
  readonly #direction = new THREE.Vector3();

  constructor(view: View) {
    view.world.add(
      new THREE.HemisphereLight(0xf4f7ff, 0x6d6a66, 1.55),
      this.#lamp,
      this.#lamp.target,
    );
  }

  update({ camera }: View): void {
    this.#direction.set(-0.35, 0.65, 1).transformDirection(camera.matrixWorld);
    this.#lamp.position.copy(this.#direction);
  }
}
