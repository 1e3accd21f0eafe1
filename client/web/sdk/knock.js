// knock.js - whether a server answers at all, by HTTP. Firefox lets a page wait before it opens a WebSocket to a place where several have failed, longer after each one, up
// to a minute, and also once the server is back. What only asks whether to try costs no such wait.

/** So long an answer is waited for. */
const ANSWER_MS = 5000;

/**
 * Where to ask about the server of a WebSocket; null outside of pages that came from it, which may be forbidden to ask.
 * @param {string} url the WebSocket's
 * @returns {string | null}
 */
export function doorOf(url) {
  const { protocol, host } = globalThis.location ?? {};
  const door = new URL("healthz", url);
  return host === door.host ? `${protocol}${door.href.slice(door.protocol.length)}` : null;
}

/** @param {string} door @param {AbortSignal} stop @returns {Promise<boolean>} whether somebody answered, whatever they said */
export async function knock(door, stop) {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ANSWER_MS);
  stop.addEventListener("abort", () => late.abort());
  try {
    await fetch(door, { cache: "no-store", signal: late.signal });
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
