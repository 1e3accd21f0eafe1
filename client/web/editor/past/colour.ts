// colour.ts - the colours of people who are not here: the server tells only those of people who are, and gives the same person the same one each time.
import type { Person } from "../../sdk/types.js";

/** As in server/session/join.c. */
export const COLOURS = ["#ec0528", "#b75e03", "#967002", "#6b7e02", "#05893e", "#028575", "#038297", "#077bc2", "#5b62ff", "#a835ff", "#d203cc", "#e5027a"];

export function colourOf(user: string, people: readonly Person[] = []): string {
  const here = people.find((person) => person.user === user);
  if (here) return here.colour;
  let hash = 2166136261;
  for (const byte of new TextEncoder().encode(user)) hash = Math.imul(hash ^ byte, 16777619) >>> 0;
  return COLOURS[hash % COLOURS.length];
}
