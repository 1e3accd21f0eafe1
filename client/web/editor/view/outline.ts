// outline.ts - draws a coloured line around what some instances cover of the view, even where
// something hides them. The instances are first drawn into a mask; then each pixel outside of the
// mask that is within the line's width of it is coloured. What the instances cover keeps its
// colour.
import * as THREE from "three";

import type { FloatingOrigin } from "./floatingorigin";
import { InstanceSet } from "./instances";
import type { View } from "./view";

/** CSS pixels. */
const WIDTH_PX = 2;
/** Above all meshes, below the gizmo. */
const RENDER_ORDER = 900;

/** Left, top, right, bottom. */
export type Rect = [x0: number, y0: number, x1: number, y1: number];

const scratch = new THREE.Vector2();

const vertexShader = `
  uniform vec4 part;
  varying vec2 uv0;
  void main() {
    uv0 = mix(part.xy, part.zw, position.xy * 0.5 + 0.5);
    gl_Position = vec4(uv0 * 2.0 - 1.0, 0.0, 1.0);
  }`;

const fragmentShader = `
  uniform sampler2D mask;
  uniform vec2 reach; // the width of the line, as a part of the picture
  varying vec2 uv0;
  void main() {
    vec4 here = texture2D(mask, uv0);
    vec4 near = here;
    if (here.a < 1.0) for (int i = 0; i < 12; i++) {
      float angle = 6.2831853 * float(i) / 12.0;
      vec4 there = texture2D(mask, uv0 + reach * vec2(cos(angle), sin(angle)));
      if (there.a > near.a) near = there;
    }
    if (near.a == 0.0 || here.a == 1.0) discard;
    gl_FragColor = vec4(near.rgb / near.a, near.a * (1.0 - here.a));
    #include <colorspace_fragment>
  }`;

export class Outline {
  readonly set: InstanceSet;
  readonly #mask: THREE.WebGLRenderTarget;
  readonly #world = new THREE.Scene();
  readonly #material = new THREE.MeshBasicMaterial({
    side: THREE.DoubleSide,
    depthTest: false,
    depthWrite: false,
  });
  readonly #quad: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;

  constructor(
    readonly view: View,
    readonly origin: FloatingOrigin,
  ) {
    this.#mask = new THREE.WebGLRenderTarget(1, 1, {
      samples: view.software ? 0 : 4,
      depthBuffer: false,
    });
    this.set = new InstanceSet(origin.group.position, { material: this.#material, coloured: true });
    this.#world.add(this.set.group);
    const uniforms = {
      mask: { value: this.#mask.texture },
      reach: { value: new THREE.Vector2() },
      part: { value: new THREE.Vector4() },
    };
    const material = new THREE.ShaderMaterial({
      uniforms,
      vertexShader,
      fragmentShader,
      transparent: true,
      depthTest: false,
      depthWrite: false,
    });
    this.#quad = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), material);
    this.#quad.frustumCulled = false;
    this.#quad.renderOrder = RENDER_ORDER;
    view.world.add(this.#quad);
  }

  /**
   * Draws the mask.
   * @param rect the part of the view that the instances are in, in pixels; null for none
   */
  update(rect: Rect | null): void {
    this.#quad.visible = this.set.size > 0 && rect !== null;
    if (!this.#quad.visible || rect === null) return;
    const { renderer, camera } = this.view;
    const size = renderer.getDrawingBufferSize(scratch);
    this.#mask.setSize(size.x, size.y);
    this.#aim(rect);
    this.set.group.position.copy(this.origin.group.position);
    this.set.flush();
    renderer.setRenderTarget(this.#mask);
    renderer.render(this.#world, camera);
    renderer.setRenderTarget(null);
  }

  #aim([x0, y0, x1, y1]: Rect): void {
    const { width, height } = this.view.editor.rig;
    const { reach, part } = this.#quad.material.uniforms;
    const room = 2 * WIDTH_PX;
    reach.value.set(WIDTH_PX / width, WIDTH_PX / height);
    part.value
      .set(
        (x0 - room) / width,
        1 - (y1 + room) / height,
        (x1 + room) / width,
        1 - (y0 - room) / height,
      )
      .clampScalar(0, 1);
  }

  dispose(): void {
    this.set.clear();
    this.#mask.dispose();
    this.#material.dispose();
    this.#quad.geometry.dispose();
    this.#quad.material.dispose();
  }
}
