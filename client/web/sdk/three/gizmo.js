// gizmo.js - draws the gizmo of a session (`Session.gizmo`), with a constant size on the screen,
// above everything else. The server decides what can be grabbed; the drawn shapes are those that it
// picks by.
import { Color, Group, Vector3 } from "three";

import { drawGuides } from "./guides.js";
import { drawBox, drawHandle, handleDepth } from "./handles.js";
import { Ink } from "./ink.js";
import { columns } from "./shapes.js";
import { minus, times } from "./vectors.js";

/** @import {Camera, ColorRepresentation} from "three" */
/** @import {Gizmo, Tool, Vec3} from "../types.js" */
/** @import {Bounds, Drawing} from "./handles.js" */
/** @import {Sight} from "./shapes.js" */

/**
 * @typedef {object} GizmoColours
 * @property {ColorRepresentation} x
 * @property {ColorRepresentation} y
 * @property {ColorRepresentation} z
 * @property {ColorRepresentation} neutral what belongs to no axis
 * @property {ColorRepresentation} highlight what is under the pointer or dragged
 * @property {ColorRepresentation} rim around all strokes
 * @property {number} rimAlpha
 */

/** @type {GizmoColours} */
export const GIZMO_COLOURS = {
  x: "#ff5c5c",
  y: "#7ccf4b",
  z: "#4f8dff",
  neutral: "#e8ebf1",
  highlight: "#ffd23f",
  rim: "#000000",
  rimAlpha: 0.3,
};

export class GizmoView extends Group {
  /**
   * The length of an axis in CSS pixels, as the tool's `size`; 0 uses the length in metres that the
   * server sent.
   */
  sizePx = 96;
  /** The size of the picture, in CSS pixels. */
  picture = { width: 1, height: 1 };
  /**
   * The tool's `ball_fit`: what the ball of the mode `arcball` encloses.
   * @type {NonNullable<Tool["ball_fit"]>}
   */
  ballFit = "object";
  /** Which of the gizmo's handles are drawn. @type {(handle: string) => boolean} */
  draws = () => true;

  #ink = new Ink();
  /** @type {Gizmo | null} */
  #gizmo = null;
  /** @type {Record<"neutral" | "highlight", Color> & { axes: [Color, Color, Color] }} */
  #colours = {
    axes: [new Color(), new Color(), new Color()],
    neutral: new Color(),
    highlight: new Color(),
  };

  /** @param {Partial<GizmoColours>} [colours] */
  constructor(colours = {}) {
    super();
    this.add(this.#ink);
    this.setColours(colours);
  }

  /** The gizmo with the handles that are drawn. @returns {Gizmo | null} */
  get gizmo() {
    return this.#gizmo && { ...this.#gizmo, handles: this.#gizmo.handles.filter(this.draws) };
  }

  /**
   * Shows another gizmo, or none, from the next `update` on.
   * @param {Gizmo | null} gizmo to be shown again when it changes
   */
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

  /**
   * Draws the gizmo as this camera sees it. Call it before each picture.
   * @param {Camera} camera with its present world matrices
   */
  update(camera) {
    this.#ink.begin();
    const size = this.#gizmo ? this.#place(this.#gizmo, camera) : 0;
    if (this.#gizmo && size > 0) this.#draw(this.#gizmo, camera, size);
    this.#ink.finish(this.picture.height);
  }

  dispose() {
    this.#ink.dispose();
  }

  /**
   * @param {Gizmo} gizmo
   * @param {Camera} camera
   * @returns {number} the length of an axis in metres; 0 behind the eye
   */
  #place(gizmo, camera) {
    const size =
      this.sizePx > 0
        ? this.sizePx * pixelAt(camera, gizmo.origin, this.picture.height)
        : gizmo.size;
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
    return {
      perspective: camera.projectionMatrix.elements[11] !== 0,
      eye,
      right: column(0),
      up: column(4),
      back: column(8),
      pixel,
    };
  }

  /** @param {Gizmo} gizmo @param {Camera} camera @param {number} size */
  #draw(gizmo, camera, size) {
    const axes = columns(gizmo.axes);
    /** @type {Drawing} */
    const drawing = {
      ink: this.#ink,
      gizmo,
      sight: this.#sight(camera, gizmo, size),
      size,
      frames: {
        t: axes,
        r: gizmo.turn_axes ? columns(gizmo.turn_axes) : axes,
        s: gizmo.scale_axes ? columns(gizmo.scale_axes) : axes,
      },
      colours: this.#colours,
      bounds: boundsOf(gizmo, size),
      ball: this.#ball(gizmo, camera),
    };
    if (drawing.bounds) drawBox(drawing, drawing.bounds);
    if (gizmo.active) drawGuides(drawing, gizmo.active);
    const handles = gizmo.handles.filter(this.draws);
    if (gizmo.active && !handles.includes(gizmo.active)) handles.push(gizmo.active);
    const sorted = handles
      .map((handle) => ({ handle, depth: handleDepth(drawing, handle) }))
      .sort((a, b) => b.depth - a.depth);
    for (const { handle } of sorted) drawHandle(drawing, handle);
  }

  /**
   * The position of the ball, in pixels from the origin, and its radii.
   * @param {Gizmo} gizmo
   * @param {Camera} camera
   */
  #ball(gizmo, camera) {
    const { width, height } = this.picture;
    if (gizmo.mode !== "arcball" || this.ballFit === "object") return null;
    const place = new Vector3().fromArray(gizmo.origin).project(camera);
    const radii =
      this.ballFit === "circle"
        ? [Math.min(width, height) / 2, Math.min(width, height) / 2]
        : [width / 2, height / 2];
    return { at: [(-place.x * width) / 2, (-place.y * height) / 2], radii };
  }
}

/**
 * The bounds in parts of the length of an axis, from the origin.
 * @param {Gizmo} gizmo
 * @param {number} size
 * @returns {Bounds | null}
 */
function boundsOf({ box, origin }, size) {
  if (!box) return null;
  const [centre, x, y, z] = [0, 3, 6, 9].map((i) =>
    times([box[i], box[i + 1], box[i + 2]], 1 / size),
  );
  return [minus(centre, times(origin, 1 / size)), x, y, z];
}

/**
 * Metres per pixel at a point; 0 behind the eye.
 * @param {Camera} camera
 * @param {Vec3} point
 * @param {number} height of the picture in pixels
 */
export function pixelAt(camera, point, height) {
  const view = camera.matrixWorldInverse.elements,
    proj = camera.projectionMatrix.elements;
  const [x, y, z] = [0, 1, 2].map(
    (row) =>
      view[row] * point[0] + view[4 + row] * point[1] + view[8 + row] * point[2] + view[12 + row],
  );
  const w = proj[3] * x + proj[7] * y + proj[11] * z + proj[15];
  return w > 0 ? (2 * w) / (Math.abs(proj[5]) * height) : 0;
}
