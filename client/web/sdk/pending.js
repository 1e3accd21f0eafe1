// pending.js - what the page shows before the server has confirmed it: drags, turns of the wheel
// and typed edits. Each one says where it puts its nodes, on top of what came before it.
// prediction.js begins them, gives them news and ends them.

/** @import {Box, Id, Place, Transform} from "./types.js" */
/** @import {SceneModel} from "./scene.js" */
/** @import {Solver} from "./solver.js" */

/** Transforms that differ by less than this share of the gizmo's size are the same. */
const SAME = 1e-9;
/** The share of a coordinate itself that rounding may take. */
const ROUNDING = 1e-12;
/** A drag remembers so many pointers that the server has not acknowledged. */
const POINTERS_MAX = 4096;
/** And so many cameras since one pointer. */
const CAMERAS_MAX = 64;
/** A drag that differs from the server's more often than this follows the server. */
const CORRECTIONS_MAX = 3;

/**
 * The nodes that a gizmo stands on: where they are, what is above each one, root first, and the box
 * about each one.
 * @typedef {{ ids: Id[], at: Transform[], above: Transform[][], bounds: (Box | null)[] }} Seat
 */

/** What all of them have in common, and all there is to a typed edit. */
export class Pending {
  /** Where it puts its nodes; what is missing stays. @type {Map<Id, Partial<Transform>>} */
  poses = new Map();
  /**
   * What the server has answered; `seq` is the state that shows it.
   * @type {{ seq?: number } | null}
   */
  answer = null;

  /** Whether the scene shows what the server made of it. @param {SceneModel} scene */
  isOver(scene) {
    return this.answer !== null && (this.answer.seq ?? 0) <= scene.seq;
  }
}

/** Nodes that are moved by one motion since the beginning: a drag, or a wheel that turns. */
export class Gesture extends Pending {
  /** It is over here; the server may still know it as running. */
  ended = false;
  /** The page cannot solve it: what is shown is what the server has. */
  follows = false;
  /** It was taken back by the pointer of this number; Infinity if it was not. */
  back = Infinity;
  /** The server does not go on with it, or never heard of it. */
  away = false;
  /** It began without the server. */
  alone = false;
  /**
   * What was known of the nodes when the server was there last, and the latest stored state.
   * @type {{ seq: number, told: (Transform | undefined)[] } | null}
   */
  known = null;

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
  }

  get ids() {
    return this.seat.ids;
  }

  /** The nodes that are still there, and where it leaves them. */
  outcome() {
    return this.ids.flatMap((id) => {
      const pose = /** @type {Transform | undefined} */ (this.poses.get(id));
      return pose && this.scene.get(id) ? [{ id, t: pose.t, r: pose.r, s: pose.s }] : [];
    });
  }

  /** Whether it leaves every node where it was at the beginning. */
  get isIdle() {
    return this.ids.every((id, i) => {
      const pose = /** @type {Transform | undefined} */ (this.poses.get(id));
      return !pose || isEqual(pose, this.seat.at[i]);
    });
  }

  /** There is no server to go on with it. @param {number} seq of the latest stored state */
  goAway(seq) {
    this.known ??= { seq, told: this.ids.map((id) => this.scene.told(id)) };
    this.away = true;
  }

  end() {
    if (!this.ended) this.solver.end();
    this.ended = true;
  }

  /** Ends it with the nodes where they were at the beginning. @param {number} n of this pointer */
  takeBack(n) {
    this.back = n;
    this.end();
    this.ids.forEach((id, i) => this.poses.set(id, this.seat.at[i]));
  }

  /** Shows from now on what the server has. */
  follow() {
    if (!this.ended) this.solver.end();
    this.follows = true;
    this.poses.clear();
  }

  /** Takes over where the solver has the nodes. */
  pose() {
    const numbers = this.solver.poses();
    this.ids.forEach((id, i) => this.poses.set(id, poseAt(numbers, 10 * i)));
  }

  /** Where the server has the nodes. @returns {Transform[]} */
  told() {
    return this.ids.map((id, i) => this.scene.told(id) ?? this.seat.at[i]);
  }
}

/** A wheel that turns: scales the selection. */
export class Wheel extends Gesture {
  #notches = 0;
  /** The number of turns without an answer. */
  #open = 0;
  #seq = 0;

  /** @param {number} notches @returns {boolean} whether there is something to scale */
  turn(notches) {
    const solved = this.solver.wheel(this.#notches + notches);
    if (solved === "none") return false;
    if (solved !== "kept") this.#notches += notches;
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

/**
 * A pointer of a drag. A camera that moves later makes something else of the same pointer, and the
 * server has no number for that: any of `motions` may be what it shows.
 * @typedef {{ n: number, place: Place, value?: readonly number[], motions: Float64Array[] }}
 * Pointer
 */

export class Drag extends Gesture {
  /** The number of times that the server had the nodes elsewhere. */
  corrections = 0;

  /** The last pointer that was acknowledged, or the press, and all after it. @type {Pointer[]} */
  #pointers = [];
  /** The server has acknowledged a pointer and had the nodes where the page has them. */
  #confirmed = false;
  /** Where the server had the nodes before it showed anything of the drag. */
  #found;
  #typed = false;

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
    this.#found = this.told();
  }

  /**
   * @param {number} n
   * @param {Place} place
   * @param {readonly number[]} [value]
   * @returns {boolean} whether the drag can begin
   */
  press(n, place, value) {
    this.#pointers = [{ n, place, value, motions: [] }];
    if (!this.#begin()) return false;
    this.size = this.solver.gizmo()?.size ?? 0;
    this.pose();
    return true;
  }

  /** @param {number} n @param {Place} place @param {readonly number[]} [value] */
  move(n, place, value) {
    const pointer = { n, place, value, motions: [] };
    if (this.follows || !this.#solve(pointer)) return;
    // Without a server there is nothing to compare with.
    if (this.away) this.#pointers = [];
    this.#pointers.push(pointer);
    if (this.#pointers.length > POINTERS_MAX) this.#pointers.splice(1, POINTERS_MAX / 2);
    this.pose();
  }

  /** The camera moved, and the solver followed it: what was grabbed stays under the pointer. */
  look() {
    const { motions } = this.#pointers[this.#pointers.length - 1];
    if (this.follows) return;
    motions.push(this.solver.motion());
    if (motions.length > CAMERAS_MAX) motions.shift();
    this.pose();
  }

  /** The server refused what was typed. @param {number} n */
  untype(n) {
    const at = this.#pointers.findIndex((pointer) => pointer.n === n);
    if (this.follows || at < 1) return;
    this.#pointers.splice(at, 1);
    this.#again(this.seat.at);
    this.pose();
  }

  /**
   * A new state has come.
   * @param {number} n the pointer of this session that it shows
   * @returns {boolean} whether the server had the nodes elsewhere
   */
  reconcile(n) {
    if (this.follows || this.ended || this.away) return false;
    const at = this.#pointers.filter((pointer) => pointer.n <= n).length - 1;
    if (n <= this.before || at < 0) {
      if (!this.#confirmed) this.#found = this.told();
      return false;
    }
    const isShown = this.#isShown(this.#pointers[at]);
    if (!isShown) this.#correct(at);
    this.#confirmed = true;
    if (isShown) this.#pointers.splice(0, at);
    return !isShown;
  }

  /**
   * The nodes may have been elsewhere when the drag began; else what came after the pointer is
   * solved on top of what the server has.
   * @param {number} at
   */
  #correct(at) {
    const pointers = this.#pointers;
    const isOther = this.#found.some((found, i) => !isSame(found, this.seat.at[i], this.size));
    if (!this.#confirmed && isOther && this.#again(this.#found) && this.#isShown(pointers[at])) {
      this.#pointers.splice(0, at);
    } else {
      this.#pointers = pointers.slice(at);
      const isTyped = this.#pointers.some(({ value }) => value !== undefined);
      if (isTyped || ++this.corrections > CORRECTIONS_MAX || !this.#again(this.told()))
        this.follow();
    }
    if (!this.follows) this.pose();
  }

  /** Solves all pointers again, from another beginning. @param {Transform[]} at */
  #again(at) {
    this.solver.end();
    this.seat = { ...this.seat, at, above: this.#above() };
    this.solver.setTargets(targetsOf(this.seat), at.length - 1);
    return this.#begin();
  }

  #begin() {
    const [{ place, value }, ...more] = this.#pointers;
    const where = hasPlace(place) ? place : null;
    this.#typed = false;
    if (this.solver.press(this.handle, where, place.mods) === "none") return false;
    this.#pointers[0].motions = [this.solver.motion()];
    if (value && !this.#solve(this.#pointers[0])) return false;
    for (const pointer of more) this.#solve(pointer);
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
    pointer.motions = [this.solver.motion()];
    return true;
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
    const told = this.told(),
      above = this.#above();
    return motions.some((motion) =>
      told.every((pose, i) => {
        const goal = this.solver.apply(motion, i, this.seat.at[i], above[i]);
        return !goal || isSame(goal, pose, this.size);
      }),
    );
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
 * Whether two transforms are the same but for rounding.
 * @param {Transform} a
 * @param {Transform} b
 * @param {number} size the gizmo's, in metres
 */
export function isSame(a, b, size) {
  const far = Math.max(SAME * size, ROUNDING * Math.max(...a.t.map(Math.abs)));
  const dot = a.r[0] * b.r[0] + a.r[1] * b.r[1] + a.r[2] * b.r[2] + a.r[3] * b.r[3];
  return (
    a.t.every((value, i) => Math.abs(value - b.t[i]) <= far) &&
    a.r.every((value, i) => Math.abs(value - Math.sign(dot) * b.r[i]) <= SAME) &&
    a.s.every((value, i) => Math.abs(value - b.s[i]) <= SAME * Math.abs(value))
  );
}

/** Whether two transforms have the same numbers. @param {Transform} a @param {Transform} b */
const isEqual = (a, b) =>
  a.t.every((value, i) => value === b.t[i]) &&
  a.r.every((value, i) => value === b.r[i]) &&
  a.s.every((value, i) => value === b.s[i]);

/** @param {Place} place */
export const hasPlace = (place) => place.at !== undefined || place.ray !== undefined;

/** @param {ArrayLike<number>} n @param {number} at @returns {Transform} */
const poseAt = (n, at) => ({
  t: [n[at], n[at + 1], n[at + 2]],
  r: [n[at + 3], n[at + 4], n[at + 5], n[at + 6]],
  s: [n[at + 7], n[at + 8], n[at + 9]],
});
