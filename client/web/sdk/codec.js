// codec.js - converts the wire format to plain objects and back. A frame is one WebSocket message:
// one or more MessagePack maps in sequence, each a message whose `op` names its type.
// proto/README.md describes the messages; what the server checks is not checked here. Ids and seq
// are below 2^53, so they are plain numbers.
import { Encoder, decodeMulti } from "@msgpack/msgpack";

export const SUBPROTOCOL = "gizmod.v1";
export const VERSION = 1;

// A field that is undefined is left out.
const OPTIONS = { ignoreUndefined: true };

/** Encodes messages as one frame, in their order. @param {...any} messages @returns {Uint8Array} */
export function encode(...messages) {
  return joined(messages.map(encodeOne));
}

/**
 * Encodes messages in as few frames as possible, in their order.
 * @param {any[]} messages
 * @param {number} bytesMax the largest frame
 * @param {(message: any, bytes: number) => void} refuse called with a message that is too large for
 * a frame
 * @returns {Uint8Array[]}
 */
export function encodeFrames(messages, bytesMax, refuse) {
  /** @type {Uint8Array[][]} */
  const frames = [];
  let room = 0;
  for (const message of messages) {
    const part = encodeOne(message);
    if (part.length > bytesMax) {
      refuse(message, part.length);
      continue;
    }
    if (frames.length === 0 || part.length > room) {
      frames.push([]);
      room = bytesMax;
    }
    frames[frames.length - 1].push(part);
    room -= part.length;
  }
  return frames.map(joined);
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
 * MessagePack maps.
 * @param {Uint8Array | ArrayBuffer} frame
 * @returns {any[]}
 */
export function decode(frame) {
  const messages = /** @type {any[]} */ ([...decodeMulti(frame)]);
  for (const message of messages) {
    if (typeof message?.op !== "string") throw new TypeError("gizmod: a message without op");
  }
  return messages;
}
