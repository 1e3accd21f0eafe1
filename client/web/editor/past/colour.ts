// colour.ts - people's colours: of who is here the one that the server tells; of others the one that it gives to them where nobody else has it.
import type { Person } from "../../sdk/types.js";

/** As in server/session/join.c. */
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
