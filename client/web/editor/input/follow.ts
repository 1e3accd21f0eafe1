// follow.ts - shows the view of another session until this page moves its own view.
// people/followbar.tsx handles a session that leaves.
import { effect } from "@preact/signals";

import type { Editor } from "../editor";
import { FOV_RAD, poseOf } from "./camera";

/** Presence arrives up to 20 times a second; moving between two of its views takes this long. */
const GLIDE_MS = 60;

/** @returns a function that stops following */
export function startFollowing(editor: Editor): () => void {
  let seen = "";
  return effect(() => {
    const followed = editor.following.value;
    if (followed === null) return;
    const person = editor.people.value.find(({ session }) => session === followed);
    if (!person) return;
    const { view, lens, parallel = false } = person;
    const now = JSON.stringify([followed, view, lens, parallel]);
    if (!view || now === seen) return;
    seen = now;
    const high = lens ? (lens[3] - lens[2]) / 2 : undefined;
    const distance = parallel && high ? high / Math.tan(FOV_RAD / 2) : editor.rig.pose.distance;
    if (editor.rig.parallel.peek() !== parallel) editor.rig.setParallel(parallel);
    editor.rig.glide(poseOf(view, distance), GLIDE_MS);
  });
}
