// eulermemory.ts - remembers the Euler angles of nodes in one order. Nodes have quaternions; of the
// many angles for the same rotation the panel shows those that were typed, or those that continue
// the previous ones. Radians.
import type { EulerOrder, Id, Quat, Vec3 } from "../../sdk/types.js";
import { eulerFromQuat, eulerNear } from "./euler";

/** The oldest nodes are forgotten beyond this number. */
const REMEMBERED = 64;

export class EulerMemory {
  #last = new Map<Id, Vec3>();

  constructor(readonly order: EulerOrder) {}

  of({ id, r }: { id: Id; r: Quat }): Vec3 {
    const before = this.#last.get(id);
    const angles = before ? eulerNear(r, this.order, before) : eulerFromQuat(r, this.order);
    this.say(id, angles);
    return angles;
  }

  /** Sets the angles of a node before an edit changes its rotation. */
  say(id: Id, angles: Vec3): void {
    this.#last.set(id, angles);
    if (this.#last.size > REMEMBERED)
      for (const oldest of this.#last.keys()) return void this.#last.delete(oldest);
  }
}
