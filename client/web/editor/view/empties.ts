// empties.ts - a small cross for each node without a shape and without children, so that a new node
// can be seen and clicked. A node with children is visible by those.
import * as THREE from "three";

import type { DrawnScene } from "../../sdk/shown.js";
import type { Id } from "../../sdk/types.js";
import type { FloatingOrigin } from "./floatingorigin";
import type { Selection } from "./selection";
import type { NodeLayer } from "./nodelayer";
import { followTheme, themeColour } from "./themecolours";
import type { Layer, View } from "./view";

/** CSS pixels. */
const SIZE_PX = 13;
/** Above the meshes; crosses of selected nodes are in front of them. */
const RENDER_ORDER = 5;

const vertexShader = `
  attribute vec4 ink; // alpha 1: the node is selected, and nothing hides its cross
  uniform float size;
  varying vec3 colour;
  void main() {
    colour = ink.rgb;
    gl_PointSize = size;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    if (ink.a == 1.0) gl_Position.z = -gl_Position.w;
  }`;

const fragmentShader = `
  uniform float size, width;
  varying vec3 colour;
  void main() {
    vec2 away = abs(gl_PointCoord - 0.5) * size;
    float ink = 1.0 - smoothstep(0.5 * width - 0.5, 0.5 * width + 0.5, min(away.x, away.y));
    if (ink < 0.01) discard;
    gl_FragColor = vec4(colour, ink);
    #include <colorspace_fragment>
  }`;

export class Empties implements Layer {
  readonly #points: THREE.Points<THREE.BufferGeometry, THREE.ShaderMaterial>;
  readonly #usual = new THREE.Color();
  /** The index of each node in the buffers. */
  #slots = new Map<Id, number>();
  #marked = -1;
  #stop: () => void;

  constructor(
    view: View,
    readonly origin: FloatingOrigin,
    readonly nodeLayer: NodeLayer,
    readonly selection: Selection,
  ) {
    const uniforms = { size: { value: SIZE_PX }, width: { value: 1 } };
    const material = new THREE.ShaderMaterial({
      uniforms,
      vertexShader,
      fragmentShader,
      transparent: true,
      depthWrite: false,
    });
    this.#points = new THREE.Points(new THREE.BufferGeometry(), material);
    this.#points.frustumCulled = false;
    this.#points.renderOrder = RENDER_ORDER;
    origin.group.add(this.#points);
    this.#stop = followTheme(() => {
      this.#usual.copy(themeColour("--muted"));
      this.#marked = -1;
      view.invalidate();
    });
  }

  update({ editor, renderer }: View): void {
    const scene = editor.shown.peek();
    const { fresh, regrown } = this.nodeLayer;
    if (regrown || fresh === null) this.#find(scene);
    else for (const id of fresh) if (this.#slots.has(id)) this.#place(scene, id);
    if (this.#marked !== this.selection.version) this.#colour();
    const { size, width } = this.#points.material.uniforms;
    size.value = SIZE_PX * renderer.getPixelRatio();
    width.value = 1.5 * renderer.getPixelRatio();
  }

  dispose(): void {
    this.#stop();
    this.#points.geometry.dispose();
    this.#points.material.dispose();
  }

  #find(scene: DrawnScene): void {
    this.#slots.clear();
    for (const [id, node] of scene.nodes)
      if (node.children.length === 0 && !this.nodeLayer.partsOf(node))
        this.#slots.set(id, this.#slots.size);
    this.#points.visible = this.#slots.size > 0;
    const { geometry } = this.#points;
    geometry.dispose();
    geometry.setAttribute(
      "position",
      new THREE.BufferAttribute(new Float32Array(3 * this.#slots.size), 3),
    );
    geometry.setAttribute(
      "ink",
      new THREE.BufferAttribute(new Float32Array(4 * this.#slots.size), 4),
    );
    for (const id of this.#slots.keys()) this.#place(scene, id);
    this.#marked = -1;
  }

  #place(scene: DrawnScene, id: Id): void {
    const world = scene.world(id);
    const { x, y, z } = this.origin.group.position;
    const { position } = this.#points.geometry.attributes;
    position.setXYZ(this.#slots.get(id) ?? 0, world[12] - x, world[13] - y, world[14] - z);
    position.needsUpdate = true;
  }

  #colour(): void {
    const { ink } = this.#points.geometry.attributes;
    this.#marked = this.selection.version;
    if (!ink) return;
    for (const [id, slot] of this.#slots) {
      const mark = this.selection.colourOf(id);
      const { r, g, b } = mark ?? this.#usual;
      ink.setXYZW(slot, r, g, b, mark ? 1 : 0.5);
    }
    ink.needsUpdate = true;
  }
}
