// ground.js - the seat of the gizmo: the top-most selected nodes, their transforms, ancestors and
// boxes; and whether a change of the scene affects it.
import { boxTransform, boxUnion, invertAffine, multiply } from "./maths.js";
import { chainOf } from "./pending.js";

/** @import {Box, Id, SceneChange, Transform} from "./types.js" */
/** @import {Seat} from "./pending.js" */
/** @import {SceneModel} from "./scene.js" */

export class Ground {
  #page;
  #scene;
  #poseOf;
  /** The nodes of the seat and all above them; null if the seat has to be computed. */
  #watched = /** @type {Set<Id> | null} */ (null);
  /** The seat has the box of a group, which changes with all nodes below it. */
  #hasGroup = false;

  /**
   * @param {{ readonly scene: SceneModel, readonly selection: readonly Id[] }} page
   * @param {(id: Id) => Transform | undefined} poseOf where a node is to be
   */
  constructor(page, poseOf) {
    this.#page = page;
    this.#scene = page.scene;
    this.#poseOf = poseOf;
  }

  /** Whether nothing has changed since `watch`. */
  get known() {
    return this.#watched !== null;
  }

  /** Something has changed that is not in the scene's changes. */
  forget() {
    this.#watched = null;
  }

  /** Watches these nodes and all above them. @param {readonly Id[]} ids */
  watch(ids) {
    const watched = (this.#watched = new Set(ids));
    for (const id of ids)
      for (let at = this.#parentOf(id); at !== null && !watched.has(at); at = this.#parentOf(at))
        watched.add(at);
  }

  /** @param {SceneChange} change */
  follow({ all, added, gone, moved, structure }) {
    if (!this.#watched) return;
    const isOther = all || this.#hasGroup || added.length > 0;
    if (isOther || this.#concerns(moved) || this.#concerns(structure) || this.#concerns(gone))
      this.#watched = null;
  }

  /** @param {readonly Id[]} ids @returns whether the gizmo stands on one of them */
  #concerns(ids) {
    for (let i = 0; i < ids.length; i++) if (this.#watched?.has(ids[i])) return true;
    return false;
  }

  /** The selected nodes without a selected node above them, in the order of selection. */
  tops() {
    const selected = new Set(this.#page.selection.filter((id) => this.#scene.get(id)));
    const isBelow = (/** @type {Id} */ id) => {
      for (let at = this.#parentOf(id); at !== null; at = this.#parentOf(at))
        if (selected.has(at)) return true;
      return false;
    };
    return [...selected].filter((id) => !isBelow(id));
  }

  /**
   * @param {Id[]} ids
   * @param {boolean} groups whether a group has a box
   * @returns {Seat}
   */
  seat(ids, groups) {
    const at = ids.map((id) => /** @type {Transform} */ (this.#poseOf(id)));
    return { ids, at, above: this.#above(ids), bounds: this.bounds(ids, groups) };
  }

  /**
   * The seat of a running gesture, whose nodes keep their transforms and boxes.
   * @param {Seat} seat
   * @returns {Seat}
   */
  held({ ids, at, bounds }) {
    const now = ids.map((id, i) => this.#poseOf(id) ?? at[i]);
    return { ids, at: now, above: this.#above(ids), bounds };
  }

  /** @param {Id[]} ids */
  #above(ids) {
    return ids.map((id) => chainOf(this.#scene, id, this.#poseOf));
  }

  /**
   * @param {Id[]} ids
   * @param {boolean} groups whether a group has a box
   * @returns {(Box | null)[]}
   */
  bounds(ids, groups) {
    this.#hasGroup = false;
    return ids.map((id) => {
      const node = this.#scene.get(id);
      if (node?.bounds || !groups || !node?.children.length) return node?.bounds ?? null;
      this.#hasGroup = true;
      return this.#groupBox(id);
    });
  }

  /** The box around all bounds below a node, along the node's own axes. @param {Id} group */
  #groupBox(group) {
    /** @type {Box | null} */
    let box = null;
    const inverse = invertAffine(this.#scene.world(group));
    for (const id of this.#scene.below(group)) {
      const bounds = this.#scene.get(id)?.bounds;
      if (!bounds) continue;
      const one = boxTransform(bounds, multiply(inverse, this.#scene.world(id)));
      if (one.every(Number.isFinite)) box = boxUnion(box, one);
    }
    return box;
  }

  /** @param {Id} id */
  #parentOf(id) {
    return this.#scene.get(id)?.parent ?? null;
  }
}
