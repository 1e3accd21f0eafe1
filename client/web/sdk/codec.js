// codec.js - converts the wire format to plain objects and back. A frame is one WebSocket message:
// one or more messages in sequence, which are MessagePack maps whose `op` names their type, and in
// the packed form lists with a number in place of that (packed.js).
// proto/README.md describes the messages; what the server checks is not checked here. Ids and seq
// are below 2^53, so they are plain numbers.
import { Encoder, decodeMulti } from "@msgpack/msgpack";

/** @import {ClientMessage, Place} from "./types.js" */

export const SUBPROTOCOL = "gizmod.v1";
export const VERSION = 1;

// A field that is undefined is left out.
const OPTIONS = { ignoreUndefined: true };

/**
 * Encodes messages as one frame, in their order.
 * @param {...ClientMessage} messages
 * @returns {Uint8Array}
 */
export function encode(...messages) {
  return joined(messages.map(encodeOne));
}

/** The heads of MessagePack's uint 32, in which a pointer's number is written, and of float 64. */
const UINT32 = 0xce;
const FLOAT64 = 0xcb;

/**
 * Messages of a moving pointer, which differ only in their numbers. The library encodes the first
 * one; of the others only the numbers are written, so that a drag leaves no garbage.
 */
class MoveShape {
  #isRay;
  #mods;
  /** Where the pointer's number is, and where the coordinates begin. */
  #n;
  #coordinates;

  /** @param {Place} place */
  constructor({ ray, mods }) {
    const some = new Array(ray ? 6 : 2).fill(0.5);
    const place = ray ? { ray: some } : { at: some };
    this.#isRay = ray !== undefined;
    this.#mods = mods && [...mods];
    this.bytes = encodeOne({ op: "pointer", phase: "move", n: 2 ** 32 - 1, ...place, mods });
    this.#n = 1 + this.bytes.indexOf(UINT32);
    this.#coordinates = 1 + this.bytes.indexOf(FLOAT64, this.#n + 4);
  }

  /** @param {Place} place */
  fits({ ray, mods }) {
    const own = this.#mods;
    if (this.#isRay !== (ray !== undefined) || own?.length !== mods?.length) return false;
    if (own && mods) for (let i = 0; i < own.length; i++) if (own[i] !== mods[i]) return false;
    return true;
  }

  /**
   * @param {DataView} view where `bytes` are
   * @param {number} start
   * @param {number} n
   * @param {ArrayLike<number>} numbers
   */
  write(view, start, n, numbers) {
    view.setUint32(start + this.#n, n);
    for (let i = 0; i < numbers.length; i++)
      view.setFloat64(start + this.#coordinates + 9 * i, numbers[i]);
  }
}

/** A frame up to this length needs no memory of its own. */
const SHORT_BYTES = 256;

/** Packs messages into as few frames as possible, in their order. */
export class Frames {
  #encoder = new Encoder(OPTIONS);
  /** Frames that are full. @type {Uint8Array[]} */
  #full = [];
  #bytes = new Uint8Array(SHORT_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  /** @type {MoveShape | null} */
  #move = null;
  /** The beginnings of `#bytes`, by their length. @type {(Uint8Array | null)[]} */
  #views = new Array(SHORT_BYTES + 1).fill(null);

  get empty() {
    return this.#length === 0;
  }

  /**
   * @param {any} message is encoded now
   * @param {number} bytesMax the largest frame
   * @returns {number} 0; the message's bytes if they are too many for a frame, and it was left out
   */
  add(message, bytesMax) {
    return this.#put(this.#encoder.encodeSharedRef(message), bytesMax);
  }

  /**
   * A pointer that moves: its number, and its place of the screen or ray.
   * @param {number} n
   * @param {Place} place
   * @param {number} bytesMax
   * @returns {number} as `add`
   */
  addMove(n, place, bytesMax) {
    const numbers = place.ray ?? place.at;
    if (!numbers) return this.add({ op: "pointer", phase: "move", n, mods: place.mods }, bytesMax);
    if (!this.#move?.fits(place)) this.#move = new MoveShape(place);
    const refused = this.#put(this.#move.bytes, bytesMax);
    const start = this.#length - this.#move.bytes.length;
    if (refused === 0) this.#move.write(this.#view, start, n, numbers);
    return refused;
  }

  /** @param {Uint8Array} part @param {number} bytesMax */
  #put(part, bytesMax) {
    if (part.length > bytesMax) return part.length;
    if (this.#length + part.length > bytesMax) this.#fill();
    const length = this.#length + part.length;
    if (length > this.#bytes.length) this.#use(new Uint8Array(2 * length), this.#bytes);
    this.#bytes.set(part, this.#length);
    this.#length = length;
    return 0;
  }

  /**
   * Sends all frames and empties itself. The memory of the last frame is overwritten, unless
   * `renew` is called before the next `add`.
   * @param {(frame: Uint8Array) => void} send
   */
  flush(send) {
    for (const frame of this.#full) send(frame);
    if (this.#length > 0) send(this.#frame());
    this.clear();
  }

  clear() {
    if (this.#full.length > 0) this.#full = [];
    this.#length = 0;
  }

  /** Gives its memory to the frame that was sent last. */
  renew() {
    this.#use(new Uint8Array(SHORT_BYTES));
  }

  #frame() {
    if (this.#length > SHORT_BYTES) return this.#bytes.slice(0, this.#length);
    return (this.#views[this.#length] ??= this.#bytes.subarray(0, this.#length));
  }

  /** The frame is full, another one begins. */
  #fill() {
    this.#full.push(this.#bytes.slice(0, this.#length));
    this.#length = 0;
  }

  /** @param {Uint8Array<ArrayBuffer>} bytes @param {Uint8Array} [before] what they begin with */
  #use(bytes, before) {
    if (before) bytes.set(before);
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
    this.#views.fill(null);
  }
}

/** @param {any} message @returns {Uint8Array} */
function encodeOne(message) {
  return new Encoder(OPTIONS).encode(message);
}

/** @param {Uint8Array[]} parts */
function joined(parts) {
  if (parts.length === 1) return parts[0];
  const frame = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    frame.set(part, offset);
    offset += part.length;
  }
  return frame;
}

/**
 * Decodes the messages of a frame, in their order. Throws if the frame is not a sequence of
 * messages.
 * @param {Uint8Array | ArrayBuffer} frame
 * @returns {any[]}
 */
export function decode(frame) {
  const messages = /** @type {any[]} */ ([...decodeMulti(frame)]);
  for (const message of messages) {
    const kind = Array.isArray(message) ? typeof message[0] : typeof message?.op;
    if (kind !== (Array.isArray(message) ? "number" : "string"))
      throw new TypeError("gizmod: a message without op");
  }
  return messages;
}
