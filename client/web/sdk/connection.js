// connection.js - keeps a connection to a scene over any number of WebSockets. After a loss,
// requests with a key are sent again until they are answered, because the server remembers keys;
// other requests fail with the code "lost". session.js knows what the messages mean.
import { socketUrl } from "./address.js";
import { Frames, SUBPROTOCOL, VERSION, decode, encode } from "./codec.js";
import { healthUrl, isReachable } from "./reachable.js";

/** @import {SessionToken} from "./token.js" */
/** @import {Place, Status} from "./types.js" */

const RETRY_MS = 250;
const RETRY_MS_MAX = 8000;
/**
 * After so many failed attempts in a row, the next one first asks by HTTP whether the server
 * answers.
 */
const ASK_AFTER = 3;
/** The server starts counting messages again each second. */
const DROPPED_MS = 1000;
const BEAT_MS = 5000;
/**
 * After so many pings without an answer, one at each beat, the connection counts as dead, although
 * it was never closed: a laptop slept, or a network disappeared. Beats are counted rather than
 * time, because a page that slept has not heard anything for long. A slow network must be able to
 * carry the largest part of a state within these beats.
 */
const PINGS_MAX = 3;
/**
 * Beats without a message before the first ping, at most: while nothing but answers to pings comes,
 * they double from 1 on, as those of the server do.
 */
const QUIET_BEATS_MAX = 4;
/** After an error with one of these codes another attempt would fail as well. */
const FINAL = new Set([
  "version",
  "forbidden",
  "unauthorised",
  "unknown_scene",
  "bad_value",
  "bad_message",
]);
/** A session that was refused for one of these goes on with another token. */
const OF_TOKEN = new Set(["unauthorised", "forbidden"]);

/**
 * An error of the server or of the connection. `code` is one of proto/README.md, or "lost" or
 * "closed".
 */
export class GizmodError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {{ nodes?: number[], holder?: number, scene?: string }} [more]
   */
  constructor(code, message, more = {}) {
    super(message);
    this.name = "GizmodError";
    this.code = code;
    this.nodes = more.nodes;
    this.holder = more.holder;
    /** The new name of the scene, if it was renamed. */
    this.scene = more.scene;
  }
}

/** @param {any} message */
const beginsDrag = ({ op, phase, value }) =>
  phase === "down" || (op === "grab" && value === undefined);

/** A unique text; also in a page that is not a secure context, which has no crypto.randomUUID. */
export function makeKey() {
  const bytes = new Uint8Array(16);
  if (globalThis.crypto) globalThis.crypto.getRandomValues(bytes);
  else bytes.forEach((_, i) => (bytes[i] = Math.floor(Math.random() * 256)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * @typedef {object} Pending
 * @property {any} message with its rid
 * @property {any[]} parts the answers so far, if there are several
 * @property {boolean} held the message is not sent until `sendHeld`
 * @property {boolean} sent on this connection
 * @property {number} losses the number of connections that were lost before the answer came
 * @property {((answer: any) => any) | undefined} instead
 * @property {((answer: any) => void) | undefined} heard
 * @property {(parts: any[]) => void} resolve
 * @property {(error: GizmodError) => void} reject
 */

/**
 * @typedef {object} ConnectionHandlers
 * @property {() => any[]} hello makes the first frame of a new connection: the fields of `hello`,
 * `resume` included, and messages in the same frame
 * @property {() => boolean} whole whether the scene is here, which a `base` may depend on
 * @property {() => boolean} drags whether the user may be dragging, when the connection is watched
 * more closely
 * @property {() => boolean} holds whether the edits made until now are to be held back
 * @property {(welcome: any) => void} welcomed called before waiting messages are sent, so that it
 * can send others before them
 * @property {(messages: any[]) => void} received messages of a frame that answer no request, in
 * order with the answers
 * @property {(status: Status) => void} status
 * @property {() => void} unsaved called when the number of waiting requests may have changed
 * @property {SessionToken} [token] the token that `hello` sends
 */

/** The WebSocket of an address that the server named; null for what is none. @param {string} url */
function socketOf(url) {
  try {
    return /^https?:/.test(url) ? new URL(socketUrl(url)).href : null;
  } catch {
    return null;
  }
}

export class Connection {
  /** @type {Map<number, Pending>} in the order in which they were made */
  #pending = new Map();
  /** The messages to send at the end of this turn of the event loop. */
  #frames = new Frames();
  #flushes = () => this.#flush();
  #sends = (/** @type {Uint8Array} */ frame) => this.#socket.send(frame);
  #lastRid = 0;
  #attempts = 0;
  /** The index of the present address. */
  #at = 0;
  /** @type {any} */
  #socket = null;
  /** @type {AbortController | null} while something is asked before a socket is opened */
  #asking = null;
  /**
   * The token that the server refused, and its error: it is not tried again.
   * @type {{ token: string | undefined, error: GizmodError } | null}
   */
  #refused = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #again;
  /** Where the server said that the scene goes on: tried once. @type {string | null} */
  #named = null;
  /** Whether the next attempt is at the address that the server named. */
  #goesOn = false;
  /** The largest frame that the server accepts. */
  #bytesMax = Infinity;
  /** @type {GizmodError | null} */
  #fatal = null;
  /** @type {number | undefined} */
  #retryS;
  #open = false;
  #closed = false;
  /** Whether the server has ever accepted the session. */
  #known = false;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #beat;
  #silentBeats = 0;
  #quietBeats = 1;
  /** Those that are not answered yet. */
  #pings = 0;

  /**
   * @param {string[]} urls the addresses of one service, tried in turn; at least one
   * @param {any} WebSocketClass
   * @param {ConnectionHandlers} handlers
   */
  constructor(urls, WebSocketClass, handlers) {
    this.urls = urls;
    this.WebSocketClass = WebSocketClass;
    this.handlers = handlers;
    this.#connect();
  }

  /** The present address. */
  get url() {
    return this.#named ?? this.urls[this.#at];
  }

  /** The number of edits that wait for their answer. */
  get unsaved() {
    let count = 0;
    for (const { message } of this.#pending.values()) if (message.key !== undefined) count++;
    return count;
  }

  /** The number of these edits that are held back. */
  get held() {
    return this.#heldOnes().length;
  }

  /** Whether messages are sent now. */
  get open() {
    return this.#open;
  }

  /**
   * Whether the end of an earlier drag still has to be sent or answered. It would also end a new
   * drag that reached the server first.
   */
  get owesEnd() {
    for (const { message, sent, losses } of this.#pending.values())
      if (message.phase === "up" && message.key !== undefined && (!sent || losses > 0)) return true;
    return false;
  }

  /**
   * Sends a message that needs no answer; without a connection it is dropped. Messages of one turn
   * of the event loop share a frame.
   * @param {any} message is encoded at once
   */
  send(message) {
    if (!this.#open) return;
    if (this.#frames.empty) this.#beginFrame();
    const bytes = this.#frames.add(message, this.#bytesMax);
    if (bytes > 0) queueMicrotask(() => this.#refuse(message, bytes));
  }

  /** As `send`, for a pointer that moves. @param {number} n @param {Place} place */
  sendMove(n, place) {
    if (!this.#open) return;
    if (this.#frames.empty) this.#beginFrame();
    this.#frames.addMove(n, place, this.#bytesMax);
  }

  /**
   * A WebSocket may still read bytes that it has not passed on; when it has, bufferedAmount is 0.
   */
  #beginFrame() {
    if (this.#socket.bufferedAmount !== 0) this.#frames.renew();
    queueMicrotask(this.#flushes);
  }

  /**
   * Sends a request. A request with a `key` waits for a connection and is sent again after each
   * loss. Its `base` may be a function: it is asked whenever the request is sent, once the scene is
   * here, and requests with a key that were made later wait for that.
   * @param {any} message
   * @param {(answer: any) => any} [instead] gets the answer to a request that was sent again, and
   * returns a message to be sent in its place, if any. Requests that were made later wait for it
   * @param {(answer: any) => void} [heard] gets the last `ok`, in order with the other messages of
   * its frame; the promise settles later
   * @returns {Promise<any[]>} the `ok` messages that answer it
   */
  ask(message, instead, heard) {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new GizmodError("closed", "the connection is closed"));
      if (!this.#open && message.key === undefined)
        return reject(new GizmodError("lost", "there is no connection to the server"));
      if (beginsDrag(message) && this.owesEnd)
        return reject(new GizmodError("lost", "an earlier drag has not ended yet; try again"));
      const rid = ++this.#lastRid;
      const held = message.key !== undefined && this.handlers.holds();
      const pending = {
        message: { ...message, rid },
        parts: [],
        held,
        sent: false,
        losses: 0,
        instead,
        heard,
        resolve,
        reject,
      };
      this.#pending.set(rid, pending);
      if (message.key === undefined) this.send(pending.message);
      else this.goOn();
      if (message.key !== undefined) this.handlers.unsaved();
    });
  }

  /** Sends the requests with a key that were not sent yet, in their order, as far as possible. */
  goOn() {
    if (!this.#open) return;
    for (const pending of this.#pending.values()) {
      const { message, held, sent, losses, instead } = pending;
      if (message.key === undefined || held) continue;
      const base = message.base;
      if (!sent && typeof base === "function" && !this.handlers.whole()) return;
      if (!sent) this.send(typeof base === "function" ? { ...message, base: base() } : message);
      pending.sent = true;
      if (instead && losses > 0) return;
    }
  }

  /** Sends the edits that were held back, to be made to the server's present state. */
  sendHeld() {
    for (const pending of this.#heldOnes()) {
      pending.held = pending.sent = false;
      delete pending.message.base;
    }
    this.goOn();
    this.handlers.unsaved();
  }

  /** Discards the edits that were held back. @param {GizmodError} error */
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

  /** Tries to connect now rather than after the pause; not with a token that was refused. */
  retry() {
    if (this.#socket || this.#asking || this.#closed) return;
    if (this.#isRefused() && !this.handlers.token?.asks) return;
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
    const address = this.#attempts > ASK_AFTER ? healthUrl(this.url) : null;
    if (address === null && !this.handlers.token?.asks) this.#openSocket();
    else void this.#prepare(address);
  }

  /**
   * Asks for the token, and whether the server answers, before a socket is opened.
   * @param {string | null} address where HTTP is asked whether the server is there
   */
  async #prepare(address) {
    const asking = (this.#asking = new AbortController());
    const answered = address === null || (await isReachable(address, asking.signal));
    if (answered && !this.#closed) await this.#askToken();
    this.#asking = null;
    if (this.#closed) return;
    if (!answered || this.#fatal) this.#lost();
    else this.#openSocket();
  }

  async #askToken() {
    try {
      await this.handlers.token?.ask();
      if (this.#isRefused()) this.#fatal = this.#refused?.error ?? null;
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      this.#fatal = new GizmodError("lost", `the application has no token: ${message}`);
    }
  }

  #isRefused() {
    return this.#refused !== null && this.#refused.token === this.handlers.token?.text;
  }

  #openSocket() {
    const socket = new this.WebSocketClass(this.url, SUBPROTOCOL);
    this.#socket = socket;
    this.#hear();
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

  /** Something came. */
  #hear() {
    this.#silentBeats = this.#pings = 0;
    this.#quietBeats = 1;
  }

  /**
   * Called for each beat: asks a silent server for an answer, and gives the connection up after a
   * while. If there is another address, one that does not open is given up sooner, at first. A user
   * who drags, or waits for an answer, does not wait longer than after other news.
   */
  #listen() {
    const isAwaited = this.#pending.size > 0 || this.handlers.drags();
    const mayGoOn = !this.#open && (this.urls.length > 1 || this.#named !== null);
    const quiet = isAwaited ? 1 : this.#quietBeats;
    if (++this.#silentBeats <= (mayGoOn ? this.#rounds : quiet)) return;
    if (mayGoOn) return this.#giveUp();
    if (this.#pings++ === PINGS_MAX) return this.#giveUp();
    const wait = () => (this.#quietBeats = Math.min(2 * quiet, QUIET_BEATS_MAX));
    if (this.#open) this.ask({ op: "ping" }).then(wait, () => {});
  }

  /** Drops a dead socket. It may take minutes to close, and its events are ignored from now on. */
  #giveUp() {
    const socket = this.#socket;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
    this.#lost();
  }

  /** @param {ArrayBuffer} data */
  #receive(data) {
    this.#hear();
    /** @type {any[]} */
    let news = [];
    for (const message of decode(data)) {
      if (message.op === "ok" && news.length > 0) {
        this.handlers.received(news);
        news = [];
      }
      if (message.op === "welcome") this.#welcome(message);
      if (message.op === "error" && message.fatal)
        this.#fatal = new GizmodError(message.code, message.message, message);
      if (message.op === "bye") this.#goTo(message);
      if (message.op === "bye" && message.fatal)
        this.#fatal = new GizmodError(message.code ?? "unknown_scene", message.reason, message);
      if (!this.#putOff(message) && !this.#answer(message)) news.push(message);
    }
    this.handlers.received(news);
  }

  /** @param {{ retry_s?: number, url?: string }} bye */
  #goTo({ retry_s, url }) {
    this.#retryS = retry_s ?? 0;
    const address = url !== undefined ? socketOf(url) : null;
    if (address === null) return;
    if (this.url.startsWith("wss:") && !address.startsWith("wss:")) return;
    const own = this.urls.indexOf(address);
    this.#named = own < 0 ? address : null;
    if (own >= 0) this.#at = own;
    this.#goesOn = true;
  }

  /** @param {any} welcome */
  #welcome(welcome) {
    this.#attempts = 0;
    this.#known = true;
    this.#refused = null;
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

  /** A request with a key may be sent again: the server performs it once. */
  #sendAgain() {
    for (const pending of this.#pending.values()) pending.sent = false;
    this.goOn();
  }

  /**
   * @param {any} message
   * @returns {boolean} whether a request was refused for its rate, and is sent again later
   */
  #putOff(message) {
    if (message.op !== "error" || message.code !== "rate_limited" || message.fatal) return false;
    const isKeyed = this.#pending.get(message.rid)?.message.key !== undefined;
    if (message.rid === undefined) this.#dropped(message);
    if (isKeyed) this.#later();
    return isKeyed;
  }

  /**
   * The server dropped some messages and does not say which, so no request may wait for an answer
   * that will not come.
   * @param {any} error
   */
  #dropped(error) {
    this.#reject(error.code, error.message, (message) => message.key === undefined);
    this.#later();
  }

  #later() {
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
    if (message.op === "ok" && this.#replace(pending, message)) return true;
    this.#pending.delete(message.rid);
    if (pending.instead) queueMicrotask(() => this.goOn());
    if (message.op === "ok") {
      pending.heard?.(message);
      pending.resolve(pending.parts);
    } else pending.reject(new GizmodError(message.code, message.message, message));
    this.handlers.unsaved();
    return true;
  }

  /**
   * Whether another message takes the place of a request.
   * @param {Pending} pending
   * @param {any} answer
   */
  #replace(pending, answer) {
    const next = pending.losses > 0 ? pending.instead?.(answer) : undefined;
    if (!next) return false;
    const { rid } = pending.message;
    Object.assign(pending, {
      message: { ...next, rid },
      parts: [],
      sent: false,
      instead: undefined,
    });
    this.goOn();
    return true;
  }

  #flush() {
    if (this.#socket?.readyState === 1) this.#frames.flush(this.#sends);
    else this.#frames.clear();
  }

  /**
   * Rejects a message that is too large: the server would close the connection each time it is
   * sent.
   * @param {any} message
   * @param {number} bytes
   */
  #refuse({ op, rid }, bytes) {
    const error = {
      op: "error",
      rid,
      code: "too_large",
      message: `${op}: has ${bytes} bytes, and the server accepts ${this.#bytesMax} in one message`,
    };
    if (!this.#answer(error)) this.handlers.received([error]);
  }

  /**
   * A browser does not tell a page why a connection was refused: the page's origin may not be
   * allowed, or the server may be down.
   */
  #unreachable() {
    const { host, origin } = globalThis.location ?? {};
    const foreign = host !== undefined && host !== new URL(this.url).host;
    return foreign && !this.#known
      ? `the server cannot be reached, or does not allow pages from ${origin} (--allow-origin)`
      : "the server cannot be reached";
  }

  #lost() {
    this.#socket = null;
    this.#open = false;
    this.#frames.clear();
    this.#rest();
    if (this.#closed) return;
    for (const pending of this.#pending.values()) pending.losses++;
    this.#reject(
      "lost",
      "the connection was lost before the answer came",
      (message) => message.key === undefined,
    );
    if (this.#fatal && this.#mayReturn(this.#fatal)) return this.#awaitToken(this.#fatal);
    if (this.#fatal && FINAL.has(this.#fatal.code))
      return this.#end(this.#fatal.message, this.#fatal.code, this.#fatal.scene);
    const reason =
      this.#fatal?.message ??
      (this.#retryS !== undefined ? "the server is going away" : this.#unreachable());
    this.#fatal = null;
    this.#wait(reason);
  }

  /** Whether another token may bring the session back. @param {GizmodError} error */
  #mayReturn({ code }) {
    return this.#known && this.handlers.token?.text !== undefined && OF_TOKEN.has(code);
  }

  /**
   * Edits wait for another token. The application is asked for it once, if it can be asked.
   * @param {GizmodError} error
   */
  #awaitToken(error) {
    const { token } = this.handlers;
    const asked = this.#isRefused();
    this.#fatal = null;
    this.#refused = { token: token?.text, error };
    if (token?.asks && !asked) this.#wait(error.message);
    else this.handlers.status({ phase: "offline", reason: error.message, code: error.code });
  }

  /** How often all addresses failed in a row. */
  get #rounds() {
    return Math.floor(this.#attempts / this.urls.length);
  }

  /**
   * Goes to the address that the server named, or else on to the next one soon, and to the first
   * one again after a pause.
   * @param {string} reason
   */
  #wait(reason) {
    const goesOn = this.#goesOn;
    const isAtOnce = goesOn && this.#attempts === 0;
    const pause = Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** this.#rounds);
    const backoff = pause * (0.75 + Math.random() / 2);
    if (!isAtOnce) this.#attempts++;
    const isRound = !isAtOnce && this.#attempts % this.urls.length === 0;
    const ms = isRound ? Math.max(backoff, 1000 * (this.#retryS ?? 0)) : RETRY_MS * Math.random();
    if (!goesOn && this.#named === null) this.#at = (this.#at + 1) % this.urls.length;
    if (!goesOn) this.#named = null;
    this.#goesOn = false;
    this.#timer = setTimeout(() => this.#connect(), ms);
    this.handlers.status({ phase: "offline", reason, retryAt: Date.now() + ms });
  }

  /**
   * @param {string} reason
   * @param {string} code
   * @param {string} [scene] its new name, if it was renamed
   */
  #end(reason, code, scene) {
    this.#closed = true;
    this.#open = false;
    this.#rest();
    this.#reject(code, reason, () => true);
    this.handlers.status({ phase: "closed", reason, code, ...(scene !== undefined && { scene }) });
  }

  #rest() {
    this.#asking?.abort();
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
