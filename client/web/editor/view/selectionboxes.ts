// selectionboxes.ts - the boxes around what each person has selected or holds. A box is computed
// again only if a node in it moved: one person's drag costs nothing for the selections of the
// others.
import type { DrawnScene } from "../../sdk/shown.js";
import { boxTransform, boxUnion } from "../../sdk/maths.js";
import type { Box, Id, Mat4 } from "../../sdk/types.js";
import type { LocalBounds } from "./bounds";

/** The world's axes. */
const WORLD: Mat4 = new Float64Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);

/** A box along the axes of this matrix to the world. */
export interface Placed {
  box: Box;
  world: Mat4;
}

export class SelectionBoxes {
  /** The boxed nodes by session. */
  #boxed = new Map<number, readonly Id[]>();
  /** The sessions whose boxes contain each node. */
  #sessions = new Map<Id, Set<number>>();

  constructor(readonly bounds: Pick<LocalBounds, "of">) {}

  /** Sets the nodes of each session's box; it includes everything below them. */
  set(scene: DrawnScene, boxed: Iterable<[number, readonly Id[]]>): void {
    this.#boxed = new Map(boxed);
    this.#sessions.clear();
    for (const [session, tops] of this.#boxed)
      for (const top of tops) for (const id of scene.below(top)) this.#add(id, session);
  }

  /** The sessions whose boxes contain one of these nodes. */
  touched(ids: Iterable<Id>): Set<number> {
    const all = new Set<number>();
    for (const id of ids) for (const session of this.#sessions.get(id) ?? []) all.add(session);
    return all;
  }

  /**
   * The box along the node's own axes for a single node, along the world's for several. Null if
   * nothing there has bounds.
   */
  of(scene: DrawnScene, session: number): Placed | null {
    const there = (this.#boxed.get(session) ?? []).filter((id) => scene.get(id));
    const world = there.length === 1 ? scene.world(there[0]) : WORLD;
    const box = there.length === 1 ? this.bounds.of(scene, there[0]) : this.#about(scene, there);
    return box && { box, world };
  }

  #add(id: Id, session: number): void {
    const sessions = this.#sessions.get(id);
    if (sessions) sessions.add(session);
    else this.#sessions.set(id, new Set([session]));
  }

  #about(scene: DrawnScene, ids: readonly Id[]): Box | null {
    let all: Box | null = null;
    for (const id of ids) {
      const box = this.bounds.of(scene, id);
      if (box) all = boxUnion(all, boxTransform(box, scene.world(id)));
    }
    return all;
  }
}
