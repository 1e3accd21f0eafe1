// threads.ts - notes and what was answered to them, put together. Times are Unix seconds of the server.
import type { Note } from "../../sdk/types.js";

export interface Thread {
  root: Note;
  /** In the order of their making. */
  replies: Note[];
  /** What it began with is gone: `root` is the earliest answer that is left. */
  beheaded: boolean;
  /** When the last was made. */
  latest: number;
}

export type Filter = "open" | "done" | "all";

/** What somebody has read: all that was made up to `base`, and of some threads more. */
export interface Seen {
  base: number;
  threads: Record<number, number>;
}

/** Those with the newest words first. @param notes ascending by id */
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

/** Whether somebody else said something in it that `user` has not seen. */
export function isUnread({ root, replies }: Thread, seen: Seen, user: string): boolean {
  const until = seen.threads[root.id] ?? seen.base;
  return [root, ...replies].some((note) => note.user !== user && note.made > until);
}

/** What was seen after this thread was; those that are not there any more are forgotten. */
export function withSeen(seen: Seen, thread: Thread, threads: readonly Thread[]): Seen {
  const kept = threads
    .filter(({ root }) => seen.threads[root.id] !== undefined)
    .map(({ root }) => [root.id, seen.threads[root.id]]);
  return {
    base: seen.base,
    threads: { ...Object.fromEntries(kept), [thread.root.id]: thread.latest },
  };
}
