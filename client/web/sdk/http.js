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
 * Makes a scene of a .glb, or of a .gltf with all that it needs embedded.
 * @param {string} scene
 * @param {Blob | ArrayBuffer} file
 * @param {{ base?: string, user?: string, replace?: boolean }} [more]
 * @returns {Promise<{ scene: string, nodes: number, matrices: number, residual: number, seq: number }>}
 */
export async function importScene(scene, file, { base = "", user, replace = false } = {}) {
  const query = new URLSearchParams({ ...(user ? { user } : {}), ...(replace ? { replace: "" } : {}) });
  const url = `${base}/scenes/${encodeURIComponent(scene)}?${query}`;
  return (await check(await fetch(url, { method: "PUT", body: file }))).json();
}
