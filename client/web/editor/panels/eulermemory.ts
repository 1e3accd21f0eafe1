// eulermemory.ts - the three angles of nodes in one order, with a memory: nodes have quaternions, and of the many angles that are the same rotation people mean those
// that they typed, or that go on from where a turn was a moment ago. Radians.
import type { EulerOrder, Id, Quat, Vec3 } from "../../sdk/types.js";
import { eulerFromQuat, eulerNear } from "./euler";

/** More than anybody looks at; beyond it the oldest are forgotten. */
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

  /** What a node's angles are about to be. */
  say(id: Id, angles: Vec3): void {
    this.#last.set(id, angles);
    if (this.#last.size > REMEMBERED)
      for (const oldest of this.#last.keys()) return void this.#last.delete(oldest);
  }
}
