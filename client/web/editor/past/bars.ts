// bars.ts - what the timeline draws at a zoom: bars for edits, one bar for edits that would
// overlap, and the times below. Pure.
import type { Edit } from "../../sdk/types.js";
import { type Axis, type Mark, lastAtMost } from "./axis";
import { dayText, timeText } from "./edittext";

/** The least width of a bar; if there is less room one bar stands for several edits. */
const BAR_PX_MIN = 5;
const LABEL_PX = 76;

export interface Bar {
  /** The last one of its edits. */
  edit: Edit;
  count: number;
  x: number;
  width: number;
  lane: number;
}

export interface Label {
  x: number;
  text: string;
}

interface Window {
  unitPx: number;
  width: number;
  xOf(u: number): number;
  placeAt(x: number): number;
}

/** The visible marks, and one or two more. */
function seen({ marks, longest }: Axis, { width, placeAt }: Window): readonly Mark[] {
  const first = lastAtMost(marks, placeAt(-BAR_PX_MIN), (mark) => mark.to);
  const last = lastAtMost(marks, placeAt(width) + longest, (mark) => mark.to);
  return marks.slice(Math.max(0, first), last + 2);
}

export function makeBars(axis: Axis, window: Window): Bar[] {
  const bars: Bar[] = [];
  const lastOfLane: Bar[] = [];
  for (const { edit, from, to, lane } of seen(axis, window)) {
    // Every bar ends at the state that its edit left, even if the edit took no time; no bar covers
    // the one before.
    const last = lastOfLane[lane];
    const end = window.xOf(to);
    const x = Math.max(
      Math.min(window.xOf(from), end - BAR_PX_MIN),
      last ? last.x + last.width + 1 : -Infinity,
    );
    const width = end - x;
    if (last && width < BAR_PX_MIN && last.width <= 2 * BAR_PX_MIN) {
      Object.assign(last, { edit, count: last.count + 1 });
      continue;
    }
    bars.push((lastOfLane[lane] = { edit, count: 1, x, width, lane }));
  }
  return bars.filter((bar) => bar.x < window.width && bar.x + bar.width > 0);
}

/**
 * Times at the ends of edits, as many as there is room for; with the day if it differs from the one
 * before.
 */
export function makeLabels(axis: Axis, window: Window, now: number): Label[] {
  const labels: Label[] = [];
  let free = 0;
  let day: string | undefined;
  for (const { edit, to } of seen(axis, window)) {
    const x = window.xOf(to);
    if (x < free || x < 0 || x > window.width - 80) continue;
    const other = dayText(edit.ended, now) !== (day ?? "");
    const text = other ? timeText(edit.ended, now) : timeText(edit.ended, edit.ended);
    day = dayText(edit.ended, now);
    if (text === labels.at(-1)?.text) continue;
    labels.push({ x, text });
    free = x + (other ? 1.7 : 1) * LABEL_PX;
  }
  return labels;
}
