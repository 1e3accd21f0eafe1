// address.js - the daemon's addresses. One address serves its HTTP paths and its WebSocket, at the
// root of a host or, behind a reverse proxy, below a path (`https://host/gizmo/`).

/**
 * The URL of one of the daemon's paths.
 * @param {string} base the daemon's address
 * @param {string} path "/scenes"
 */
export function urlOf(base, path) {
  return base.replace(/\/+$/, "") + path;
}

/**
 * The URL of the WebSocket.
 * @param {string} [url] the daemon's http address, with `/ws` or without, or the WebSocket's own;
 *   in a page its host is the default
 * @returns {string}
 */
export function socketUrl(url = globalThis.location?.origin) {
  if (url === undefined)
    throw new TypeError(
      "outside of a web page connect needs a url, such as ws://127.0.0.1:7432/ws",
    );
  if (!/^http/.test(url)) return url;
  return urlOf(url.replace(/\/ws\/*$/, ""), "/ws").replace(/^http/, "ws");
}

/**
 * The URLs of the WebSockets of one service.
 * @param {string | readonly string[]} [urls] as for `socketUrl`; several, or a text with commas
 *   between them, for the members of a cluster
 * @returns {string[]}
 */
export function socketUrls(urls) {
  if (urls === undefined) return [socketUrl()];
  const list = typeof urls === "string" ? urls.split(",") : urls;
  const wanted = list.map((url) => url.trim()).filter((url) => url !== "");
  if (wanted.length === 0) throw new TypeError("url: has no address");
  return wanted.map((url) => socketUrl(url));
}
