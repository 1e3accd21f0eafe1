// pointers.js - the pointers of a drag that the server has not acknowledged, in their order.
// Dropped pointers are reused, so that a long drag leaves no garbage.

/** @import {Place, Ray, Vec2} from "./types.js" */

/** The most pointers that are kept. */
const POINTERS_MAX = 4096;

/**
 * A pointer of a drag. If the camera moves later, the same pointer gives another motion, for which
 * the server has no number: it may show any of `motions`.
 */
export class Pointer {
  n = 0;
  /** Its numbers are a copy; its modifiers are the caller's. @type {Place} */
  place = { at: undefined, ray: undefined, mods: undefined };
  /** The typed value. @type {readonly number[] | undefined} */
  value = undefined;
  /** @type {Float64Array[]} */
  motions = [];
  /** @type {Pointer | null} */
  next = null;

  /** @type {Vec2} */
  #at = [0.5, 0.5];
  /** @type {Ray} */
  #ray = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5];

  /** @param {number} n @param {Place} place @param {readonly number[]} [value] */
  set(n, { at, ray, mods }, value) {
    this.n = n;
    this.place.at = at && copy(at, this.#at);
    this.place.ray = ray && copy(ray, this.#ray);
    this.place.mods = mods;
    this.value = value;
    this.next = null;
    if (this.motions.length > 1) this.motions.length = 1;
  }
}

export class Pointers {
  /** @type {Pointer | null} */
  first = null;
  /** @type {Pointer | null} */
  last = null;

  #count = 0;
  /** Those that were dropped, linked by `next`. @type {Pointer | null} */
  #free = null;

  /** Appends one. @param {number} n @param {Place} place @param {readonly number[]} [value] */
  add(n, place, value) {
    const pointer = this.#free ?? new Pointer();
    this.#free = pointer.next;
    pointer.set(n, place, value);
    if (this.last) this.last.next = pointer;
    else this.first = pointer;
    this.last = pointer;
    if (++this.#count > POINTERS_MAX) this.#thin();
    return pointer;
  }

  /** The latest pointer with a number up to `n`; null for none. @param {number} n */
  upTo(n) {
    let found = null;
    for (let at = this.first; at !== null && at.n <= n; at = at.next) found = at;
    return found;
  }

  /** Drops all before one. @param {Pointer} pointer */
  dropBefore(pointer) {
    while (this.first !== pointer) {
      const dropped = /** @type {Pointer} */ (this.first);
      this.first = dropped.next;
      this.#drop(dropped);
    }
  }

  /** Drops one that is not the first. @param {Pointer} pointer */
  remove(pointer) {
    let before = /** @type {Pointer} */ (this.first);
    while (before.next !== pointer) before = /** @type {Pointer} */ (before.next);
    before.next = pointer.next;
    if (this.last === pointer) this.last = before;
    this.#drop(pointer);
  }

  /** Whether there is a value that was typed among them. */
  get typed() {
    for (let at = this.first; at !== null; at = at.next) if (at.value !== undefined) return true;
    return false;
  }

  /** Drops the older half of those after the first, which the drag begins with. */
  #thin() {
    const first = /** @type {Pointer} */ (this.first);
    for (let i = 0; i < POINTERS_MAX / 2; i++) this.remove(/** @type {Pointer} */ (first.next));
  }

  /** @param {Pointer} pointer */
  #drop(pointer) {
    this.#count--;
    pointer.next = this.#free;
    this.#free = pointer;
  }
}

/**
 * The caller's arrays may be of any kind: see `holdNumbers` in scene.js.
 * @template {number[]} List
 * @param {Readonly<List>} from
 * @param {List} to
 */
function copy(from, to) {
  for (let i = 0; i < to.length; i++) to[i] = from[i];
  return to;
}
