// names.ts - what the sessions of a scene are called. Two of one user would look alike: the second one is "Ada (2)". Pure.
import type { Person } from "../../sdk/types.js";

/** By session; numbered in the order of their coming, which is the same for everybody. */
export function sessionNames(people: readonly Person[]): Map<number, string> {
  const names = new Map<number, string>();
  const counts = new Map<string, number>();
  for (const { session, user } of [...people].sort((a, b) => a.session - b.session)) {
    const count = (counts.get(user) ?? 0) + 1;
    counts.set(user, count);
    names.set(session, count === 1 ? user : `${user} (${count})`);
  }
  return names;
}
