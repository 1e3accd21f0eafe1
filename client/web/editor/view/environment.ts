// environment.ts - the environment map that metals reflect: a bright ceiling, a dark floor and two
// tall lamps. Only metals need it; without it they would be black. Without a graphics processor the
// map and what draws with it would take seconds of the first picture: metals are dull there.
import * as THREE from "three";

import type { Part } from "./instances";

const SIDE = 10;
const LAMPS = [
  { at: [-4.5, 1, 2], size: [0.2, 5, 3], light: 4 },
  { at: [3, 1, -4.5], size: [4, 4, 0.2], light: 2.5 },
];

export class Environment {
  #made: THREE.WebGLRenderTarget | null = null;
  readonly #lit = new Set<THREE.MeshStandardMaterial>();

  constructor(
    readonly renderer: THREE.WebGLRenderer,
    readonly software: boolean,
  ) {}

  /** Sets the environment map of the metallic parts. */
  light(parts: Iterable<readonly Part[]>): void {
    this.#lit.clear();
    for (const list of parts) {
      for (const { material } of list)
        if (material instanceof THREE.MeshStandardMaterial && material.metalness > 0)
          this.#lit.add(material);
    }
    for (const material of this.#lit) {
      if (this.software) material.metalness = 0;
      else material.envMap = this.#texture();
    }
  }

  /** Draws the map again after the GPU has lost it. */
  restore(): void {
    this.#made = null;
    if (this.software) return;
    for (const material of this.#lit) material.envMap = this.#texture();
  }

  dispose(): void {
    this.#made?.dispose();
  }

  #texture(): THREE.Texture {
    if (!this.#made) {
      const generator = new THREE.PMREMGenerator(this.renderer);
      const room = build();
      this.#made = generator.fromScene(room, 0.03);
      room.traverse((object) => (object as THREE.Mesh).geometry?.dispose());
      generator.dispose();
    }
    return this.#made.texture;
  }
}

function build(): THREE.Scene {
  const room = new THREE.Scene();
  const [wall, ceiling, floor] = [0.42, 0.9, 0.12].map((light) => surface(light));
  room.add(
    new THREE.Mesh(new THREE.BoxGeometry(SIDE, SIDE, SIDE), [
      wall,
      wall,
      ceiling,
      floor,
      wall,
      wall,
    ]),
  );
  for (const { at, size, light } of LAMPS) {
    const lamp = new THREE.Mesh(new THREE.BoxGeometry(...size), surface(light));
    lamp.position.set(...(at as [number, number, number]));
    room.add(lamp);
  }
  return room;
}

function surface(light: number): THREE.Material {
  return new THREE.MeshBasicMaterial({
    color: new THREE.Color(light, light, light),
    side: THREE.DoubleSide,
  });
}
