// hold.js - nodes that a program holds and poses from outside: a tracker, a robot, physics, another
// modeller. Session.hold makes one.
import { GizmodError } from "./connection.js";

/** @import {Done, Id, NodePose} from "./types.js" */

/**
 * What a hold needs of its session. `pose` sends and shows poses, `end` asks for the end.
 * @typedef {{ pose: (nodes: readonly NodePose[]) => void,
 *   end: (op: "release" | "cancel") => Promise<Done> }} Way
 */

export class Hold {
  /** Why it is over; null while it runs. @type {string | null} */
  #over = null;
  #way;

  /** @param {readonly Id[]} nodes @param {Way} way */
  constructor(nodes, way) {
    this.nodes = nodes;
    this.#way = way;
  }

  /** Whether the nodes are still held. */
  get runs() {
    return this.#over === null;
  }

  /**
   * Says where some of the nodes are, complete or in part, as often as wished. Everybody sees it as
   * a preview; the latest counts.
   * @param {readonly NodePose[]} nodes
   */
  pose(nodes) {
    if (this.#over !== null) throw new GizmodError("bad_state", `pose: ${this.#over}`);
    this.#way.pose(nodes);
  }

  /**
   * Makes all of it one edit. If the connection was lost meanwhile, the server has done that.
   * @returns {Promise<Done>} once it is on stable storage; without `edit` if nothing changed
   */
  async release() {
    return this.#end("release");
  }

  /** Puts every bit back. @returns {Promise<void>} */
  async cancel() {
    await this.#end("cancel");
  }

  /** @param {"release" | "cancel"} op */
  #end(op) {
    this.lose(`the hold was ended by ${op}`);
    return this.#way.end(op);
  }

  /** The server has ended it, or the connection is lost. @param {string} why */
  lose(why) {
    this.#over ??= why;
  }
}
