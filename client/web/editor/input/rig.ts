// rig.ts - the camera that this page looks through: told to the server as matrices, moved here by pan, zoom and framing, and by the server where it orbits.
// World: right-handed, +Y up, metres. Pixels: CSS pixels of the view, from its top left.
import { signal } from "@preact/signals";

import type { Session } from "../../sdk/index.js";
import { invertAffine, transformPoint } from "../../sdk/maths.js";
import type { Box, Vec2, Vec3 } from "../../sdk/types.js";

/** The vertical angle of view. */
const FOV = (45 * Math.PI) / 180;
/** Near and far planes as parts of the distance to the target. */
const NEAR = 1e-3;
const FAR = 1e4;

export class CameraRig {
  /** Counts changes: read it to follow the camera. */
  readonly revision = signal(0);
  readonly parallel = signal(false);
  /** World to eye, column by column. */
  view: number[] = lookAt([6, 5, 8], [0, 0, 0]);
  /** Eye to clip, with a depth of -1 to 1. */
  proj: number[] = [];
  target: Vec3 = [0, 0, 0];
  width = 1;
  height = 1;

  #told = false;

  constructor(readonly session: Session) {
    session.on("view", (view) => this.setView(view));
    this.#changed();
  }

  get eye(): Vec3 {
    return transformPoint(invertAffine(this.view), [0, 0, 0]);
  }

  /** From the eye to the target, along the line of sight, in metres. */
  get distance(): number {
    return Math.max(-transformPoint(this.view, this.target)[2], 1e-6);
  }

  /** How many metres a pixel is at the target. */
  get metresPerPx(): number {
    return (2 * Math.tan(FOV / 2) * this.distance) / this.height;
  }

  resize(width: number, height: number): void {
    if (width === this.width && height === this.height) return;
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.#changed();
  }

  setView(view: ArrayLike<number>): void {
    this.view = Array.from(view);
    this.#changed();
  }

  setParallel(parallel: boolean): void {
    this.parallel.value = parallel;
    this.#changed();
  }

  /** Looks from `eye` to `target`. */
  look(eye: Vec3, target: Vec3): void {
    this.view = lookAt(eye, target);
    this.target = target;
    this.#changed();
  }

  /** Moves the eye so that what is at the target follows the pointer by so many pixels. */
  pan(dx: number, dy: number): void {
    const metres = this.metresPerPx;
    const inverse = invertAffine(this.view);
    const move = [0, 1, 2].map((i) => (-dx * inverse[i] + dy * inverse[4 + i]) * metres) as Vec3;
    this.target = [this.target[0] + move[0], this.target[1] + move[1], this.target[2] + move[2]];
    this.view[12] += dx * metres;
    this.view[13] -= dy * metres;
    this.#changed();
  }

  /** Changes the distance to the target by a factor; what is under the pixel `at`, as far as the target is, stays there. */
  zoom(factor: number, at: Vec2 = [this.width / 2, this.height / 2]): void {
    const x = at[0] - this.width / 2;
    const y = at[1] - this.height / 2;
    const distance = this.distance;
    this.pan(x * (factor - 1), y * (factor - 1));
    this.view[14] += distance * (1 - factor);
    this.#changed();
  }

  /** Shows all of a box, from the same direction. */
  frame(box: Box): void {
    const centre: Vec3 = [(box[0] + box[3]) / 2, (box[1] + box[4]) / 2, (box[2] + box[5]) / 2];
    const radius = Math.max(0.5 * Math.hypot(box[3] - box[0], box[4] - box[1], box[5] - box[2]), 1e-3);
    const narrow = Math.min(1, this.width / this.height);
    const distance = (1.15 * radius) / (Math.sin(FOV / 2) * narrow);
    const inverse = invertAffine(this.view);
    const eye = [0, 1, 2].map((i) => centre[i] + inverse[8 + i] * distance) as Vec3;
    this.target = centre;
    const seen = transformPoint([...this.view.slice(0, 12), 0, 0, 0, 1], eye);
    for (let i = 0; i < 3; i++) this.view[12 + i] = -seen[i];
    this.#changed();
  }

  /** Where a point of the world is in the view; null behind the eye. */
  project(point: ArrayLike<number>): Vec2 | null {
    const eye = transformPoint(this.view, point);
    if (!this.parallel.peek() && eye[2] >= 0) return null;
    const [x, y] = transformPoint(this.proj, eye);
    return [((x + 1) / 2) * this.width, ((1 - y) / 2) * this.height];
  }

  #changed(): void {
    this.proj = projection(this.width / this.height, this.distance, this.parallel.peek());
    this.revision.value = this.revision.peek() + 1;
    if (this.#told) return;
    this.#told = true;
    queueMicrotask(() => this.#tell());
  }

  #tell(): void {
    this.#told = false;
    this.session.setCamera({ view: this.view, proj: this.proj, viewport: [0, 0, this.width, this.height], target: this.target });
  }
}

/** World to eye, +Y up; straight down or up, -Z is up. */
export function lookAt(eye: Vec3, target: Vec3): number[] {
  const back = unit([eye[0] - target[0], eye[1] - target[1], eye[2] - target[2]]);
  const up: Vec3 = Math.abs(back[1]) > 0.99999 ? [0, 0, -Math.sign(back[1])] : [0, 1, 0];
  const right = unit(cross(up, back));
  const above = cross(back, right);
  const along = (axis: Vec3): number => -(axis[0] * eye[0] + axis[1] * eye[1] + axis[2] * eye[2]);
  return [
    right[0], above[0], back[0], 0, right[1], above[1], back[1], 0, right[2], above[2], back[2], 0,
    along(right), along(above), along(back), 1,
  ];
}

function projection(aspect: number, distance: number, parallel: boolean): number[] {
  const near = distance * NEAR;
  const far = distance * FAR;
  const high = Math.tan(FOV / 2) * (parallel ? distance : 1);
  const depth = far - near;
  const x = 1 / (high * aspect);
  if (parallel) return [x, 0, 0, 0, 0, 1 / high, 0, 0, 0, 0, -2 / (far + depth), 0, 0, 0, -(far + near - depth) / (far + depth), 1];
  return [x, 0, 0, 0, 0, 1 / high, 0, 0, 0, 0, -(far + near) / depth, -1, 0, 0, (-2 * far * near) / depth, 0];
}

const cross = (a: Vec3, b: Vec3): Vec3 => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a: Vec3): Vec3 => {
  const length = Math.hypot(...a) || 1;
  return [a[0] / length, a[1] / length, a[2] / length];
};
