// handlearea.ts - where on the screen the handles of the gizmo may be: what lies over the view leaves them to the pointer.
import type { Gizmo, Vec3 } from "../../sdk/types.js";
import type { Editor } from "../editor";

/** How far handles reach from the middle of the gizmo, in lengths of an axis. */
const REACH = 1.3;
/** How far a handle on the bounds reaches from its place, in pixels. */
const BOUNDS_PX = 14;

/** In a narrower view handles are nearly everywhere, and nothing could be used beside them. */
const VIEW_PX_MIN = 480;

/** Whether a handle may be in this part of the view: left, top, right, bottom, in pixels. */
export function handlesReach(
  { rig }: Editor,
  gizmo: Gizmo | null,
  [x0, y0, x1, y1]: readonly [number, number, number, number],
): boolean {
  if (!gizmo || gizmo.handles.length === 0 || x1 <= x0 || rig.width < VIEW_PX_MIN) return false;
  const { box, origin, size } = gizmo;
  const near = box ? BOUNDS_PX : (REACH * size) / rig.metresPerPxAt(origin);
  return (box ? placesOn(box) : [origin]).some((place) => {
    const at = rig.project(place);
    return (
      at !== null &&
      Math.hypot(
        at[0] - Math.max(x0, Math.min(x1, at[0])),
        at[1] - Math.max(y0, Math.min(y1, at[1])),
      ) < near
    );
  });
}

/** The middles of the faces and the corners: those at -1, 0 and 1 along each half of the box that are not on an edge. */
function placesOn(box: ArrayLike<number>): Vec3[] {
  const steps = [-1, 0, 1];
  const all = steps.flatMap((x) => steps.flatMap((y) => steps.map((z) => [x, y, z])));
  const on = all.filter((step) => [1, 3].includes(step.filter(Boolean).length));
  return on.map(
    (step) =>
      [0, 1, 2].map(
        (i) => box[i] + step[0] * box[3 + i] + step[1] * box[6 + i] + step[2] * box[9 + i],
      ) as Vec3,
  );
}
