// noteplace.ts - the positions of notes in the world.
import type { SceneModel } from "../../sdk/index.js";
import { transformPoint } from "../../sdk/maths.js";
import type { DrawnScene } from "../../sdk/shown.js";
import type { Box, Id, Vec3 } from "../../sdk/types.js";
import type { EditorState } from "../editorstate";

/** What a note is pinned to: a point of a node, a node, a point of the world, or nothing. */
export interface NoteTarget {
  node?: Id;
  point?: Vec3;
}

/** A single point is framed with this much around it, in distances from the eye. */
const AROUND = 0.15;

/**
 * The position of a note; null if it is pinned to nothing or to a node that does not exist. A note
 * on a whole node stands above it, at the point that `above` returns.
 */
export function placeOfNote(
  { node, point }: NoteTarget,
  scene: DrawnScene,
  above: (id: Id) => Vec3 | null,
): Vec3 | null {
  if (node === undefined) return point ?? null;
  if (!scene.get(node)) return null;
  return point ? transformPoint(scene.world(node), point) : above(node);
}

/** The position of a note in the scene itself, which need not be drawn. */
export function placeInScene(target: NoteTarget, scene: SceneModel): Vec3 | null {
  return placeOfNote(target, scene, (id) => topOf(scene.box([id])));
}

function topOf(box: Box | null): Vec3 | null {
  return box && [(box[0] + box[3]) / 2, box[4], (box[2] + box[5]) / 2];
}

/** Frames what a note is pinned to. */
export function frameNote(editor: EditorState, target: NoteTarget): void {
  const scene = editor.scene.peek();
  const place = placeInScene(target, scene);
  if (!place) return;
  const around = AROUND * editor.rig.distance;
  const box = target.node === undefined ? null : scene.box([target.node]);
  editor.following.value = null;
  editor.drawer.value = null;
  editor.rig.frame(
    box ?? ([...place.map((x) => x - around), ...place.map((x) => x + around)] as Box),
    { fly: true },
  );
}
