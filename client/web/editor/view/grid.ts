// grid.ts - the ground: a grid without an end on the plane y = 0, in metres. Its cells are the power of ten that suits the distance; tenths of them fade in as one
// comes closer. The lines where x and z are 0 have the colours of the axes.
import * as THREE from "three";

import { followTheme, themeColour } from "./theme";
import type { Layer, View } from "./view";

/** Half the side of the plane, in distances to the target. */
const REACH = 100;
/** The least width of a cell in pixels at the target before the next power of ten takes over. */
const CELL_PX = 12;

const vertexShader = `
  varying vec2 place;
  varying vec3 eyed;
  void main() {
    place = position.xz;
    vec4 eye = modelViewMatrix * vec4(position, 1.0);
    eyed = eye.xyz;
    gl_Position = projectionMatrix * eye;
  }`;

const fragmentShader = `
  // How strong the lines of a cell, of ten and of a hundred cells are; each becomes the next weaker one as the cells grow.
  const float FINE = 0.38, MID = 0.62, COARSE = 0.95;
  uniform vec3 line, axisX, axisZ;
  uniform vec2 offset;    // of the centre of the plane from a line of the coarsest grid, in cells
  uniform vec2 centre;    // of the plane, in cells
  uniform float cell, blend, far, px;
  uniform bool parallel;
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
    float fine = lines(at, width, 1.0) * blend;   // which fades as its cells get too small
    float mid = lines(at, width, 10.0);
    float coarse = lines(at, width, 100.0);
    vec4 ink = vec4(line, max(max(fine * FINE, mid * mix(FINE, MID, blend)), coarse * mix(MID, COARSE, blend)));
    vec2 axis = (1.0 - smoothstep(0.35, 1.35, abs(cells + centre) / width));
    ink = mix(ink, vec4(axisX, 1.0), axis.y);
    ink = mix(ink, vec4(axisZ, 1.0), axis.x);
    float away = parallel ? 0.0 : length(eyed) / far;
    float glance = parallel ? 1.0 : smoothstep(0.0, 0.12, abs(dot(normalize(eyed), (viewMatrix * vec4(0.0, 1.0, 0.0, 0.0)).xyz)));
    ink.a *= (1.0 - smoothstep(0.3, 1.0, away)) * glance;
    if (ink.a < 0.003) discard;
    gl_FragColor = ink;
    #include <colorspace_fragment>
  }`;

export class Grid implements Layer {
  readonly #mesh: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;
  #stop: () => void;

  constructor(view: View) {
    const uniforms = {
      line: { value: new THREE.Color() },
      axisX: { value: new THREE.Color() },
      axisZ: { value: new THREE.Color() },
      offset: { value: new THREE.Vector2() },
      centre: { value: new THREE.Vector2() },
      cell: { value: 1 },
      blend: { value: 1 },
      far: { value: 1 },
      px: { value: 1 },
      parallel: { value: false },
    };
    const material = new THREE.ShaderMaterial({
      uniforms, vertexShader, fragmentShader, transparent: true, depthWrite: false, side: THREE.DoubleSide,
      polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 4,
    });
    this.#mesh = new THREE.Mesh(new THREE.PlaneGeometry(2, 2).rotateX(-Math.PI / 2), material);
    this.#mesh.frustumCulled = false;
    this.#mesh.renderOrder = -10;
    view.world.add(this.#mesh);
    this.#stop = followTheme(() => {
      uniforms.line.value.copy(themeColour("--grid"));
      uniforms.axisX.value.copy(themeColour("--axis-x"));
      uniforms.axisZ.value.copy(themeColour("--axis-z"));
      view.invalidate();
    });
  }

  update({ editor: { rig }, renderer }: View): void {
    const { uniforms } = this.#mesh.material;
    const decade = Math.log10(rig.metresPerPx * CELL_PX);
    const cell = 10 ** Math.ceil(decade);
    const reach = REACH * Math.max(rig.distance, Math.abs(rig.eye[1]));
    const centre = [rig.target[0], rig.target[2]];
    this.#mesh.position.set(centre[0], 0, centre[1]);
    this.#mesh.scale.setScalar(reach);
    uniforms.cell.value = cell / reach;
    uniforms.blend.value = Math.ceil(decade) - decade;
    uniforms.offset.value.set(...(centre.map((at) => (at / cell) % 100) as [number, number]));
    uniforms.centre.value.set(centre[0] / cell, centre[1] / cell);
    uniforms.far.value = reach / 2;
    uniforms.px.value = renderer.getPixelRatio();
    uniforms.parallel.value = rig.parallel.peek();
  }

  dispose(): void {
    this.#stop();
    this.#mesh.geometry.dispose();
    this.#mesh.material.dispose();
  }
}
