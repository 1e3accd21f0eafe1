// worldpath.ts - the motion of a point of a node in the world, from the recorded paths of the node
// and of its ancestors. Pure.
import { compose, multiply, transformPoint } from "../../sdk/maths.js";
import type { Id, PathPoint, Quat, Vec3 } from "../../sdk/types.js";
import { lastAtMost } from "./axis";

/** The motion of a node through the world, the oldest stop first. */
export interface MotionPath {
  node: Id;
  /**
   * `time` in Unix seconds; `between` marks points within a drag, rather than its beginning or end.
   */
  stops: readonly { point: Vec3; time: number; between?: true }[];
}

export type Paths = ReadonlyMap<Id, readonly PathPoint[]>;

/** A limit against cycles, which only a wrong answer could contain. */
const DEPTH_MAX = 256;

/**
 * @param paths of the node and of its ancestors, each ascending by time
 * @param local the point, in the node's own space
 */
export function worldStops(paths: Paths, node: Id, local: Vec3): MotionPath["stops"] {
  const own = paths.get(node) ?? [];
  if (own.length === 0) return [];
  const ends = endTimes(paths);
  const from = own[0].time;
  const times = [...new Set([...paths.values()].flatMap((path) => path.map(({ time }) => time)))]
    .filter((time) => time >= from)
    .sort((a, b) => a - b);
  const stops: { point: Vec3; time: number; between?: true }[] = [];
  for (const time of times) {
    const point = transformPoint(worldAt(paths, node, time), local);
    const last = stops.at(-1);
    if (last && alike(last.point, point)) {
      if (ends.has(time)) delete last.between;
      continue;
    }
    stops.push(ends.has(time) ? { point, time } : { point, time, between: true });
  }
  return stops;
}

/** The times at which an edit of one of the nodes began or ended. */
function endTimes(paths: Paths): Set<number> {
  const ends = new Set<number>();
  for (const path of paths.values()) {
    path.forEach((point, i) => {
      if (path[i - 1]?.edit !== point.edit || path[i + 1]?.edit !== point.edit)
        ends.add(point.time);
    });
  }
  return ends;
}

function worldAt(paths: Paths, node: Id, time: number): Float64Array {
  let world = IDENTITY;
  let at: Id | null = node;
  for (let depth = 0; at !== null && depth < DEPTH_MAX; depth++) {
    const state = stateAt(paths.get(at) ?? [], time);
    if (!state) break;
    world = multiply(compose(state.t, state.r, state.s), world);
    at = state.parent;
  }
  return world;
}

/**
 * The transform at a time: linear between two points of one drag, constant between edits. Before
 * the first point it is that of the first point.
 */
export function stateAt(
  path: readonly PathPoint[],
  time: number,
): Pick<PathPoint, "t" | "r" | "s" | "parent"> | undefined {
  const i = lastAtMost(path, time, (point) => point.time);
  const [a, b] = [path[Math.max(0, i)], path[i + 1]];
  if (i < 0 || !b || b.edit !== a.edit || b.time <= a.time) return a;
  const part = (time - a.time) / (b.time - a.time);
  return {
    t: mix(a.t, b.t, part),
    s: mix(a.s, b.s, part),
    r: turnPart(a.r, b.r, part),
    parent: a.parent,
  };
}

const mix = (a: Vec3, b: Vec3, part: number): Vec3 =>
  [0, 1, 2].map((i) => a[i] + part * (b[i] - a[i])) as Vec3;

/** Interpolates two rotations evenly, on the shorter arc. */
function turnPart(a: Quat, b: Quat, part: number): Quat {
  const dot = a.reduce((sum, value, i) => sum + value * b[i], 0);
  const angle = Math.acos(Math.min(1, Math.abs(dot)));
  if (angle < 1e-6) return dot < 0 ? a : b;
  const toward = Math.sign(dot) * (Math.sin(part * angle) / Math.sin(angle));
  const away = Math.sin((1 - part) * angle) / Math.sin(angle);
  return a.map((value, i) => away * value + toward * b[i]) as Quat;
}

function alike(a: Vec3, b: Vec3): boolean {
  const size = Math.hypot(...a) + Math.hypot(...b);
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) <= 1e-9 * size;
}

const IDENTITY = Float64Array.from([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
