// glide.js - the glide of a node from where it was drawn to its correct place, after a correction.
// The difference decays; the correct place may move meanwhile.
import { lerp, quatMultiply, slerp } from "./maths.js";

/** @import {Quat, Transform, Vec3} from "./types.js" */

export class Glide {
  /** The drawn place minus the correct one. */
  #t;
  #r;
  #s;
  #began = performance.now();
  #ms;

  /** @param {Vec3} t @param {Quat} r @param {Vec3} s @param {number} ms */
  constructor(t, r, s, ms) {
    this.#t = t;
    this.#r = r;
    this.#s = s;
    this.#ms = ms;
  }

  /** @param {Transform} seen @param {Transform} goal @param {number} ms how long it takes */
  static between(seen, goal, ms) {
    return new Glide(
      less(seen.t, goal.t),
      quatMultiply(seen.r, [-goal.r[0], -goal.r[1], -goal.r[2], goal.r[3]]),
      less(seen.s, goal.s),
      ms,
    );
  }

  /**
   * What to draw now; the goal itself once the glide is over.
   * @param {Transform} goal
   * @returns {Transform}
   */
  on(goal) {
    const left = 1 - (performance.now() - this.#began) / this.#ms;
    if (!(left > 0)) return goal;
    const { t, r, s } = goal;
    return {
      t: lerp(t, sum(t, this.#t), left),
      r: quatMultiply(slerp(NONE, this.#r, left), r),
      s: lerp(s, sum(s, this.#s), left),
    };
  }

  /**
   * Calls back before the next animation frame, or soon if there are none.
   * @param {() => void} run
   */
  static next(run) {
    const isSeen = globalThis.document?.visibilityState === "visible";
    if (isSeen) requestAnimationFrame(() => run());
    else setTimeout(run, FRAME_MS);
  }
}

const FRAME_MS = 16;
/** @type {Quat} */
const NONE = [0, 0, 0, 1];

/** @param {Vec3} a @param {Vec3} b @returns {Vec3} */
const less = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];

/** @param {Vec3} a @param {Vec3} b @returns {Vec3} */
const sum = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
