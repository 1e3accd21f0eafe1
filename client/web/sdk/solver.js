// solver.js - the server's solvers in the page: gizmo, handles, drags, wheel and orbit, by
// predict.wasm, which client/predict builds. The same events in the same order give the bits that
// the server computes.
//
// Nothing here waits, and a pointer event leaves nothing to be collected: what is returned as
// "valid until the next call" is written again by it. Names and units are those of types.ts.

import { newTransform, transformAt } from "./maths.js";

/** @import {Box, Camera, Gizmo, Modifier, Place, Quat, Tool, Vec2, Vec3} from "./types.js" */

/**
 * The result follows from the pointer; it is the one at a limit; the pointer has no solution and
 * nothing has changed; no gesture runs or can begin.
 * @typedef {"ok" | "clamped" | "kept" | "none"} Solve
 */
/** @typedef {{ t: Vec3, r: Quat, s: Vec3 }} Trs */
/**
 * A node to move: `above` are its ancestors, the root first.
 * @typedef {Trs & { above: readonly Trs[], bounds?: Box | null }} Target
 */
/**
 * The functions of wasm.c.
 * @typedef {Record<string, (...numbers: number[]) => number>} Functions
 */

/** @type {Solve[]} */
const SOLVES = ["ok", "clamped", "kept", "none"];
/** The lists of words, in the order of `word` in wasm.c. */
const LISTS = [
  "mode",
  "space",
  "pivot",
  "axis_method",
  "ball",
  "ball_fit",
  "orbit",
  "handle",
  "mod",
];
const POINT = 4; // the pivot that is a point has no word
const NODE_NUMBERS = 10;
const VIEW_NUMBERS = 16;
/** Where `gizmo` in wasm.c writes the length of an axis, the handles drawn, and coordinates. */
const SIZE = 6;
const HANDLES = 7;
/** @type {Record<string, number>} */
const COORDINATES = {
  origin: 8,
  axes: 11,
  turn_axes: 20,
  scale_axes: 29,
  box: 38,
  value: 50,
  start: 52,
  arm: 55,
  axis: 58,
};
/** Fields of a gizmo, as GZ_GIZMO_TURN_AXES and so on. */
const HAS = { turnAxes: 1, scaleAxes: 2, box: 4, ring: 8 };

/** Modules by their address, so that all sessions of a page share one. */
const compiled = /** @type {Map<string, Promise<WebAssembly.Module>>} */ (new Map());

/** @param {Response | Promise<Response>} response */
async function compileResponse(response) {
  const answer = await response;
  if (!answer.ok) throw new Error(`${answer.url} could not be fetched: ${answer.status}`);
  // Streaming wants the type application/wasm, which not every server says.
  const isTyped = answer.headers.get("content-type")?.startsWith("application/wasm");
  if (isTyped && WebAssembly.compileStreaming) return WebAssembly.compileStreaming(answer);
  return WebAssembly.compile(await answer.arrayBuffer());
}

/** Node fetches no files. @param {string} url */
async function read(url) {
  if (!url.startsWith("file:")) return compileResponse(fetch(url));
  // A name that is composed here is not resolved by bundlers.
  const module = ["node:fs", "promises"].join("/");
  const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ module);
  return WebAssembly.compile(await readFile(new URL(url)));
}

/** @param {string} url */
function compileShared(url) {
  const module = compiled.get(url) ?? read(url);
  compiled.set(url, module);
  module.catch(() => compiled.delete(url));
  return module;
}

/** @param {string | URL | Response | BufferSource | WebAssembly.Module} source */
async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (typeof source === "string" || source instanceof URL) return compileShared(String(source));
  if ("arrayBuffer" in source) return compileResponse(source);
  return WebAssembly.compile(source);
}

/** One for each session. */
export class Solver {
  /** @type {Functions} */
  #wasm;
  /** @type {WebAssembly.Memory} */
  #memory;
  /** The memory that wasm.c reads and writes. */
  #block = new Float64Array();
  #poses = new Float64Array();
  #motion = new Float64Array();
  #count = 0;
  /** The words of each list. @type {Record<string, string[]>} */
  #words = {};
  /** The tool as numbers, in the order of `tool` in wasm.c. */
  #tool = new Float64Array();
  /** The gizmo that was returned last. @type {Gizmo | null} */
  #gizmo = null;
  /** The last two gizmos, of which the older one is written again if it has the same fields. */
  #gizmos = [new DrawnGizmo(), new DrawnGizmo()];
  /** What `apply` returns. */
  #applied = newTransform();
  /** The view that is returned, plain numbers. */
  #view = new Array(VIEW_NUMBERS).fill(0.5);

  /** @param {WebAssembly.Instance} instance */
  constructor(instance) {
    const { memory, ...functions } = instance.exports;
    this.#memory = /** @type {WebAssembly.Memory} */ (memory);
    this.#wasm = /** @type {Functions} */ (/** @type {unknown} */ (functions));
    this.#wasm.init();
    this.#look();
    this.#words = Object.fromEntries(LISTS.map((name, i) => [name, this.#readWords(i)]));
    this.#wasm.tool_default();
    this.#tool = this.#block.slice(0, 22);
  }

  /**
   * @param {string | URL | Response | BufferSource | WebAssembly.Module} source predict.wasm
   * @returns {Promise<Solver>} rejects if it cannot be fetched or compiled
   */
  static async load(source) {
    return new Solver(await WebAssembly.instantiate(await compile(source)));
  }

  // ---- what is there ----

  /** @param {Camera | null} camera @returns whether it can be used; if not, the one before stays */
  setCamera(camera) {
    if (camera === null) return this.#wasm.camera(0) === 1;
    this.#block.set(camera.view, 0);
    this.#block.set(camera.proj, 16);
    this.#block.set(camera.viewport, 32);
    this.#block[36] = camera.ndc_y === "down" ? 1 : 0;
    this.#block[37] = camera.left_handed ? 1 : 0;
    return this.#wasm.camera(1) === 1;
  }

  /**
   * Missing fields have their values from the beginning of a session, so pass all fields that were
   * set so far.
   * @param {Tool} tool
   * @returns whether each word is known; if not, the tool before stays
   */
  setTool(tool) {
    const numbers = this.#tool.slice();
    const { pivot = "median", snap = {} } = tool;
    const point = typeof pivot === "string" ? null : pivot;
    const words = [
      this.#number("mode", tool.mode),
      this.#number("space", tool.space),
      typeof pivot === "string" ? this.#number("pivot", pivot) : POINT,
    ];
    const laws = [
      this.#number("axis_method", tool.axis_method),
      this.#number("ball", tool.ball),
      this.#number("ball_fit", tool.ball_fit),
    ];
    const orbit = this.#number("orbit", tool.orbit);
    if ([...words, ...laws, orbit].some((word) => word === -1)) return false;
    const { t, r, s, on, absolute } = snap;
    const said = [...words, ...(point ?? [0, 0, 0]), t, r, s, on, absolute];
    said.push(tool.size, tool.tolerance, ...laws, tool.edge, orbit, tool.mirror);
    said.forEach((value, i) => value !== undefined && (numbers[i] = Number(value)));
    this.#block.set(numbers);
    this.#wasm.tool();
    return true;
  }

  /**
   * Sets the targets of the gizmo: the selected nodes without a selected node above them, as they
   * are now. While a drag or a wheel runs their number must not change; their t, r and s are then
   * not read, and they move with their ancestors.
   * @param {readonly Target[]} targets
   * @param {number} active the index of the one whose space counts
   */
  setTargets(targets, active) {
    if (!this.#wasm.targets_begin(targets.length, active)) return false;
    this.#count = targets.length;
    this.#look();
    /** @type {readonly Trs[] | null} */
    let above = null;
    targets.forEach((target, i) => {
      if (above !== target.above) this.#hang((above = target.above));
      this.#putNode(target);
      if (target.bounds) this.#block.set(target.bounds, NODE_NUMBERS);
      this.#wasm.target(i, target.bounds ? 1 : 0);
    });
    this.#wasm.targets_end();
    return true;
  }

  /** Sets the pointer that hovers handles; null: none. @param {Place | null} place */
  hover(place) {
    this.#wasm.hover(this.#putPlace(place));
  }

  // ---- the gizmo ----

  /**
   * @returns {Gizmo | null} null if no handle is seen; the same object as before if nothing of it
   *   has changed, else another one than before. It is valid until it has changed twice
   */
  gizmo() {
    if (!this.#wasm.gizmo() || this.#block[HANDLES] === 0) return (this.#gizmo = null);
    if (this.#gizmo !== null && this.#gizmos[0].isAs(this.#block)) return this.#gizmo;
    this.#gizmos.reverse();
    this.#gizmo = this.#gizmos[0].describe(this.#block, this.#words);
    return this.#gizmo;
  }

  /** The handle that a press takes. @param {Place} place @returns {string | null} */
  pick(place) {
    return this.#words.handle[this.#wasm.pick(this.#putPlace(place))] || null;
  }

  // ---- drag and wheel ----

  /**
   * Begins a drag on any handle, and ends a running wheel. Without a place it takes values only.
   * @param {string} handle
   * @param {Place | null} place
   * @param {readonly Modifier[]} [mods]
   */
  press(handle, place, mods) {
    const number = this.#words.handle.indexOf(handle);
    if (number <= 0) return "none";
    return SOLVES[this.#wasm.press(number, this.#putPlace(place), this.#bits(mods))];
  }

  /** @param {Place} place @param {readonly Modifier[]} [mods] */
  move(place, mods) {
    return SOLVES[this.#wasm.move(this.#putPlace(place), this.#bits(mods))];
  }

  /** Types the drag's value, as in `grab`. @param {ArrayLike<number>} numbers */
  value(numbers) {
    if (numbers.length > 2) return "kept";
    this.#block.set(numbers);
    return SOLVES[this.#wasm.value(numbers.length)];
  }

  /**
   * Scales by a wheel; it begins with the first call.
   * @param {number} notches since the last one
   */
  wheel(notches) {
    return SOLVES[this.#wasm.wheel(notches)];
  }

  /** The targets after the motion: t, r, s of each, 10 numbers. Valid until the next call. */
  poses() {
    this.#look();
    return this.#poses;
  }

  /**
   * The motion of the drag or the wheel so far, for `apply`.
   * @param {Float64Array | null} [out] an earlier motion that is not needed any more
   */
  motion(out = null) {
    this.#look();
    if (out === null) return this.#motion.slice();
    out.set(this.#motion);
    return out;
  }

  /**
   * Applies a motion to a node that was at `local`, below the parent that the target had when the
   * drag began.
   * @param {Float64Array} motion
   * @param {number} target its index
   * @param {Trs} local
   * @param {readonly Trs[] | null} [above] what is above it now; by default what the target has
   * @returns {Trs | null} valid until the next call; null if it cannot go there
   */
  apply(motion, target, local, above = null) {
    if (above !== null) this.#hang(above);
    this.#putNode(local);
    this.#block.set(motion, NODE_NUMBERS);
    if (!this.#wasm.apply(target, above === null ? 0 : 1)) return null;
    return transformAt(this.#block, 0, this.#applied);
  }

  // ---- orbit: the camera moves with the view ----

  /** @param {Vec3} centre @param {Vec2} at @returns whether there is something to orbit about */
  orbitBegin(centre, at) {
    this.#block.set(at);
    this.#block.set(centre, 2);
    return this.#wasm.orbit_begin() === 1;
  }

  /**
   * @param {Vec2} at
   * @param {readonly Modifier[]} [mods]
   * @returns {number[] | null} the view, valid until the next call; null if it stays
   */
  orbitMove(at, mods) {
    this.#block.set(at);
    return this.#wasm.orbit_move(this.#bits(mods)) < 2 ? this.#takeView() : null;
  }

  /**
   * A wheel in the mode `orbit`.
   * @param {Vec3} centre
   * @param {number} notches
   * @returns {number[] | null} the view, valid until the next call; null if it stays
   */
  dolly(centre, notches) {
    this.#block.set(centre);
    return this.#wasm.dolly(notches) === 1 ? this.#takeView() : null;
  }

  /** Ends the drag, wheel or orbit; the targets stay where they are. */
  end() {
    this.#wasm.end();
  }

  // ---- to and from numbers ----

  /** Looks at the memory again, because grown memory has another buffer. */
  #look() {
    const { buffer } = this.#memory;
    if (this.#block.buffer !== buffer)
      this.#block = new Float64Array(buffer, this.#wasm.block(), this.#wasm.block_size());
    const poses = this.#wasm.poses(),
      length = NODE_NUMBERS * this.#count;
    const held = this.#poses;
    if (held.buffer !== buffer || held.byteOffset !== poses || held.length !== length)
      this.#poses = new Float64Array(buffer, poses, length);
    const motion = this.#wasm.motion();
    if (this.#motion.buffer !== buffer || this.#motion.byteOffset !== motion)
      this.#motion = new Float64Array(buffer, motion, this.#wasm.motion_bytes() / 8);
  }

  /** @param {number} list */
  #readWords(list) {
    const words = [];
    const bytes = new Uint8Array(this.#memory.buffer);
    for (let at; (at = this.#wasm.word(list, words.length)) !== 0; )
      words.push(String.fromCharCode(...bytes.subarray(at, bytes.indexOf(0, at))));
    return words;
  }

  /**
   * The number of a word; -1 if there is none of that name.
   * @param {string} list
   * @param {string | undefined} word
   */
  #number(list, word) {
    return word === undefined ? undefined : this.#words[list].indexOf(word);
  }

  /** @param {readonly Modifier[]} [mods] */
  #bits(mods) {
    let bits = 0;
    if (mods) for (let i = 0; i < mods.length; i++) bits |= 1 << this.#words.mod.indexOf(mods[i]);
    return bits;
  }

  /** Writes the ancestors of the nodes that follow. @param {readonly Trs[]} above */
  #hang(above) {
    this.#wasm.above_none();
    for (let i = 0; i < above.length; i++) {
      this.#putNode(above[i]);
      this.#wasm.above(i === 0 ? 1 : 0);
    }
  }

  /** @param {Trs} node */
  #putNode({ t, r, s }) {
    const block = this.#block;
    for (let i = 0; i < 3; i++) block[i] = t[i];
    for (let i = 0; i < 4; i++) block[3 + i] = r[i];
    for (let i = 0; i < 3; i++) block[7 + i] = s[i];
  }

  /** @param {Place | null} place @returns its kind: 0 none, 1 pixels, 2 a ray */
  #putPlace(place) {
    const numbers = place?.ray ?? place?.at;
    if (!numbers) return 0;
    for (let i = 0; i < numbers.length; i++) this.#block[i] = numbers[i];
    return place?.ray ? 2 : 1;
  }

  #takeView() {
    for (let i = 0; i < VIEW_NUMBERS; i++) this.#view[i] = this.#block[i];
    return this.#view;
  }
}

/** How many numbers `gizmo` in wasm.c writes for a gizmo. */
const GIZMO_NUMBERS = 61;

/** A gizmo, and the numbers that it was made from. */
class DrawnGizmo {
  #numbers = new Float64Array(GIZMO_NUMBERS);
  /** @type {any} */
  #gizmo = null;

  /** @param {Float64Array} numbers */
  isAs(numbers) {
    for (let i = 0; i < GIZMO_NUMBERS; i++)
      if (!Object.is(this.#numbers[i], numbers[i])) return false;
    return true;
  }

  /**
   * @param {Float64Array} numbers
   * @param {Record<string, string[]>} words
   * @returns {Gizmo}
   */
  describe(numbers, words) {
    // The numbers before the coordinates select its fields, and hold those that are words.
    let isAlike = this.#gizmo !== null;
    for (let i = 0; i < HANDLES + 1; i++)
      if (i !== SIZE && this.#numbers[i] !== numbers[i]) isAlike = false;
    for (let i = 0; i < GIZMO_NUMBERS; i++) this.#numbers[i] = numbers[i];
    if (!isAlike) this.#gizmo = fieldsOf(numbers, words);
    this.#gizmo.size = numbers[SIZE];
    for (const name in COORDINATES) this.#fill(this.#gizmo[name], COORDINATES[name]);
    return this.#gizmo;
  }

  /** @param {number[] | undefined} list @param {number} at */
  #fill(list, at) {
    if (list) for (let i = 0; i < list.length; i++) list[i] = this.#numbers[at + i];
  }
}

/**
 * A gizmo without its coordinates.
 * @param {Float64Array} numbers
 * @param {Record<string, string[]>} words
 */
function fieldsOf(numbers, { mode, space, handle }) {
  const [has, modeNumber, spaceNumber, hover, active, valueCount] = numbers;
  const list = (/** @type {number} */ count) => Array.from({ length: count }, () => 0.5);
  /** @type {any} */
  const gizmo = {
    mode: mode[modeNumber],
    space: space[spaceNumber],
    origin: list(3),
    axes: list(9),
    size: 0.5,
    handles: handle.filter((_, i) => Math.floor(numbers[HANDLES] / 2 ** i) % 2 === 1),
  };
  if (has & HAS.turnAxes) gizmo.turn_axes = list(9);
  if (has & HAS.scaleAxes) gizmo.scale_axes = list(9);
  if (has & HAS.box) gizmo.box = list(12);
  if (hover) gizmo.hover = handle[hover];
  if (active) gizmo.active = handle[active];
  if (valueCount) gizmo.value = list(valueCount);
  if (active) gizmo.start = list(3);
  if (has & HAS.ring) gizmo.arm = list(3);
  if (has & HAS.ring) gizmo.axis = list(3);
  return gizmo;
}
