// What the sessions of one user are called as tabs come, leave and come back.
import assert from "node:assert/strict";
import { test } from "node:test";

import type { Person } from "../../sdk/types.js";
import { sessionNames } from "./names";

const person = (session: number, user = "Ada"): Person => ({
  session,
  user,
  colour: "#05893e",
  role: "editor",
  me: false,
});

test("names_of_one_user_are_numbered_in_the_order_of_their_coming", () => {
  const names = sessionNames([person(4), person(2), person(3, "Bob")], new Map());
  assert.deepEqual(
    [2, 3, 4].map((session) => names.get(session)),
    ["Ada", "Bob", "Ada (2)"],
  );
});

test("names_stay_as_a_tab_reconnects_under_a_new_session", () => {
  const both = sessionNames([person(1), person(2)], new Map());
  const one = sessionNames([person(2)], both);
  assert.deepEqual([...one], [[2, "Ada (2)"]]);
  const again = sessionNames([person(2), person(3)], one);
  assert.deepEqual([again.get(2), again.get(3)], ["Ada (2)", "Ada"]);
});

test("names_of_somebody_who_is_called_like_a_numbered_one_are_told_apart", () => {
  const names = sessionNames([person(1, "Ada (2)"), person(2), person(3)], new Map());
  assert.deepEqual([...names.values()], ["Ada (2)", "Ada", "Ada (3)"]);
});

test("names_are_those_that_tokens_say", () => {
  const ada = { ...person(1, "ada@example.com"), name: "Ada" };
  const names = sessionNames([ada, person(2)], new Map());
  assert.deepEqual([...names.values()], ["Ada", "Ada (2)"]);
});

test("names_are_the_same_object_as_long_as_nobody_comes_or_leaves", () => {
  const names = sessionNames([person(1), person(2)], new Map());
  assert.equal(sessionNames([person(2), person(1)], names), names);
});
