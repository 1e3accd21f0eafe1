// marks.ts - which nodes others have selected or hold. Presence comes 20 times a second, mostly about pointers: this changes only when selections or locks do.
import { type ReadonlySignal, computed } from "@preact/signals";

import type { Id, Person } from "../../sdk/types.js";
import type { Editor } from "../editor";

export interface Mark {
  user: string;
  colour: string;
  held: boolean;
}

/** The marks of each node that has some, those that hold first. */
export function followMarks(editor: Editor): ReadonlySignal<ReadonlyMap<Id, readonly Mark[]>> {
  let before: readonly Person[] = [];
  let marks: ReadonlyMap<Id, readonly Mark[]> = new Map();
  return computed(() => {
    const others = editor.people.value.filter((person) => !person.me);
    if (!sameMarks(before, others)) marks = collect(others, editor.names.peek());
    before = others;
    return marks;
  });
}

function collect(others: readonly Person[], names: ReadonlyMap<number, string>): Map<Id, Mark[]> {
  const marks = new Map<Id, Mark[]>();
  for (const { session, user, colour, locks = [], selection = [] } of others) {
    const held = new Set(locks);
    for (const id of new Set([...locks, ...selection])) {
      const list = marks.get(id) ?? [];
      const mark = { user: names.get(session) ?? user, colour, held: held.has(id) };
      if (mark.held) list.unshift(mark);
      else list.push(mark);
      marks.set(id, list);
    }
  }
  return marks;
}

function sameMarks(a: readonly Person[], b: readonly Person[]): boolean {
  return (
    a.length === b.length &&
    a.every(
      (person, i) =>
        person.session === b[i].session &&
        sameIds(person.selection, b[i].selection) &&
        sameIds(person.locks, b[i].locks),
    )
  );
}

function sameIds(a: readonly Id[] = [], b: readonly Id[] = []): boolean {
  return a === b || (a.length === b.length && a.every((id, i) => id === b[i]));
}
