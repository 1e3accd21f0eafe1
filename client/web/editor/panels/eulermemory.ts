// eulermemory.ts - remembers the Euler angles of nodes in one order. Nodes have quaternions; of the
// many angles for the same rotation the panel shows those that were typed or dragged, as long as
// they make the rotation, and after another turn those that are nearest to the ones before.
// Radians.
import type { EulerOrder, Id, Quat, Vec3 } from "../../sdk/types.js";
import { apart, eulerFromQuat, eulerNear, isRotation } from "./euler";

/** The nodes that were shown longest ago are forgotten beyond this number. */
const REMEMBERED = 16_384;
/** So many of the angles that were typed for a node are kept: an undo shows them again. */
const TYPED = 8;
const ROUNDING = 1e-9;

interface Angles {
  shown?: Vec3;
  /** What an edit that is under way will make. */
  meant?: Vec3;
  /** What edits made, the latest first. */
  typed: readonly Vec3[];
}

export class EulerMemory {
  #nodes = new Map<Id, Angles>();

  constructor(readonly order: EulerOrder) {}

  of({ id, r }: { id: Id; r: Quat }): Vec3 {
    const { shown, meant, typed } = this.#get(id);
    if (meant && isRotation(meant, this.order, r)) {
      this.#keep(id, { shown: meant, typed: [meant, ...typed].slice(0, TYPED) });
      return meant;
    }
    const angles = shown ? this.#nearest(r, shown, typed) : eulerFromQuat(r, this.order);
    this.#keep(id, { shown: angles, meant, typed });
    return angles;
  }

  /** Sets the angles of a node before an edit changes its rotation. */
  say(id: Id, angles: Vec3): void {
    this.#keep(id, { ...this.#get(id), meant: [...angles] });
  }

  /** At a pole many are equally near: then those that were typed. */
  #nearest(r: Quat, shown: Vec3, typed: readonly Vec3[]): Vec3 {
    const near = eulerNear(r, this.order, shown);
    const far = apart(near, shown) + ROUNDING;
    return typed.find((one) => apart(one, shown) <= far && isRotation(one, this.order, r)) ?? near;
  }

  #get(id: Id): Angles {
    return this.#nodes.get(id) ?? { typed: [] };
  }

  #keep(id: Id, angles: Angles): void {
    this.#nodes.delete(id);
    this.#nodes.set(id, angles);
    if (this.#nodes.size > REMEMBERED)
      for (const oldest of this.#nodes.keys()) return void this.#nodes.delete(oldest);
  }
}
