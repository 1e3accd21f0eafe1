// threads.ts - groups notes and their replies into threads, and tells which ones are unread. Times
// are Unix seconds of the server. Pure.
import type { Note } from "../../sdk/types.js";

export interface Thread {
  root: Note;
  /** In the order in which they were written. */
  replies: Note[];
  /** The first note was deleted: `root` is the earliest reply that is left. */
  beheaded: boolean;
  /** When the newest note was written. */
  latest: number;
}

export type Filter = "open" | "done" | "all";

/** What a person has read: all notes up to `base`, and those of some threads up to a later time. */
export interface Seen {
  base: number;
  threads: Record<number, number>;
}

/** The threads, the one with the newest note first. @param notes ascending by id */
export function threadsOf(notes: readonly Note[]): Thread[] {
  const tops = new Map<number, number>();
  const threads = new Map<number, Thread>();
  for (const note of notes) {
    const top = note.reply === undefined ? note.id : (tops.get(note.reply) ?? note.reply);
    tops.set(note.id, top);
    const thread = threads.get(top);
    if (!thread) {
      threads.set(top, { root: note, replies: [], beheaded: top !== note.id, latest: note.made });
      continue;
    }
    thread.replies.push(note);
    thread.latest = Math.max(thread.latest, note.made);
  }
  return [...threads.values()].sort((a, b) => b.latest - a.latest || b.root.id - a.root.id);
}

export function passes(thread: Thread, filter: Filter): boolean {
  return filter === "all" || (thread.root.done ?? false) === (filter === "done");
}

/** Whether another person wrote a note in it that `user` has not read. */
export function isUnread({ root, replies }: Thread, seen: Seen, user: string): boolean {
  const until = seen.threads[root.id] ?? seen.base;
  return [root, ...replies].some((note) => note.user !== user && note.made > until);
}

/** What is read after this thread was read; threads that do not exist any more are forgotten. */
export function withSeen(seen: Seen, thread: Thread, threads: readonly Thread[]): Seen {
  const kept = threads
    .filter(({ root }) => seen.threads[root.id] !== undefined)
    .map(({ root }) => [root.id, seen.threads[root.id]]);
  return {
    base: seen.base,
    threads: { ...Object.fromEntries(kept), [thread.root.id]: thread.latest },
  };
}
