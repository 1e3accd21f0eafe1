// index.js - the exports of the package that do not need three.js; three/index.js has the controls.
import { Session } from "./session.js";

/** @import {ConnectOptions} from "./types.js" */

export { placeOn, sizeOf } from "./canvasplace.js";
export { GizmodError } from "./connection.js";
export { Hold } from "./hold.js";
export {
  addToScene,
  deleteScene,
  fetchScene,
  importScene,
  listAssets,
  listScenes,
  renameScene,
  sceneUrl,
} from "./http.js";
export { SceneModel } from "./scene.js";
export { Session } from "./session.js";
export { ShownScene } from "./shown.js";
export { tokenClaims } from "./token.js";

/**
 * Joins a scene. The session reconnects by itself.
 *     const session = await connect({ scene: "robot-arm", user: "Ada" });
 *     session.scene.on("change", () => draw(session.scene));
 * @param {ConnectOptions} options
 * @returns {Promise<Session>} once the scene has arrived; rejects if the server refuses
 */
export async function connect(options) {
  const session = new Session(options);
  await session.ready;
  return session;
}
