// views.js - the views that the page has made by an orbit and the server has not answered.

/** So many are kept. */
const VIEWS_MAX = 256;
/** Views that differ by less than this share are the same. */
const SAME = 1e-9;

export class Views {
  /** @type {number[][]} */
  #views = [];

  clear() {
    this.#views = [];
  }

  /** @param {number[]} view */
  foresee(view) {
    this.#views.push(view);
    if (this.#views.length > VIEWS_MAX) this.#views.shift();
  }

  /**
   * The server has orbited the view.
   * @param {number[]} view
   * @returns {"new" | "foreseen" | "other"} new if the page has made none, other if the page's are
   * not the server's
   */
  take(view) {
    if (this.#views.length === 0) return "new";
    const at = this.#views.findIndex((own) => isSame(own, view));
    this.#views.splice(0, Math.max(at, 0) + 1);
    return at < 0 ? "other" : "foreseen";
  }
}

/** @param {number[]} a @param {number[]} b */
const isSame = (a, b) =>
  a.every((value, i) => Math.abs(value - b[i]) <= SAME * Math.max(1, Math.abs(value)));
