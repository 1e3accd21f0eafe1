// lastview.ts - where one looks from at the beginning: as the last time in this scene and tab, else so that all is seen.
import type { Editor } from "../editor";
import { keep, recall } from "../storage";
import type { Pose } from "./camera";
import { frameAll } from "./views";

/** All of the scene is framed as soon as there is anything. @returns what ends it */
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
  // Where one looked at what was there before says nothing of what is there now.
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
