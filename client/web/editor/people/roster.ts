// roster.ts - describes the people here and their actions. Presence arrives 20 times a second; a
// row changes only if its text does. Pure.
import type { Id, Mode, Person, Role } from "../../sdk/types.js";
import type { SessionNames } from "./names";

export interface Row {
  session: number;
  user: string;
  /** The display name of the session. */
  name: string;
  colour: string;
  role: Role;
  me: boolean;
  doing: string;
  /** The person has a view that can be followed. */
  looks: boolean;
  /** The person has not done anything for a while. */
  idle: boolean;
}

const IDLE_MS = 2 * 60_000;

const HOLDING: Record<Mode, string> = {
  none: "holding",
  translate: "moving",
  rotate: "rotating",
  scale: "scaling",
  bounds: "resizing",
  universal: "moving",
  arcball: "rotating",
  orbit: "holding",
};

/** Remembers when each person last did something. Times are in milliseconds. */
export class Activity {
  #last = new Map<number, { person: Person; at: number }>();

  /** The presence of a person is a new object whenever something in it has changed. */
  update(people: readonly Person[], now: number): void {
    const last = new Map<number, { person: Person; at: number }>();
    for (const person of people) {
      const known = this.#last.get(person.session);
      last.set(person.session, known?.person === person ? known : { person, at: now });
    }
    this.#last = last;
  }

  /** How long a person has been idle; 0 if that is too short to mention. */
  idleMs(session: number, now: number): number {
    const idle = now - (this.#last.get(session)?.at ?? now);
    return idle >= IDLE_MS ? idle : 0;
  }
}

/** The person of this page first, then the others in the order of joining. */
export function roster(
  people: readonly Person[],
  activity: Activity,
  now: number,
  names: SessionNames,
  nameOf: (id: Id) => string | undefined,
): Row[] {
  const rows = people.map((person) => {
    const idleMs = activity.idleMs(person.session, now);
    const { session, user, colour, role, me } = person;
    return {
      session,
      user,
      name: names.get(session) ?? user,
      colour,
      role,
      me,
      doing: doing(person, idleMs, nameOf),
      looks: person.view !== undefined,
      idle: idleMs > 0,
    };
  });
  return [...rows.filter((row) => row.me), ...rows.filter((row) => !row.me)];
}

/** The rows while the connection is lost: the people who were here, without what they do now. */
export function lostRows(rows: readonly Row[]): Row[] {
  return rows.map((row) => ({
    ...row,
    doing: row.me ? "offline" : "here when the connection was lost",
    looks: false,
    idle: true,
  }));
}

export function sameRows(a: readonly Row[], b: readonly Row[]): boolean {
  return (
    a.length === b.length &&
    a.every((row, i) => (Object.keys(row) as (keyof Row)[]).every((key) => row[key] === b[i][key]))
  );
}

function doing(person: Person, idleMs: number, nameOf: (id: Id) => string | undefined): string {
  if (person.locks?.length)
    return `${HOLDING[person.tool ?? "none"]} ${these(person.locks, nameOf)}`;
  if (idleMs > 0) return `away for ${Math.floor(idleMs / 60_000)} min`;
  if (person.selection?.length) return `${these(person.selection, nameOf)} selected`;
  if (!person.view) return "here";
  return person.role === "viewer" ? "watching" : "looking around";
}

function these(ids: readonly Id[], nameOf: (id: Id) => string | undefined): string {
  return ids.length === 1 ? nameOf(ids[0]) || `node ${ids[0]}` : `${ids.length} nodes`;
}
