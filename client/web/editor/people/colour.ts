// colour.ts - a person's colour: which one it is, which ink is legible on it, and the initials of a
// name that are written on it. Pure.
import type { Person } from "../../sdk/types.js";

/** The palette of server/core/people.c. */
export const COLOURS = [
  "#ec0528",
  "#b75e03",
  "#967002",
  "#6b7e02",
  "#05893e",
  "#028575",
  "#038297",
  "#077bc2",
  "#5b62ff",
  "#a835ff",
  "#d203cc",
  "#e5027a",
];

export function colourOf(user: string, people: readonly Person[] = []): string {
  const here = people.find((person) => person.user === user);
  if (here) return here.colour;
  let hash = 2166136261;
  for (const byte of new TextEncoder().encode(user)) hash = Math.imul(hash ^ byte, 16777619) >>> 0;
  return COLOURS[hash % COLOURS.length];
}

/** The contrast that WCAG requires for small text. */
const CONTRAST = 4.5;

/** White if it is legible on `colour` (#rrggbb), which is so for the whole palette; else black. */
export function inkOn(colour: string): string {
  return 1.05 / (luminance(colour) + 0.05) >= CONTRAST ? "#ffffff" : "#000000";
}

/**
 * At most two letters of a name, for a round mark; of a numbered one, "Ada (2)", a letter and the
 * number.
 */
export function initials(user: string): string {
  const words = user.split(/[\s._@()-]+/).filter((word) => word !== "");
  const letters =
    words.length > 1
      ? [words[0], words[words.length - 1]].map(
          (word) => /^\d{1,2}/.exec(word)?.[0] ?? [...word][0],
        )
      : [...(words[0] ?? "?")].slice(0, 1);
  return letters.join("").toUpperCase();
}

/** The relative luminance as WCAG defines it: 0 for black, 1 for white. */
function luminance(colour: string): number {
  const parts = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
  const [red, green, blue] = parts.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
