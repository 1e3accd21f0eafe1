// typedvalue.ts - numbers that are typed during a drag: "12", "-.5", "30mm", "1.5 m", "90", "0.5
// rad", and two numbers with a comma for planes. Pure.

import { BARE_UNIT, type Quantity, inBase, unitSize } from "../units";

const NUMBER = /^([+-]?(?:\d+\.?\d*|\.\d+))\s*([^\d\s]*)$/;

/** The quantity that a handle measures, and how many numbers it takes; the arcball takes none. */
export function measureOf(handle: string): { measure: Quantity; count: 0 | 1 | 2 } {
  if (handle === "rb") return { measure: "angle", count: 0 };
  const kind = handle[0];
  if (kind === "t")
    return { measure: "length", count: handle.length === 3 || handle === "tv" ? 2 : 1 };
  return { measure: kind === "r" ? "angle" : "factor", count: 1 };
}

/**
 * The typed text as `grab.value` takes it: metres, radians or factors. Null if it is not a number
 * yet. A comma separates two numbers; the second may be missing and is then 0. If the handle takes
 * one number, a comma is a decimal point.
 */
export function valueOf(text: string, handle: string): number[] | null {
  const { measure, count } = measureOf(handle);
  const parts = (count === 1 ? [text.replace(",", ".")] : text.split(",")).map((part) =>
    numberOf(part, measure),
  );
  if (count === 0 || parts.length > count || parts.some((part) => part === null)) return null;
  while (parts.length < count) parts.push(0);
  return parts as number[];
}

function numberOf(text: string, measure: Quantity): number | null {
  const [, digits, unit] = NUMBER.exec(text.trim()) ?? [];
  const size =
    unit === undefined ? undefined : unitSize(measure, unit.toLowerCase() || BARE_UNIT[measure]);
  return size === undefined ? null : inBase(Number(digits), size);
}

/**
 * Whether a key continues the typed text. A number begins with a digit, a sign or a point; letters
 * belong to a unit, so they come after a digit.
 */
export function isTyped(key: string, before: string): boolean {
  if (/^[\d.+-]$/.test(key)) return true;
  return before !== "" && /^[a-zµ°%'", ]$/i.test(key);
}
