// axis.ts - the positions of edits along the timeline. The axis has units of its own: the length of
// a drag grows with the logarithm of its seconds, pauses are short, and edits at the same time
// stand side by side. Pure: no signals, no DOM.
import type { Edit } from "../../sdk/types.js";

/**
 * The length of a pause: its seconds up to GAP_UNITS, and beyond that GAP_LOG_UNITS more for each
 * factor of ten.
 */
const GAP_UNITS = 0.6;
const GAP_LOG_UNITS = 0.35;
/** The least distance between the ends of two edits, so that each can be seen and clicked. */
const APART_UNITS = 0.5;
/** A shorter edit is not a drag: it stands where it ended. */
export const INSTANT_S = 0.15;
/** The distance from the last edit to the present. */
export const NOW_UNITS = 1;
/** Edits that overlap in time stand below each other in at most so many lanes. */
export const LANES_MAX = 4;

export interface Mark {
  edit: Edit;
  from: number;
  to: number;
  lane: number;
}

interface Knot {
  u: number;
  time: number;
  /** The last mark that had ended here; -1 before the first one. */
  done: number;
  /** Whether a drag was running from here to the next knot. */
  busy: boolean;
}

export interface Axis {
  /** Ascending by seq, and by `to`. */
  marks: readonly Mark[];
  knots: readonly Knot[];
  /** The position of the present. */
  length: number;
  /** The length of the longest mark. */
  longest: number;
  lanes: number;
}

/**
 * A moment of the past: the state after `seq`, or, without `seq`, the state at that time, which is
 * within a drag.
 */
export interface Moment {
  time: number;
  seq?: number;
  /** The edit that ended with this state. */
  edit?: Edit;
}

export const momentAfter = (edit: Edit): Moment => ({ time: edit.ended, seq: edit.seq, edit });

/** @param edits ascending by seq */
export function makeAxis(edits: readonly Edit[]): Axis {
  const began = new Float64Array(edits.length);
  const ended = new Float64Array(edits.length);
  const knots = layKnots(edits, began, ended);
  const marks = edits.map((edit, i) => ({ edit, from: began[i], to: ended[i], lane: 0 }));
  const lanes = assignLanes(marks);
  const longest = marks.reduce((most, { from, to }) => Math.max(most, to - from), 0);
  return { marks, knots, lanes, longest, length: (knots.at(-1)?.u ?? 0) + NOW_UNITS };
}

/** @returns the knots, ascending by position and time; writes where each edit began and ended */
function layKnots(edits: readonly Edit[], began: Float64Array, ended: Float64Array): Knot[] {
  const events = edits.flatMap((edit, i) => {
    const end = { i, time: edit.ended, ends: true };
    return edit.ended - edit.began < INSTANT_S
      ? [end]
      : [{ i, time: edit.began, ends: false }, end];
  });
  events.sort((a, b) => a.time - b.time || Number(a.ends) - Number(b.ends) || a.i - b.i);
  const knots: Knot[] = [];
  let u = 0;
  let running = 0;
  let done = -1;
  let lastEnd = -APART_UNITS;
  let before = events[0]?.time ?? 0;
  for (const { i, time, ends } of events) {
    u += running > 0 ? roomOfWork(time - before) : roomOfGap(time - before);
    if (ends) {
      u = Math.max(u, lastEnd + APART_UNITS);
      lastEnd = u;
      done = Math.max(done, i);
    }
    const instant = edits[i].ended - edits[i].began < INSTANT_S;
    if (!instant) running += ends ? -1 : 1;
    if (ends) ended[i] = u;
    if (!ends || instant) began[i] = u;
    knots.push({ u, time, done, busy: running > 0 });
    before = time;
  }
  return knots;
}

/** One unit for the first second, and about one more each time the duration doubles. */
function roomOfWork(seconds: number): number {
  return Math.log2(1 + seconds);
}

function roomOfGap(seconds: number): number {
  return seconds <= GAP_UNITS
    ? seconds
    : GAP_UNITS + GAP_LOG_UNITS * Math.log10(seconds / GAP_UNITS);
}

/** Assigns the highest lane that is free where a mark begins. @returns the number of lanes used */
function assignLanes(marks: Mark[]): number {
  const free: number[] = [];
  for (const mark of [...marks].sort((a, b) => a.from - b.from)) {
    let lane = free.findIndex((end) => end <= mark.from);
    if (lane < 0) lane = free.length < LANES_MAX ? free.length : free.indexOf(Math.min(...free));
    free[lane] = Math.max(free[lane] ?? 0, mark.to);
    mark.lane = lane;
  }
  return Math.max(1, free.length);
}

/** The last index whose key is not above `value`; -1 if there is none. Keys ascend. */
export function lastAtMost<T>(list: readonly T[], value: number, key: (item: T) => number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (key(list[middle]) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The position of a time. */
export function placeOfTime({ knots, length }: Axis, time: number): number {
  const i = lastAtMost(knots, time, (knot) => knot.time);
  if (i < 0) return 0;
  const [a, b] = [knots[i], knots[i + 1]];
  if (!b) return Math.min(a.u, length);
  return a.u + ((time - a.time) / (b.time - a.time)) * (b.u - a.u);
}

export function placeOf(axis: Axis, { edit, time }: Moment): number {
  if (!edit) return placeOfTime(axis, time);
  const i = lastAtMost(axis.marks, edit.seq, (mark) => mark.edit.seq);
  return i >= 0 && axis.marks[i].edit.id === edit.id ? axis.marks[i].to : placeOfTime(axis, time);
}

/**
 * The moment at a position; null for the present. Within `near` of the end of an edit it is the
 * state after that edit.
 */
export function momentAt(axis: Axis, u: number, near: number): Moment | null {
  const { marks, knots } = axis;
  if (marks.length === 0 || u >= axis.length - NOW_UNITS / 2) return null;
  const ended = lastAtMost(marks, u, (mark) => mark.to);
  for (const i of [ended, ended + 1]) {
    if (marks[i] && Math.abs(marks[i].to - u) <= near) return momentAfter(marks[i].edit);
  }
  const i = lastAtMost(knots, u, (knot) => knot.u);
  const knot = knots[Math.max(0, i)];
  const next = knots[i + 1];
  if (knot.busy && next)
    return { time: knot.time + ((u - knot.u) / (next.u - knot.u)) * (next.time - knot.time) };
  return momentAfter(marks[Math.max(0, knot.done)].edit);
}
