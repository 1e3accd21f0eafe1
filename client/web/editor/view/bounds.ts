// bounds.ts - the box around a node and everything below it, along the node's own axes.
import { boxTransform, boxUnion, invertAffine, multiply } from "../../sdk/maths.js";
import type { DrawnScene } from "../../sdk/shown.js";
import type { Box, Id } from "../../sdk/types.js";

export class LocalBounds {
  #known = new Map<Id, Box | null>();

  /** Null if nothing there has bounds. */
  of(scene: DrawnScene, id: Id): Box | null {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const inverse = invertAffine(scene.world(id));
    let box: Box | null = null;
    for (const below of scene.below(id)) {
      const bounds = scene.get(below)?.bounds;
      if (bounds)
        box = boxUnion(
          box,
          below === id ? bounds : boxTransform(bounds, multiply(inverse, scene.world(below))),
        );
    }
    this.#known.set(id, box);
    return box;
  }

  /**
   * A node moved: the boxes of its ancestors may have changed, its own and those below it have not.
   */
  moved(scene: DrawnScene, id: Id): void {
    for (
      let above = scene.get(id)?.parent ?? null;
      above !== null;
      above = scene.get(above)?.parent ?? null
    )
      this.#known.delete(above);
  }

  clear(): void {
    this.#known.clear();
  }
}
