// transform.ts - the numbers of the inspector: the number that the selected nodes have in common,
// and the changes that set it in each of them. Pure.
import type { SceneModel } from "../../sdk/index.js";
import type { Id, NodeChange, SceneNode, Vec3 } from "../../sdk/types.js";
import type { Quantity } from "../units";
import type { EulerMemory } from "./eulermemory";
import { evaluate, unclearIn } from "./expression";

export type Field = "t" | "r" | "s";

export const QUANTITY: Record<Field, Quantity> = { t: "length", r: "angle", s: "factor" };

/** One number of a node: metres, radians of the Euler angle, or a factor. */
export function readNumber(
  node: SceneNode,
  field: Field,
  axis: number,
  angles: EulerMemory,
): number {
  return field === "r" ? angles.of(node)[axis] : node[field][axis];
}

/** The number that all of these nodes have; null if they differ, undefined if there are none. */
export function commonNumber(
  scene: SceneModel,
  ids: readonly Id[],
  field: Field,
  axis: number,
  angles: EulerMemory,
): number | null | undefined {
  let common: number | undefined;
  for (const id of ids) {
    const node = scene.get(id);
    if (!node) continue;
    const value = readNumber(node, field, axis, angles);
    if (common !== undefined && Math.abs(value - common) > 1e-9 * Math.max(1, Math.abs(common)))
      return null;
    common ??= value;
  }
  return common;
}

/**
 * The function that a typed text stands for: "2", "1.5+0.2", "30mm", or "+=0.1", "-=", "*=", "/="
 * relative to the number before. Null if the text is not a number.
 */
export function parseEntry(text: string, field: Field): ((before: number) => number) | null {
  const relative = /^\s*([-+*/])=(.*)$/.exec(text);
  const factor = relative?.[1] === "*" || relative?.[1] === "/";
  const value = evaluate(relative ? relative[2] : text, factor ? "factor" : QUANTITY[field]);
  if (value === null) return null;
  switch (relative?.[1]) {
    case "+":
      return (before) => before + value;
    case "-":
      return (before) => before - value;
    case "*":
      return (before) => before * value;
    case "/":
      return (before) => before / value;
    default:
      return () => value;
  }
}

/** What is wrong with a typed text, and what to type instead; empty if nothing is. */
export function faultOf(text: string, field: Field): string {
  const unclear = unclearIn(text);
  if (unclear !== undefined) {
    const part = unclear.split(",").length === 2 ? ` or ${unclear.replace(",", ".")}` : "";
    return `"${unclear}" is not clear: type ${unclear.replaceAll(",", "")}${part}.`;
  }
  return parseEntry(text, field) ? "" : `"${text}" is not a number.`;
}

/** The changes that set one number of each node; nodes that would not change are left out. */
export function changeNumber(
  scene: SceneModel,
  ids: readonly Id[],
  field: Field,
  axis: number,
  angles: EulerMemory,
  to: (before: number) => number,
): NodeChange[] {
  const changes: NodeChange[] = [];
  for (const id of ids) {
    const node = scene.get(id);
    if (!node) continue;
    const numbers: Vec3 = field === "r" ? [...angles.of(node)] : [...node[field]];
    const before = numbers[axis];
    numbers[axis] = to(before);
    if (numbers[axis] === before) continue;
    if (field === "r") changes.push({ id, euler: numbers, order: angles.order });
    else changes.push({ id, [field]: numbers });
  }
  return changes;
}

/**
 * The same for a scale that keeps its proportions: all three factors change by the same ratio. From
 * 0 there is no ratio: whatever is 0 becomes the number.
 */
export function changeScale(
  scene: SceneModel,
  ids: readonly Id[],
  axis: number,
  to: (before: number) => number,
): NodeChange[] {
  const changes: NodeChange[] = [];
  for (const id of ids) {
    const node = scene.get(id);
    if (!node) continue;
    const after = to(node.s[axis]),
      by = after / node.s[axis];
    if (node.s[axis] === 0) {
      const [x, y, z] = node.s.map((factor) => (factor === 0 ? after : factor));
      if (after !== 0) changes.push({ id, s: [x, y, z] });
    } else if (by !== 1) changes.push({ id, s: [node.s[0] * by, node.s[1] * by, node.s[2] * by] });
  }
  return changes;
}

/** The changes that reset a part of the transform. */
export function resetField(ids: readonly Id[], field: Field): NodeChange[] {
  if (field === "r") return ids.map((id) => ({ id, r: [0, 0, 0, 1] }));
  return ids.map((id) => ({ id, [field]: field === "t" ? [0, 0, 0] : [1, 1, 1] }));
}
