// connection.js - one WebSocket after another to the same scene. It finds back what was lost: requests with a key are sent again until they are answered,
// because the server remembers keys; others fail with the code "lost". What the messages mean is session.js's business.
import { SUBPROTOCOL, VERSION, decode, encode, encodeFrames } from "./codec.js";
import { doorOf, knock } from "./knock.js";

/** @import {Status} from "./types.js" */

const RETRY_MS = 250;
const RETRY_MS_MAX = 8000;
/** After so many attempts in a row that failed, HTTP is asked first whether the server is there. */
const KNOCK_AFTER = 3;
/** After a second the server counts messages anew. */
const DROPPED_MS = 1000;
const BEAT_MS = 5000;
/** After so many beats without a word from the server the connection is dead, though nobody said so: a laptop that slept, a network that went. It is beats that count
 * and not time, since a page that slept has heard nothing for long. A slow network has to carry the largest part of a state meanwhile. */
const SILENT_BEATS_MAX = 4;
/** After these the same attempt would fail again. */
const FINAL = new Set([
  "version",
  "forbidden",
  "unauthorised",
  "unknown_scene",
  "bad_value",
  "bad_message",
]);

/** What the server, or the connection, says against a request. `code` is one of proto/README.md, or "lost" or "closed". */
export class GizmodError extends Error {
  /** @param {string} code @param {string} message @param {{ nodes?: number[], holder?: number, scene?: string }} [more] */
  constructor(code, message, more = {}) {
    super(message);
    this.name = "GizmodError";
    this.code = code;
    this.nodes = more.nodes;
    this.holder = more.holder;
    /** The scene was renamed: its new name. */
    this.scene = more.scene;
  }
}

/** A text that nobody else makes: also where the page is not a secure context, which has no crypto.randomUUID. */
export function makeKey() {
  const bytes = new Uint8Array(16);
  if (globalThis.crypto) globalThis.crypto.getRandomValues(bytes);
  else bytes.forEach((_, i) => (bytes[i] = Math.floor(Math.random() * 256)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * @typedef {object} Pending
 * @property {any} message with its rid
 * @property {any[]} parts answers so far, where they come in several
 * @property {boolean} held it is not sent until somebody says so
 * @property {(parts: any[]) => void} resolve
 * @property {(error: GizmodError) => void} reject
 */

/**
 * @typedef {object} ConnectionHandlers
 * @property {() => any[]} hello the first frame of a new connection: the fields of `hello`, `resume` included, and what shares its frame
 * @property {() => boolean} holds whether edits made until now are not to be sent by themselves
 * @property {(welcome: any) => void} welcomed the place to send what has to come before all that waits
 * @property {(messages: any[]) => void} received the messages of a frame that answer no request
 * @property {(status: Status) => void} status
 * @property {() => void} unsaved how many requests wait may have changed
 */

export class Connection {
  /** @type {Map<number, Pending>} in the order in which they were made */
  #pending = new Map();
  /** @type {any[]} what goes in the next frame */
  #queue = [];
  #lastRid = 0;
  #attempts = 0;
  /** @type {any} */
  #socket = null;
  /** @type {AbortController | null} while HTTP is asked whether the server is there */
  #knocking = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #again;
  /** What the server takes as one frame. */
  #bytesMax = Infinity;
  /** @type {GizmodError | null} */
  #fatal = null;
  /** @type {number | undefined} */
  #retryS;
  #open = false;
  #closed = false;
  /** Whether the server ever let it in. */
  #known = false;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #beat;
  #silentBeats = 0;

  /**
   * @param {string} url
   * @param {any} WebSocketClass
   * @param {ConnectionHandlers} handlers
   */
  constructor(url, WebSocketClass, handlers) {
    this.url = url;
    this.WebSocketClass = WebSocketClass;
    this.handlers = handlers;
    this.#connect();
  }

  /** How many edits wait for their answer. */
  get unsaved() {
    let count = 0;
    for (const { message } of this.#pending.values()) if (message.key !== undefined) count++;
    return count;
  }

  /** How many of them are sent only once somebody says so. */
  get held() {
    return this.#heldOnes().length;
  }

  /** Whether messages go out now. */
  get open() {
    return this.#open;
  }

  /** Sends what needs no answer; dropped where there is no connection. Messages of one turn share a frame. @param {any} message */
  send(message) {
    if (!this.#open) return;
    if (this.#queue.length === 0) queueMicrotask(() => this.#flush());
    this.#queue.push(message);
  }

  /**
   * Sends a request. With a `key` it waits for a connection and is sent again after each loss.
   * @param {any} message
   * @returns {Promise<any[]>} the `ok`s that answer it
   */
  ask(message) {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new GizmodError("closed", "the connection is closed"));
      if (!this.#open && message.key === undefined)
        return reject(new GizmodError("lost", "there is no connection to the server"));
      const rid = ++this.#lastRid;
      const held = message.key !== undefined && this.handlers.holds();
      const pending = { message: { ...message, rid }, parts: [], held, resolve, reject };
      this.#pending.set(rid, pending);
      if (!held) this.send(pending.message);
      if (message.key !== undefined) this.handlers.unsaved();
    });
  }

  /** Sends what was held, upon the present state whatever it is. */
  sendHeld() {
    for (const pending of this.#heldOnes()) {
      pending.held = false;
      delete pending.message.base;
      this.send(pending.message);
    }
    this.handlers.unsaved();
  }

  /** What was held is never sent. @param {GizmodError} error */
  dropHeld(error) {
    for (const { message, reject } of this.#heldOnes()) {
      this.#pending.delete(message.rid);
      reject(error);
    }
    this.handlers.unsaved();
  }

  #heldOnes() {
    return [...this.#pending.values()].filter(({ held }) => held);
  }

  /** Tries again now, where it waits to. */
  retry() {
    if (this.#socket || this.#knocking || this.#closed) return;
    clearTimeout(this.#timer);
    this.#connect();
  }

  close() {
    if (this.#closed) return;
    this.#flush();
    this.#end("the connection was closed", "closed");
    this.#socket?.close();
  }

  #connect() {
    this.#retryS = undefined;
    if (this.#attempts > 0) this.handlers.status({ phase: "connecting" });
    const door = this.#attempts > KNOCK_AFTER ? doorOf(this.url) : null;
    if (door === null) this.#openSocket();
    else void this.#knock(door);
  }

  /** @param {string} door */
  async #knock(door) {
    const knocking = (this.#knocking = new AbortController());
    const answered = await knock(door, knocking.signal);
    this.#knocking = null;
    if (this.#closed) return;
    if (answered) this.#openSocket();
    else this.#lost();
  }

  #openSocket() {
    const socket = new this.WebSocketClass(this.url, SUBPROTOCOL);
    this.#socket = socket;
    this.#silentBeats = 0;
    clearInterval(this.#beat);
    this.#beat = setInterval(() => this.#listen(), BEAT_MS);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      const [hello, ...more] = this.handlers.hello();
      socket.send(encode({ op: "hello", v: VERSION, ...hello }, ...more));
    };
    socket.onmessage = (/** @type {{ data: ArrayBuffer }} */ { data }) => this.#receive(data);
    socket.onerror = () => {};
    socket.onclose = () => {
      if (this.#socket === socket) this.#lost();
    };
  }

  /** Once for each beat: who says nothing is asked, and after a while given up. */
  #listen() {
    this.#silentBeats++;
    if (this.#silentBeats > SILENT_BEATS_MAX) return this.#giveUp();
    if (this.#silentBeats > 1 && this.#open) this.ask({ op: "ping" }).catch(() => {});
  }

  /** A dead socket may take minutes to close: what it does from now on is nobody's business. */
  #giveUp() {
    const socket = this.#socket;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
    this.#lost();
  }

  /** @param {ArrayBuffer} data */
  #receive(data) {
    this.#silentBeats = 0;
    /** @type {any[]} */
    const news = [];
    for (const message of decode(data)) {
      if (message.op === "welcome") this.#welcome(message);
      if (message.op === "error" && message.fatal)
        this.#fatal = new GizmodError(message.code, message.message, message);
      if (message.op === "error" && message.code === "rate_limited" && !message.fatal)
        this.#dropped(message);
      if (message.op === "bye") this.#retryS = message.retry_s ?? 0;
      if (message.op === "bye" && message.fatal)
        this.#fatal = new GizmodError("unknown_scene", message.reason, message);
      if (!this.#answer(message)) news.push(message);
    }
    this.handlers.received(news);
  }

  /** @param {any} welcome */
  #welcome(welcome) {
    this.#attempts = 0;
    this.#known = true;
    this.#open = true;
    this.#bytesMax = welcome.limits?.message_bytes ?? Infinity;
    this.handlers.welcomed(welcome);
    if (this.handlers.holds()) this.#hold();
    this.#sendAgain();
  }

  #hold() {
    for (const pending of this.#pending.values())
      pending.held ||= pending.message.key !== undefined;
    this.handlers.unsaved();
  }

  /** What has a key may be sent again: the server makes it once. */
  #sendAgain() {
    for (const { message, held } of this.#pending.values())
      if (message.key !== undefined && !held) this.send(message);
  }

  /** The server took no notice of some messages and does not say which: no answer is waited for that may not come. @param {any} error */
  #dropped(error) {
    this.#reject(error.code, error.message, (message) => message.key === undefined);
    this.#again ??= setTimeout(() => {
      this.#again = undefined;
      this.#sendAgain();
    }, DROPPED_MS);
  }

  /** @param {any} message @returns {boolean} whether it was the answer to a request */
  #answer(message) {
    if (message.op !== "ok" && message.op !== "error") return false;
    const pending = this.#pending.get(message.rid);
    if (!pending) return message.rid !== undefined;
    if (message.op === "ok") pending.parts.push(message);
    if (message.op === "ok" && message.more) return true;
    this.#pending.delete(message.rid);
    if (message.op === "ok") pending.resolve(pending.parts);
    else pending.reject(new GizmodError(message.code, message.message, message));
    this.handlers.unsaved();
    return true;
  }

  #flush() {
    const messages = this.#queue;
    this.#queue = [];
    if (this.#socket?.readyState !== 1) return;
    for (const frame of encodeFrames(messages, this.#bytesMax, (message, bytes) =>
      this.#refuse(message, bytes),
    ))
      this.#socket.send(frame);
  }

  /** The server would end the connection over it, however often it is sent. @param {any} message @param {number} bytes */
  #refuse({ op, rid }, bytes) {
    const error = {
      op: "error",
      rid,
      code: "too_large",
      message: `${op}: its ${bytes} bytes are more than the ${this.#bytesMax} that the server takes at once`,
    };
    if (!this.#answer(error)) this.handlers.received([error]);
  }

  /** A browser does not tell a page that it was refused: on another origin than the server's that is as likely as a server that is down. */
  #unreachable() {
    const { host, origin } = globalThis.location ?? {};
    const foreign = host !== undefined && host !== new URL(this.url).host;
    return foreign && !this.#known
      ? `the server cannot be reached, or lets no pages in from ${origin} (--allow-origin)`
      : "the server cannot be reached";
  }

  #lost() {
    this.#socket = null;
    this.#open = false;
    this.#queue = [];
    this.#rest();
    if (this.#closed) return;
    this.#reject(
      "lost",
      "the connection was lost before the answer came",
      (message) => message.key === undefined,
    );
    if (this.#fatal && FINAL.has(this.#fatal.code))
      return this.#end(this.#fatal.message, this.#fatal.code, this.#fatal.scene);
    const reason =
      this.#fatal?.message ??
      (this.#retryS !== undefined ? "the server is going away" : this.#unreachable());
    this.#fatal = null;
    this.#wait(reason);
  }

  /** @param {string} reason */
  #wait(reason) {
    const backoff =
      Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** this.#attempts++) * (0.75 + Math.random() / 2);
    const ms = Math.max(backoff, 1000 * (this.#retryS ?? 0));
    this.#timer = setTimeout(() => this.#connect(), ms);
    this.handlers.status({ phase: "offline", reason, retryAt: Date.now() + ms });
  }

  /** @param {string} reason @param {string} code @param {string} [scene] its new name, if it was renamed */
  #end(reason, code, scene) {
    this.#closed = true;
    this.#open = false;
    this.#rest();
    this.#reject(code, reason, () => true);
    this.handlers.status({ phase: "closed", reason, code, ...(scene !== undefined && { scene }) });
  }

  #rest() {
    this.#knocking?.abort();
    clearTimeout(this.#timer);
    clearTimeout(this.#again);
    clearInterval(this.#beat);
    this.#again = undefined;
  }

  /** @param {string} code @param {string} reason @param {(message: any) => boolean} which */
  #reject(code, reason, which) {
    for (const [rid, pending] of this.#pending) {
      if (!which(pending.message)) continue;
      this.#pending.delete(rid);
      pending.reject(new GizmodError(code, reason));
    }
    this.handlers.unsaved();
  }
}
