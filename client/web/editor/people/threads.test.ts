// threads.test.ts - notes are grouped into threads, and read ones are remembered.
import assert from "node:assert/strict";
import { test } from "node:test";

import type { Note } from "../../sdk/types.js";
import { isUnread, passes, threadsOf, withSeen } from "./threads";

const note = (id: number, more: Partial<Note> = {}): Note => ({
  id,
  user: "Ada",
  text: "",
  made: 100 + id,
  changed: 100 + id,
  ...more,
});

test("threads_answers_to_answers_are_in_the_thread_of_the_first_note", () => {
  const [thread] = threadsOf([note(1), note(2, { reply: 1 }), note(3, { reply: 2 })]);
  assert.deepEqual(
    [thread.root.id, thread.replies.map(({ id }) => id), thread.latest],
    [1, [2, 3], 103],
  );
});

test("threads_the_thread_with_the_newest_words_is_first", () => {
  const threads = threadsOf([note(1), note(2), note(3, { reply: 1 })]);
  assert.deepEqual(
    threads.map(({ root }) => root.id),
    [1, 2],
  );
});

test("threads_answers_to_a_note_that_is_gone_stay_together_and_say_so", () => {
  const threads = threadsOf([note(2, { reply: 1 }), note(3, { reply: 1 }), note(4, { reply: 2 })]);
  assert.equal(threads.length, 1);
  assert.deepEqual(
    [threads[0].root.id, threads[0].replies.map(({ id }) => id), threads[0].beheaded],
    [2, [3, 4], true],
  );
});

test("threads_a_filter_goes_by_what_the_first_note_says", () => {
  const [done] = threadsOf([note(1, { done: true }), note(2, { reply: 1 })]);
  assert.deepEqual(
    (["open", "done", "all"] as const).map((filter) => passes(done, filter)),
    [false, true, true],
  );
});

test("threads_unread_is_what_others_said_after_one_looked", () => {
  const [thread] = threadsOf([note(1), note(2, { reply: 1, user: "Bob" })]);
  const cases: { base: number; user: string; seen: Record<number, number>; unread: boolean }[] = [
    { base: 0, user: "Ada", seen: {}, unread: true },
    { base: 0, user: "Bob", seen: { 1: 101 }, unread: false },
    { base: 102, user: "Ada", seen: {}, unread: false },
    { base: 0, user: "Ada", seen: { 1: 101 }, unread: true },
    { base: 0, user: "Ada", seen: { 1: 102 }, unread: false },
  ];
  for (const { base, user, seen, unread } of cases)
    assert.equal(isUnread(thread, { base, threads: seen }, user), unread);
});

test("threads_what_was_read_is_remembered_as_long_as_the_thread_is_there", () => {
  const threads = threadsOf([note(1), note(2)]);
  const seen = withSeen({ base: 5, threads: { 1: 101, 9: 109 } }, threads[0], threads);
  assert.deepEqual(seen, { base: 5, threads: { 1: 101, 2: 102 } });
});
