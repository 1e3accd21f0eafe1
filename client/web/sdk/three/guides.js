// guides.js - draws the amount of a drag: the line or plane that it moves on, the distance from its
// beginning, the angle of a rotation.
import { frameOf, isPlane, sidePlace } from "./handles.js";
import { VIEW_RING, axisOf } from "./shapes.js";
import { along, cross, length, minus, times, unit } from "./vectors.js";

/** @import {Vec3} from "../types.js" */
/** @import {Drawing} from "./handles.js" */
/** @import {Pen} from "./ink.js" */

const TURN = 2 * Math.PI;
/** Practically endless, and still exact in single precision. */
const FAR = 2000;
/** Lines of the grid to each side of the middle, and the pieces in which they fade. */
const GRID_LINES = 8;
const GRID_PIECES = 8;
/** The marks of a turn; each third one is longer. */
const TICKS = 24;
/** Half the length of the marks at both ends of the distance, in pixels. */
const END_PX = 6;

/** @param {Drawing} drawing @param {string} handle the dragged one */
export function drawGuides(drawing, handle) {
  if (handle[0] === "t") drawMove(drawing, handle);
  else if (handle[0] === "r") drawTurn(drawing, handle);
  else if (handle[0] === "s") drawLines(drawing, handle, [0, 0, 0]);
  else drawStretch(drawing, handle);
}

/** @param {Drawing} drawing @param {string} handle */
function drawMove(drawing, handle) {
  const { gizmo, size } = drawing;
  const start = gizmo.start ? times(minus(gizmo.start, gizmo.origin), 1 / size) : null;
  drawLines(drawing, handle, start ?? [0, 0, 0]);
  if (isPlane(handle)) drawGrid(drawing, handle, start ?? [0, 0, 0]);
  if (!start) return;
  drawCross(drawing, start);
  if (isPlane(handle)) drawParts(drawing, handle, start);
  drawWay(drawing, start);
}

/**
 * An endless line along each axis of the handle.
 * @param {Drawing} drawing
 * @param {string} handle
 * @param {Vec3} through
 */
function drawLines({ ink, frames, colours }, handle, through) {
  const first = axisOf(handle),
    frame = frameOf(frames, handle);
  if (first < 0) return;
  for (const axis of isPlane(handle) ? [first, (first + 1) % 3] : [first]) {
    const pen = { colour: colours.axes[axis], alpha: 0.75, width: 1.25 };
    // Cut in two near the middle, so that its position there is exact.
    ink.line(pen, through, along(through, frame[axis], FAR));
    ink.line(pen, through, along(through, frame[axis], -FAR));
  }
}

/** @param {Drawing} drawing @param {string} handle @param {Vec3} start */
function drawGrid({ ink, frames, colours, size }, handle, start) {
  const first = axisOf(handle),
    frame = frames.t,
    second = (first + 1) % 3;
  const step = 10 ** Math.round(Math.log10(size / 2)) / size;
  const reach = GRID_LINES * step;
  for (const [over, way] of [
    [first, second],
    [second, first],
  ]) {
    for (let i = -GRID_LINES; i <= GRID_LINES; i++) {
      const middle = along(start, frame[over], i * step);
      for (let piece = 0; i !== 0 && piece < GRID_PIECES; piece++) {
        const from = ((2 * piece) / GRID_PIECES - 1) * reach,
          to = ((2 * piece + 2) / GRID_PIECES - 1) * reach;
        const away = Math.hypot(i * step, (from + to) / 2) / reach;
        if (away < 1)
          ink.line(
            { colour: colours.neutral, alpha: 0.3 * (1 - away), width: 1 },
            along(middle, frame[way], from),
            along(middle, frame[way], to),
          );
      }
    }
  }
}

/** Marks where the origin was. @param {Drawing} drawing @param {Vec3} start */
function drawCross({ ink, frames, colours, sight }, start) {
  const reach = 9 * sight.pixel;
  frames.t.forEach((axis, i) =>
    ink.line(
      { colour: colours.axes[i], alpha: 0.8, width: 1.5 },
      along(start, axis, -reach),
      along(start, axis, reach),
    ),
  );
  ink.dot({ colour: colours.neutral, alpha: 0.9 }, start, 5, "disc");
}

/**
 * The distance along one axis of a plane, then along the other.
 * @param {Drawing} drawing
 * @param {string} handle
 * @param {Vec3} start
 */
function drawParts({ ink, gizmo, frames, colours, size }, handle, start) {
  const first = axisOf(handle),
    second = (first + 1) % 3;
  const corner = along(start, frames.t[first], (gizmo.value?.[0] ?? 0) / size);
  ink.line({ colour: colours.axes[first], width: 1.75 }, start, corner);
  ink.line({ colour: colours.axes[second], width: 1.75 }, corner, [0, 0, 0]);
}

/**
 * The distance from the beginning, like a dimension in a drawing.
 * @param {Drawing} drawing
 * @param {Vec3} start
 */
function drawWay({ ink, colours, sight }, start) {
  const far = length(start);
  if (far < 2 * sight.pixel) return;
  const aside = times(unit(cross(start, sight.back)), END_PX * sight.pixel);
  const pen = { colour: colours.neutral, width: 1.5 };
  ink.line({ ...pen, dash: 5 }, start, [0, 0, 0]);
  for (const end of [start, /** @type {Vec3} */ ([0, 0, 0])])
    ink.line(pen, along(end, aside, -1), along(end, aside));
}

/** The angle from where the ring was grabbed. @param {Drawing} drawing @param {string} handle */
function drawTurn({ ink, gizmo, colours }, handle) {
  const { arm, axis, value } = gizmo;
  if (!arm || !axis || !value) return;
  const radius = handle === "rv" ? VIEW_RING : 1;
  const side = times(arm, radius),
    other = times(cross(axis, arm), radius);
  const whole = Math.trunc(value[0] / TURN),
    rest = value[0] - whole * TURN;
  if (whole !== 0)
    ink.sector({ colour: colours.highlight, alpha: 0.16 }, [0, 0, 0], side, other, 0, TURN);
  ink.sector({ colour: colours.highlight, alpha: 0.28 }, [0, 0, 0], side, other, 0, rest);
  drawTicks(ink, { colour: colours.neutral, alpha: 0.8, width: 1.25 }, side, other);
  ink.line({ colour: colours.neutral, alpha: 0.9, width: 1.5 }, [0, 0, 0], side);
  const end = along(times(side, Math.cos(rest)), other, Math.sin(rest));
  ink.line({ colour: colours.highlight, width: 2 }, [0, 0, 0], end);
  ink.dot({ colour: colours.highlight }, end, 7, "disc");
}

/** @param {import("./ink.js").Ink} ink @param {Pen} pen @param {Vec3} side @param {Vec3} other */
function drawTicks(ink, pen, side, other) {
  for (let i = 0; i < TICKS; i++) {
    const out = along(
      times(side, Math.cos((i * TURN) / TICKS)),
      other,
      Math.sin((i * TURN) / TICKS),
    );
    ink.line(pen, times(out, i % 3 === 0 ? 0.92 : 0.96), times(out, 0.99));
  }
}

/**
 * The distance from the fixed side of the bounds to the dragged one.
 * @param {Drawing} drawing
 * @param {string} handle
 */
function drawStretch({ ink, bounds, colours }, handle) {
  if (!bounds) return;
  const fixed = sidePlace(bounds, handle, -1);
  ink.line({ colour: colours.highlight, width: 1.5, dash: 5 }, fixed, sidePlace(bounds, handle));
  ink.dot({ colour: colours.neutral }, fixed, 7, "disc");
}
