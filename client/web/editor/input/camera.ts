// camera.ts - the maths of a camera that looks at a target: an orientation, a target in the middle
// of the view, and a distance. Pure. World: right-handed, +Y up, metres. Quaternions [x, y, z, w]
// turn the eye's axes (right, up, back) into the world's.
import type { Mat4, Quat, Vec3 } from "../../sdk/types.js";

export interface Pose {
  target: Vec3;
  turn: Quat;
  /** Metres from the eye to the target, above 0. */
  distance: number;
}

/** The vertical angle of view. */
export const FOV_RAD = (45 * Math.PI) / 180;
/** The distances of the near and the far plane of a perspective, in distances to the target. */
const NEAR = 2e-3;
const FAR = 1e4;
/**
 * The depth of a parallel view before and behind the eye, in distances to the target: a parallel
 * view has no reason to clip what is behind the eye.
 */
const PARALLEL_DEPTH = 1e3;

/** The eye's right, up and back in the world. */
export function axesOf([x, y, z, w]: Quat): [Vec3, Vec3, Vec3] {
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
    [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
    [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
  ];
}

export function eyeOf({ target, turn, distance }: Pose): Vec3 {
  return along(target, axesOf(turn)[2], distance);
}

/** The matrix from the world to the eye. */
export function viewOf(pose: Pose): number[] {
  const [right, up, back] = axesOf(pose.turn);
  const eye = eyeOf(pose);
  return [
    right[0],
    up[0],
    back[0],
    0,
    right[1],
    up[1],
    back[1],
    0,
    right[2],
    up[2],
    back[2],
    0,
    -dot(right, eye),
    -dot(up, eye),
    -dot(back, eye),
    1,
  ];
}

/** The pose of a view matrix, with its target at that distance. */
export function poseOf(view: Mat4, distance: number): Pose {
  const right: Vec3 = [view[0], view[4], view[8]];
  const up: Vec3 = [view[1], view[5], view[9]];
  const back: Vec3 = [view[2], view[6], view[10]];
  const eye = [0, 1, 2].map(
    (i) => -(right[i] * view[12] + up[i] * view[13] + back[i] * view[14]),
  ) as Vec3;
  return { target: along(eye, back, -distance), turn: quatFromAxes(right, up, back), distance };
}

/** The orientation that looks along `-back` with a level horizon; straight down or up, -Z is up. */
export function turnOf(back: Vec3): Quat {
  const b = unit(back);
  const above: Vec3 = Math.abs(b[1]) > 0.99999 ? [0, 0, -Math.sign(b[1])] : [0, 1, 0];
  const right = unit(cross(above, b));
  return quatFromAxes(right, cross(b, right), b);
}

/**
 * Turns an orientation about the world's +Y by `yaw`, and about the eye's right by `pitch`, at most
 * to straight up or down. The horizon becomes level. Radians.
 */
export function turned(turn: Quat, yaw: number, pitch: number): Quat {
  const [right, , back] = axesOf(turn);
  const level =
    Math.abs(back[1]) > 0.99999 ? Math.atan2(-right[2], right[0]) : Math.atan2(back[0], back[2]);
  const high = Math.asin(Math.max(-1, Math.min(1, back[1]))) + pitch;
  const up = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, high));
  const y = (level + yaw) / 2;
  const x = -up / 2;
  return [
    Math.sin(x) * Math.cos(y),
    Math.cos(x) * Math.sin(y),
    -Math.sin(x) * Math.sin(y),
    Math.cos(x) * Math.cos(y),
  ];
}

/**
 * Interpolates two poses; k from 0 to 1. Distances are interpolated as factors, so that zooming in
 * looks as even as zooming out.
 */
export function between(a: Pose, b: Pose, k: number): Pose {
  return {
    target: [0, 1, 2].map((i) => a.target[i] + (b.target[i] - a.target[i]) * k) as Vec3,
    turn: slerp(a.turn, b.turn, k),
    distance: a.distance * (b.distance / a.distance) ** k,
  };
}

/**
 * The matrix from the eye to clip space, with a depth of -1 to 1. At the target both projections
 * show the same size.
 */
export function projection(aspect: number, distance: number, parallel: boolean): number[] {
  const high = Math.tan(FOV_RAD / 2) * (parallel ? distance : 1);
  const x = 1 / (high * aspect);
  if (parallel)
    return [x, 0, 0, 0, 0, 1 / high, 0, 0, 0, 0, -1 / (PARALLEL_DEPTH * distance), 0, 0, 0, 0, 1];
  const near = distance * NEAR;
  const far = distance * FAR;
  const depth = far - near;
  return [
    x,
    0,
    0,
    0,
    0,
    1 / high,
    0,
    0,
    0,
    0,
    -(far + near) / depth,
    -1,
    0,
    0,
    (-2 * far * near) / depth,
    0,
  ];
}

export function slerp(a: Quat, b: Quat, k: number): Quat {
  const cos = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const angle = Math.acos(Math.min(1, Math.abs(cos)));
  const sin = Math.sin(angle);
  const from = sin < 1e-6 ? 1 - k : Math.sin((1 - k) * angle) / sin;
  const to = (sin < 1e-6 ? k : Math.sin(k * angle) / sin) * (cos < 0 ? -1 : 1);
  const mixed = a.map((value, i) => value * from + b[i] * to);
  const length = Math.hypot(...mixed);
  return mixed.map((value) => value / length) as Quat;
}

export const along = (from: Vec3, axis: Vec3, by: number): Vec3 => [
  from[0] + axis[0] * by,
  from[1] + axis[1] * by,
  from[2] + axis[2] * by,
];
export const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const unit = (a: Vec3): Vec3 => {
  const length = Math.hypot(...a) || 1;
  return [a[0] / length, a[1] / length, a[2] / length];
};

/** The rotation from the world's axes to these three, which are orthogonal and of length 1. */
function quatFromAxes([a, b, c]: Vec3, [d, e, f]: Vec3, [g, h, i]: Vec3): Quat {
  const q: Quat =
    a + e + i > 0
      ? [f - h, g - c, b - d, 1 + a + e + i]
      : a > e && a > i
        ? [1 + a - e - i, b + d, g + c, f - h]
        : e > i
          ? [b + d, 1 - a + e - i, f + h, g - c]
          : [g + c, f + h, 1 - a - e + i, b - d];
  const length = Math.hypot(...q);
  return q.map((value) => value / length) as Quat;
}
