// typedvalue.ts - numbers that are typed during a drag: "12", "-.5", "30mm", "1.5 m", "90", "0.5 rad", and two of them with a comma for planes. Pure.

import { BARE_UNIT, type Quantity, inBase, unitSize } from "../units";

const NUMBER = /^([+-]?(?:\d+\.?\d*|\.\d+))\s*([^\d\s]*)$/;

/** How far by this handle is counted, and by how many numbers; no number for the ball. */
export function measureOf(handle: string): { measure: Quantity; count: 0 | 1 | 2 } {
  if (handle === "rb") return { measure: "angle", count: 0 };
  const kind = handle[0];
  if (kind === "t")
    return { measure: "length", count: handle.length === 3 || handle === "tv" ? 2 : 1 };
  return { measure: kind === "r" ? "angle" : "factor", count: 1 };
}

/**
 * What was typed, as `grab.value` takes it: metres, radians, factors. Null where it is no number yet. A comma parts two numbers, and the second may be left out and
 * is 0 then; where there is but one number a comma is as good as a point.
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

/** Whether a key goes on with what was typed. A number begins with a digit, a sign or a point; letters are units, so they come behind one. */
export function isTyped(key: string, before: string): boolean {
  if (/^[\d.+-]$/.test(key)) return true;
  return before !== "" && /^[a-zµ°%'", ]$/i.test(key);
}
