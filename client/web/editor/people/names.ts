// names.ts - the display names of sessions. The second session of one user is called "Ada (2)".
// Pure.
import type { Person } from "../../sdk/types.js";

/** The names by session. */
export type SessionNames = ReadonlyMap<number, string>;

/** As people see it: in one form, in small letters. */
const seen = (text: string): string => text.normalize("NFKC").toLowerCase();

/** The name of a person; with the user behind it if it is the name or the user of somebody else. */
function nameAmong({ user, name = user }: Person, people: readonly Person[]): string {
  const isOfOther = people.some(
    (other) =>
      other.user !== user && [other.user, other.name ?? ""].some((one) => seen(one) === seen(name)),
  );
  return isOfOther && name !== user ? `${name} (${user})` : name;
}

const numbered = (user: string, number: number): string =>
  number === 1 ? user : `${user} (${number})`;

/**
 * A session that stays keeps its name. A new session gets the first free name, in the order of
 * joining: a tab that reconnects gets its name back, and the other tabs keep theirs. A server that
 * was started anew numbers its sessions anew: a number of another user is another session.
 * @param before the previous result, which was for the people `were`
 * @returns `before` itself if nobody joined or left
 */
export function sessionNames(
  people: readonly Person[],
  before: SessionNames,
  were: readonly Person[],
): SessionNames {
  const known = new Map(were.map((person) => [person.session, person]));
  const stays = (person: Person): boolean =>
    before.has(person.session) && isSamePerson(person, known.get(person.session));
  if (people.length === before.size && people.every(stays)) return before;
  const names = new Map(
    people
      .filter(stays)
      .map(({ session }): [number, string] => [session, before.get(session) as string]),
  );
  const taken = new Set(names.values());
  for (const person of [...people].sort((a, b) => a.session - b.session)) {
    const { session } = person;
    const name = nameAmong(person, people);
    if (names.has(session)) continue;
    let number = 1;
    while (taken.has(numbered(name, number))) number++;
    taken.add(numbered(name, number));
    names.set(session, numbered(name, number));
  }
  return names;
}

/** Whether this session is of the same person as one of the same number was before. */
export function isSamePerson({ user, name }: Person, before: Person | undefined): boolean {
  return before !== undefined && user === before.user && name === before.name;
}
