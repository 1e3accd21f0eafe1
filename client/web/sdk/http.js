// http.js - requests by HTTP: the list of scenes, files of a scene, imports. The daemon answers
// errors as JSON, {code, message}.
import { urlOf } from "./address.js";
import { GizmodError } from "./connection.js";
import { authorization } from "./token.js";

/** @import {Id, ImportResult, SceneAsset, SceneListing, TokenOption} from "./types.js" */

/** @param {Response} response */
async function check(response) {
  if (response.ok) return response;
  const said = await response.json().catch(() => null);
  throw new GizmodError(
    said?.code ?? "internal",
    said?.message ?? `the server answered ${response.status}`,
  );
}

/**
 * @param {string} [base] the daemon's http address; a page at the root of its host can leave it out
 * @param {{ token?: TokenOption }} [more]
 * @returns {Promise<SceneListing[]>}
 */
export async function listScenes(base = "", { token } = {}) {
  const headers = await authorization(token);
  return (await check(await fetch(urlOf(base, "/scenes"), { headers }))).json();
}

/**
 * The glTF files that the nodes of a scene came from. The nodes of all files are numbered through:
 * a node's `asset` less the `first` of its file is its index in the file.
 * @param {string} scene
 * @param {{ base?: string, token?: TokenOption, signal?: AbortSignal }} [more]
 * @returns {Promise<SceneAsset[]>}
 */
export async function listAssets(scene, { base = "", token, signal } = {}) {
  const headers = await authorization(token);
  return (await check(await fetch(`${pathOf(scene, base)}/assets`, { headers, signal }))).json();
}

/**
 * The URL of a file of a scene: a glTF file that nodes came from (of several the one that
 * `asset?of=NUMBER` has the node of), all of them with the present transforms
 * (with `ids` also with the id of each node, as `gizmod_id` in its `extras`), or the database.
 * @param {string} scene
 * @param {"asset" | `asset?of=${number}` | "export" | "export?ids" | "backup"} what
 * @param {string} [base] as for `listScenes`
 */
export function sceneUrl(scene, what, base = "") {
  return `${pathOf(scene, base)}/${what}`;
}

/**
 * Fetches a file of a scene, as `sceneUrl` names it, with the token that the server asks for.
 * @param {string} scene
 * @param {"asset" | `asset?of=${number}` | "export" | "export?ids" | "backup"} what
 * @param {{ base?: string, token?: TokenOption, signal?: AbortSignal }} [more]
 * @returns {Promise<Response>} with the file as its body
 */
export async function fetchScene(scene, what, { base = "", token, signal } = {}) {
  const headers = await authorization(token);
  return check(await fetch(sceneUrl(scene, what, base), { headers, signal }));
}

/** @param {string} scene @param {string} base */
const pathOf = (scene, base) => urlOf(base, `/scenes/${encodeURIComponent(scene)}`);

/** @param {string} [user] the person who acts; everybody in the scene sees the name */
const byUser = (user) => (user ? `?${new URLSearchParams({ user })}` : "");

/**
 * Deletes a scene with its history and notes, for good.
 * @param {string} scene
 * @param {{ base?: string, user?: string, token?: TokenOption }} [more]
 */
export async function deleteScene(scene, { base = "", user, token } = {}) {
  const headers = await authorization(token);
  await check(await fetch(pathOf(scene, base) + byUser(user), { method: "DELETE", headers }));
}

/**
 * Renames a scene.
 * @param {string} scene
 * @param {string} name
 * @param {{ base?: string, user?: string, token?: TokenOption }} [more]
 */
export async function renameScene(scene, name, { base = "", user, token } = {}) {
  const headers = { "content-type": "application/json", ...(await authorization(token)) };
  await check(
    await fetch(pathOf(scene, base) + byUser(user), {
      method: "PATCH",
      headers,
      body: JSON.stringify({ name }),
    }),
  );
}

/**
 * A request that reports its progress, which fetch does not.
 * @param {"PUT" | "POST"} method
 * @param {string} url
 * @param {Blob | ArrayBuffer} file
 * @param {Record<string, string>} headers
 * @param {(part: number) => void} progress
 * @returns {Promise<Response>}
 */
function upload(method, url, file, headers, progress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.upload.onprogress = ({ loaded, total }) => progress(total > 0 ? loaded / total : 0);
    request.onload = () => resolve(new Response(request.responseText, { status: request.status }));
    request.onerror = () =>
      reject(new GizmodError("lost", "the connection to the server was lost"));
    request.open(method, url);
    for (const [name, text] of Object.entries(headers)) request.setRequestHeader(name, text);
    request.send(file);
  });
}

/**
 * @param {"PUT" | "POST"} method
 * @param {string} url
 * @param {Blob | ArrayBuffer} file
 * @param {TokenOption | undefined} token
 * @param {((part: number) => void) | undefined} progress
 * @returns {Promise<ImportResult>}
 */
async function send(method, url, file, token, progress) {
  const headers = await authorization(token);
  const response = progress
    ? await upload(method, url, file, headers, progress)
    : await fetch(url, { method, headers, body: file });
  return (await check(response)).json();
}

/**
 * Creates a scene from a .glb, or from a .gltf with all its files embedded.
 * @param {string} scene
 * @param {Blob | ArrayBuffer} file
 * @param {{ base?: string, user?: string, token?: TokenOption, replace?: boolean,
 *   progress?: (part: number) => void }} [more] `progress` (in browsers) receives the part that is
 *   sent, 0 to 1
 */
export function importScene(
  scene,
  file,
  { base = "", user, token, replace = false, progress } = {},
) {
  const query = new URLSearchParams({
    ...(user ? { user } : {}),
    ...(replace ? { replace: "" } : {}),
  });
  return send("PUT", `${pathOf(scene, base)}?${query}`, file, token, progress);
}

/**
 * Adds the nodes of such a file to a scene, as one edit, which `user` can undo.
 * @param {string} scene
 * @param {Blob | ArrayBuffer} file
 * @param {{ base?: string, user?: string, token?: TokenOption, parent?: Id | null,
 *   progress?: (part: number) => void }} [more] `parent`: the node that they come below; without it
 *   they are roots
 */
export function addToScene(scene, file, { base = "", user, token, parent, progress } = {}) {
  const query = new URLSearchParams({
    ...(user ? { user } : {}),
    ...(parent ? { parent: String(parent) } : {}),
  });
  return send("POST", `${pathOf(scene, base)}/import?${query}`, file, token, progress);
}
