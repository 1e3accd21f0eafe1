// units.ts - the units of what people read and type: which there are, how large each is (in metres, in radians, as a
// factor), and lengths in words. Lengths are shown in metres everywhere, and a number without a unit is in metres,
// degrees or a plain factor: it means the same for everybody and in every scene. Pure.

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
export function inBare(value: number, quantity: Quantity): number {
  return quantity === "angle" ? (value * 180) / Math.PI : value;
}

/** Digits behind the point of a length: to a millimetre. */
const LENGTH_DIGITS = 3;
/** A length below a metre has so many digits that count. */
const DIGITS_THAT_COUNT = 3;
const DIGITS_MAX = 12;
/** Metres. What is smaller is what rounding left of a zero. */
const NOISE_M = 1e-9;

/** "12.5 m", "0.0125 m": what every label and read-out says of a length; a true minus sign. */
export function lengthText(metres: number): string {
  const size = Math.abs(metres);
  if (size < NOISE_M) return "0 m";
  const needed = DIGITS_THAT_COUNT - 1 - Math.floor(Math.log10(size));
  const text = metres.toFixed(Math.min(DIGITS_MAX, Math.max(LENGTH_DIGITS, needed)));
  return `${text.replace(/\.?0+$/, "").replace("-", "\u2212")} m`;
}
