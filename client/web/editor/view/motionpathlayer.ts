// motionpathlayer.ts - draws motion paths: a line that grows stronger towards the present, with a
// dot at each stop; it is faint behind other things. While the past is shown, a ring marks the stop
// of that moment.
import { effect } from "@preact/signals";
import * as THREE from "three";

import type { MotionPath } from "../past/worldpath";
import type { FloatingOrigin } from "./floatingorigin";
import { StrokeMaterial, strokeGeometry } from "./strokes";
import { followTheme, themeColour } from "./themecolours";
import type { Layer, View } from "./view";

const LINE_PX = 2;
const DOT_PX = 5;
const RING_PX = 15;
const HIDDEN_OPACITY = 0.3;
/** How pale the oldest stop is. */
const PALEST = 0.65;
/** Above the outlines of the selection, below the gizmo. */
const RENDER_ORDER = 910;

export class MotionPathLayer implements Layer {
  readonly #group = new THREE.Group();
  readonly #front = new StrokeMaterial(LINE_PX, 1);
  readonly #behind = new StrokeMaterial(LINE_PX, HIDDEN_OPACITY, { depthTest: false });
  readonly #dots = dotMaterial(DOT_PX, 0);
  readonly #ring = dotMaterial(RING_PX, 0.62);
  #stale = true;
  #originVersion = 0;
  #stop: (() => void)[];

  constructor(
    readonly view: View,
    readonly origin: FloatingOrigin,
  ) {
    const { editor } = view;
    origin.group.add(this.#group);
    this.#stop = [
      effect(() => {
        editor.motionPaths.value;
        editor.past.value;
        this.#stale = true;
        view.invalidate();
      }),
      followTheme(() => {
        for (const material of [this.#front, this.#behind])
          material.colour.copy(themeColour("--past"));
        for (const material of [this.#dots, this.#ring])
          material.uniforms.colour.value.copy(themeColour("--past"));
        view.invalidate();
      }),
    ];
  }

  update({ editor, renderer }: View): void {
    for (const material of [this.#front, this.#behind])
      material.setViewport(editor.rig.width, editor.rig.height);
    for (const material of [this.#dots, this.#ring])
      material.uniforms.density.value = renderer.getPixelRatio();
    if (!this.#stale && this.#originVersion === this.origin.version) return;
    this.#stale = false;
    this.#originVersion = this.origin.version;
    this.#clear();
    for (const way of editor.motionPaths.peek()) this.#add(way, editor.past.peek()?.time);
  }

  dispose(): void {
    for (const stop of this.#stop) stop();
    this.#clear();
    for (const material of [this.#front, this.#behind, this.#dots, this.#ring]) material.dispose();
  }

  #clear(): void {
    for (const child of this.#group.children) (child as THREE.Mesh).geometry.dispose();
    this.#group.clear();
  }

  #add({ stops }: MotionPath, moment: number | undefined): void {
    const { x, y, z } = this.origin.group.position;
    const points = stops.map(({ point }) => [point[0] - x, point[1] - y, point[2] - z]);
    const paleness = stops.map((_, i) => PALEST * (1 - i / Math.max(1, stops.length - 1)));
    const segments = strokeGeometry(
      points.slice(1).flatMap((point, i) => [...points[i], ...point]),
      points.slice(1).flatMap((_, i) => [paleness[i], paleness[i + 1]]),
    );
    this.#put(new THREE.Mesh(segments, this.#behind));
    this.#put(new THREE.Mesh(segments, this.#front));
    this.#put(
      new THREE.Points(pointGeometry(points.filter((_, i) => !stops[i].between)), this.#dots),
    );
    const now = moment === undefined ? -1 : stops.filter(({ time }) => time <= moment).length - 1;
    if (now >= 0) this.#put(new THREE.Points(pointGeometry([points[now]]), this.#ring));
  }

  #put(object: THREE.Object3D): void {
    object.frustumCulled = false;
    object.renderOrder = RENDER_ORDER;
    this.#group.add(object);
  }
}

function pointGeometry(points: readonly number[][]): THREE.BufferGeometry {
  return new THREE.BufferGeometry().setAttribute(
    "position",
    new THREE.Float32BufferAttribute(points.flat(), 3),
  );
}

/** Round points of a size in CSS pixels. @param hole the part of the radius that is left out */
function dotMaterial(sizePx: number, hole: number): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    uniforms: {
      colour: { value: new THREE.Color() },
      density: { value: 1 },
      sizePx: { value: sizePx },
      hole: { value: hole },
    },
    vertexShader: `
      uniform float density, sizePx;
      void main() {
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
        gl_PointSize = density * sizePx;
      }`,
    fragmentShader: `
      uniform vec3 colour;
      uniform float hole;
      void main() {
        float away = 2.0 * length(gl_PointCoord - 0.5);
        float soft = fwidth(away);
        float ring = hole > 0.0 ? smoothstep(hole - soft, hole + soft, away) : 1.0;
        float ink = smoothstep(1.0, 1.0 - 2.0 * soft, away) * ring;
        if (ink == 0.0) discard;
        gl_FragColor = vec4(colour, ink);
        #include <colorspace_fragment>
      }`,
    transparent: true,
    depthTest: false,
    depthWrite: false,
  });
}
