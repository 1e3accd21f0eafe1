// roster.test.ts - the description of what each person does.
import assert from "node:assert/strict";
import { test } from "node:test";

import type { Person } from "../../sdk/types.js";
import type { SessionNames } from "./names";
import { Activity, lostRows, roster, sameRows } from "./roster";

const person = (session: number, more: Partial<Person> = {}): Person => ({
  session,
  user: `p${session}`,
  colour: "#05893e",
  role: "editor",
  me: false,
  view: [],
  ...more,
});
const NAMES: SessionNames = new Map();
const nameOf = (id: number) => (id === 7 ? "piston" : "");
const doing = (one: Person) => roster([one], new Activity(), 0, NAMES, nameOf)[0].doing;

test("roster_a_row_says_what_a_person_does", () => {
  const cases: [Partial<Person>, string][] = [
    [{ locks: [7], tool: "translate", selection: [7] }, "moving piston"],
    [{ locks: [7, 8], tool: "rotate" }, "rotating 2 nodes"],
    [{ locks: [8], tool: "scale" }, "scaling node 8"],
    [{ selection: [7] }, "piston selected"],
    [{ selection: [], locks: [] }, "looking around"],
    [{ role: "viewer" }, "watching"],
    [{ view: undefined }, "here"],
  ];
  for (const [more, words] of cases) assert.equal(doing(person(1, more)), words);
});

test("roster_two_sessions_of_one_user_have_the_names_that_the_editor_gave_them", () => {
  const names = new Map([
    [2, "Ada"],
    [4, "Ada (2)"],
  ]);
  const rows = roster(
    [person(4, { user: "Ada" }), person(2, { user: "Ada" }), person(3, { user: "Bob" })],
    new Activity(),
    0,
    names,
    nameOf,
  );
  assert.deepEqual(
    rows.map(({ name }) => name),
    ["Ada (2)", "Ada", "Bob"],
  );
});

test("roster_oneself_is_first_the_others_in_the_order_of_their_coming", () => {
  const rows = roster(
    [person(1), person(2), person(3, { me: true })],
    new Activity(),
    0,
    NAMES,
    nameOf,
  );
  assert.deepEqual(
    rows.map(({ session }) => session),
    [3, 1, 2],
  );
});

test("roster_without_news_a_person_is_away_after_a_while_and_back_with_the_next", () => {
  const activity = new Activity();
  const still = person(1);
  activity.update([still], 0);
  activity.update([still], 5 * 60_000);
  assert.equal(roster([still], activity, 5 * 60_000, NAMES, nameOf)[0].doing, "away for 5 min");
  activity.update([{ ...still }], 5 * 60_000);
  assert.equal(roster([still], activity, 5 * 60_000, NAMES, nameOf)[0].idle, false);
});

test("roster_rows_are_the_same_as_long_as_their_words_are_wherever_the_pointers_go", () => {
  const rows = (more: Partial<Person>) =>
    roster([person(1, more)], new Activity(), 0, NAMES, nameOf);
  assert.ok(sameRows(rows({ at: [1, 2] }), rows({ at: [3, 4] })));
  assert.ok(!sameRows(rows({ selection: [7] }), rows({ selection: [8] })));
});

test("roster_nobody_is_said_to_do_anything_while_the_connection_is_lost", () => {
  const rows = lostRows(
    roster(
      [person(1, { me: true, locks: [7], tool: "translate" }), person(2, { view: [] })],
      new Activity(),
      0,
      NAMES,
      nameOf,
    ),
  );
  assert.deepEqual(
    rows.map(({ doing, looks }) => [doing, looks]),
    [
      ["offline", false],
      ["here when the connection was lost", false],
    ],
  );
});
