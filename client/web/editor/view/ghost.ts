// ghost.ts - while nodes are dragged, a pale copy shows where they were. It is taken from the last
// picture before the drag, because the nodes may already have moved when the server says that a
// drag is running.
import { effect } from "@preact/signals";
import * as THREE from "three";

import type { DrawnScene } from "../../sdk/shown.js";
import type { Id } from "../../sdk/types.js";
import type { FloatingOrigin } from "./floatingorigin";
import { InstanceSet } from "./instances";
import type { NodeLayer } from "./nodelayer";
import { followTheme, themeColour } from "./themecolours";
import type { Layer, View } from "./view";

/** More nodes than this have no ghost; fewer without a graphics processor. */
const NODES_MAX = 5000;
const NODES_MAX_SOFTWARE = 200;
const OPACITY = 0.25;
/**
 * If faces of the ghost coincide with faces of the dragged node, as with every box that moves along
 * one of its edges, the dragged node is in front.
 */
const BEHIND = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 4 };
/**
 * After all meshes: first the depth of the ghost, then its front, so that it does not show through
 * itself.
 */
const RENDER_ORDER = 10;

export class Ghost implements Layer {
  readonly #depth: InstanceSet;
  readonly #shape: InstanceSet;
  readonly #depthMaterial = new THREE.MeshBasicMaterial({
    colorWrite: false,
    transparent: true,
    side: THREE.DoubleSide,
    ...BEHIND,
  });
  readonly #material = new THREE.MeshLambertMaterial({
    transparent: true,
    opacity: OPACITY,
    depthWrite: false,
    side: THREE.DoubleSide,
    ...BEHIND,
  });
  /** The world matrices of the nodes before the drag. */
  readonly #places = new Map<Id, Float64Array>();
  #stale = true;
  #shown = false;
  #originVersion = 0;
  #stop: (() => void)[];

  constructor(
    readonly view: View,
    readonly origin: FloatingOrigin,
    readonly nodeLayer: NodeLayer,
  ) {
    const at = origin.group.position;
    this.#depth = new InstanceSet(at, { material: this.#depthMaterial, renderOrder: RENDER_ORDER });
    this.#shape = new InstanceSet(at, { material: this.#material, renderOrder: RENDER_ORDER + 1 });
    origin.group.add(this.#depth.group, this.#shape.group);
    this.#stop = [
      effect(() => {
        view.editor.selection.value;
        this.#stale = true;
      }),
      followTheme(() => this.#material.color.copy(themeColour("--text"))),
    ];
  }

  update({ editor }: View): void {
    const isDragging = editor.past.peek() === null && editor.gizmo.peek()?.active !== undefined;
    if (!isDragging) this.#remember();
    if (isDragging !== this.#shown || (isDragging && this.#originVersion !== this.origin.version))
      this.#show(isDragging);
    this.#depth.flush();
    this.#shape.flush();
  }

  dispose(): void {
    for (const stop of this.#stop) stop();
    this.#show(false);
    this.#depthMaterial.dispose();
    this.#material.dispose();
  }

  #remember(): void {
    const scene = this.view.editor.session.shown;
    if (this.#stale || this.nodeLayer.regrown || this.nodeLayer.fresh === null) {
      this.#places.clear();
      for (const id of this.#dragged(scene)) this.#places.set(id, scene.world(id).slice());
    } else {
      for (const id of this.nodeLayer.fresh) this.#places.get(id)?.set(scene.world(id));
    }
    this.#stale = false;
  }

  /** All nodes that a drag of the selection moves; none if they are too many. */
  #dragged(scene: DrawnScene): ReadonlySet<Id> {
    const most = this.view.software ? NODES_MAX_SOFTWARE : NODES_MAX;
    const ids = new Set<Id>();
    for (const top of this.view.editor.selection.peek()) {
      for (const id of scene.below(top)) if (ids.add(id).size > most) return new Set();
    }
    return ids;
  }

  #show(shown: boolean): void {
    this.#shown = shown;
    this.#originVersion = this.origin.version;
    for (const set of [this.#depth, this.#shape]) {
      set.clear();
      if (shown) for (const [id, place] of this.#places) this.nodeLayer.put(set, id, place);
    }
  }
}
