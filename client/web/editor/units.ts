// units.ts - the units of what people read and type: which there are, how large each is (in metres, in radians, as a
// factor), and which one lengths of a scene are shown in and, without a unit, typed in. Pure.

export type Quantity = "length" | "angle" | "factor";
/** What the lengths of a scene are shown in: one unit in every field, label and read-out of a page. */
export type LengthUnit = "mm" | "m" | "km";

const UNITS: Record<Quantity, Record<string, number>> = {
  length: { m: 1, dm: 0.1, cm: 1e-2, mm: 1e-3, um: 1e-6, µm: 1e-6, km: 1e3, in: 0.0254, '"': 0.0254, ft: 0.3048, "'": 0.3048 },
  angle: { "°": Math.PI / 180, deg: Math.PI / 180, rad: 1, turn: 2 * Math.PI },
  factor: { "×": 1, x: 1, "%": 1e-2 },
};

/** A scene below this size is shown in millimetres, and one from that size on in kilometres: numbers stay short. Metres. */
const SMALL_M = 0.5;
const LARGE_M = 1e5;

/** @param size the longest side of the scene's bounds, in metres; 0 for an empty scene */
export function lengthUnitOf(size: number): LengthUnit {
  if (size > 0 && size < SMALL_M) return "mm";
  return size >= LARGE_M ? "km" : "m";
}

/** The unit of a number without one: "mm", "m" or "km", "°", "×". */
export function bareUnit(quantity: Quantity, lengths: LengthUnit): string {
  return quantity === "length" ? lengths : quantity === "angle" ? "°" : "×";
}

/** How large a unit is, by its name in small letters; undefined for a name that is none of this quantity. */
export function unitSize(quantity: Quantity, name: string): number | undefined {
  return Object.hasOwn(UNITS[quantity], name) ? UNITS[quantity][name] : undefined;
}

/** So many of a unit, in metres, radians or as a factor. 570 mm is 0.57 m to the bit, which 570 * 0.001 is not. */
export function inBase(number: number, size: number): number {
  const parts = Math.round(1 / size);
  return parts > 1 && 1 / parts === size ? number / parts : number * size;
}

/** The other way: how many of the bare unit a value is. */
export function inBare(value: number, quantity: Quantity, lengths: LengthUnit): number {
  if (quantity === "angle") return (value * 180) / Math.PI;
  return value / UNITS[quantity][bareUnit(quantity, lengths)];
}
