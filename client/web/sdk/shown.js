// shown.js - the scene to draw. It equals the scene, except that nodes that others move are drawn
// from a buffer if their frames come unevenly: slightly later (pace.js), and interpolated between
// the server's states, never extrapolated. A renderer reads this instead of the SceneModel and
// follows its `change`; exact numbers are in the SceneModel.
import { Emitter } from "./emitter.js";
import { compose, lerp, multiply, slerp } from "./maths.js";
import { Pace } from "./pace.js";

/** @import {Id, SceneChange, SceneNode, Transform} from "./types.js" */
/** @import {SceneModel} from "./scene.js" */

/** @typedef {SceneModel | ShownScene} DrawnScene */
/**
 * What gives the time in milliseconds, and calls back before the next picture.
 * @typedef {{ now: () => number, beforePicture: (run: () => void) => unknown }} Clock
 */
/**
 * The viewer of the scene.
 * @typedef {{ readonly id: number, readonly selection: readonly Id[], readonly smooth: boolean }}
 * Viewer
 */

/** If one frame moves more nodes than this, they are drawn at once. */
const NODES_MAX = 1000;

/** The transforms of a node at some moments, ascending. */
class Track {
  /** Where the node is drawn. @type {Transform} */
  at;
  /** @type {{ made: number, at: Transform }[]} */
  #stops;

  /** @param {number} made @param {Transform} at */
  constructor(made, at) {
    this.at = at;
    this.#stops = [{ made, at }];
  }

  /** @param {number} made @param {Transform} at */
  add(made, at) {
    if (made <= this.#stops[this.#stops.length - 1].made) this.#stops.pop();
    this.#stops.push({ made, at });
  }

  /** @param {number} moment @returns {boolean} whether the node is drawn elsewhere now */
  advance(moment) {
    while (this.#stops.length > 1 && this.#stops[1].made <= moment) this.#stops.shift();
    const before = this.at;
    const [a, b] = this.#stops;
    if (!b) this.at = a.at;
    else if (moment > a.made) this.at = between(a.at, b.at, (moment - a.made) / (b.made - a.made));
    return this.at !== before;
  }

  get ended() {
    return this.#stops.length === 1;
  }
}

/** @extends {Emitter<{ change: SceneChange }>} */
export class ShownScene extends Emitter {
  #scene;
  #viewer;
  #clock;
  #pace = new Pace();
  /** The nodes that are drawn from a buffer. @type {Map<Id, Track>} */
  #tracks = new Map();
  /** World matrices of such nodes and of those below them. @type {Map<Id, Float64Array>} */
  #worlds = new Map();
  /** The selected nodes and all nodes above them. @type {Set<Id>} */
  #selected = new Set();
  /** The selection that `#selected` was made of. @type {readonly Id[] | null} */
  #selection = null;
  #waits = false;

  /**
   * @param {SceneModel} scene
   * @param {Viewer} viewer
   * @param {Clock | null} [clock] null where no pictures are made: all is shown as it comes
   */
  constructor(scene, viewer, clock = pictureClock()) {
    super();
    this.#scene = scene;
    this.#viewer = viewer;
    this.#clock = clock;
    scene.on("change", (change) => this.#follow(change));
  }

  /** The nodes of the scene; `get` has the transforms to draw them with. */
  get nodes() {
    return this.#scene.nodes;
  }

  /** @param {Id} id @returns {SceneNode | undefined} the node with the transform to draw */
  get(id) {
    const node = this.#scene.get(id);
    const track = node && this.#tracks.get(id);
    return track ? { ...node, ...track.at } : node;
  }

  /** As `SceneModel.world`, for drawing. @param {Id | null} id @returns {Float64Array} */
  world(id) {
    if (this.#tracks.size === 0) return this.#scene.world(id);
    /** @type {Id[]} */
    const chain = [];
    let due = 0;
    /** @type {Float64Array | undefined} */
    let above;
    for (let at = id; at !== null && !above; at = this.#scene.get(at)?.parent ?? null) {
      above = this.#worlds.get(at);
      if (!above) chain.push(at);
      if (above || this.#tracks.has(at)) due = chain.length;
    }
    if (due === 0 && !above) return this.#scene.world(id);
    above ??= this.#scene.world(this.#scene.get(chain[due - 1])?.parent ?? null);
    for (const at of chain.slice(0, due).reverse()) above = this.#place(at, above);
    return above;
  }

  /** A node and all nodes below it, parents before their children. @param {Id} id */
  below(id) {
    return this.#scene.below(id);
  }

  /**
   * Advances to the present moment. A renderer may call it right before it draws; without that the
   * motion advances as well.
   */
  advance() {
    if (this.#tracks.size === 0 || !this.#clock) return;
    const moment = this.#pace.moment(this.#clock.now());
    /** @type {Id[]} */
    const moved = [];
    for (const [id, track] of this.#tracks) {
      if (track.advance(moment)) moved.push(id);
      if (track.ended) this.#tracks.delete(id);
    }
    if (moved.length > 0) this.#tell({ ...NOTHING, moved });
  }

  /** @param {SceneChange} change */
  #follow(change) {
    if (change.all) this.#pace = new Pace();
    if (change.all) this.#tracks.clear();
    for (const id of change.gone) this.#tracks.delete(id);
    if (change.all || change.structure.length > 0) this.#selection = null;
    const made = 1000 * this.#scene.time;
    if (this.#clock && change.from.size > 0) this.#pace.arrived(made, this.#clock.now());
    const isUneven = this.#isUneven(change);
    if (isUneven || this.#tracks.size > 0)
      this.#buffer(change, made, isUneven ? this.#othersOf(change) : []);
    else this.#tell(change);
  }

  /**
   * @param {SceneChange} change
   * @param {number} made
   * @param {Id[]} others the nodes that are drawn from a buffer
   */
  #buffer(change, made, others) {
    const buffered = new Set(others);
    for (const id of buffered) this.#bufferOne(id, made, change.from);
    const moved = change.moved.filter((id) => !buffered.has(id));
    for (const id of moved) this.#tracks.delete(id);
    this.#tell({ ...change, moved });
    this.advance();
    this.#goOn();
  }

  /** @param {SceneChange} change */
  #isUneven({ from, moved }) {
    return (
      this.#clock !== null &&
      this.#viewer.smooth &&
      from.size > 0 &&
      moved.length <= NODES_MAX &&
      !this.#pace.direct
    );
  }

  /**
   * The nodes that another user moved, without this user's selection and its ancestors, because the
   * gizmo stands where the scene has them.
   * @param {SceneChange} change
   */
  #othersOf({ from, moved }) {
    if (this.#selection !== this.#viewer.selection) this.#findSelected();
    return moved.filter(
      (id) =>
        from.has(id) && this.#scene.get(id)?.by !== this.#viewer.id && !this.#selected.has(id),
    );
  }

  #findSelected() {
    this.#selection = this.#viewer.selection;
    this.#selected.clear();
    for (const id of this.#selection)
      for (
        let at = /** @type {Id | null} */ (id);
        at !== null && !this.#selected.has(at);
        at = this.#scene.get(at)?.parent ?? null
      )
        this.#selected.add(at);
  }

  /** @param {Id} id @param {number} made @param {SceneChange["from"]} from */
  #bufferOne(id, made, from) {
    const node = this.#scene.get(id),
      before = from.get(id);
    if (!node || !before) return;
    const track = this.#tracks.get(id) ?? new Track(made - this.#pace.interval, before);
    track.add(made, { t: node.t, r: node.r, s: node.s });
    this.#tracks.set(id, track);
  }

  /** @param {Id} id @param {Float64Array} above */
  #place(id, above) {
    const { t, r, s } = /** @type {SceneNode} */ (this.get(id));
    const world = multiply(above, compose(t, r, s), new Float64Array(16));
    this.#worlds.set(id, world);
    return world;
  }

  /** @param {SceneChange} change */
  #tell(change) {
    if (this.#worlds.size > 0) this.#worlds.clear();
    const { all, added, gone, moved, structure } = change;
    if (all || added.length + gone.length + moved.length + structure.length > 0)
      this.emit("change", change);
  }

  #goOn() {
    if (this.#waits || this.#tracks.size === 0 || !this.#clock) return;
    this.#waits = true;
    this.#clock.beforePicture(() => {
      this.#waits = false;
      this.advance();
      this.#goOn();
    });
  }
}

/** @returns {Clock | null} */
function pictureClock() {
  if (typeof requestAnimationFrame === "undefined") return null;
  return { now: () => performance.now(), beforePicture: (run) => requestAnimationFrame(run) };
}

/** @param {Transform} a @param {Transform} b @param {number} share @returns {Transform} */
function between(a, b, share) {
  return { t: lerp(a.t, b.t, share), r: slerp(a.r, b.r, share), s: lerp(a.s, b.s, share) };
}

/** @type {SceneChange} */
const NOTHING = { all: false, added: [], gone: [], moved: [], structure: [], from: new Map() };
