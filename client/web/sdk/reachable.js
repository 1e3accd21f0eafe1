// reachable.js - asks by HTTP whether a server answers at all. After failed WebSockets Firefox
// makes a page wait before it may open another one to the same place, longer each time, up to a
// minute, even when the server is back. An HTTP request causes no such wait.

/** How long an answer is awaited. */
const ANSWER_MS = 5000;

/**
 * The address to ask about the server of a WebSocket; null if the page was not loaded from that
 * server, because the request may then be forbidden.
 * @param {string} url the WebSocket's
 * @returns {string | null}
 */
export function healthUrl(url) {
  const { protocol, host } = globalThis.location ?? {};
  const address = new URL("healthz", url);
  return host === address.host ? `${protocol}${address.href.slice(address.protocol.length)}` : null;
}

/**
 * @param {string} address
 * @param {AbortSignal} stop
 * @returns {Promise<boolean>} whether somebody answered, whatever they said
 */
export async function isReachable(address, stop) {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ANSWER_MS);
  stop.addEventListener("abort", () => late.abort());
  try {
    await fetch(address, { cache: "no-store", signal: late.signal });
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
