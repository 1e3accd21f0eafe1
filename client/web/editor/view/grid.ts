// grid.ts - the ground: an endless grid on the plane y = 0, in metres. If the view looks along x or
// z the grid is upright: in the plane of the other two axes, through the world's origin, or behind
// everything in a parallel view. The size of its cells is the power of ten that suits the distance;
// tenths of it fade in as the view comes closer. The axes have their own colours.
import * as THREE from "three";

import type { CameraRig } from "../input/rig";
import { followTheme, themeColour } from "./themecolours";
import type { Layer, View } from "./view";

/** The two axes of the plane, by the axis that it is perpendicular to. */
const PLANES = [
  [2, 1],
  [0, 2],
  [0, 1],
] as const;
/** The view looks along an axis if the cosine of the angle between them is above this. */
const ALONG = 0.99999;
/** How far behind the target an upright grid is, in distances to the target. */
const BEHIND = 900;
/** Half the side of the plane, in distances to the target. */
const REACH = 100;
/**
 * The least width of a cell in pixels at the target; narrower cells give way to the next power of
 * ten.
 */
const CELL_PX = 9;

const vertexShader = `
  varying vec2 place;
  varying vec3 eyed;
  void main() {
    place = position.xy;
    vec4 eye = modelViewMatrix * vec4(position, 1.0);
    eyed = eye.xyz;
    gl_Position = projectionMatrix * eye;
  }`;

const fragmentShader = `
  // How strong the lines of one, ten and a hundred cells are; each fades into the next weaker one
  // as the cells grow.
  const float FINE = 0.48, MID = 0.68, COARSE = 0.95;
  uniform vec3 line, axisU, axisV;
  uniform vec2 offset; // from a line of the coarsest grid to the centre of the plane, in cells
  uniform vec2 centre; // the centre of the plane, in cells
  uniform float cell, blend, far, px;
  uniform bool parallel;
  uniform vec3 normal; // the normal of the plane, in the world
  varying vec2 place;
  varying vec3 eyed;

  float lines(vec2 at, vec2 width, float scale) {
    vec2 unit = at / scale, wide = width / scale;
    vec2 away = abs(fract(unit - 0.5) - 0.5) / wide;
    vec2 ink = (1.0 - smoothstep(0.0, 1.0, away)) * (1.0 - smoothstep(0.15, 0.5, wide));
    return max(ink.x, ink.y);
  }

  void main() {
    vec2 cells = place / cell;
    vec2 at = cells + offset;
    vec2 width = max(fwidth(cells), 1e-6) * px;
    float room = smoothstep(0.0, 0.6, blend); // the finest lines fade as their cells get too small
    float fine = lines(at, width, 1.0) * room;
    float mid = lines(at, width, 10.0);
    float coarse = lines(at, width, 100.0);
    float strong = max(mid * mix(FINE, MID, room), coarse * mix(MID, COARSE, room));
    vec4 ink = vec4(line, max(fine * FINE, strong));
    vec2 axis = (1.0 - smoothstep(0.35, 1.35, abs(cells + centre) / width));
    ink = mix(ink, vec4(axisU, 1.0), axis.y);
    ink = mix(ink, vec4(axisV, 1.0), axis.x);
    float away = parallel ? 0.0 : length(eyed) / far;
    vec3 up = (viewMatrix * vec4(normal, 0.0)).xyz;
    float glance = parallel ? 1.0 : smoothstep(0.0, 0.12, abs(dot(normalize(eyed), up)));
    ink.a *= (1.0 - smoothstep(0.3, 1.0, away)) * glance;
    if (ink.a < 0.003) discard;
    gl_FragColor = ink;
    #include <colorspace_fragment>
  }`;

export class Grid implements Layer {
  readonly #mesh: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;
  readonly #axes = [new THREE.Color(), new THREE.Color(), new THREE.Color()];
  #stop: () => void;

  constructor(view: View) {
    const uniforms = {
      line: { value: new THREE.Color() },
      axisU: { value: new THREE.Color() },
      axisV: { value: new THREE.Color() },
      offset: { value: new THREE.Vector2() },
      centre: { value: new THREE.Vector2() },
      cell: { value: 1 },
      blend: { value: 1 },
      far: { value: 1 },
      px: { value: 1 },
      parallel: { value: false },
      normal: { value: new THREE.Vector3() },
    };
    const material = new THREE.ShaderMaterial({
      uniforms,
      vertexShader,
      fragmentShader,
      transparent: true,
      depthWrite: false,
      side: THREE.DoubleSide,
      polygonOffset: true,
      polygonOffsetFactor: 1,
      polygonOffsetUnits: 4,
    });
    this.#mesh = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), material);
    this.#mesh.frustumCulled = false;
    this.#mesh.matrixAutoUpdate = false;
    this.#mesh.renderOrder = -10;
    view.world.add(this.#mesh);
    this.#stop = followTheme(() => {
      uniforms.line.value.copy(themeColour("--grid"));
      ["--axis-x", "--axis-y", "--axis-z"].forEach((name, axis) =>
        this.#axes[axis].copy(themeColour(name)),
      );
      view.invalidate();
    });
  }

  update({ editor: { rig }, renderer }: View): void {
    const { uniforms } = this.#mesh.material;
    const normal = uprightAxis(rig) ?? 1;
    const [u, v] = PLANES[normal];
    const decade = Math.log10(rig.metresPerPx * CELL_PX);
    const cell = 10 ** Math.ceil(decade);
    const plane = planeAt(rig, normal);
    const reach =
      REACH *
      Math.max(
        rig.distance,
        rig.parallel.peek() && normal !== 1 ? 0 : Math.abs(rig.eye[normal] - plane),
      );
    const { target } = rig;
    this.#place(rig, normal, plane, reach);
    uniforms.axisU.value = this.#axes[u];
    uniforms.axisV.value = this.#axes[v];
    uniforms.cell.value = cell / reach;
    uniforms.blend.value = Math.ceil(decade) - decade;
    uniforms.offset.value.set((target[u] / cell) % 100, (target[v] / cell) % 100);
    uniforms.centre.value.set(target[u] / cell, target[v] / cell);
    uniforms.far.value = reach / 2;
    uniforms.px.value = renderer.getPixelRatio();
    uniforms.parallel.value = rig.parallel.peek();
    uniforms.normal.value.set(0, 0, 0).setComponent(normal, 1);
  }

  dispose(): void {
    this.#stop();
    this.#mesh.geometry.dispose();
    this.#mesh.material.dispose();
  }

  #place({ target }: CameraRig, normal: number, plane: number, reach: number): void {
    const [u, v] = PLANES[normal];
    const at = [0, 0, 0];
    at[u] = target[u];
    at[v] = target[v];
    at[normal] = plane;
    const basis = [u, v, normal].map((axis) => new THREE.Vector3().setComponent(axis, 1)) as [
      THREE.Vector3,
      THREE.Vector3,
      THREE.Vector3,
    ];
    this.#mesh.matrix
      .makeBasis(...basis)
      .scale(new THREE.Vector3(reach, reach, reach))
      .setPosition(at[0], at[1], at[2]);
    this.#mesh.matrixWorldNeedsUpdate = true;
  }
}

/** 0 for x or 2 for z, if the view looks along that axis. */
function uprightAxis(rig: CameraRig): 0 | 2 | undefined {
  return ([0, 2] as const).find((axis) => Math.abs(rig.view[4 * axis + 2]) > ALONG);
}

/**
 * The position of the plane on the axis that it is perpendicular to. If the eye looks away from the
 * origin, the plane is at the target.
 */
function planeAt({ parallel, target, eye, view, distance }: CameraRig, normal: number): number {
  if (normal === 1) return 0;
  const back = Math.sign(view[4 * normal + 2]);
  if (parallel.peek()) return target[normal] - back * BEHIND * distance;
  return back * eye[normal] > 0 ? 0 : target[normal];
}
