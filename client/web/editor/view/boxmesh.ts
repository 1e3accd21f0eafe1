// boxmesh.ts - the box that replaces the mesh of a node that has bounds but no mesh: one geometry
// with drawn edges for all nodes.
import * as THREE from "three";

import { multiply } from "../../sdk/maths.js";
import type { Box, Mat4 } from "../../sdk/types.js";
import type { Part } from "./instances";

/** The least side, as a part of the longest one: even a flat box needs normals. */
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

/**
 * The matrix that puts the unit box at `bounds` of a node with this world matrix. The next call
 * overwrites the result.
 */
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
