// scene.js - the scene as the server has sent it: the nodes, their tree and their places in the
// world. Only `apply` changes it, so it never contains half of a change. Unconfirmed transforms lie
// over it: a foreseen node shows its foreseen transform, and the server's is kept beside it
// (`told`). A state of the past is the same thing without further changes (`Session.at`).
import { Emitter } from "./emitter.js";
import { boxTransform, boxUnion, compose, copyList, multiply, newTransform } from "./maths.js";
import { Glide } from "./glide.js";

/** @import {Box, Id, SceneChange, SceneNode, Transform} from "./types.js" */

/**
 * The overlay of a node: the server's transform, the foreseen one, and the glide from the drawn one
 * to the correct one. The foreseen transform is written into `spare`, so that a drag makes no new
 * arrays with each event.
 * @typedef {{ told: Transform, foreseen: Transform | null, spare: Transform, glide: Glide | null }}
 * Overlay
 */
/**
 * A matrix, and whether nothing has moved since.
 * @typedef {{ matrix: ReturnType<typeof compose>, valid: boolean }} World
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
  /** @type {Map<Id, World>} the world matrices that were computed */
  #worlds = new Map();
  /** The nodes from a known world matrix, or a root, down to a node; overwritten. */
  #chain = /** @type {SceneNode[]} */ ([]);
  /** @type {Map<Id, Overlay>} the nodes that do not show what the server said */
  #overlays = new Map();
  /** @type {SceneChange | null} the change that is being made */
  #change = null;
  /** The number of calls of `begin` without their `end`. */
  #depth = 0;
  /** How many entries of the change's `moved` belong to the change in progress. */
  #moved = 0;
  /** A change whose listeners have been called. @type {SceneChange | null} */
  #old = null;
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
    const told = this.toldNow(id);
    return told && { t: told.t, r: told.r, s: told.s };
  }

  /**
   * As `told`, but valid until the next change only.
   * @param {Id} id
   * @returns {Transform | undefined}
   */
  toldNow(id) {
    return this.#overlays.get(id)?.told ?? this.#nodes.get(id);
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
    const chain = this.#chain;
    let length = 0;
    /** @type {Float64Array} */
    let above = IDENTITY;
    for (let at = /** @type {SceneNode | undefined} */ (node); at; at = this.#parentOf(at)) {
      const world = this.#worlds.get(at.id);
      if (world?.valid) {
        above = world.matrix;
        break;
      }
      chain[length++] = at;
    }
    while (length > 0) above = this.#place(chain[--length], above);
    return above;
  }

  /** @param {SceneNode} node */
  #parentOf({ parent }) {
    return parent === null ? undefined : this.#nodes.get(parent);
  }

  /** @param {SceneNode} node @param {Float64Array} above */
  #place({ id, t, r, s }, above) {
    let world = this.#worlds.get(id);
    if (!world) this.#worlds.set(id, (world = { matrix: new Float64Array(16), valid: true }));
    multiply(above, compose(t, r, s, LOCAL), world.matrix);
    world.valid = true;
    return world.matrix;
  }

  /** A node has moved, and all below it. @param {Id} top */
  #move(top) {
    const children = this.#nodes.get(top)?.children;
    if (!children?.length) return this.#unplace(top);
    for (const id of this.below(top)) this.#unplace(id);
  }

  /** @param {Id} id */
  #unplace(id) {
    const world = this.#worlds.get(id);
    if (world) world.valid = false;
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
   * @param {(change: SceneChange) => void} [amend] called before the listeners: what it foresees
   * and forgets is a part of this change
   */
  apply(deltas, amend) {
    const change = this.begin();
    try {
      for (const delta of deltas) {
        if (delta.from === 0) this.#clear(change);
        this.#take(delta, change);
        this.seq = delta.seq;
        this.time = delta.time ?? this.time;
        this.saved = Math.max(this.saved, delta.saved ?? 0);
      }
      change.moved.length = this.#moved;
      this.#hang(change);
      this.#moved = change.moved.length;
      amend?.(change);
    } finally {
      this.end();
    }
  }

  /**
   * Shows a node where the server is expected to put it, until that is forgotten.
   * @param {Id} id
   * @param {Transform} transform its numbers are copied
   * @param {number} [glideMs] how long the way from what was seen before takes; by default there is
   * none
   */
  foresee(id, transform, glideMs = 0) {
    const node = this.#nodes.get(id);
    if (!node) return;
    const overlay = this.#overlay(node);
    const foreseen = overlay.spare;
    copy(transform, foreseen);
    overlay.spare = overlay.foreseen ?? newTransform();
    overlay.foreseen = foreseen;
    this.#show(node, overlay, glideMs);
  }

  /**
   * Shows the server's transform of a node again.
   * @param {Id} id
   * @param {number} [glideMs] as for `foresee`
   */
  forget(id, glideMs = 0) {
    const node = this.#nodes.get(id),
      overlay = this.#overlays.get(id);
    if (!node || !overlay?.foreseen) return;
    overlay.foreseen = null;
    this.#show(node, overlay, glideMs);
  }

  /**
   * Collects all that follows into one change, until `end`, which calls the listeners. Nested calls
   * have no effect of their own.
   * @returns {SceneChange}
   */
  begin() {
    if (this.#depth++ === 0) {
      this.#change = this.#old ?? nothing();
      this.#old = null;
      this.#moved = 0;
    }
    return /** @type {SceneChange} */ (this.#change);
  }

  /** Ends what the same number of calls of `begin` has begun. */
  end() {
    if (--this.#depth > 0) return;
    const change = /** @type {SceneChange} */ (this.#change);
    const { all, added, gone, moved, structure, from } = change;
    this.#change = null;
    if (all || added.length + gone.length + this.#moved + structure.length > 0) {
      if (moved.length > this.#moved) moved.length = this.#moved;
      this.emit("change", change);
    }
    const isPlain = !all && added.length + gone.length + structure.length + from.size === 0;
    if (isPlain) this.#old = change;
  }

  // ---- what is foreseen ----

  /** @param {SceneNode} node @returns {Overlay} */
  #overlay(node) {
    let overlay = this.#overlays.get(node.id);
    if (overlay) return overlay;
    const { t, r, s } = node;
    overlay = { told: { t, r, s }, foreseen: null, spare: newTransform(), glide: null };
    this.#overlays.set(node.id, overlay);
    return overlay;
  }

  /**
   * @param {SceneNode} node
   * @param {Overlay} overlay
   * @param {number} glideMs
   */
  #show(node, overlay, glideMs) {
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
    if (!isSame(t, node.t) || !isSame(r, node.r) || !isSame(s, node.s)) this.#tellMoved(node.id);
  }

  /** @param {Id} id of a node that shows another transform */
  #tellMoved(id) {
    this.#move(id);
    const { moved } = this.begin();
    if (this.#moved < moved.length) moved[this.#moved] = id;
    else moved.push(id);
    this.#moved++;
    this.end();
  }

  /** Goes on with all glides before the next picture. */
  #glideOn() {
    if (this.#gliding) return;
    this.#gliding = true;
    Glide.next(() => {
      this.#gliding = false;
      this.begin();
      for (const [id, overlay] of this.#overlays) {
        const node = this.#nodes.get(id);
        if (node && overlay.glide) this.#show(node, overlay, 0);
      }
      this.end();
    });
  }

  /** @param {SceneChange} change */
  #clear(change) {
    Object.assign(change, nothing(), { all: true });
    this.#moved = 0;
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
      holdNumbers(told);
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
      if (told.parent !== undefined || (placed && !overlay)) this.#tellMoved(told.id);
      if (placed && !overlay && told.parent === undefined && !change.from.has(told.id))
        change.from.set(told.id, { t: node.t, r: node.r, s: node.s });
      if (told.name !== undefined || told.parent !== undefined) change.structure.push(told.id);
      if (overlay) this.#takeBelow(node, overlay, told);
      else Object.assign(node, told);
    }
  }

  /**
   * Takes the server's transform of a node that shows a foreseen one.
   * @param {SceneNode} node
   * @param {Overlay} overlay
   * @param {any} told
   */
  #takeBelow(node, overlay, told) {
    const { t, r, s } = node;
    Object.assign(node, told);
    node.t = t;
    node.r = r;
    node.s = s;
    const before = overlay.told;
    overlay.told = { t: told.t ?? before.t, r: told.r ?? before.r, s: told.s ?? before.s };
    if (!overlay.foreseen) this.#show(node, overlay, 0);
  }

  /**
   * When all deltas are in: lists children with their parents, and drops the world matrices of what
   * moved.
   * @param {SceneChange} change
   */
  #hang(change) {
    if (change.all) return this.#hangAll();
    // A node that came in one delta may be gone in a later one.
    keep(change.added, this.#nodes);
    keep(change.moved, this.#nodes);
    keep(change.structure, this.#nodes);
    for (const id of change.gone) this.#unhang(id);
    for (const id of change.added) this.#hangAnew(id);
    for (const id of change.structure) this.#hangAnew(id);
    for (const id of change.moved) this.#move(id);
  }

  /** @param {Id} id of a node whose parent may be another one than the one that lists it */
  #hangAnew(id) {
    const parent = this.#nodes.get(id)?.parent ?? null;
    if (this.#hung.get(id) === parent) return;
    this.#unhang(id);
    this.#hangOne(id, parent);
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

/** @param {Id[]} list changed in place @param {Map<Id, SceneNode>} nodes the ones to keep */
function keep(list, nodes) {
  let kept = 0;
  for (const id of list) if (nodes.has(id)) list[kept++] = id;
  if (list.length > kept) list.length = kept;
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
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/**
 * Puts a message's transform into arrays of plain numbers. The decoder's can hold anything, and the
 * engine would soon make arrays of that kind of all that are read beside them: each number that a
 * drag writes into such an array is an object of its own.
 * @param {Partial<Transform>} told
 */
function holdNumbers(told) {
  const own = newTransform();
  if (told.t) told.t = numbersOf(told.t, own.t);
  if (told.r) told.r = numbersOf(told.r, own.r);
  if (told.s) told.s = numbersOf(told.s, own.s);
}

/**
 * As `copyList`, but the engine must not see the decoder's arrays in that function.
 * @template {number[]} List
 * @param {Readonly<List>} told
 * @param {List} out
 */
function numbersOf(told, out) {
  for (let i = 0; i < out.length; i++) out[i] = told[i];
  return out;
}

/** @param {Transform} from @param {Transform} to */
function copy(from, to) {
  copyList(from.t, to.t);
  copyList(from.r, to.r);
  copyList(from.s, to.s);
}

/** @type {Box} */
const POINT = [0, 0, 0, 0, 0, 0];
/** @type {Float64Array} */
const IDENTITY = Float64Array.from([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
/** Between two computations nobody reads it. */
const LOCAL = new Float64Array(16);
