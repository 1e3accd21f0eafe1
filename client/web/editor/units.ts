// units.ts - the units that people read and type: which ones there are, their sizes (in metres,
// radians, or as a factor), and the text of lengths. Lengths are always shown in metres, and a
// number without a unit is in metres, degrees or a plain factor, so that it means the same for
// everybody and in every scene. Pure.

export type Quantity = "length" | "angle" | "factor";

const UNITS: Record<Quantity, Record<string, number>> = {
  length: {
    m: 1,
    dm: 0.1,
    cm: 1e-2,
    mm: 1e-3,
    um: 1e-6,
    µm: 1e-6,
    km: 1e3,
    in: 0.0254,
    '"': 0.0254,
    ft: 0.3048,
    "'": 0.3048,
  },
  angle: { "°": Math.PI / 180, deg: Math.PI / 180, rad: 1, turn: 2 * Math.PI },
  factor: { "×": 1, x: 1, "%": 1e-2 },
};

/** The unit of a number without one. */
export const BARE_UNIT: Record<Quantity, string> = { length: "m", angle: "°", factor: "×" };

/** The size of a unit, by its lower-case name; undefined if the quantity has no such unit. */
export function unitSize(quantity: Quantity, name: string): number | undefined {
  return Object.hasOwn(UNITS[quantity], name) ? UNITS[quantity][name] : undefined;
}

/**
 * Converts a number of a unit to metres, radians or a factor. 570 mm is exactly 0.57 m, which 570 *
 * 0.001 is not.
 */
export function inBase(number: number, size: number): number {
  const parts = Math.round(1 / size);
  return parts > 1 && 1 / parts === size ? number / parts : number * size;
}

/** Converts a value to the unit of a number without one. */
export function inBare(value: number, quantity: Quantity): number {
  return quantity === "angle" ? (value * 180) / Math.PI : value;
}

/** The least number of decimals of a length: millimetres. */
const LENGTH_DIGITS = 3;
/** The least number of significant digits of a length below a metre. */
const DIGITS_THAT_COUNT = 3;
const DIGITS_MAX = 12;
/** Metres. A smaller length is the rounding noise of a zero. */
const NOISE_M = 1e-9;

/**
 * "12.5 m", "0.0125 m": the text of a length in every label and read-out, with a true minus sign.
 */
export function lengthText(metres: number): string {
  const size = Math.abs(metres);
  if (size < NOISE_M) return "0 m";
  const needed = DIGITS_THAT_COUNT - 1 - Math.floor(Math.log10(size));
  const text = metres.toFixed(Math.min(DIGITS_MAX, Math.max(LENGTH_DIGITS, needed)));
  return `${text.replace(/\.?0+$/, "").replace("-", "\u2212")} m`;
}
