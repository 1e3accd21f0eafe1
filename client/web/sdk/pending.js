// pending.js - actions that the page shows before the server has confirmed them: drags, wheels and
// typed edits. Each one has poses for its nodes, on top of the actions before it. prediction.js
// begins, updates and ends them.

import { newTransform, transformAt } from "./maths.js";
import { Pointers } from "./pointers.js";

/** @import {Box, Id, Place, Transform} from "./types.js" */
/** @import {Pointer} from "./pointers.js" */
/** @import {SceneModel} from "./scene.js" */
/** @import {Solver} from "./solver.js" */

/** Transforms that differ by less than this share of the gizmo's size are the same. */
const SAME = 1e-9;
/** The share of a coordinate itself that rounding may take. */
const ROUNDING = 1e-12;
/** The most cameras that a drag remembers since one pointer. */
const CAMERAS_MAX = 64;
/** A drag that needs more corrections than this follows the server. */
const CORRECTIONS_MAX = 3;

/**
 * The nodes that a gizmo stands on: their transforms, the transforms above each one, root first,
 * and their boxes.
 * @typedef {{ ids: Id[], at: Transform[], above: Transform[][], bounds: (Box | null)[] }} Seat
 */

/** Where a drag begins. @typedef {Pick<Seat, "at" | "above">} Beginning */

/** The common part of all pending actions, and the whole of a typed edit. */
export class Pending {
  /** The poses of its nodes; missing parts stay unchanged. @type {Map<Id, Partial<Transform>>} */
  poses = new Map();
  /**
   * What the server has answered; `seq` is the state that shows it.
   * @type {{ seq?: number } | null}
   */
  answer = null;

  /** Whether the scene shows the server's result. @param {SceneModel} scene */
  isOver(scene) {
    return this.answer !== null && (this.answer.seq ?? 0) <= scene.seq;
  }
}

/** Nodes that one motion moves from their start: a drag or a wheel. */
export class Gesture extends Pending {
  /** It has ended here; at the server it may still run. */
  ended = false;
  /** The page cannot solve it, and shows the server's state. */
  follows = false;
  /** The number of the pointer that took it back; Infinity if none did. */
  back = Infinity;
  /** The server does not continue it, or never received it. */
  away = false;
  /** It began without the server. */
  alone = false;
  /**
   * The server's nodes when it was last connected, and the latest stored state.
   * @type {{ seq: number, told: (Transform | undefined)[] } | null}
   */
  known = null;
  /** The solver's poses, overwritten by `pose`. @type {Transform[]} */
  #own;

  /**
   * @param {SceneModel} scene
   * @param {Solver} solver
   * @param {Seat} seat
   */
  constructor(scene, solver, seat) {
    super();
    this.scene = scene;
    this.solver = solver;
    this.seat = seat;
    this.#own = seat.ids.map(newTransform);
  }

  get ids() {
    return this.seat.ids;
  }

  /** The nodes that still exist, and their final poses. */
  outcome() {
    return this.ids.flatMap((id) => {
      const pose = /** @type {Transform | undefined} */ (this.poses.get(id));
      return pose && this.scene.get(id) ? [{ id, t: pose.t, r: pose.r, s: pose.s }] : [];
    });
  }

  /** Whether it leaves every node at its start. */
  get isIdle() {
    return this.ids.every((id, i) => {
      const pose = /** @type {Transform | undefined} */ (this.poses.get(id));
      return !pose || isEqual(pose, this.seat.at[i]);
    });
  }

  /**
   * The connection is lost: the server cannot continue it. @param {number} seq of the latest stored
   * state
   */
  goAway(seq) {
    this.known ??= { seq, told: this.ids.map((id) => this.scene.told(id)) };
    this.away = true;
  }

  end() {
    if (!this.ended) this.solver.end();
    this.ended = true;
  }

  /** Ends it with the nodes at their starts. @param {number} n of this pointer */
  takeBack(n) {
    this.back = n;
    this.end();
    this.ids.forEach((id, i) => this.poses.set(id, this.seat.at[i]));
  }

  /** From now on shows the server's state. */
  follow() {
    if (!this.ended) this.solver.end();
    this.follows = true;
    this.poses.clear();
  }

  /** Takes over the solver's poses. */
  pose() {
    const numbers = this.solver.poses();
    const { ids } = this;
    for (let i = 0; i < ids.length; i++)
      this.poses.set(ids[i], transformAt(numbers, 10 * i, this.#own[i]));
  }

  /** The server's transforms of the nodes. @returns {Transform[]} */
  told() {
    return this.ids.map((id, i) => this.scene.told(id) ?? this.seat.at[i]);
  }
}

/** A wheel that turns: scales the selection. */
export class Wheel extends Gesture {
  /** The number of turns without an answer. */
  #open = 0;
  #seq = 0;

  /** @param {number} notches @returns {boolean} whether there is something to scale */
  turn(notches) {
    if (this.solver.wheel(notches) === "none") return false;
    this.pose();
    return true;
  }

  sent() {
    this.#open++;
    this.answer = null;
  }

  /** One of the turns was answered. @param {number} seq */
  done(seq) {
    this.#seq = Math.max(this.#seq, seq);
    if (--this.#open === 0) this.answer = { seq: this.#seq };
  }
}

export class Drag extends Gesture {
  /** How often the server had the nodes elsewhere. */
  corrections = 0;

  /** The last acknowledged pointer, or the press, and all pointers after it. */
  #pointers = new Pointers();
  /** The server has acknowledged a pointer and had the nodes where the page has them. */
  #confirmed = false;
  /**
   * The server's transforms of the nodes, and of those above them, before it showed a pointer of
   * the drag.
   */
  #found;
  #typed = false;
  /** The transforms above a node, overwritten. @type {Transform[]} */
  #chain = [];

  /**
   * @param {SceneModel} scene
   * @param {Solver} solver
   * @param {Seat} seat
   * @param {{ handle: string, before: number }} more `before` is the number of the last pointer
   * before the press
   */
  constructor(scene, solver, seat, { handle, before }) {
    super(scene, solver, seat);
    this.handle = handle;
    this.before = before;
    this.size = 0;
    this.#found = this.#now();
  }

  /**
   * @param {number} n
   * @param {Place} place
   * @param {readonly number[]} [value]
   * @returns {boolean} whether the drag can begin
   */
  press(n, place, value) {
    this.#pointers.add(n, place, value);
    if (!this.#begin()) return false;
    this.size = this.solver.gizmo()?.size ?? 0;
    this.pose();
    return true;
  }

  /** @param {number} n @param {Place} place @param {readonly number[]} [value] */
  move(n, place, value) {
    if (this.follows) return;
    const pointer = this.#pointers.add(n, place, value);
    if (!this.#solve(pointer)) return this.#pointers.remove(pointer);
    // Without a server there is nothing to compare with.
    if (this.away) this.#pointers.dropBefore(pointer);
    this.pose();
  }

  /** The camera moved, and the solver followed: the grabbed point stays under the pointer. */
  look() {
    if (this.follows) return;
    const { motions } = /** @type {Pointer} */ (this.#pointers.last);
    motions.push(this.solver.motion());
    if (motions.length > CAMERAS_MAX) motions.shift();
    this.pose();
  }

  /** The server refused the typed value. @param {number} n */
  untype(n) {
    const pointer = this.#pointers.upTo(n);
    if (this.follows || pointer?.n !== n || pointer === this.#pointers.first) return;
    this.#pointers.remove(pointer);
    this.#again({ at: this.seat.at, above: this.#above() });
    this.pose();
  }

  /**
   * A new state has come.
   * @param {number} n the pointer of this session that it shows
   * @returns {boolean} whether the server had the nodes elsewhere
   */
  reconcile(n) {
    if (this.follows || this.ended || this.away) return false;
    const pointer = this.#pointers.upTo(n);
    if (n <= this.before || pointer === null) {
      if (!this.#confirmed) this.#found = this.#now();
      return false;
    }
    const isShown = this.#isShown(pointer);
    if (!isShown) this.#correct(pointer);
    this.#confirmed = true;
    if (isShown) this.#pointers.dropBefore(pointer);
    return !isShown;
  }

  /**
   * The nodes, or those above them, may have had other transforms when the drag began; otherwise
   * the pointers after this one are solved on top of the server's state.
   * @param {Pointer} pointer
   */
  #correct(pointer) {
    const isBegunElsewhere =
      !this.#confirmed &&
      [this.#found, { ...this.#found, above: this.#above() }].some(
        (from) => this.#isElsewhere(from) && this.#again(from) && this.#isShown(pointer),
      );
    this.#pointers.dropBefore(pointer);
    const isTyped = this.#pointers.typed;
    if (
      !isBegunElsewhere &&
      (isTyped || ++this.corrections > CORRECTIONS_MAX || !this.#again(this.#now()))
    )
      this.follow();
    if (!this.follows) this.pose();
  }

  /**
   * Whether the nodes or those above them are elsewhere than in the seat.
   * @param {Beginning} from
   */
  #isElsewhere({ at, above }) {
    const { seat, size } = this;
    const isSameChain = (/** @type {Transform[]} */ chain, /** @type {Transform[]} */ other) =>
      chain.length === other.length && chain.every((one, k) => isSame(one, other[k], size));
    return at.some(
      (one, i) => !isSame(one, seat.at[i], size) || !isSameChain(above[i], seat.above[i]),
    );
  }

  /** The server's transforms. @returns {Beginning} */
  #now() {
    return { at: this.told(), above: this.#above() };
  }

  /** Solves all pointers again, from another beginning. @param {Beginning} from */
  #again(from) {
    this.solver.end();
    this.seat = { ...this.seat, ...from };
    this.solver.setTargets(targetsOf(this.seat), from.at.length - 1);
    return this.#begin();
  }

  #begin() {
    const first = /** @type {Pointer} */ (this.#pointers.first);
    const { place, value } = first;
    const where = hasPlace(place) ? place : null;
    this.#typed = false;
    if (this.solver.press(this.handle, where, place.mods) === "none") return false;
    this.#keepMotion(first);
    if (value && !this.#solve(first)) return false;
    for (let at = first.next; at !== null; at = at.next) this.#solve(at);
    return true;
  }

  /** @param {Pointer} pointer @returns {boolean} whether what was typed has a solution */
  #solve(pointer) {
    const { place, value } = pointer;
    if (value !== undefined) {
      if (this.solver.value(value) !== "ok") return false;
      this.#typed = true;
    } else if (!this.#typed && hasPlace(place)) {
      this.solver.move(place, place.mods);
    }
    this.#keepMotion(pointer);
    return true;
  }

  /** @param {Pointer} pointer whose only motion is the solver's */
  #keepMotion({ motions }) {
    if (motions.length > 1) motions.length = 1;
    motions[0] = this.solver.motion(motions[0]);
  }

  /** The transforms above each node as the server has them. */
  #above() {
    return this.ids.map((id) => chainOf(this.scene, id, (node) => this.scene.told(node)));
  }

  /**
   * Whether the server has the nodes where one of the motions puts them.
   * @param {Pointer} pointer
   */
  #isShown({ motions }) {
    for (let i = 0; i < motions.length; i++) if (this.#isTold(motions[i])) return true;
    return false;
  }

  /** Whether the server has the nodes where a motion puts them. @param {Float64Array} motion */
  #isTold(motion) {
    const { ids, scene, seat } = this;
    for (let i = 0; i < ids.length; i++) {
      const above = chainNow(scene, ids[i], this.#chain);
      const goal = this.solver.apply(motion, i, seat.at[i], above);
      if (goal && !isSame(goal, scene.toldNow(ids[i]) ?? seat.at[i], this.size)) return false;
    }
    return true;
  }
}

/** @param {Seat} seat */
export const targetsOf = ({ at, above, bounds }) =>
  at.map(({ t, r, s }, i) => ({ t, r, s, above: above[i], bounds: bounds[i] }));

/**
 * The transforms above a node, root first.
 * @param {SceneModel} scene
 * @param {Id} id
 * @param {(id: Id) => Transform | undefined} transformOf
 */
export function chainOf(scene, id, transformOf) {
  /** @type {Transform[]} */
  const chain = [];
  const parentOf = (/** @type {Id} */ node) => scene.get(node)?.parent ?? null;
  for (let at = parentOf(id); at !== null; at = parentOf(at)) {
    const transform = transformOf(at);
    if (transform) chain.push(transform);
  }
  return chain.reverse();
}

/**
 * The transforms above a node as the server has them, root first: valid until the next change.
 * @param {SceneModel} scene
 * @param {Id} id
 * @param {Transform[]} chain where they are written
 */
function chainNow(scene, id, chain) {
  const parentOf = (/** @type {Id} */ node) => scene.get(node)?.parent ?? null;
  let length = 0;
  for (let at = parentOf(id); at !== null; at = parentOf(at)) if (scene.get(at)) length++;
  if (chain.length !== length) chain.length = length;
  for (let at = parentOf(id); at !== null; at = parentOf(at)) {
    const told = scene.toldNow(at);
    if (told) chain[--length] = told;
  }
  return chain;
}

/**
 * Whether two transforms differ only by rounding.
 * @param {Transform} a
 * @param {Transform} b
 * @param {number} size the gizmo's, in metres
 */
export function isSame(a, b, size) {
  const largest = Math.max(Math.abs(a.t[0]), Math.abs(a.t[1]), Math.abs(a.t[2]));
  const far = Math.max(SAME * size, ROUNDING * largest);
  const sign = Math.sign(a.r[0] * b.r[0] + a.r[1] * b.r[1] + a.r[2] * b.r[2] + a.r[3] * b.r[3]);
  for (let i = 0; i < 3; i++) if (!(Math.abs(a.t[i] - b.t[i]) <= far)) return false;
  for (let i = 0; i < 4; i++) if (!(Math.abs(a.r[i] - sign * b.r[i]) <= SAME)) return false;
  for (let i = 0; i < 3; i++)
    if (!(Math.abs(a.s[i] - b.s[i]) <= SAME * Math.abs(a.s[i]))) return false;
  return true;
}

/** Whether two transforms have the same numbers. @param {Transform} a @param {Transform} b */
const isEqual = (a, b) =>
  a.t.every((value, i) => value === b.t[i]) &&
  a.r.every((value, i) => value === b.r[i]) &&
  a.s.every((value, i) => value === b.s[i]);

/** @param {Place} place */
export const hasPlace = (place) => place.at !== undefined || place.ray !== undefined;
