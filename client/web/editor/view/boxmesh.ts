// boxmesh.ts - what stands for a node that has bounds and no mesh: one box, drawn with its edges, for all of them.
import * as THREE from "three";

import { multiply } from "../../sdk/maths.js";
import type { Box, Mat4 } from "../../sdk/types.js";
import type { Part } from "./instances";

/** A side of no length is drawn as one this long, in parts of the longest: a flat box has normals too. */
const SIDE_MIN = 1e-4;

const geometry = new THREE.BoxGeometry();
const material = new THREE.MeshStandardMaterial({ roughness: 0.75, metalness: 0 });
material.defines = { USE_UV: "" };
material.onBeforeCompile = (shader) => {
  shader.fragmentShader = shader.fragmentShader.replace(
    "#include <color_fragment>",
    `#include <color_fragment>
    vec2 edgePx = min(vUv, 1.0 - vUv) / fwidth(vUv);
    diffuseColor.rgb *= mix(0.45, 1.0, smoothstep(0.6, 1.6, min(edgePx.x, edgePx.y)));`,
  );
};

export const BOX_PARTS: readonly Part[] = [{ geometry, material, primitive: "mesh" }];

export function setBoxColour(colour: THREE.Color): void {
  material.color.copy(colour);
}

const local = new Float64Array(16);
const placed = new Float64Array(16);

/** The matrix of the unit box as `bounds` of a node with this matrix to the world. The next call writes over it. */
export function boxMatrix(bounds: Box, world: Mat4): Mat4 {
  const longest = Math.max(
    bounds[3] - bounds[0],
    bounds[4] - bounds[1],
    bounds[5] - bounds[2],
    1e-9,
  );
  local.fill(0);
  for (let i = 0; i < 3; i++) {
    local[5 * i] = Math.max(bounds[3 + i] - bounds[i], SIDE_MIN * longest);
    local[12 + i] = (bounds[i] + bounds[3 + i]) / 2;
  }
  local[15] = 1;
  return multiply(world, local, placed);
}

/** Whether these bounds can be those of the parts, up to the error of compressed meshes. */
export function fits(parts: readonly Part[], bounds: Box): boolean {
  const box = new THREE.Box3();
  for (const { geometry } of parts) {
    if (!geometry.boundingBox) geometry.computeBoundingBox();
    box.union(geometry.boundingBox as THREE.Box3);
  }
  const slack =
    0.01 * Math.max(bounds[3] - bounds[0], bounds[4] - bounds[1], bounds[5] - bounds[2]);
  return [...box.min.toArray(), ...box.max.toArray()].every(
    (value, i) => Math.abs(value - bounds[i]) <= slack,
  );
}
