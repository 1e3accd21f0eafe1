// packed.js - converts messages of the packed form, which are lists: `moves` and the packed
// `delta` into `delta`, `person` and `people` into `presence`. The state that they build on is kept
// here, and begins anew with each `welcome`. `motion` becomes no message: it names the nodes of
// later `moves`.
import { compose, quatMultiply, quatRotate } from "./maths.js";

/** @import {Quat, Transform, Vec3} from "./types.js" */

const MOVES = 1;
const PERSON = 2;
const PEOPLE = 3;
const MOTION = 4;
const DELTA = 5;
/** A `moves` holds the seq that it leads from modulo this. */
const FROM = 128;
const TURN_STEPS = 32767;
const SPOT_STEPS = 65535;
const MOTIONS_MAX = 64;
const MOTION_NODES_MAX = 20000;

/**
 * The local transform of a node in the scene so far.
 * @callback Place
 * @param {number} id
 * @returns {Readonly<Pick<Transform, "t" | "r">> | undefined}
 */

/**
 * The nodes of a motion, as they were at its beginning.
 * @typedef {{ by: number, nodes: { id: number, t: Vec3, r: Quat }[] }} Motion
 */

export class PackedReader {
  #place;
  /** The seq and the time, in milliseconds, of the latest delta; null before the first one. */
  #seq = /** @type {number | null} */ (null);
  #ms = 0;
  #saved = 0;
  /** @type {Map<number, Known>} */
  #people = new Map();
  /** @type {Map<number, Motion>} */
  #motions = new Map();

  /** @param {Place} place */
  constructor(place) {
    this.#place = place;
  }

  /**
   * The message itself, or the converted one; null for a `motion`. The scene has to be as the
   * message before left it. Throws if this one does not continue that.
   * @param {any} message
   * @returns {any}
   */
  read(message) {
    if (Array.isArray(message)) return this.#turn(new Fields(message));
    if (message.op === "delta") this.#follow(message);
    if (message.op === "saved") this.#saved = message.seq;
    if (message.op === "welcome") {
      this.#seq = null;
      this.#people.clear();
      this.#motions.clear();
    }
    return message;
  }

  /** @param {any} delta */
  #follow({ from, seq, saved, time }) {
    if (from === 0) this.#motions.clear();
    this.#seq = seq;
    this.#saved = saved;
    this.#ms = Math.round(1000 * time);
  }

  /** @param {Fields} fields */
  #turn(fields) {
    const number = fields.count();
    if (number === MOVES) return this.#moves(fields);
    if (number === PERSON) return this.#person(fields);
    if (number === PEOPLE) return this.#left(fields);
    if (number === MOTION) return this.#motion(fields);
    if (number === DELTA) return this.#delta(fields);
    throw new TypeError(`gizmod: no packed message has the number ${number}`);
  }

  /** @param {Fields} fields */
  #moves(fields) {
    fields.mask(4);
    const from = fields.count();
    if (this.#seq === null || this.#seq % FROM !== from)
      throw new TypeError(`gizmod: moves from ${from}, the scene is at ${this.#seq}`);
    const delta = {
      op: "delta",
      from: this.#seq,
      seq: this.#seq + fields.count(),
      time: (this.#ms + fields.count()) / 1000,
      saved: this.#saved,
      nodes: fields.has(0) ? fields.list().map((node) => this.#node(new Fields(node))) : [],
    };
    if (fields.has(1)) delta.saved = delta.seq - fields.count();
    const acks = fields.has(2) ? fields.list() : [];
    const steps = fields.has(3) ? fields.list() : [];
    for (const step of steps) this.#step(new Fields(step), delta.nodes);
    fields.end();
    this.#follow(delta);
    return acks.length > 0 ? { ...delta, acks } : delta;
  }

  /** @param {Fields} fields */
  #node(fields) {
    fields.mask(6);
    const id = fields.count();
    const before = this.#place(id);
    if (!before) throw new TypeError(`gizmod: moves of node ${id}, which does not exist`);
    /** @type {any} */
    const move = { id };
    const t = before.t.map((was, axis) => (fields.has(axis) ? fields.numbers(1)[0] : was));
    if (fields.has(0) || fields.has(1) || fields.has(2)) move.t = t;
    if (fields.has(3)) move.r = fields.numbers(4);
    if (fields.has(4)) move.s = fields.numbers(3);
    if (fields.has(5)) move.by = fields.count();
    fields.end();
    return move;
  }

  /**
   * Adds the nodes of a motion at its present step. Skips nodes that were deleted meanwhile.
   * @param {Fields} fields
   * @param {any[]} nodes
   */
  #step(fields, nodes) {
    fields.mask(3);
    const number = fields.count();
    const motion = this.#motions.get(number);
    if (!motion) throw new TypeError(`gizmod: moves of motion ${number}, which was never sent`);
    const shift = fields.has(0) ? fields.numbers(3) : NOWHERE;
    const turn = fields.has(1) ? fields.numbers(4) : null;
    const pivot = fields.has(2) ? fields.numbers(3) : null;
    fields.end();
    for (const { id, t, r } of motion.nodes) {
      if (!this.#place(id)) continue;
      const at = turn && pivot ? shifted(t, turnOffset(turn, minus(t, pivot))) : t;
      nodes.push({
        id,
        by: motion.by,
        t: shifted(at, shift),
        r: turn ? unit(quatMultiply(/** @type {Quat} */ (turn), r)) : [...r],
      });
    }
  }

  /** @param {Fields} fields */
  #motion(fields) {
    fields.mask(2);
    const number = fields.count();
    const motion = /** @type {Motion} */ ({ by: fields.count(), nodes: [] });
    const ids = fields.has(0) ? fields.list() : [];
    const starts = fields.has(1) ? fields.list() : [];
    fields.end();
    if (number < 1 || number > MOTIONS_MAX || ids.length + starts.length > MOTION_NODES_MAX)
      throw new TypeError("gizmod: a motion has an invalid number or count of nodes");
    for (const start of starts) motion.nodes.push(startOf(new Fields(start)));
    for (const id of ids) {
      const now = this.#place(id);
      if (!now) throw new TypeError(`gizmod: a motion of node ${id}, which does not exist`);
      motion.nodes.push({ id, t: [...now.t], r: [...now.r] });
    }
    this.#motions.set(number, motion);
    return null;
  }

  /** @param {Fields} fields */
  #delta(fields) {
    fields.mask(4);
    /** @type {any} */
    const delta = { op: "delta", from: fields.count(), seq: fields.count() };
    [delta.time] = fields.numbers(1);
    delta.saved = fields.count();
    delta.nodes = fields.has(0) ? fields.list().map((node) => stateOf(new Fields(node))) : [];
    if (fields.has(1)) delta.gone = fields.list();
    if (fields.has(2)) delta.acks = fields.list();
    if (fields.has(3)) delta.more = true;
    fields.end();
    this.#follow(delta);
    return delta;
  }

  /** @param {Fields} fields */
  #person(fields) {
    fields.mask(13);
    const session = fields.count();
    const known = this.#people.get(session) ?? new Known(session);
    known.take(fields);
    fields.end();
    this.#people.set(session, known);
    return { op: "presence", users: [known.record()] };
  }

  /** @param {Fields} fields */
  #left(fields) {
    fields.mask(2);
    const presence = { op: "presence", users: [], ...(fields.has(1) && { all: true }) };
    const left = fields.has(0) ? fields.list() : [];
    fields.end();
    if (fields.has(1)) this.#people.clear();
    for (const session of left) this.#people.delete(session);
    return left.length > 0 ? { ...presence, left } : presence;
  }
}

/** The elements of a packed list, one after the other. */
class Fields {
  #list;
  #at = 0;
  #bits = 0;

  /** @param {any} list */
  constructor(list) {
    if (!Array.isArray(list)) throw new TypeError("gizmod: expected a list in the packed form");
    this.#list = list;
  }

  /** @param {(value: any) => boolean} fits @param {string} what */
  #take(fits, what) {
    const value = this.#list[this.#at++];
    if (!fits(value)) throw new TypeError(`gizmod: expected ${what} in the packed form`);
    return value;
  }

  /** @param {number} bits how many fields may be absent */
  mask(bits) {
    this.#bits = this.#take((value) => isCount(value) && value < 2 ** bits, "a mask");
  }

  /** @param {number} bit */
  has(bit) {
    return ((this.#bits >> bit) & 1) !== 0;
  }

  count() {
    return /** @type {number} */ (this.#take(isCount, "a whole number"));
  }

  /** @returns {number | null} */
  parent() {
    return this.#take((value) => value === null || isCount(value), "a node or nil");
  }

  /** @param {number} size @returns {number[]} */
  numbers(size) {
    const numbers = [];
    while (numbers.length < size) numbers.push(this.#take(Number.isFinite, "a number"));
    return numbers;
  }

  /** @returns {any[]} */
  list() {
    return this.#take(Array.isArray, "a list");
  }

  /** @returns {string} */
  text() {
    return this.#take((value) => typeof value === "string", "a text");
  }

  end() {
    if (this.#at !== this.#list.length)
      throw new TypeError("gizmod: the length of a packed list does not fit its mask");
  }
}

/** @param {any} value */
const isCount = (value) => Number.isSafeInteger(value) && value >= 0;

/** The received state of one session. */
class Known {
  /** @type {any} the fields of its record that are told as they are */
  #told = {};
  /** @type {number[] | null} */
  #spot = null;
  /** @type {number[] | null} */
  #pose = null;
  /** @type {number[] | null} told, and not what follows from the spot */
  #ray = null;
  #lens = [0, 0, 0, 0, 0];
  /** @type {number[] | null} */
  #viewport = null;

  /** @param {number} session */
  constructor(session) {
    this.#told.session = session;
  }

  /** @param {Fields} fields */
  take(fields) {
    const spot = fields.has(0) ? fields.numbers(2) : null;
    if (fields.has(1)) this.#setPose(fields.numbers(7));
    const ray = fields.has(2) ? fields.numbers(6) : null;
    if (spot ?? ray) [this.#spot, this.#ray] = [spot, ray];
    if (fields.has(3)) this.#told.tool = fields.text();
    if (fields.has(4)) this.#told.selection = fields.list();
    if (fields.has(5)) this.#told.locks = fields.list();
    if (fields.has(6)) this.#lens = fields.numbers(5);
    if (fields.has(7)) this.#viewport = fields.numbers(4);
    if (fields.has(8)) [this.#pose, this.#told.view] = [null, fields.numbers(16)];
    if (fields.has(9)) this.#told.user = fields.text();
    if (fields.has(10)) this.#told.name = fields.text();
    if (fields.has(11)) this.#told.colour = `#${fields.count().toString(16).padStart(6, "0")}`;
    if (fields.has(12)) this.#told.role = fields.text();
    const { user, colour, role } = this.#told;
    if (user === undefined || colour === undefined || role === undefined)
      throw new TypeError("gizmod: a new person lacks user, colour or role");
    if (this.#spot && !this.#viewport)
      throw new TypeError("gizmod: a pointer of a person whose viewport was never sent");
  }

  /** @param {number[]} pose */
  #setPose(pose) {
    this.#pose = pose;
    const r = turnOf(pose);
    const [x, y, z] = quatRotate(r, /** @type {Vec3} */ (pose.slice(0, 3)));
    this.#told.view = [...compose([-x, -y, -z], r, [1, 1, 1])];
  }

  /** As `presence` has it. */
  record() {
    const { name, ...record } = this.#told;
    if (name) record.name = name;
    const [left, right, bottom, top, parallel] = this.#lens;
    if (left !== right || bottom !== top) record.lens = [left, right, bottom, top];
    if (parallel) record.parallel = true;
    if (this.#spot && this.#viewport) record.at = placeOf(this.#spot, this.#viewport);
    const ray =
      this.#ray ?? (this.#spot && this.#pose && rayOf(this.#pose, this.#lens, this.#spot));
    if (ray) record.ray = ray;
    return record;
  }
}

/** A node of a `delta`. @param {Fields} fields */
function stateOf(fields) {
  fields.mask(9);
  /** @type {any} */
  const node = { id: fields.count() };
  if (fields.has(0))
    Object.assign(node, { t: [0, 0, 0], r: [0, 0, 0, 1], s: [1, 1, 1], parent: null });
  if (fields.has(1)) node.t = fields.numbers(3);
  if (fields.has(2)) node.r = fields.numbers(4);
  if (fields.has(3)) node.s = fields.numbers(3);
  if (fields.has(4)) node.name = fields.text();
  if (fields.has(5)) node.parent = fields.parent();
  if (fields.has(6)) node.bounds = fields.numbers(6);
  if (fields.has(7)) node.asset = fields.count();
  if (fields.has(8)) node.by = fields.count();
  fields.end();
  return node;
}

// ---- motions: the order of the operations is that of the server, so that little is lost ----

const NOWHERE = [0, 0, 0];

/** Where a node was when its motion began. @param {Fields} fields */
function startOf(fields) {
  fields.mask(6);
  const id = fields.count();
  if (!fields.has(0) || !fields.has(1) || !fields.has(2) || !fields.has(3))
    throw new TypeError(`gizmod: a motion of node ${id}, which has no start`);
  const t = /** @type {Vec3} */ (fields.numbers(3));
  const r = /** @type {Quat} */ (fields.numbers(4));
  if (fields.has(4)) fields.numbers(3);
  if (fields.has(5)) fields.count();
  fields.end();
  return { id, t, r };
}

/** @param {readonly number[]} a @param {readonly number[]} b */
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];

/** A coordinate to which 0 is added keeps its bits, also a negative zero. */
const plus = (/** @type {number} */ place, /** @type {number} */ offset) =>
  offset === 0 ? place : place + offset;

/** @param {readonly number[]} place @param {readonly number[]} by @returns {Vec3} */
const shifted = (place, by) => [
  plus(place[0], by[0]),
  plus(place[1], by[1]),
  plus(place[2], by[2]),
];

/** @param {readonly number[]} a @param {readonly number[]} b */
const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/**
 * The change of a vector by a rotation, which loses no digit if the rotation is small.
 * @param {readonly number[]} turn
 * @param {readonly number[]} v
 */
function turnOffset(turn, v) {
  const twice = cross(turn, v).map((part) => 2 * part);
  const across = cross(turn, twice);
  return [
    twice[0] * turn[3] + across[0],
    twice[1] * turn[3] + across[1],
    twice[2] * turn[3] + across[2],
  ];
}

/** A quaternion that is unit to the last bits stays as it is. @param {Quat} q @returns {Quat} */
function unit([x, y, z, w]) {
  const square = x * x + y * y + z * z + w * w;
  if (Math.abs(square - 1) <= 8 * Number.EPSILON) return [x, y, z, w];
  const length = Math.sqrt(square);
  return [x / length, y / length, z / length, w / length];
}

/** The rotation of a pose, which is sent in steps. @param {number[]} pose @returns {Quat} */
function turnOf(pose) {
  const [x, y, z, w] = pose.slice(3).map((steps) => steps / TURN_STEPS);
  const length = Math.hypot(x, y, z, w);
  return length > 0 ? [x / length, y / length, z / length, w / length] : [0, 0, 0, 1];
}

/** In pixels. @param {number[]} spot @param {number[]} viewport */
function placeOf(spot, viewport) {
  return [0, 1].map((i) => viewport[i] + (spot[i] * viewport[i + 2]) / SPOT_STEPS);
}

/**
 * The ray in the world under a place in the viewport; null without a lens.
 * @param {number[]} pose
 * @param {number[]} lens
 * @param {number[]} spot
 */
function rayOf(pose, [left, right, bottom, top, parallel], spot) {
  if (left === right || bottom === top) return null;
  const [x, y, z, w] = turnOf(pose);
  const toWorld = (/** @type {Vec3} */ v) => quatRotate([-x, -y, -z, w], v);
  const across = left + ((right - left) * spot[0]) / SPOT_STEPS;
  const up = top + ((bottom - top) * spot[1]) / SPOT_STEPS;
  const beside = parallel ? toWorld([across, up, 0]) : [0, 0, 0];
  const along = toWorld(parallel ? [0, 0, -1] : [across, up, -1]);
  const length = Math.hypot(...along);
  return [...beside.map((offset, i) => pose[i] + offset), ...along.map((part) => part / length)];
}
