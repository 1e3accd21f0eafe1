// dragtext.ts - the read-out of a drag in metres, degrees or factors. Pure.
import { lengthText } from "../units";
import { measureOf } from "./typedvalue";

const DEGREES = 180 / Math.PI;

/** Enough digits to see a step and no rounding noise, with a true minus sign. */
function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "\u2212");
}

export const angleText = (radians: number): string => `${fixed(radians * DEGREES, 1)}\u00b0`;

const factorText = (factor: number): string => `\u00d7 ${fixed(factor, 3)}`;

/** The axes that a handle's numbers belong to: "X", or "X" and "Y", or none. */
export function axesText(handle: string): string[] {
  if (handle === "tv") return ["Right", "Up"];
  if (handle === "rv") return ["View"];
  if (handle[0] === "b") return [];
  return [...handle.slice(1)]
    .filter((letter) => "xyz".includes(letter))
    .map((letter) => letter.toUpperCase());
}

/** The text beside the pointer while a handle is dragged. */
export function dragText(handle: string, value: readonly number[]): string {
  const { measure } = measureOf(handle);
  const axes = axesText(handle);
  const words = { length: lengthText, angle: angleText, factor: factorText }[measure];
  if (measure === "factor") return [axes.join(""), words(value[0])].filter(Boolean).join(" ");
  return value.map((number, i) => [axes[i], words(number)].filter(Boolean).join(" ")).join("   ");
}
