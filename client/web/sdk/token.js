// token.js - the token that says who the user of a session is: a JSON Web Token, which the server
// verifies. The client reads when it expires, and asks the application for a newer one in time.

/** @import {TokenOption} from "./types.js" */

/** A newer token is asked for so long before the old one expires, or at half of its time. */
const LEAD_MS = 60_000;
/** Nothing is asked for in the last moment. */
const LAST_MS = 1000;
/** The longest time that a timer takes. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * The token as it is now.
 * @param {TokenOption | undefined} option
 * @returns {Promise<string | undefined>}
 */
export async function tokenText(option) {
  return (typeof option === "function" ? await option() : option) || undefined;
}

/**
 * The headers of a request by HTTP.
 * @param {TokenOption | undefined} option
 * @returns {Promise<Record<string, string>>}
 */
export async function authorization(option) {
  const text = await tokenText(option);
  return text === undefined ? {} : { authorization: `Bearer ${text}` };
}

/**
 * The claims of a token, which nobody has verified here; null if it is not a token.
 * @param {string | undefined} token
 * @returns {Record<string, unknown> | null}
 */
export function tokenClaims(token = "") {
  try {
    const base64 = token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const claims = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === "object" ? claims : null;
  } catch {
    return null;
  }
}

/**
 * When a token expires, in Unix seconds; undefined if it does not say.
 * @param {string | undefined} token
 * @returns {number | undefined}
 */
export function tokenExpiry(token) {
  const exp = tokenClaims(token)?.exp;
  return typeof exp === "number" ? exp : undefined;
}

/** The token of one session. */
export class SessionToken {
  /** The token that was sent last. @type {string | undefined} */
  text;
  #option;
  #send;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {TokenOption | undefined} option
   * @param {(token: string) => Promise<void>} send sends a newer token to the server
   */
  constructor(option, send) {
    this.#option = option;
    this.#send = send;
    if (typeof option !== "function") this.text = option || undefined;
  }

  /** Whether the application has to be asked for the token. */
  get asks() {
    return typeof this.#option === "function";
  }

  /** What gives the token, also for requests by HTTP. */
  get option() {
    return this.#option;
  }

  /** @param {TokenOption | undefined} option */
  replace(option) {
    this.#option = option;
  }

  /** Asks for the token of a new connection. */
  async ask() {
    return (this.text = await tokenText(this.#option));
  }

  /** Asks the application for a newer token before this one expires, until `stop`. */
  watch() {
    this.stop();
    const left = 1000 * (tokenExpiry(this.text) ?? Infinity) - Date.now();
    if (!this.asks || left < LAST_MS || left === Infinity) return;
    const ms = left > 2 * LEAD_MS ? left - LEAD_MS : left / 2;
    this.#timer = setTimeout(
      () => (ms > TIMER_MS_MAX ? this.watch() : void this.#refresh()),
      Math.min(ms, TIMER_MS_MAX),
    );
  }

  stop() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** What fails here is tried again; the server says in the end that the token has expired. */
  async #refresh() {
    const timer = this.#timer;
    const next = await tokenText(this.#option).catch(() => undefined);
    if (this.#timer !== timer) return;
    if (next !== undefined && next !== this.text) await this.#send(next).catch(() => {});
    if (this.#timer === timer) this.watch();
  }
}
