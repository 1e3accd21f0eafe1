// handlearea.ts - the area of the view that the gizmo's handles may cover: controls over the view
// give way to the pointer there.
import type { Gizmo, Vec3 } from "../../sdk/types.js";
import type { Editor } from "../editor";

/** How far handles reach from the gizmo's origin, in lengths of an axis. */
const REACH = 1.3;
/** How far a handle of the bounds tool reaches from its point, in pixels. */
const BOUNDS_PX = 14;

/**
 * In a narrower view the handles cover nearly everything, so controls over the view stay usable.
 */
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

/**
 * The middles of the faces and the corners of the box. A step of -1, 0 or 1 along each half axis
 * names a place; places on an edge have two steps that are not 0.
 */
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
