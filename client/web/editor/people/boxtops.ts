// boxtops.ts - the point above a node where its label or pin stands: the middle of the top of the
// box around it and everything below it. Boxes are kept in the nodes' own spaces, so that dragging
// a large part of the scene costs little.
import { boxTransform, boxUnion } from "../../sdk/maths.js";
import type { Box, Id, Vec3 } from "../../sdk/types.js";
import { LocalBounds } from "../view/bounds";
import type { NodeLayer } from "../view/nodelayer";
import type { Layer, View } from "../view/view";

const POINT: Box = [0, 0, 0, 0, 0, 0];

export class BoxTops implements Layer {
  #bounds = new LocalBounds();
  #structure = -1;

  constructor(
    readonly view: View,
    readonly nodeLayer: NodeLayer,
  ) {}

  update(): void {
    const { shown, structure } = this.view.editor;
    const { fresh, moved } = this.nodeLayer;
    if (fresh === null || this.#structure !== structure.peek()) this.#bounds.clear();
    else for (const id of moved) this.#bounds.moved(shown.peek(), id);
    this.#structure = structure.peek();
  }

  /**
   * The middle of the top of the common box, and the middle of the box, in the world; null if none
   * of the nodes is in the scene.
   */
  above(ids: readonly Id[]): { top: Vec3; middle: Vec3 } | null {
    const scene = this.view.editor.shown.peek();
    let all: Box | null = null;
    for (const id of ids) {
      if (scene.get(id))
        all = boxUnion(all, boxTransform(this.#bounds.of(scene, id) ?? POINT, scene.world(id)));
    }
    if (!all) return null;
    const [x, y, z] = [0, 1, 2].map((axis) => (all[axis] + all[axis + 3]) / 2);
    return { top: [x, all[4], z], middle: [x, y, z] };
  }
}
