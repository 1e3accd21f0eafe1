// handles.js - draws each handle of a gizmo. Positions are in parts of the length of an axis, from
// the gizmo's origin.
import {
  AXIS_FROM,
  BOX_AT,
  CONE,
  CORNER_HALF,
  CUBE,
  FACE_HALF,
  SCALE_DISC,
  VIEW_DISC,
  VIEW_RING,
  axisOf,
  normal,
  normalOf,
  quad,
  ringSpan,
  sideOf,
  toViewer,
} from "./shapes.js";
import { across, along, cross, dot, length, times, unit } from "./vectors.js";

/** @import {Color} from "three" */
/** @import {Gizmo, Vec3} from "../types.js" */
/** @import {Ink, Pen} from "./ink.js" */
/** @import {Sight, Solid} from "./shapes.js" */

/** @typedef {[x: Vec3, y: Vec3, z: Vec3]} Frame */
/**
 * @typedef {[centre: Vec3, x: Vec3, y: Vec3, z: Vec3]} Bounds the middle of a box, and from there
 * to the middle of three of its faces
 */

/**
 * @typedef {object} Drawing
 * @property {Ink} ink
 * @property {Gizmo} gizmo
 * @property {Sight} sight
 * @property {number} size the length of an axis in metres
 * @property {Record<"t" | "r" | "s", Frame>} frames of the handles that move, turn and scale
 * @property {{ axes: [Color, Color, Color], neutral: Color, highlight: Color }} colours
 * @property {Bounds | null} bounds
 * @property {{ at: number[], radii: number[] } | null} ball in pixels, where the ball is not about
 *   the origin
 */

const HEAD_LENGTH = 0.17;
const HEAD_RADIUS = 0.05;
const BOX_HALF = 0.048;
const STROKE = 2.5;
const STROKE_LIT = 3.5;
/** The opacity of the other handles during a drag. */
const FADED = 0.22;
/**
 * Handles that are seen end-on fade from this angle (sine) on, before the server hides them; and
 * their opacity in the end.
 */
const FADE_FROM = 0.26;
const FADE_TO = 0.09;
const FADE_LEAST = 0.25;
/** The opacity of handles on the far side of the bounds. */
const BEHIND = 0.45;

/** @type {Vec3} */
const ORIGIN = [0, 0, 0];

/**
 * The order of drawing: balls, rings, then from the back to the front, then the middle.
 * @param {Drawing} drawing
 * @param {string} handle
 */
export function handleDepth({ gizmo, frames, sight, bounds }, handle) {
  if (handle === gizmo.active) return -1e10;
  if (handle === "rb") return 1e9;
  if (handle[0] === "r") return 1e8;
  if (handle === "tv" || handle === "su") return -1e9;
  if (handle[0] === "b") return -dot(sidePlace(bounds, handle), sight.back);
  const axis = axisOf(handle),
    frame = frameOf(frames, handle);
  return -dot(
    handle.length === 3 ? along(times(frame[axis], 0.6), frame[(axis + 1) % 3], 0.6) : frame[axis],
    sight.back,
  );
}

/** @param {Drawing} drawing @param {string} handle */
export function drawHandle(drawing, handle) {
  const { gizmo, colours, sight, ink } = drawing;
  const lit = handle === (gizmo.active ?? gizmo.hover);
  const plane = isPlane(handle);
  const axis = plane ? normalOf(handle) : axisOf(handle);
  const own = axis < 0 ? colours.neutral : colours.axes[axis];
  const pen = {
    colour: lit ? colours.highlight : own,
    alpha: lit ? 1 : gizmo.active ? FADED : visible(drawing, handle),
    width: lit ? STROKE_LIT : STROKE,
  };
  if (plane) drawPlane(drawing, handle, pen, lit);
  else if (handle === "tv") drawCentre(drawing, pen, VIEW_DISC, lit);
  else if (handle === "su") drawCentre(drawing, pen, SCALE_DISC, lit);
  else if (handle === "rb") drawBall(drawing, pen, lit);
  else if (handle === "rv")
    ink.circle(
      { ...pen, width: pen.width - 1 },
      ORIGIN,
      times(sight.right, VIEW_RING),
      times(sight.up, VIEW_RING),
    );
  else if (handle[0] === "r") drawRing(drawing, axis, pen);
  else if (handle[0] === "t") drawArrow(drawing, drawing.frames.t[axis], pen);
  else if (handle[0] === "s") drawScale(drawing, axis, pen);
  else drawSide(drawing, handle, pen, lit);
}

/** The edges of the bounds. @param {Drawing} drawing @param {Bounds} bounds */
export function drawBox({ ink, gizmo, colours }, [centre, ...halves]) {
  const pen = { colour: colours.neutral, alpha: gizmo.active ? 0.5 : 0.85, width: 1.25 };
  for (let axis = 0; axis < 3; axis++) {
    for (let edge = 0; edge < 4; edge++) {
      const middle = along(
        along(centre, halves[(axis + 1) % 3], edge & 1 ? 1 : -1),
        halves[(axis + 2) % 3],
        edge & 2 ? 1 : -1,
      );
      ink.line(pen, along(middle, halves[axis], -1), along(middle, halves[axis]));
    }
  }
}

/** @param {string} handle */
export const isPlane = (handle) => handle.length === 3 && handle[0] !== "b";

/** @param {Drawing["frames"]} frames @param {string} handle @returns {Frame} */
export const frameOf = (frames, handle) =>
  frames[/** @type {"t" | "r" | "s"} */ (handle[0])] ?? frames.t;

/** @param {Bounds | null} bounds @param {string} handle @returns {Vec3} */
export function sidePlace(bounds, handle, factor = 1) {
  if (!bounds) return ORIGIN;
  const side = times(sideOf(handle), factor);
  return along(along(along(bounds[0], bounds[1], side[0]), bounds[2], side[1]), bounds[3], side[2]);
}

/**
 * The opacity of a straight handle that points to the viewer, a plane that is seen edge-on, or a
 * far side of the bounds.
 * @param {Drawing} drawing
 * @param {string} handle
 */
function visible({ frames, sight, bounds }, handle) {
  if (handle[0] === "b")
    return bounds &&
      dot(minusCentre(bounds, handle), toViewer(sight, sidePlace(bounds, handle))) < 0
      ? BEHIND
      : 1;
  const axis = axisOf(handle);
  if (axis < 0 || handle[0] === "r") return 1;
  const frame = frameOf(frames, handle),
    viewer = toViewer(sight, ORIGIN);
  const sine = isPlane(handle)
    ? Math.abs(dot(unit(cross(frame[axis], frame[(axis + 1) % 3])), viewer))
    : length(cross(frame[axis], viewer));
  return (
    FADE_LEAST +
    (1 - FADE_LEAST) * Math.min(1, Math.max(0, (sine - FADE_TO) / (FADE_FROM - FADE_TO)))
  );
}

/** @param {Bounds} bounds @param {string} handle */
const minusCentre = (bounds, handle) => along(sidePlace(bounds, handle), bounds[0], -1);

/** @param {Drawing} drawing @param {Vec3} axis @param {Pen} pen */
function drawArrow(drawing, axis, pen) {
  const side = across(axis),
    other = cross(axis, side);
  drawing.ink.line(pen, times(axis, AXIS_FROM), times(axis, 1 - 0.8 * HEAD_LENGTH));
  drawSolid(
    drawing,
    CONE,
    times(axis, 1 - HEAD_LENGTH),
    [times(side, HEAD_RADIUS), times(other, HEAD_RADIUS), times(axis, HEAD_LENGTH)],
    pen,
  );
}

/**
 * A box on the axis; while it is dragged it moves with the factor.
 * @param {Drawing} drawing
 * @param {number} i
 * @param {Pen} pen
 */
function drawScale(drawing, i, pen) {
  const {
    gizmo,
    frames: { s: axes },
  } = drawing;
  const universal = gizmo.mode === "universal";
  const factor =
    gizmo.active === "su" || gizmo.active === `s${"xyz"[i]}` ? (gizmo.value?.[0] ?? 1) : 1;
  const at = (universal ? BOX_AT : 1 - BOX_HALF) * factor;
  if (!universal || gizmo.active)
    drawing.ink.line(pen, times(axes[i], AXIS_FROM * Math.sign(at)), times(axes[i], at));
  drawSolid(
    drawing,
    CUBE,
    times(axes[i], at),
    [times(axes[0], BOX_HALF), times(axes[1], BOX_HALF), times(axes[2], BOX_HALF)],
    pen,
  );
}

/** @param {Drawing} drawing @param {string} handle @param {Pen} pen @param {boolean} lit */
function drawPlane({ ink, gizmo, frames }, handle, pen, lit) {
  const first = axisOf(handle),
    frame = frameOf(frames, handle);
  const factor = handle === gizmo.active && handle[0] === "s" ? (gizmo.value?.[0] ?? 1) : 1;
  const corners = quad(frame[first], frame[(first + 1) % 3], factor);
  ink.fill(
    { ...pen, alpha: (pen.alpha ?? 1) * (lit ? 0.55 : 0.3) },
    corners[0],
    corners[1],
    corners[2],
    corners[3],
  );
  ink.loop({ ...pen, width: lit ? 2 : 1.5 }, corners);
}

/** @param {Drawing} drawing @param {Pen} pen @param {number} radius @param {boolean} lit */
function drawCentre({ ink, sight }, pen, radius, lit) {
  const wide = (2 * radius) / sight.pixel;
  ink.dot({ ...pen, alpha: (pen.alpha ?? 1) * (lit ? 0.5 : 0.2) }, ORIGIN, wide, "disc");
  ink.circle(
    { ...pen, width: lit ? 2.5 : 1.75 },
    ORIGIN,
    times(sight.right, radius),
    times(sight.up, radius),
  );
}

/** @param {Drawing} drawing @param {Pen} pen @param {boolean} lit */
function drawBall({ ink, gizmo, sight, colours, ball }, pen, lit) {
  const [dx, dy] = (ball?.at ?? [0, 0]).map((px) => px * sight.pixel);
  const [rx, ry] = ball ? ball.radii.map((px) => px * sight.pixel) : [1, 1];
  const centre = along(times(sight.right, dx), sight.up, dy),
    side = times(sight.right, rx),
    other = times(sight.up, ry);
  const strength = lit ? 0.13 : gizmo.active ? 0 : 0.07;
  if (strength > 0)
    ink.sector({ colour: colours.neutral, alpha: strength }, centre, side, other, 0, 2 * Math.PI);
  if (lit || gizmo.mode === "arcball")
    ink.circle({ ...pen, width: lit ? 2 : 1.5 }, centre, side, other);
}

/** @param {Drawing} drawing @param {number} i @param {Pen} pen */
function drawRing({ ink, gizmo, frames, sight }, i, pen) {
  const first = frames.r[(i + 1) % 3],
    second = frames.r[(i + 2) % 3];
  const [from, to] = ringSpan(toViewer(sight, ORIGIN), first, second);
  const whole = gizmo.active === `r${"xyz"[i]}`;
  if (whole)
    ink.arc({ ...pen, alpha: 0.45, width: 1.5 }, ORIGIN, first, second, to, from + 2 * Math.PI);
  ink.arc(pen, ORIGIN, first, second, from, to);
}

/** @param {Drawing} drawing @param {string} handle @param {Pen} pen @param {boolean} lit */
function drawSide({ ink, sight, bounds }, handle, pen, lit) {
  if (!bounds) return;
  const half = handle.length === 3 ? FACE_HALF : CORNER_HALF;
  ink.dot(pen, sidePlace(bounds, handle), (2 * half) / sight.pixel + (lit ? 2 : 0), "square");
}

/**
 * A body whose axes are the columns of a frame.
 * @param {Drawing} drawing
 * @param {Solid} solid
 * @param {Vec3} centre
 * @param {Frame} frame
 * @param {Pen} pen
 */
function drawSolid({ ink, sight }, solid, centre, [x, y, z], pen) {
  const points = solid.points.map((p) => along(along(along(centre, x, p[0]), y, p[1]), z, p[2]));
  const turned = dot(cross(x, y), z) < 0 ? -1 : 1;
  const lights = solid.faces.map(([a, b, c]) => {
    const out = times(normal(points[a], points[b], points[c]), turned);
    return dot(out, toViewer(sight, points[a])) > 0 ? Math.max(0, dot(out, sight.back)) : -1;
  });
  for (const [a, b, f, g] of solid.edges)
    if (lights[f] < 0 !== lights[g] < 0)
      ink.line({ ...pen, width: 1.25 }, points[a], points[b], 0.5);
  solid.faces.forEach((face, i) => {
    if (lights[i] < 0) return;
    const shaded = { ...pen, colour: pen.colour.clone().multiplyScalar(0.62 + 0.38 * lights[i]) };
    for (let at = 1; at + 1 < face.length; at++)
      ink.fill(shaded, points[face[0]], points[face[at]], points[face[at + 1]]);
  });
}
