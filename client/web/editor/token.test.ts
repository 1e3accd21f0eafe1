// What is read of a token, and where it is found in what a person pastes.
import assert from "node:assert/strict";
import { test } from "node:test";

import { claimsOf, isGuestBelow, mayMakeScenes, tokenIn } from "./token";

const tokenOf = (claims: object): string =>
  `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`;

test("token_of_a_person_has_a_name_and_that_of_a_guest_has_none", () => {
  assert.deepEqual(claimsOf(tokenOf({ sub: "ada@example.com", name: "Ada", role: "admin" })), {
    name: "Ada",
    role: "admin",
    scenes: ["*"],
  });
  assert.deepEqual(claimsOf(tokenOf({ sub: "ada@example.com" })), {
    name: "ada@example.com",
    role: null,
    scenes: ["*"],
  });
  assert.deepEqual(claimsOf(tokenOf({ guest: true, name: "Ada", role: "viewer" })), {
    name: null,
    role: "viewer",
    scenes: ["*"],
  });
  assert.equal(claimsOf(undefined), null);
});

test("token_of_a_guest_says_what_the_guest_may_and_that_of_others_does_not", () => {
  const guest = claimsOf(tokenOf({ guest: true, role: "editor", scenes: ["arm"] }));
  assert.deepEqual([isGuestBelow(guest, "editor"), isGuestBelow(guest, "admin")], [false, true]);
  assert.equal(mayMakeScenes(guest), false);
  const wide = { guest: true, scenes: ["team-*"] };
  assert.equal(mayMakeScenes(claimsOf(tokenOf({ ...wide, role: "editor" }))), true);
  assert.equal(mayMakeScenes(claimsOf(tokenOf({ ...wide, role: "viewer" }))), false);
  for (const other of [null, claimsOf(tokenOf({ sub: "ada", role: "viewer", scenes: ["arm"] }))]) {
    assert.equal(isGuestBelow(other, "editor"), false);
    assert.equal(mayMakeScenes(other), true);
  }
});

test("token_is_found_in_a_link_or_stands_alone", () => {
  const token = tokenOf({ guest: true });
  assert.equal(tokenIn(`https://host/gizmo/?scene=arm#token=${token}`), token);
  assert.equal(tokenIn(`  ${token}\n`), token);
  for (const other of ["", "https://host/?scene=arm", "https://host/#token=abc", "hello"])
    assert.equal(tokenIn(other), null, other);
});
