// view.ts - the canvas. It draws a picture only after something has changed. Layers add what they
// draw below `world` (units: metres) and call `invalidate` to request a picture.
import { effect } from "@preact/signals";
import * as THREE from "three";

import { sizeOf } from "../../sdk/canvasplace.js";
import type { Editor } from "../editor";
import { drawsInSoftware, resolutionFor } from "./resolution";

/** This long after the last picture, motion has ended. */
const REST_MS = 250;

export interface Layer {
  /** Called before each picture, in the order in which the layers were added. */
  update?(view: View): void;
  /** The GPU has lost its memory: draw again what is drawn once for later pictures. */
  restore?(): void;
  dispose?(): void;
}

export class View {
  readonly world = new THREE.Scene();
  readonly renderer: THREE.WebGLRenderer;
  /** There is no graphics processor: layers leave out what is not necessary. */
  readonly software: boolean;
  /** Only its matrices are used; they come from the rig. */
  readonly camera = new THREE.PerspectiveCamera();

  #layers: Layer[] = [];
  #due = 0;
  #asked = 0;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #resolution;
  /**
   * The screen's pixel ratio, which changes with the zoom of the page and from screen to screen.
   */
  #density = devicePixelRatio;
  #stop: (() => void)[] = [];

  constructor(
    readonly editor: Editor,
    readonly canvas: HTMLCanvasElement,
  ) {
    this.software = drawsInSoftware();
    this.#resolution = resolutionFor(this.software);
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.software, alpha: true });
    this.renderer.setPixelRatio(this.#resolution.full);
    this.camera.matrixAutoUpdate = false;
    this.world.matrixWorldAutoUpdate = true;
    canvas.addEventListener("webglcontextrestored", this.#restored);
    const observer = new ResizeObserver(() => this.#resize());
    observer.observe(canvas.parentElement ?? canvas);
    this.#stop.push(
      () => observer.disconnect(),
      () => canvas.removeEventListener("webglcontextrestored", this.#restored),
    );
    this.#stop.push(
      effect(() => {
        editor.rig.revision.value;
        editor.revision.value;
        this.invalidate();
      }),
    );
  }

  add(layer: Layer): void {
    this.#layers.push(layer);
    this.invalidate();
  }

  /** Requests a new picture. */
  invalidate(): void {
    if (this.#due !== 0) return;
    clearTimeout(this.#rest);
    this.#asked = performance.now();
    this.#due = requestAnimationFrame(() => this.#next());
  }

  dispose(): void {
    cancelAnimationFrame(this.#due);
    clearTimeout(this.#rest);
    for (const stop of this.#stop) stop();
    for (const layer of this.#layers) layer.dispose?.();
    this.renderer.dispose();
  }

  #restored = (): void => {
    for (const layer of this.#layers) layer.restore?.();
    this.invalidate();
  };

  #resize(): void {
    const { width, height } = sizeOf(this.canvas);
    if (this.#density !== devicePixelRatio) this.#resolution = resolutionFor(this.software);
    this.#density = devicePixelRatio;
    this.renderer.setSize(width, height, false);
    this.editor.rig.resize(width, height);
    this.invalidate();
  }

  #next(): void {
    this.#due = 0;
    const waitedMs = performance.now() - this.#asked;
    this.#resolution.drawn(waitedMs);
    if (this.#resolution.moving !== this.#resolution.still)
      this.#rest = setTimeout(() => this.#draw(this.#resolution.still), REST_MS + 2 * waitedMs);
    this.#draw(this.#resolution.moving);
  }

  #draw(ratio: number): void {
    if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
    const { rig } = this.editor;
    this.camera.matrixWorldInverse.fromArray(rig.view);
    this.camera.matrixWorld.copy(this.camera.matrixWorldInverse).invert();
    this.camera.matrix.copy(this.camera.matrixWorld);
    this.camera.projectionMatrix.fromArray(rig.proj);
    this.camera.projectionMatrixInverse.copy(this.camera.projectionMatrix).invert();
    for (const layer of this.#layers) layer.update?.(this);
    this.renderer.render(this.world, this.camera);
  }
}
