// words.ts - how far a drag went, in words: lengths in the unit of the scene, degrees, factors. Pure.
import { type LengthUnit, inBare } from "../units";
import { measureOf } from "./typed";

const DEGREES = 180 / Math.PI;

/** Digits enough to see a step, and no noise behind them; a true minus sign. */
function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "\u2212");
}

/** Digits behind the point: to a millimetre, of millimetres to a tenth of one. */
const DIGITS: Record<LengthUnit, number> = { mm: 1, m: 3, km: 3 };
const DIGITS_MAX = 12;
/** Of a length that is smaller than that so many digits are seen all the same. */
const DIGITS_THAT_COUNT = 3;
const NOISE_M = 1e-9;

/** A length in the unit of the scene, so that a read-out and a field say the same. */
export function lengthWords(metres: number, unit: LengthUnit): string {
  const number = Math.abs(metres) < NOISE_M ? 0 : inBare(metres, "length", unit);
  const needed = number === 0 ? 0 : DIGITS_THAT_COUNT - 1 - Math.floor(Math.log10(Math.abs(number)));
  return `${fixed(number, Math.min(DIGITS_MAX, Math.max(DIGITS[unit], needed)))} ${unit}`;
}

export const angleWords = (radians: number): string => `${fixed(radians * DEGREES, 1)}\u00b0`;

const factorWords = (factor: number): string => `\u00d7 ${fixed(factor, 3)}`;

/** The axes that the numbers of a handle count along: "X", or "X" and "Y", or none. */
export function axesWords(handle: string): string[] {
  if (handle === "tv") return ["Right", "Up"];
  if (handle === "rv") return ["View"];
  if (handle[0] === "b") return [];
  return [...handle.slice(1)].filter((letter) => "xyz".includes(letter)).map((letter) => letter.toUpperCase());
}

/** What stands beside the pointer while a handle is dragged. */
export function dragWords(handle: string, value: readonly number[], unit: LengthUnit): string {
  const { measure } = measureOf(handle);
  const axes = axesWords(handle);
  const words = { length: (metres: number) => lengthWords(metres, unit), angle: angleWords, factor: factorWords }[measure];
  if (measure === "factor") return [axes.join(""), words(value[0])].filter(Boolean).join(" ");
  return value.map((number, i) => [axes[i], words(number)].filter(Boolean).join(" ")).join("   ");
}
