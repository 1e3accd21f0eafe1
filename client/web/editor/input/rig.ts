// rig.ts - the camera of this page. Pan, zoom and framing move it here, an orbit moves it at the
// server; the server receives its matrices. World: right-handed, +Y up, metres. Pixels: CSS pixels
// of the view, from its top left.
import { signal } from "@preact/signals";

import type { Session } from "../../sdk/index.js";
import { transformPoint } from "../../sdk/maths.js";
import type { Box, Ray, Vec2, Vec3 } from "../../sdk/types.js";
import {
  FOV_RAD,
  type Pose,
  along,
  axesOf,
  between,
  eyeOf,
  poseOf,
  projection,
  turnOf,
  turned,
  viewOf,
} from "./camera";

/** The least and the greatest distance from the eye to the target, in metres. */
const DISTANCE_MIN = 1e-7;
const DISTANCE_MAX = 1e9;
/** The duration of an animated change of view. */
const FLIGHT_MS = 220;

export class CameraRig {
  /** Counts changes of the camera: an effect that reads it runs after each one. */
  readonly revision = signal(0);
  readonly parallel = signal(false);
  /** The matrix from the world to the eye, by columns. */
  view: number[] = [];
  /** The matrix from the eye to clip space, with a depth of -1 to 1. */
  proj: number[] = [];
  width = 1;
  height = 1;

  #pose: Pose = { target: [0, 0, 0], turn: turnOf([6, 5, 8]), distance: 11 };
  #queued = false;
  #flight = 0;
  /**
   * The end of the animation that is running. A change of view during the animation starts from
   * there, so that no view stays half turned.
   */
  #goal: Pose | null = null;
  /** The server orbits the view, until this page moves it. */
  #lent = false;

  constructor(readonly session: Session) {
    session.on("view", (view) => this.#orbited(view));
    this.#set(this.#pose);
  }

  /** The point in the middle of the view, which an orbit turns about. */
  get target(): Vec3 {
    return this.#pose.target;
  }

  get pose(): Pose {
    return this.#pose;
  }

  get eye(): Vec3 {
    return eyeOf(this.#pose);
  }

  /** Metres from the eye to the target. */
  get distance(): number {
    return this.#pose.distance;
  }

  /** Metres per pixel at the target. */
  get metresPerPx(): number {
    return (2 * Math.tan(FOV_RAD / 2) * this.distance) / this.height;
  }

  /** Metres per pixel at the depth of this point; 0 behind the eye. */
  metresPerPxAt(point: ArrayLike<number>): number {
    if (this.parallel.peek()) return this.metresPerPx;
    return (this.metresPerPx * Math.max(0, -transformPoint(this.view, point)[2])) / this.distance;
  }

  resize(width: number, height: number): void {
    if (width === this.width && height === this.height) return;
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.#set(this.#pose);
  }

  setParallel(parallel: boolean): void {
    this.parallel.value = parallel;
    this.#set(this.#pose);
  }

  /** Sets the pose at once. */
  place(pose: Pose): void {
    this.stop();
    this.#lent = false;
    this.#set(pose);
  }

  /** Moves to the pose with a short animation; at once if the person prefers reduced motion. */
  fly(pose: Pose): void {
    this.#travel(pose, FLIGHT_MS, (part) => 1 - (1 - part) ** 3);
  }

  /** Moves to the pose evenly, in so many milliseconds. */
  glide(pose: Pose, ms: number): void {
    this.#travel(pose, ms, (part) => part);
  }

  /** Leaves the view to an orbit at the server, until this page moves it again. */
  lend(): void {
    this.stop();
    this.#lent = true;
  }

  /** Stops an animation where it is. */
  stop(): void {
    cancelAnimationFrame(this.#flight);
    this.#flight = 0;
    this.#goal = null;
  }

  /** Jumps to the end of an animation. */
  #arrive(): void {
    if (this.#goal) this.place(this.#goal);
  }

  /** Looks from `eye` to `target`. */
  look(eye: Vec3, target: Vec3): void {
    const back: Vec3 = [eye[0] - target[0], eye[1] - target[1], eye[2] - target[2]];
    this.place({ target, turn: turnOf(back), distance: Math.hypot(...back) });
  }

  /** Looks at the target from that side, with an animation. */
  lookFrom(side: Vec3): void {
    this.fly({ ...(this.#goal ?? this.#pose), turn: turnOf(side) });
  }

  /** Orbits about the target as a turntable, in radians. */
  turn(yaw: number, pitch: number): void {
    this.#arrive();
    this.place({ ...this.#pose, turn: turned(this.#pose.turn, yaw, pitch) });
  }

  /** Moves the camera so that the target follows the pointer by so many pixels. */
  pan(dx: number, dy: number): void {
    this.#arrive();
    const [right, up] = axesOf(this.#pose.turn);
    const metres = this.metresPerPx;
    this.place({
      ...this.#pose,
      target: along(along(this.#pose.target, right, -dx * metres), up, dy * metres),
    });
  }

  /**
   * Multiplies the distance to the target by a factor. The point under the pixel `at`, in the depth
   * of the target, keeps its place on the screen.
   */
  zoom(factor: number, at: Vec2 = [this.width / 2, this.height / 2]): void {
    this.#arrive();
    const distance = clampDistance(this.distance * factor);
    const part = distance / this.distance;
    this.pan((at[0] - this.width / 2) * (part - 1), (at[1] - this.height / 2) * (part - 1));
    this.place({ ...this.#pose, distance });
  }

  /**
   * Sets the depth of the target to that of a point, on the line of sight, so that the point keeps
   * its place during a pan or zoom. The picture does not change.
   */
  setDepth(point: Vec3): void {
    this.#arrive();
    const distance = -transformPoint(this.view, point)[2];
    if (this.parallel.peek() || !(distance > DISTANCE_MIN) || distance > DISTANCE_MAX) return;
    this.place({
      ...this.#pose,
      target: along(this.eye, axesOf(this.#pose.turn)[2], -distance),
      distance,
    });
  }

  /**
   * Shows a whole box from the same direction; a single point comes to the middle of the view at
   * the same distance.
   */
  frame(box: Box, { fly = false } = {}): void {
    const target: Vec3 = [(box[0] + box[3]) / 2, (box[1] + box[4]) / 2, (box[2] + box[5]) / 2];
    const radius = 0.5 * Math.hypot(box[3] - box[0], box[4] - box[1], box[5] - box[2]);
    const narrow = Math.min(1, this.width / this.height);
    const from = this.#goal ?? this.#pose;
    const distance =
      radius > 0
        ? clampDistance((1.15 * radius) / (Math.sin(FOV_RAD / 2) * narrow))
        : from.distance;
    const pose = { ...from, target, distance };
    if (fly) this.fly(pose);
    else this.place(pose);
  }

  /** The pixel of a point of the world; null behind the eye. */
  project(point: ArrayLike<number>): Vec2 | null {
    const eye = transformPoint(this.view, point);
    if (!this.parallel.peek() && eye[2] >= 0) return null;
    const [x, y] = transformPoint(this.proj, eye);
    return [((x + 1) / 2) * this.width, ((1 - y) / 2) * this.height];
  }

  /**
   * The ray through a pixel: from the eye, or from the plane of the eye in a parallel view. Its
   * direction has length 1.
   */
  rayAt(at: Vec2): Ray {
    const [right, up, back] = axesOf(this.#pose.turn);
    const x = ((2 * at[0]) / this.width - 1) / this.proj[0];
    const y = (1 - (2 * at[1]) / this.height) / this.proj[5];
    const parallel = this.parallel.peek();
    const ahead = parallel
      ? along([0, 0, 0], back, -1)
      : along(along(along([0, 0, 0], back, -1), right, x), up, y);
    const length = Math.hypot(...ahead);
    const from = parallel ? along(along(this.eye, right, x), up, y) : this.eye;
    return [...from, ahead[0] / length, ahead[1] / length, ahead[2] / length];
  }

  #travel(pose: Pose, ms: number, pace: (part: number) => number): void {
    this.stop();
    this.#lent = false;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.#set(pose);
    const from = this.#pose;
    this.#goal = pose;
    const began = performance.now();
    const step = (): void => {
      const part = Math.min(1, (performance.now() - began) / ms);
      this.#flight = part < 1 ? requestAnimationFrame(step) : 0;
      if (part === 1) this.#goal = null;
      this.#set(part < 1 ? between(from, pose, pace(part)) : pose);
    };
    this.#flight = requestAnimationFrame(step);
  }

  #set(pose: Pose): void {
    this.#pose = pose;
    this.#show(viewOf(pose));
    if (this.#queued) return;
    this.#queued = true;
    queueMicrotask(() => this.#send());
  }

  /**
   * The server orbited the view, so the new view is not sent back. If this page has moved the view
   * since, the server's view is outdated, and the server receives the current one.
   */
  #orbited(view: number[]): void {
    if (!this.#lent) return this.#set(this.#pose);
    this.#pose = poseOf(view, this.distance);
    this.#show(view);
  }

  #show(view: number[]): void {
    this.view = view;
    this.proj = projection(this.width / this.height, this.distance, this.parallel.peek());
    this.revision.value = this.revision.peek() + 1;
  }

  #send(): void {
    this.#queued = false;
    this.session.setCamera({
      view: this.view,
      proj: this.proj,
      viewport: [0, 0, this.width, this.height],
      target: this.target,
    });
  }
}

const clampDistance = (metres: number): number =>
  Math.min(DISTANCE_MAX, Math.max(DISTANCE_MIN, metres));
