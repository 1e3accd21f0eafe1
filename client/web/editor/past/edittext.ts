// edittext.ts - describes what an edit did and when. Pure.
import type { Edit, Id, NodeState, Quat, Vec3 } from "../../sdk/types.js";
import { lengthText } from "../units";

export type NameOf = (id: Id) => string;
type Change = NonNullable<Edit["changes"]>[number];

const VERBS: Record<Edit["kind"], string> = {
  translate: "moved",
  rotate: "rotated",
  scale: "scaled",
  ball: "rotated",
  wheel: "scaled",
  set: "changed",
  create: "created",
  delete: "deleted",
  undo: "undid an edit of",
  redo: "redid an edit of",
  restore: "restored",
  import: "imported",
  pose: "moved",
};

/**
 * "Ada moved piston 12 mm": the amount only if the changes are known. A node has the name that it
 * had then.
 * @param nameOf the present names, for nodes that the edit does not name
 */
export function describe(edit: Edit, nameOf: NameOf): string {
  if (edit.kind === "import") return `${edit.user} imported ${count(edit.nodes.length)}`;
  if (edit.kind === "restore") return `${edit.user} restored an earlier state`;
  const what =
    edit.nodes.length === 1 ? edit.name || nameOf(edit.nodes[0]) : count(edit.nodes.length);
  const [only] = edit.changes?.length === 1 ? edit.changes : [];
  const amount = only ? amountOf(edit, only, nameOf) : "";
  if (saysAll(edit) && amount) return `${edit.user} ${amount}`;
  return `${edit.user} ${VERBS[edit.kind]} ${what}${amount ? ` ${amount}` : ""}`;
}

/** Edits of these kinds may change any parts of a node: their text lists those that changed. */
const saysAll = ({ kind }: Edit) => kind === "set" || kind === "pose";

/** The warning that another person's import replaced the whole scene. @param now Unix seconds */
export function replacedText({ user, ended }: Edit, now: number): string {
  const at = timeText(ended, now);
  const before = "The timeline still shows what was here before.";
  return `${user} replaced this scene with a file at ${at}. ${before}`;
}

function amountOf(edit: Edit, { id, name, before, after }: Change, nameOf: NameOf): string {
  if (!before || !after) return "";
  if (saysAll(edit)) return setText(name || nameOf(id), before, after, nameOf);
  if (edit.kind === "translate" && before.t && after.t)
    return lengthText(distance(before.t, after.t));
  if ((edit.kind === "rotate" || edit.kind === "ball") && before.r && after.r)
    return angleText(turn(before.r, after.r));
  if ((edit.kind === "scale" || edit.kind === "wheel") && before.s && after.s)
    return factorText(before.s, after.s);
  return "";
}

function setText(name: string, before: NodeState, after: NodeState, nameOf: NameOf): string {
  const said: string[] = [];
  if (before.name !== undefined && after.name !== undefined)
    said.push(`renamed ${before.name} to ${after.name}`);
  if (after.parent !== undefined)
    said.push(
      after.parent === null
        ? `moved ${name} to the top level`
        : `moved ${name} into ${nameOf(after.parent)}`,
    );
  if (said.length > 0) return said.join(" and ");
  if (before.t && after.t && !after.r && !after.s)
    return `moved ${name} ${lengthText(distance(before.t, after.t))}`;
  if (before.r && after.r && !after.t && !after.s)
    return `rotated ${name} ${angleText(turn(before.r, after.r))}`;
  if (before.s && after.s && !after.t && !after.r)
    return `scaled ${name} ${factorText(before.s, after.s)}`;
  return "";
}

/** The changes of one node, a line for each property: "Scale" was "1, 1, 1" and is "2, 2, 2". */
export function changeLines(
  { before, after }: Change,
  nameOf: NameOf,
): { label: string; before: string; after: string }[] {
  const lines: { label: string; before: string; after: string }[] = [];
  const add = (label: string, from: string | undefined, to: string | undefined): void => {
    if (from !== undefined || to !== undefined)
      lines.push({ label, before: from ?? "-", after: to ?? "-" });
  };
  const parent = (state?: NodeState): string | undefined =>
    state?.parent === undefined ? undefined : state.parent === null ? "none" : nameOf(state.parent);
  add("Name", before?.name, after?.name);
  add("Parent", parent(before), parent(after));
  add("Translation", placeText(before?.t), placeText(after?.t));
  add("Rotation", rotationText(before?.r), rotationText(after?.r));
  add("Scale", vectorText(before?.s), vectorText(after?.s));
  return lines;
}

const vectorText = (v: readonly number[] | undefined): string | undefined =>
  v?.map((value) => numberText(value)).join(", ");

const placeText = (t: Vec3 | undefined): string | undefined => t && `${vectorText(t)} m`;

/** A rotation as an angle about an axis. */
function rotationText(r: Quat | undefined): string | undefined {
  if (!r) return undefined;
  const sine = Math.hypot(r[0], r[1], r[2]);
  const angle = 2 * Math.atan2(sine, Math.abs(r[3]));
  if (angle < 1e-9) return "none";
  const sign = r[3] < 0 ? -1 : 1;
  const axis = [r[0], r[1], r[2]].map((part) => numberText((sign * part) / sine, 3));
  return `${angleText(angle)} about ${axis.join(", ")}`;
}

function numberText(value: number, digits = 6): string {
  return String(Number(value.toPrecision(digits)) || 0).replace("-", "\u2212");
}

export function angleText(radians: number): string {
  return `${three((radians * 180) / Math.PI)}°`;
}

/** "0.4 s", "12 s", "3 min". */
export function durationText(seconds: number): string {
  if (seconds < 60) return `${three(Number(seconds.toFixed(seconds < 10 ? 1 : 0)))} s`;
  return `${Math.round(seconds / 60)} min`;
}

function factorText(before: Vec3, after: Vec3): string {
  const factors = after.map((value, i) => value / before[i]);
  const alike = factors.every(
    (factor) => Math.abs(factor - factors[0]) < 1e-4 * Math.abs(factors[0]),
  );
  if (!factors.every(Number.isFinite)) return "";
  return `by ${alike ? three(factors[0]) : factors.map((factor) => three(factor)).join(", ")}`;
}

const three = (value: number): string =>
  Math.abs(value) >= 100
    ? numberText(Math.round(value), 15)
    : numberText(Number(value.toFixed(9)), 3);

const distance = (a: Vec3, b: Vec3): number => Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);

/** The angle from one rotation to another, 0 to pi. */
function turn(a: Quat, b: Quat): number {
  const chord = Math.hypot(...a.map((part, i) => part - b[i]));
  const other = Math.hypot(...a.map((part, i) => part + b[i]));
  return 4 * Math.asin(Math.min(1, Math.min(chord, other) / 2));
}

export const count = (n: number, what = "node"): string =>
  `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;

/** "14:32:05", with the day if it is not today. @param time Unix seconds @param now Unix seconds */
export function timeText(time: number, now: number, seconds = true): string {
  const at = new Date(time * 1000);
  const clock = at.toLocaleTimeString("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    ...(seconds && { second: "2-digit" }),
  });
  const day = dayText(time, now);
  return day ? `${day} ${clock}` : clock;
}

/**
 * "just now", "5 min ago", "3 h ago", "2 d ago", and after a week the day.
 * @param time Unix seconds
 * @param now Unix seconds
 */
export function ago(time: number, now: number): string {
  const minutes = Math.floor((now - time) / 60);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  if (minutes < 7 * 24 * 60) return `${Math.floor(minutes / (24 * 60))} d ago`;
  return dayText(time, now);
}

/** Empty for today, "yesterday", "12 Nov", "12 Nov 2025". */
export function dayText(time: number, now: number): string {
  const at = new Date(time * 1000);
  const today = new Date(now * 1000);
  const days = Math.round((midnight(today) - midnight(at)) / 86_400_000);
  if (days === 0) return "";
  if (days === 1) return "yesterday";
  return at.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    ...(at.getFullYear() !== today.getFullYear() && { year: "numeric" }),
  });
}

const midnight = (date: Date): number =>
  new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
