// words.ts - how far a drag went, in words: metres and millimetres, degrees, factors. Pure.
import { measureOf } from "./typed";

const DEGREES = 180 / Math.PI;

/** Digits enough to see a step, and no noise behind them; a true minus sign. */
function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "\u2212");
}

/** A length in the unit that reads best. */
export function lengthWords(metres: number): string {
  const size = Math.abs(metres);
  if (size >= 1000) return `${fixed(metres / 1000, 3)} km`;
  if (size >= 1) return `${fixed(metres, 3)} m`;
  if (size >= 1e-3 || size === 0) return `${fixed(metres * 1e3, 1)} mm`;
  return size < 1e-9 ? "0.0 mm" : `${fixed(metres * 1e6, 1)} \u00b5m`;
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
export function dragWords(handle: string, value: readonly number[]): string {
  const { measure } = measureOf(handle);
  const axes = axesWords(handle);
  const words = { length: lengthWords, angle: angleWords, factor: factorWords }[measure];
  if (measure === "factor") return [axes.join(""), words(value[0])].filter(Boolean).join(" ");
  return value.map((number, i) => [axes[i], words(number)].filter(Boolean).join(" ")).join("   ");
}
