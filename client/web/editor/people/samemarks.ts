// samemarks.ts - whether people still have selected and hold the same nodes. Presence arrives
// often, mostly with pointers, which change nothing of that. Pure.
import type { Id, Person } from "../../sdk/types.js";

export function sameMarks(a: readonly Person[], b: readonly Person[]): boolean {
  return a.length === b.length && a.every((person, i) => same(person, b[i]));
}

function same(a: Person, b: Person): boolean {
  return (
    a.session === b.session &&
    a.colour === b.colour &&
    sameIds(a.selection, b.selection) &&
    sameIds(a.locks, b.locks)
  );
}

function sameIds(a: readonly Id[] = [], b: readonly Id[] = []): boolean {
  return a === b || (a.length === b.length && a.every((id, i) => id === b[i]));
}
