// scene.js - the scene as the server has sent it: the nodes, their tree and their places in the
// world. Only `apply` changes it, so it never contains half of a change. What the server has not
// confirmed yet lies over it: a node that is foreseen shows the foreseen transform, and the one of
// the server is kept beside it (`told`). A state of the past is the same thing without further
// changes (`Session.at`).
import { Emitter } from "./emitter.js";
import { boxTransform, boxUnion, compose, multiply } from "./maths.js";
import { Glide } from "./glide.js";

/** @import {Box, Id, SceneChange, SceneNode, Transform} from "./types.js" */

/**
 * What lies over a node: the server's transform, the foreseen one, and the way from what was seen
 * before to what is to be seen.
 * @typedef {{ told: Transform, foreseen: Transform | null, glide: Glide | null }} Overlay
 */

/** @returns {SceneChange} */
const nothing = () => ({
  all: false,
  added: [],
  gone: [],
  moved: [],
  structure: [],
  from: new Map(),
});

/** @extends {Emitter<{ change: SceneChange }>} */
export class SceneModel extends Emitter {
  /** @type {Map<Id, SceneNode & { children: Id[] }>} */
  #nodes = new Map();
  /** @type {Id[]} */
  #roots = [];
  /** @type {Map<Id, Id | null>} the parent that lists each node */
  #hung = new Map();
  /**
   * @type {Map<Id, Float64Array>} world matrices of the nodes that have not moved since they were
   * computed
   */
  #worlds = new Map();
  /** @type {Map<Id, Overlay>} the nodes that do not show what the server said */
  #overlays = new Map();
  /** @type {SceneChange | null} the change that is being made */
  #change = null;
  #gliding = false;

  /** The seq of the latest change. */
  seq = 0;
  /** The server has stored the state up to this seq. */
  saved = 0;
  /** The server's time of the latest change, in Unix seconds. */
  time = 0;

  /** @returns {ReadonlyMap<Id, SceneNode>} */
  get nodes() {
    return this.#nodes;
  }

  /** Ids of the nodes at the top level, ascending. @returns {readonly Id[]} */
  get roots() {
    return this.#roots;
  }

  /** @param {Id} id @returns {SceneNode | undefined} */
  get(id) {
    return this.#nodes.get(id);
  }

  /** The transform that the server sent last. @param {Id} id @returns {Transform | undefined} */
  told(id) {
    const { t, r, s } = this.#overlays.get(id)?.told ?? this.#nodes.get(id) ?? NOWHERE;
    return t && r && s && { t, r, s };
  }

  /**
   * The matrix from the node's own space to the world: 16 numbers, by columns, in double precision.
   * It belongs to the model: read it at once and do not keep it. For a node that does not exist it
   * is the identity.
   * @param {Id | null} id
   * @returns {Float64Array}
   */
  world(id) {
    const node = id === null ? undefined : this.#nodes.get(id);
    if (!node) return IDENTITY;
    const known = this.#worlds.get(node.id);
    if (known) return known;
    /** @type {(SceneNode)[]} */
    const chain = [];
    /** @type {Float64Array} */
    let above = IDENTITY;
    for (
      let at = /** @type {SceneNode | undefined} */ (node);
      at;
      at = at.parent === null ? undefined : this.#nodes.get(at.parent)
    ) {
      const world = this.#worlds.get(at.id);
      if (world) {
        above = world;
        break;
      }
      chain.push(at);
    }
    for (const at of chain.reverse()) {
      above = multiply(above, compose(at.t, at.r, at.s), new Float64Array(16));
      this.#worlds.set(at.id, above);
    }
    return above;
  }

  /**
   * The box in the world around the bounds of these nodes and of all below them; a node without
   * bounds is a point. Null if none of the nodes exists.
   * @param {Iterable<Id>} ids
   * @returns {Box | null}
   */
  box(ids) {
    /** @type {Box | null} */
    let all = null;
    for (const top of ids) {
      for (const id of this.below(top)) {
        const world = this.world(id);
        const bounds = this.#nodes.get(id)?.bounds ?? POINT;
        all = boxUnion(all, boxTransform(bounds, world));
      }
    }
    return all;
  }

  /**
   * A node and all nodes below it, parents before their children.
   * @param {Id} id
   * @returns {Generator<Id>}
   */
  *below(id) {
    const waiting = this.#nodes.has(id) ? [id] : [];
    while (waiting.length > 0) {
      const next = /** @type {Id} */ (waiting.pop());
      yield next;
      const children = this.#nodes.get(next)?.children ?? [];
      for (let i = children.length - 1; i >= 0; i--) waiting.push(children[i]);
    }
  }

  /**
   * Applies a whole state or the next change of it, and calls the listeners.
   * @param {{ from: number, seq: number, time?: number, saved?: number, nodes: any[], gone?: Id[]
   * }[]} deltas in their order; beginning with the first one whose `from` is 0 they are a whole
   * state
   * @param {() => void} [amend] called before the listeners: what it foresees and forgets is a part
   * of this change
   */
  apply(deltas, amend) {
    this.together((change) => {
      for (const delta of deltas) {
        if (delta.from === 0) this.#clear(change);
        this.#take(delta, change);
        this.seq = delta.seq;
        this.time = delta.time ?? this.time;
        this.saved = Math.max(this.saved, delta.saved ?? 0);
      }
      this.#hang(change);
      amend?.();
    });
  }

  /**
   * Shows these nodes where the server is expected to put them, until they are forgotten.
   * @param {Iterable<Transform & { id: Id }>} entries the model keeps their arrays
   * @param {{ glideMs?: number }} [how] how long the way from what was seen before takes; by
   * default there is none
   */
  foresee(entries, { glideMs = 0 } = {}) {
    this.together((change) => {
      for (const { id, t, r, s } of entries) {
        const node = this.#nodes.get(id);
        if (!node) continue;
        const overlay = this.#overlay(node);
        overlay.foreseen = { t, r, s };
        this.#show(node, overlay, glideMs, change);
      }
    });
  }

  /**
   * Shows these nodes where the server has them.
   * @param {Iterable<Id>} ids
   * @param {{ glideMs?: number }} [how] as for `foresee`
   */
  forget(ids, { glideMs = 0 } = {}) {
    this.together((change) => {
      for (const id of ids) {
        const node = this.#nodes.get(id),
          overlay = this.#overlays.get(id);
        if (!node || !overlay?.foreseen) continue;
        overlay.foreseen = null;
        this.#show(node, overlay, glideMs, change);
      }
    });
  }

  /**
   * Makes several changes one: the listeners are called once, at its end.
   * @param {(change: SceneChange) => void} make
   */
  together(make) {
    if (this.#change) return make(this.#change);
    const change = (this.#change = nothing());
    try {
      make(change);
    } finally {
      this.#change = null;
    }
    if (
      change.all ||
      change.added.length + change.gone.length + change.moved.length + change.structure.length > 0
    )
      this.emit("change", change);
  }

  // ---- what is foreseen ----

  /** @param {SceneNode} node @returns {Overlay} */
  #overlay(node) {
    let overlay = this.#overlays.get(node.id);
    if (overlay) return overlay;
    overlay = { told: { t: node.t, r: node.r, s: node.s }, foreseen: null, glide: null };
    this.#overlays.set(node.id, overlay);
    return overlay;
  }

  /**
   * @param {SceneNode} node
   * @param {Overlay} overlay
   * @param {number} glideMs
   * @param {SceneChange} change
   */
  #show(node, overlay, glideMs, change) {
    const goal = overlay.foreseen ?? overlay.told;
    const { t, r, s } = node;
    if (glideMs > 0) overlay.glide = Glide.between(node, goal, glideMs);
    const shown = overlay.glide?.on(goal) ?? goal;
    if (shown === goal) overlay.glide = null;
    node.t = shown.t;
    node.r = shown.r;
    node.s = shown.s;
    if (overlay.glide) this.#glideOn();
    else if (!overlay.foreseen) this.#overlays.delete(node.id);
    if (isSame(t, node.t) && isSame(r, node.r) && isSame(s, node.s)) return;
    change.moved.push(node.id);
    for (const below of this.below(node.id)) this.#worlds.delete(below);
  }

  /** Goes on with all glides before the next picture. */
  #glideOn() {
    if (this.#gliding) return;
    this.#gliding = true;
    Glide.next(() => {
      this.#gliding = false;
      this.together((change) => {
        for (const [id, overlay] of this.#overlays) {
          const node = this.#nodes.get(id);
          if (node && overlay.glide) this.#show(node, overlay, 0, change);
        }
      });
    });
  }

  /** @param {SceneChange} change */
  #clear(change) {
    Object.assign(change, nothing(), { all: true });
    this.#nodes.clear();
    this.#worlds.clear();
    this.#overlays.clear();
    this.#roots = [];
    this.saved = 0;
  }

  /** @param {{ nodes: any[], gone?: Id[] }} delta @param {SceneChange} change */
  #take(delta, change) {
    for (const id of delta.gone ?? []) {
      if (!this.#nodes.delete(id)) continue;
      this.#worlds.delete(id);
      this.#overlays.delete(id);
      change.gone.push(id);
    }
    for (const told of delta.nodes) {
      const node = this.#nodes.get(told.id);
      if (!node) {
        this.#nodes.set(told.id, {
          name: "",
          parent: null,
          t: [0, 0, 0],
          r: [0, 0, 0, 1],
          s: [1, 1, 1],
          ...told,
          children: [],
        });
        change.added.push(told.id);
        continue;
      }
      const overlay = this.#overlays.get(told.id);
      const placed = told.t !== undefined || told.r !== undefined || told.s !== undefined;
      if (told.parent !== undefined || (placed && !overlay)) change.moved.push(told.id);
      if (placed && !overlay && told.parent === undefined && !change.from.has(told.id))
        change.from.set(told.id, { t: node.t, r: node.r, s: node.s });
      if (told.name !== undefined || told.parent !== undefined) change.structure.push(told.id);
      if (overlay) this.#takeBelow(node, overlay, told, change);
      else Object.assign(node, told);
    }
  }

  /**
   * What the server says of a node that shows something else.
   * @param {SceneNode} node
   * @param {Overlay} overlay
   * @param {any} told
   * @param {SceneChange} change
   */
  #takeBelow(node, overlay, told, change) {
    const { t = overlay.told.t, r = overlay.told.r, s = overlay.told.s, ...rest } = told;
    Object.assign(node, rest);
    overlay.told = { t, r, s };
    if (!overlay.foreseen) this.#show(node, overlay, 0, change);
  }

  /**
   * When all deltas are in: lists children with their parents, and drops the world matrices of what
   * moved.
   * @param {SceneChange} change
   */
  #hang(change) {
    if (change.all) return this.#hangAll();
    // A node that came in one delta may be gone in a later one.
    for (const list of [change.added, change.moved, change.structure])
      keep(list, (id) => this.#nodes.has(id));
    for (const id of change.gone) this.#unhang(id);
    for (const id of [...change.added, ...change.structure]) {
      const parent = this.#nodes.get(id)?.parent ?? null;
      if (this.#hung.get(id) === parent) continue;
      this.#unhang(id);
      this.#hangOne(id, parent);
    }
    for (const id of change.moved) for (const below of this.below(id)) this.#worlds.delete(below);
  }

  /** In the order of their ids, so that each one is appended to its list. */
  #hangAll() {
    for (const node of this.#nodes.values()) node.children = [];
    this.#roots = [];
    this.#hung.clear();
    for (const id of [...this.#nodes.keys()].sort((a, b) => a - b))
      this.#hangOne(id, this.#nodes.get(id)?.parent ?? null);
  }

  /** @param {Id} id @param {Id | null} parent */
  #hangOne(id, parent) {
    const list = this.#listBelow(parent);
    list.splice(placeOf(list, id), 0, id);
    this.#hung.set(id, parent);
  }

  /** @param {Id} id */
  #unhang(id) {
    const parent = this.#hung.get(id);
    if (parent === undefined) return;
    const list = this.#listBelow(parent);
    const place = placeOf(list, id);
    if (list[place] === id) list.splice(place, 1);
    this.#hung.delete(id);
  }

  /** @param {Id | null} parent */
  #listBelow(parent) {
    return (parent === null ? undefined : this.#nodes.get(parent)?.children) ?? this.#roots;
  }
}

/** @param {Id[]} list changed in place @param {(id: Id) => boolean} which */
function keep(list, which) {
  let kept = 0;
  for (const id of list) if (which(id)) list[kept++] = id;
  list.length = kept;
}

/**
 * The index of an id in an ascending list, or the index where it belongs.
 * @param {Id[]} list
 * @param {Id} id
 */
function placeOf(list, id) {
  let low = 0,
    high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
function isSame(a, b) {
  if (a === b) return true;
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return false;
  return true;
}

/** @type {Partial<Transform>} */
const NOWHERE = {};
/** @type {Box} */
const POINT = [0, 0, 0, 0, 0, 0];
/** @type {Float64Array} */
const IDENTITY = Float64Array.from([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
