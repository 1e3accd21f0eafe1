// index.js - what the package offers without three.js; the controls are in three/index.js.
import { Session } from "./session.js";

/** @import {ConnectOptions} from "./types.js" */

export { GizmodError } from "./connection.js";
export { deleteScene, importScene, listScenes, renameScene, sceneUrl } from "./http.js";
export { SceneModel } from "./scene.js";
export { Session } from "./session.js";

/**
 * Joins a scene. The session is there at once, and finds back by itself what connections lose.
 *
 *     const session = await connect({ scene: "robot-arm", user: "Ada" });
 *     session.scene.on("change", () => draw(session.scene));
 *
 * @param {ConnectOptions} options
 * @returns {Promise<Session>} once the scene is there; rejects where the server refuses
 */
export async function connect(options) {
  const session = new Session(options);
  await session.ready;
  return session;
}
