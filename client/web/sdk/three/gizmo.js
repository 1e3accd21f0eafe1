// gizmo.js - draws the gizmo that the server tells of (`Session.gizmo`), as large on the screen wherever it is, above all else. What can be grabbed where is
// the server's business; the shapes are those that it picks by.
import { Color, Group } from "three";

import { Ink } from "./ink.js";
import { AXIS_FROM, BOX_AT, CONE, CORNER_HALF, CUBE, FACE_HALF, SCALE_DISC, VIEW_DISC, VIEW_RING, axisOf, columns, normal, normalOf, quad, ringSpan, sideOf, toViewer } from "./shapes.js";
import { across, along, cross, dot, minus, times } from "./vectors.js";

/** @import {Camera} from "three" */
/** @import {Gizmo, Vec3} from "../types.js" */
/** @import {Sight, Solid} from "./shapes.js" */

/**
 * @typedef {object} GizmoColours anything that THREE.Color takes
 * @property {string | number} x
 * @property {string | number} y
 * @property {string | number} z
 * @property {string | number} neutral what belongs to no axis
 * @property {string | number} highlight what is under the pointer or dragged
 * @property {string | number} rim around all strokes
 * @property {number} rimAlpha
 */

/** @type {GizmoColours} */
export const GIZMO_COLOURS = {
  x: "#ff5c5c", y: "#7ccf4b", z: "#4f8dff", neutral: "#e8ebf1", highlight: "#ffd23f", rim: "#000000", rimAlpha: 0.3,
};

const HEAD_LENGTH = 0.17;
const HEAD_RADIUS = 0.05;
const BOX_HALF = 0.048;
const STROKE = 2.5;
const STROKE_LIT = 3.5;
/** What is left of handles that are not the dragged one. */
const FADED = 0.22;

export class GizmoView extends Group {
  /** The length of an axis in CSS pixels, as the tool's `size`; 0 takes the length in metres that the server told. */
  sizePx = 96;
  /** How large the picture is, in CSS pixels. */
  picture = { width: 1, height: 1 };
  /** The bounds in the world, for the handles on them: the centre, then from there to the middle of the faces along x, y and z. @type {[Vec3, Vec3, Vec3, Vec3] | null} */
  bounds = null;

  #ink = new Ink();
  /** @type {Gizmo | null} */
  #gizmo = null;
  /** @type {Record<"neutral" | "highlight", Color> & { axes: [Color, Color, Color] }} */
  #colours = { axes: [new Color(), new Color(), new Color()], neutral: new Color(), highlight: new Color() };

  /** @param {Partial<GizmoColours>} [colours] */
  constructor(colours = {}) {
    super();
    this.add(this.#ink);
    this.setColours(colours);
  }

  get gizmo() {
    return this.#gizmo;
  }

  /** Shows another one, or none. Seen after the next `update`. @param {Gizmo | null} gizmo */
  show(gizmo) {
    this.#gizmo = gizmo;
  }

  /** @param {Partial<GizmoColours>} colours */
  setColours(colours) {
    const { x, y, z, neutral, highlight, rim, rimAlpha } = { ...GIZMO_COLOURS, ...colours };
    [x, y, z].forEach((colour, i) => this.#colours.axes[i].set(colour));
    this.#colours.neutral.set(neutral);
    this.#colours.highlight.set(highlight);
    this.#ink.setRim(new Color(rim), rimAlpha);
  }

  /** Draws it as this camera sees it. To be called before each picture. @param {Camera} camera its matrices in the world are those of now */
  update(camera) {
    this.#ink.begin();
    const size = this.#gizmo ? this.#place(this.#gizmo, camera) : 0;
    if (this.#gizmo && size > 0) this.#draw(this.#gizmo, this.#sight(camera, this.#gizmo, size));
    this.#ink.finish(this.picture.height);
  }

  dispose() {
    this.#ink.dispose();
  }

  /** @param {Gizmo} gizmo @param {Camera} camera @returns {number} the length of an axis in metres; 0 behind the eye */
  #place(gizmo, camera) {
    const size = this.sizePx > 0 ? this.sizePx * pixelAt(camera, gizmo.origin, this.picture.height) : gizmo.size;
    this.position.fromArray(gizmo.origin);
    this.scale.setScalar(size > 0 ? size : 1);
    this.updateMatrixWorld(true);
    return size;
  }

  /** @param {Camera} camera @param {Gizmo} gizmo @param {number} size @returns {Sight} */
  #sight(camera, gizmo, size) {
    const m = camera.matrixWorld.elements;
    /** @param {number} i @returns {Vec3} */
    const column = (i) => {
      const length = Math.hypot(m[i], m[i + 1], m[i + 2]) || 1;
      return [m[i] / length, m[i + 1] / length, m[i + 2] / length];
    };
    const eye = times(minus([m[12], m[13], m[14]], gizmo.origin), 1 / size);
    const pixel = pixelAt(camera, gizmo.origin, this.picture.height) / size;
    return { perspective: camera.projectionMatrix.elements[11] !== 0, eye, right: column(0), up: column(4), back: column(8), pixel };
  }

  /** @param {Gizmo} gizmo @param {Sight} sight */
  #draw(gizmo, sight) {
    const axes = columns(gizmo.axes);
    const drawing = { ink: this.#ink, gizmo, sight, axes, colours: this.#colours, bounds: this.#localBounds(gizmo) };
    if (gizmo.mode === "bounds" && drawing.bounds) drawBox(drawing, drawing.bounds);
    const handles = gizmo.handles.map((handle) => ({ handle, depth: depthOf(drawing, handle) }));
    handles.sort((a, b) => b.depth - a.depth);
    for (const { handle } of handles) drawHandle(drawing, handle);
  }

  /** @param {Gizmo} gizmo @returns {[Vec3, Vec3, Vec3, Vec3] | null} */
  #localBounds(gizmo) {
    if (!this.bounds) return null;
    const [centre, ...halves] = this.bounds;
    const part = 1 / this.scale.x;
    const [x, y, z] = halves.map((half) => times(half, part));
    return [times(minus(centre, gizmo.origin), part), x, y, z];
  }
}

/** How many metres a pixel is at a point; 0 behind the eye. @param {Camera} camera @param {Vec3} point @param {number} height of the picture in pixels */
export function pixelAt(camera, point, height) {
  const view = camera.matrixWorldInverse.elements, proj = camera.projectionMatrix.elements;
  const [x, y, z] = [0, 1, 2].map((row) => view[row] * point[0] + view[4 + row] * point[1] + view[8 + row] * point[2] + view[12 + row]);
  const w = proj[3] * x + proj[7] * y + proj[11] * z + proj[15];
  return w > 0 ? (2 * w) / (Math.abs(proj[5]) * height) : 0;
}

/**
 * @typedef {object} Drawing
 * @property {Ink} ink
 * @property {Gizmo} gizmo
 * @property {Sight} sight
 * @property {[Vec3, Vec3, Vec3]} axes
 * @property {{ axes: [Color, Color, Color], neutral: Color, highlight: Color }} colours
 * @property {[Vec3, Vec3, Vec3, Vec3] | null} bounds
 */

/** What is drawn before what: balls, rings, then from the back to the front, then the middle. @param {Drawing} drawing @param {string} handle */
function depthOf({ axes, sight, bounds }, handle) {
  if (handle === "rb") return 1e9;
  if (handle[0] === "r") return 1e8;
  if (handle === "tv" || handle === "su") return -1e9;
  const axis = axisOf(handle);
  const place = handle[0] === "b" ? sidePlace(bounds, handle) : handle.length === 3 ? along(times(axes[axis], 0.6), axes[(axis + 1) % 3], 0.6) : axes[axis];
  return -dot(place, sight.back);
}

/** @param {[Vec3, Vec3, Vec3, Vec3] | null} bounds @param {string} handle @returns {Vec3} */
function sidePlace(bounds, handle) {
  if (!bounds) return [0, 0, 0];
  const side = sideOf(handle);
  return along(along(along(bounds[0], bounds[1], side[0]), bounds[2], side[1]), bounds[3], side[2]);
}

/** @param {Drawing} drawing @param {string} handle */
function drawHandle(drawing, handle) {
  const { gizmo, colours } = drawing;
  const lit = handle === (gizmo.active ?? gizmo.hover);
  const plane = handle.length === 3 && handle[0] !== "b";
  const axis = plane ? normalOf(handle) : axisOf(handle);
  const own = axis < 0 ? colours.neutral : colours.axes[axis];
  const pen = { colour: lit ? colours.highlight : own, alpha: gizmo.active && !lit ? FADED : 1, width: lit ? STROKE_LIT : STROKE };
  if (plane) drawPlane(drawing, handle, pen, lit);
  else if (handle === "tv") drawCentre(drawing, pen, VIEW_DISC, lit);
  else if (handle === "su") drawCentre(drawing, pen, SCALE_DISC, lit);
  else if (handle === "rb") drawBall(drawing, pen, lit);
  else if (handle === "rv") drawing.ink.arc({ ...pen, width: pen.width - 1 }, [0, 0, 0], times(drawing.sight.right, VIEW_RING), times(drawing.sight.up, VIEW_RING), -Math.PI, Math.PI);
  else if (handle[0] === "r") drawRing(drawing, axis, pen);
  else if (handle[0] === "t") drawArrow(drawing, drawing.axes[axis], pen);
  else if (handle[0] === "s") drawScale(drawing, axis, pen);
  else drawSide(drawing, handle, pen);
}

/** @param {Drawing} drawing @param {Vec3} axis @param {import("./ink.js").Pen} pen */
function drawArrow(drawing, axis, pen) {
  const side = across(axis), other = cross(axis, side);
  drawing.ink.line(pen, times(axis, AXIS_FROM), times(axis, 1 - 0.8 * HEAD_LENGTH));
  drawSolid(drawing, CONE, times(axis, 1 - HEAD_LENGTH), [times(side, HEAD_RADIUS), times(other, HEAD_RADIUS), times(axis, HEAD_LENGTH)], pen);
}

/** A box on the axis; while it is dragged it goes with the factor. @param {Drawing} drawing @param {number} i @param {import("./ink.js").Pen} pen */
function drawScale(drawing, i, pen) {
  const { gizmo, axes } = drawing;
  const universal = gizmo.mode === "universal";
  const factor = gizmo.active === `s${"xyz"[i]}` || gizmo.active === "su" ? (gizmo.value?.[0] ?? 1) : 1;
  const at = (universal ? BOX_AT : 1 - BOX_HALF) * factor;
  if (!universal || gizmo.active) drawing.ink.line(pen, times(axes[i], AXIS_FROM * Math.sign(at)), times(axes[i], at));
  drawSolid(drawing, CUBE, times(axes[i], at), [times(axes[0], BOX_HALF), times(axes[1], BOX_HALF), times(axes[2], BOX_HALF)], pen);
}

/** @param {Drawing} drawing @param {string} handle @param {import("./ink.js").Pen} pen @param {boolean} lit */
function drawPlane({ ink, gizmo, axes }, handle, pen, lit) {
  const first = axisOf(handle);
  const factor = handle[0] === "s" && lit && gizmo.active ? (gizmo.value?.[0] ?? 1) : 1;
  const corners = quad(axes[first], axes[(first + 1) % 3], factor);
  ink.fill({ ...pen, alpha: (pen.alpha ?? 1) * (lit ? 0.55 : 0.3) }, corners[0], corners[1], corners[2], corners[3]);
  ink.loop({ ...pen, width: lit ? 2 : 1.5 }, corners);
}

/** @param {Drawing} drawing @param {import("./ink.js").Pen} pen @param {number} radius @param {boolean} lit */
function drawCentre({ ink, sight }, pen, radius, lit) {
  const wide = (2 * radius) / sight.pixel;
  ink.dot({ ...pen, alpha: (pen.alpha ?? 1) * (lit ? 0.5 : 0.2) }, [0, 0, 0], wide, "disc");
  ink.arc({ ...pen, width: lit ? 2.5 : 1.75 }, [0, 0, 0], times(sight.right, radius), times(sight.up, radius), -Math.PI, Math.PI);
}

/** @param {Drawing} drawing @param {import("./ink.js").Pen} pen @param {boolean} lit */
function drawBall({ ink, gizmo, sight, colours }, pen, lit) {
  ink.sector({ ...pen, colour: colours.neutral, alpha: lit ? 0.14 : gizmo.active ? 0 : 0.07 }, [0, 0, 0], sight.right, sight.up, -Math.PI, Math.PI);
  if (lit || gizmo.mode === "arcball") ink.arc({ ...pen, width: lit ? 2 : 1.5 }, [0, 0, 0], sight.right, sight.up, -Math.PI, Math.PI);
}

/** @param {Drawing} drawing @param {number} i @param {import("./ink.js").Pen} pen */
function drawRing({ ink, gizmo, axes, sight }, i, pen) {
  const first = axes[(i + 1) % 3], second = axes[(i + 2) % 3];
  const dragged = gizmo.active === `r${"xyz"[i]}`;
  const [from, to] = ringSpan(toViewer(sight, [0, 0, 0]), first, second);
  if (dragged) ink.arc({ ...pen, alpha: 0.45, width: 1.5 }, [0, 0, 0], first, second, to, from + 2 * Math.PI);
  ink.arc(pen, [0, 0, 0], first, second, from, to);
}

/** @param {Drawing} drawing @param {string} handle @param {import("./ink.js").Pen} pen */
function drawSide({ ink, gizmo, sight, bounds }, handle, pen) {
  if (!bounds) return;
  const face = handle.length === 3;
  const wide = (2 * (face ? FACE_HALF : CORNER_HALF)) / sight.pixel;
  if (handle === gizmo.active) ink.dot({ ...pen, alpha: 0.3 }, sidePlace(bounds, handle), wide + 8, "square");
  ink.dot(pen, sidePlace(bounds, handle), wide, "square");
}

/** The edges of the bounds. @param {Drawing} drawing @param {[Vec3, Vec3, Vec3, Vec3]} bounds */
function drawBox({ ink, gizmo, colours }, [centre, ...halves]) {
  const pen = { colour: colours.neutral, alpha: gizmo.active ? 0.5 : 0.8, width: 1.25 };
  for (let axis = 0; axis < 3; axis++) {
    for (let edge = 0; edge < 4; edge++) {
      const middle = along(along(centre, halves[(axis + 1) % 3], edge & 1 ? 1 : -1), halves[(axis + 2) % 3], edge & 2 ? 1 : -1);
      ink.line(pen, along(middle, halves[axis], -1), along(middle, halves[axis]));
    }
  }
}

/** A body with three columns for its axes. @param {Drawing} drawing @param {Solid} solid @param {Vec3} centre @param {[Vec3, Vec3, Vec3]} frame @param {import("./ink.js").Pen} pen */
function drawSolid({ ink, sight }, solid, centre, [x, y, z], pen) {
  const points = solid.points.map((p) => along(along(along(centre, x, p[0]), y, p[1]), z, p[2]));
  const turned = dot(cross(x, y), z) < 0 ? -1 : 1;
  const lights = solid.faces.map(([a, b, c]) => {
    const out = times(normal(points[a], points[b], points[c]), turned);
    return dot(out, toViewer(sight, points[a])) > 0 ? Math.max(0, dot(out, sight.back)) : -1;
  });
  for (const [a, b, f, g] of solid.edges) if (lights[f] < 0 !== lights[g] < 0) ink.line({ ...pen, width: 1.25 }, points[a], points[b], 0.5);
  solid.faces.forEach((face, i) => {
    if (lights[i] < 0) return;
    const shaded = { ...pen, colour: pen.colour.clone().multiplyScalar(0.62 + 0.38 * lights[i]) };
    for (let at = 1; at + 1 < face.length; at++) ink.fill(shaded, points[face[0]], points[face[at]], points[face[at + 1]]);
  });
}
