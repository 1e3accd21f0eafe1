// typed.ts - numbers that are typed during a drag: "12", "-.5", "30mm", "1.5 m", "90", "0.5 rad", and two of them with a comma for planes. Pure.

/** What the numbers of a handle count. */
export type Measure = "length" | "angle" | "factor";

const UNITS: Record<Measure, Record<string, number>> = {
  length: { "": 1, m: 1, mm: 1e-3, cm: 1e-2, um: 1e-6, µm: 1e-6, km: 1e3, in: 0.0254, '"': 0.0254, ft: 0.3048, "'": 0.3048 },
  angle: { "": Math.PI / 180, "°": Math.PI / 180, deg: Math.PI / 180, rad: 1, turn: 2 * Math.PI },
  factor: { "": 1, x: 1, "%": 1e-2 },
};

const NUMBER = /^([+-]?(?:\d+\.?\d*|\.\d+))\s*([^\d\s]*)$/;

/** How far by this handle is counted, and by how many numbers; no number for the ball. */
export function measureOf(handle: string): { measure: Measure; count: 0 | 1 | 2 } {
  if (handle === "rb") return { measure: "angle", count: 0 };
  const kind = handle[0];
  if (kind === "t") return { measure: "length", count: handle.length === 3 || handle === "tv" ? 2 : 1 };
  return { measure: kind === "r" ? "angle" : "factor", count: 1 };
}

/** What was typed, as `grab.value` takes it: metres, radians, factors. Null where it is no number yet; a second number that is not there is 0. */
export function valueOf(text: string, handle: string): number[] | null {
  const { measure, count } = measureOf(handle);
  const parts = text.split(",").map((part) => numberOf(part, measure));
  if (count === 0 || parts.length > count || parts.some((part) => part === null)) return null;
  while (parts.length < count) parts.push(0);
  return parts as number[];
}

function numberOf(text: string, measure: Measure): number | null {
  const [, digits, unit] = NUMBER.exec(text.trim()) ?? [];
  const scale = unit === undefined ? undefined : UNITS[measure][unit.toLowerCase()];
  return scale === undefined ? null : Number(digits) * scale;
}

/** Whether a key goes on with what was typed. A number begins with a digit, a sign or a point; letters are units, so they come behind one. */
export function isTyped(key: string, before: string): boolean {
  if (/^[\d.+-]$/.test(key)) return true;
  return before !== "" && /^[a-zµ°%'", ]$/i.test(key);
}
