// What the sessions of one user are called as tabs come, leave and come back.
import assert from "node:assert/strict";
import { test } from "node:test";

import type { Person } from "../../sdk/types.js";
import { type SessionNames, sessionNames } from "./names";

/** What the same people are called as these lists follow each other. */
function namesAfter(...lists: Person[][]) {
  let [names, were]: [SessionNames, Person[]] = [new Map(), []];
  for (const people of lists) [names, were] = [sessionNames(people, names, were), people];
  return names;
}

const person = (session: number, user = "Ada"): Person => ({
  session,
  user,
  colour: "#05893e",
  role: "editor",
  me: false,
});

test("names_of_one_user_are_numbered_in_the_order_of_their_coming", () => {
  const names = namesAfter([person(4), person(2), person(3, "Bob")]);
  assert.deepEqual(
    [2, 3, 4].map((session) => names.get(session)),
    ["Ada", "Bob", "Ada (2)"],
  );
});

test("names_stay_as_a_tab_reconnects_under_a_new_session", () => {
  const lists = [[person(1), person(2)], [person(2)]];
  assert.deepEqual([...namesAfter(...lists)], [[2, "Ada (2)"]]);
  const again = namesAfter(...lists, [person(2), person(3)]);
  assert.deepEqual([again.get(2), again.get(3)], ["Ada (2)", "Ada"]);
});

test("names_of_somebody_who_is_called_like_a_numbered_one_are_told_apart", () => {
  const names = namesAfter([person(1, "Ada (2)"), person(2), person(3)]);
  assert.deepEqual([...names.values()], ["Ada (2)", "Ada", "Ada (3)"]);
});

test("names_are_those_that_tokens_say", () => {
  const ada = { ...person(1, "ada@example.com"), name: "Ada" };
  const names = namesAfter([ada, person(2)]);
  assert.deepEqual([...names.values()], ["Ada (ada@example.com)", "Ada"]);
});

test("names_that_two_people_share_show_the_user", () => {
  const ada = { ...person(1, "ada@example.com"), name: "Ada" };
  const other = { ...person(2, "eve@example.com"), name: "\uff21da" };
  const names = namesAfter([ada, other]);
  assert.deepEqual([...names.values()], ["Ada (ada@example.com)", "\uff21da (eve@example.com)"]);
});

test("names_are_the_same_object_as_long_as_nobody_comes_or_leaves", () => {
  const people = [person(1), person(2)];
  const names = sessionNames(people, new Map(), []);
  assert.equal(sessionNames([person(2), person(1)], names, people), names);
});

test("names_go_with_the_user_where_a_server_numbers_its_sessions_anew", () => {
  const before = [person(1), person(2, "Bob"), person(3, "Cleo")];
  const after = [person(1, "Bob"), person(2, "Cleo"), person(3)];
  assert.deepEqual(
    [...namesAfter(before, after)],
    [
      [1, "Bob"],
      [2, "Cleo"],
      [3, "Ada"],
    ],
  );
  const renamed = namesAfter(
    [{ ...person(1, "g-1"), name: "Ada" }],
    [{ ...person(1, "g-1"), name: "Eve" }],
  );
  assert.equal(renamed.get(1), "Eve", "and with the name that a token says");
});
