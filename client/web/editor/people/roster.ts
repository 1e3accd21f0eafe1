// roster.ts - who is here and what they do, in words. Presence comes 20 times a second; a row changes only where its words do.
import type { Id, Mode, Person, Role } from "../../sdk/types.js";
import type { SessionNames } from "./names";

export interface Row {
  session: number;
  user: string;
  /** What this session of theirs is called. */
  name: string;
  colour: string;
  role: Role;
  me: boolean;
  doing: string;
  /** They look from somewhere: a view that can be followed. */
  looks: boolean;
  /** Nothing came from them for a while. */
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

  /** A record of presence is another object whenever something in it changed. */
  update(people: readonly Person[], now: number): void {
    const last = new Map<number, { person: Person; at: number }>();
    for (const person of people) {
      const known = this.#last.get(person.session);
      last.set(person.session, known?.person === person ? known : { person, at: now });
    }
    this.#last = last;
  }

  /** For how long nothing came, where that is long enough to speak of; else 0. */
  idleMs(session: number, now: number): number {
    const idle = now - (this.#last.get(session)?.at ?? now);
    return idle >= IDLE_MS ? idle : 0;
  }
}

/** Oneself first, then in the order of coming. */
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

/** Without a connection: who was here last. What they do now nobody knows, and oneself does nothing that they see. */
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
