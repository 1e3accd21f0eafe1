// grab.ts - drags that begin with a key and follow the pointer without a button, and the constraint
// of a running drag to an axis or a plane.
import type { Vec2 } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { Drag } from "./drag";

export type Axis = "x" | "y" | "z";

/** The plane that does not contain this axis, as in the names of handles. */
const PLANES: Record<Axis, string> = { x: "yz", y: "zx", z: "xy" };
const FREE: Record<string, string> = { t: "tv", r: "rv", s: "su" };

/**
 * The handle for the same kind of motion along an axis, or, with `plane`, in the plane without that
 * axis. If the drag is already constrained so, its unconstrained handle. Null if there is no such
 * handle.
 */
export function heldTo(handle: string, axis: Axis, plane: boolean): string | null {
  const kind = handle[0];
  if (!(kind in FREE) || (kind === "r" && plane)) return null;
  const next = kind + (plane ? PLANES[axis] : axis);
  return next === handle ? FREE[kind] : next;
}

/**
 * Grabs the selection at the pointer, or in the middle of the view; a click or Enter ends the drag.
 */
export function grabByKey(editor: Editor, handle: string): void {
  const { input, rig } = editor;
  if (input.running) return;
  const at: Vec2 = input.pointer.peek() ?? [rig.width / 2, rig.height / 2];
  Drag.grab(editor, handle, at);
  input.held.value = true;
}
