// lastview.ts - the view at the beginning: the last one of this tab in this scene, else one that
// shows all of the scene.
import type { Editor } from "../editor";
import { keep, recall } from "../storage";
import type { Pose } from "./camera";
import { frameAll } from "./views";

/** Frames the whole scene as soon as it has a node. @returns a function that ends this */
export function startLastView(editor: Editor): () => void {
  const { rig, session } = editor;
  const stored = `gizmod.camera.${session.sceneName}`;
  const last = readCamera(recall(stored, "tab"));
  let stopFraming = (): void => {};
  if (last) {
    rig.place(last.pose);
    rig.setParallel(last.parallel);
  } else {
    const frame = (): void => {
      if (session.scene.nodes.size === 0) return;
      frameAll(editor, { fly: false });
      stopFraming();
    };
    stopFraming = session.scene.on("change", frame);
    frame();
  }
  // After an import the previous view is of no use, so the new scene is framed.
  const stopImports = session.on("edit", ({ kind }) => {
    if (kind === "import" && editor.past.peek() === null && editor.following.peek() === null)
      frameAll(editor, { fly: false });
  });
  const save = (): void =>
    keep(stored, JSON.stringify({ pose: rig.pose, parallel: rig.parallel.peek() }), "tab");
  window.addEventListener("pagehide", save);
  return () => {
    window.removeEventListener("pagehide", save);
    stopImports();
    stopFraming();
  };
}

function readCamera(text: string | null): { pose: Pose; parallel: boolean } | null {
  try {
    const { pose, parallel } = JSON.parse(text ?? "null") as { pose: Pose; parallel: boolean };
    return [...pose.target, ...pose.turn, pose.distance].every(Number.isFinite)
      ? { pose, parallel }
      : null;
  } catch {
    return null;
  }
}
