// names.ts - what the sessions of a scene are called. Two of one user would look alike: the second one is "Ada (2)". Pure.
import type { Person } from "../../sdk/types.js";

/** By session. */
export type SessionNames = ReadonlyMap<number, string>;

const numbered = (user: string, number: number): string =>
  number === 1 ? user : `${user} (${number})`;

/**
 * Whoever stays keeps their name. Whoever comes gets the first that is free, in the order of their coming: so a tab that
 * comes back has the name that it had, and the other tabs keep theirs.
 * @param before what this function said last @returns `before` itself if nobody came or left
 */
export function sessionNames(people: readonly Person[], before: SessionNames): SessionNames {
  if (people.length === before.size && people.every(({ session }) => before.has(session)))
    return before;
  const names = new Map(
    people.flatMap(({ session }) =>
      before.has(session) ? [[session, before.get(session) as string]] : [],
    ),
  );
  const taken = new Set(names.values());
  for (const { session, user } of [...people].sort((a, b) => a.session - b.session)) {
    if (names.has(session)) continue;
    let number = 1;
    while (taken.has(numbered(user, number))) number++;
    taken.add(numbered(user, number));
    names.set(session, numbered(user, number));
  }
  return names;
}
