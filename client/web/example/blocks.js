// blocks.js - the scene of the example, as any three.js application may have one; it does not know
// that the scene is shared.
import * as THREE from "three";

const COLOURS = {
  floor: "#39404d",
  plinth: "#8b93a3",
  red: "#e4572e",
  yellow: "#f3a712",
  blue: "#4f8dff",
  green: "#5fb46a",
};

/**
 * @param {string} name
 * @param {THREE.BufferGeometry} geometry
 * @param {string} colour
 * @param {[number, number, number]} place
 */
function block(name, geometry, colour, place) {
  const mesh = new THREE.Mesh(
    geometry,
    new THREE.MeshStandardMaterial({ color: colour, roughness: 0.6 }),
  );
  mesh.name = name;
  mesh.position.set(...place);
  mesh.castShadow = mesh.receiveShadow = true;
  return mesh;
}

/** The objects that can be moved: blocks, and a sign whose parent is one of them. */
export function makeBlocks() {
  const plinth = block("plinth", new THREE.BoxGeometry(2, 0.4, 2), COLOURS.plinth, [0, 0.2, 0]);
  const ball = block("ball", new THREE.SphereGeometry(0.5, 48, 24), COLOURS.yellow, [0, 0.7, 0]);
  plinth.add(ball);
  return [
    plinth,
    ball,
    block("cube", new THREE.BoxGeometry(1, 1, 1), COLOURS.red, [-2.2, 0.5, 0.6]),
    block(
      "cylinder",
      new THREE.CylinderGeometry(0.45, 0.45, 1.4, 48),
      COLOURS.blue,
      [2.1, 0.7, 0.4],
    ),
    block("ring", new THREE.TorusGeometry(0.5, 0.18, 24, 64), COLOURS.green, [0.3, 0.68, 2.1]),
  ];
}

export function makeStage() {
  const stage = new THREE.Scene();
  stage.background = new THREE.Color("#20252e");
  const sun = new THREE.DirectionalLight("#fff4e0", 2.4);
  sun.position.set(4, 8, 5);
  sun.castShadow = true;
  sun.shadow.mapSize.set(1024, 1024);
  Object.assign(sun.shadow.camera, { left: -6, right: 6, top: 6, bottom: -6 });
  sun.shadow.normalBias = 0.02;
  const floor = new THREE.Mesh(
    new THREE.CircleGeometry(7, 96),
    new THREE.MeshStandardMaterial({ color: COLOURS.floor, roughness: 1 }),
  );
  floor.rotation.x = -Math.PI / 2;
  floor.receiveShadow = true;
  stage.add(sun, new THREE.HemisphereLight("#cfe0ff", "#404652", 1.1), floor);
  return stage;
}
