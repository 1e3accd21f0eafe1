// nodeusers.ts - which nodes other people have selected or hold. Presence arrives 20 times a
// second, mostly with pointers; the result changes only when selections or locks do.
import { type ReadonlySignal, computed } from "@preact/signals";

import type { Id, Person } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { sameMarks } from "../people/samemarks";

export interface NodeUser {
  name: string;
  colour: string;
  holds: boolean;
}

/** The people of each node, those who hold it first. */
export function nodeUsers(editor: Editor): ReadonlySignal<ReadonlyMap<Id, readonly NodeUser[]>> {
  let before: readonly Person[] = [];
  let users: ReadonlyMap<Id, readonly NodeUser[]> = new Map();
  return computed(() => {
    const others = editor.people.value.filter((person) => !person.me);
    if (!sameMarks(before, others)) users = collect(others, editor.names.peek());
    before = others;
    return users;
  });
}

function collect(
  others: readonly Person[],
  names: ReadonlyMap<number, string>,
): Map<Id, NodeUser[]> {
  const users = new Map<Id, NodeUser[]>();
  for (const { session, user, colour, locks = [], selection = [] } of others) {
    const held = new Set(locks);
    for (const id of new Set([...locks, ...selection])) {
      const list = users.get(id) ?? [];
      const person = { name: names.get(session) ?? user, colour, holds: held.has(id) };
      if (person.holds) list.unshift(person);
      else list.push(person);
      users.set(id, list);
    }
  }
  return users;
}
