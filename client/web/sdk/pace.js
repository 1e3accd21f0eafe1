// pace.js - measures how evenly the server's frames come, and so how late to draw them. Even frames
// are drawn at once. Frames with jitter are drawn slightly later, so that the next one is there
// before the previous one has been drawn. All times are milliseconds: `made` on the server's clock,
// `now` on the page's.

/** The number of frames that are considered: about two seconds of motion. */
const FRAMES = 60;
/** With fewer frames nothing is known about their jitter. */
const FRAMES_MIN = 8;
/** The largest delay: later motion would look wrong. */
const DELAY_MAX_MS = 120;
/** A longer gap between frames is a pause, not an interval of a motion. */
const PAUSE_MS = 250;
/** Frames come evenly if nine of ten are late by less than this share of the interval. */
const EVEN = 1 / 3;
/** The time constant of changes of the delay: they must not be seen as changes of speed. */
const GLIDE_MS = 250;
/** The delay is as good as none. */
const NEAR_MS = 2;

export class Pace {
  /** The page's clock minus the server's, when each frame came. @type {number[]} */
  #offsets = [];
  /** The gaps between the times at which frames were made. @type {number[]} */
  #gaps = [];
  #made = -Infinity;
  /** The page's time minus the server's time of the drawn moment. */
  #lag = NaN;
  #at = 0;

  /** The usual time between two frames. */
  interval = 0;
  /** The lag of a frame that comes as early as any. */
  #least = 0;
  /** The lag to draw with. */
  #goal = 0;

  /** Whether frames are to be drawn at once. */
  get direct() {
    return this.#goal === this.#least && !(this.#lag - this.#least > NEAR_MS);
  }

  /**
   * A frame has come.
   * @param {number} made
   * @param {number} now
   */
  arrived(made, now) {
    const gap = made - this.#made;
    if (gap === 0) return;
    if (gap > 0 && gap < PAUSE_MS) push(this.#gaps, gap);
    push(this.#offsets, now - made);
    this.#made = made;
    this.#judge();
    if (!this.direct) return;
    this.#lag = this.#goal;
    this.#at = now;
  }

  /**
   * The moment to draw now, on the server's clock. It advances steadily.
   * @param {number} now
   */
  moment(now) {
    const share = 1 - Math.exp(-Math.max(0, now - this.#at) / GLIDE_MS);
    this.#at = now;
    this.#lag += share * (this.#goal - this.#lag);
    return now - this.#lag;
  }

  #judge() {
    const offsets = [...this.#offsets].sort((a, b) => a - b);
    const gaps = [...this.#gaps].sort((a, b) => a - b);
    this.interval = gaps[gaps.length >> 1] ?? 0;
    this.#least = offsets[0];
    const mostly = offsets[Math.floor(0.9 * (offsets.length - 1))] - this.#least;
    const even = offsets.length < FRAMES_MIN || mostly <= EVEN * this.interval;
    const late = offsets[offsets.length - 1] - this.#least;
    const delay = Math.min(DELAY_MAX_MS, this.interval + Math.max(this.interval, late));
    this.#goal = this.#least + (even ? 0 : delay);
  }
}

/** @param {number[]} list @param {number} value */
function push(list, value) {
  list.push(value);
  if (list.length > FRAMES) list.shift();
}
