// pinocclusion.ts - finds the pins that something hides. The meshes are searched while view and
// scene are at rest, a few pins at a time.
import type { NodeLayer } from "../view/nodelayer";
import type { View } from "../view/view";
import type { Ray, Vec3 } from "../../sdk/types.js";

const REST_MS = 250;
const SLICE_MS = 6;
/**
 * A pin lies on a surface: a hit this close before it, in distances from the eye, is that surface
 * itself.
 */
const SKIN = 0.01;

export interface Placed {
  id: number;
  place: Vec3;
  /** The pin stands above a node rather than at a point of it. */
  onNode: boolean;
}

export class PinOcclusion {
  #hidden = new Set<number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #state = "";

  constructor(
    readonly view: View,
    readonly nodeLayer: NodeLayer,
  ) {}

  has(id: number): boolean {
    return this.#hidden.has(id);
  }

  /** Starts again if something has moved. */
  update(pins: readonly Placed[]): void {
    const { rig, revision, asset } = this.view.editor;
    const ids = pins.map(({ id }) => id).join();
    const state = [rig.revision.peek(), revision.peek(), asset.peek().phase, ids].join(" ");
    if (state === this.#state) return;
    this.#state = state;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(pins, 0, new Set()), REST_MS);
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  #look(pins: readonly Placed[], from: number, found: Set<number>): void {
    const until = performance.now() + SLICE_MS;
    let next = from;
    while (next < pins.length && performance.now() < until) {
      const pin = pins[next++];
      if (this.#covered(pin)) found.add(pin.id);
    }
    if (next < pins.length) {
      this.#timer = setTimeout(() => this.#look(pins, next, found), 0);
      return;
    }
    this.#hidden = found;
    this.view.invalidate();
  }

  #covered({ place, onNode }: Placed): boolean {
    if (onNode) return false;
    const { rig } = this.view.editor;
    const at = rig.project(place);
    if (!at) return false;
    const ray = rig.rayAt(at);
    const far = along(ray, place);
    const met = this.nodeLayer.meet(ray);
    return met !== null && along(ray, met.point) < far - SKIN * rig.distance;
  }
}

function along([x, y, z, dx, dy, dz]: Ray, point: Vec3): number {
  return (point[0] - x) * dx + (point[1] - y) * dy + (point[2] - z) * dz;
}
