// People who are not here have the colour that the server would give them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import type { Person } from "../../sdk/types.js";
import { COLOURS, colourOf, initials } from "./colour";

test("colour_list_is_the_server's", () => {
  const source = readFileSync("../../server/core/people.c", "utf8");
  const list = /colours\[\w+\] = \{([^}]*)\}/.exec(source)?.[1] ?? "";
  assert.deepEqual(
    [...list.matchAll(/0x([0-9A-F]{6})/g)].map(([, hex]) => `#${hex.toLowerCase()}`),
    COLOURS,
  );
});

test("colour_of_who_is_here_is_as_told", () => {
  const people: Person[] = [
    { session: 1, user: "Ada", colour: "#123456", role: "editor", me: true },
  ];
  assert.equal(colourOf("Ada", people), "#123456");
  assert.equal(colourOf("Bob", people), colourOf("Bob"));
});

test("initials_are_letters_and_the_number_of_a_further_tab", () => {
  const names = ["Ada", "Ada Lovelace", "ada.lovelace@example.com", "Ada (2)", "Ada (12)", "(", ""];
  assert.deepEqual(names.map(initials), ["A", "AL", "AC", "A2", "A12", "?", "?"]);
});
