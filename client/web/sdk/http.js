// http.js - what is large or not live: the list of scenes, assets, imports. The daemon answers errors as JSON, {code, message}.
import { GizmodError } from "./connection.js";

/** @import {SceneListing} from "./types.js" */

/** @param {Response} response */
async function check(response) {
  if (response.ok) return response;
  const said = await response.json().catch(() => null);
  throw new GizmodError(said?.code ?? "internal", said?.message ?? `the server answered ${response.status}`);
}

/** @param {string} [base] the daemon's http address; in its own page there is no need of one @returns {Promise<SceneListing[]>} */
export async function listScenes(base = "") {
  return (await check(await fetch(`${base}/scenes`))).json();
}

/** Where a file of a scene is: its glTF as it came, with the transforms of now, or the database. @param {string} scene @param {"asset" | "export" | "backup"} what */
export function sceneUrl(scene, what, base = "") {
  return `${base}/scenes/${encodeURIComponent(scene)}/${what}`;
}

/**
 * A PUT that tells how far it is, which fetch does not.
 * @param {string} url @param {Blob | ArrayBuffer} file @param {(part: number) => void} progress
 * @returns {Promise<Response>}
 */
function put(url, file, progress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.upload.onprogress = ({ loaded, total }) => progress(total > 0 ? loaded / total : 0);
    request.onload = () => resolve(new Response(request.responseText, { status: request.status }));
    request.onerror = () => reject(new GizmodError("lost", "the connection to the server was lost"));
    request.open("PUT", url);
    request.send(file);
  });
}

/**
 * Makes a scene of a .glb, or of a .gltf with all that it needs embedded.
 * @param {string} scene
 * @param {Blob | ArrayBuffer} file
 * @param {{ base?: string, user?: string, replace?: boolean, progress?: (part: number) => void }} [more] `progress` (in browsers) hears how much is sent, 0 to 1
 * @returns {Promise<{ scene: string, nodes: number, matrices: number, residual: number, seq: number }>}
 */
export async function importScene(scene, file, { base = "", user, replace = false, progress } = {}) {
  const query = new URLSearchParams({ ...(user ? { user } : {}), ...(replace ? { replace: "" } : {}) });
  const url = `${base}/scenes/${encodeURIComponent(scene)}?${query}`;
  return (await check(progress ? await put(url, file, progress) : await fetch(url, { method: "PUT", body: file }))).json();
}
