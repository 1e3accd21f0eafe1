// follow.ts - seeing what somebody else sees, until one moves one's own view; people/follow-bar.tsx sees to it when they leave.
import { effect } from "@preact/signals";

import type { Editor } from "../editor";
import { FOV_RAD, poseOf } from "./camera";

/** Presence comes up to 20 times a second; the way between two of its views takes as long. */
const GLIDE_MS = 60;

/** @returns what ends it */
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
