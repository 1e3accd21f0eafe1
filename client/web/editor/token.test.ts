// What is read of a token, and where it is found in what a person pastes.
import assert from "node:assert/strict";
import { test } from "node:test";

import { claimsOf, tokenIn } from "./token";

const tokenOf = (claims: object): string =>
  `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2ln`;

test("token_of_a_person_has_a_name_and_that_of_a_guest_has_none", () => {
  assert.deepEqual(claimsOf(tokenOf({ sub: "ada@example.com", name: "Ada", role: "admin" })), {
    name: "Ada",
    role: "admin",
  });
  assert.deepEqual(claimsOf(tokenOf({ sub: "ada@example.com" })), {
    name: "ada@example.com",
    role: null,
  });
  assert.deepEqual(claimsOf(tokenOf({ guest: true, name: "Ada", role: "viewer" })), {
    name: null,
    role: "viewer",
  });
  assert.equal(claimsOf(undefined), null);
});

test("token_is_found_in_a_link_or_stands_alone", () => {
  const token = tokenOf({ guest: true });
  assert.equal(tokenIn(`https://host/gizmo/?scene=arm#token=${token}`), token);
  assert.equal(tokenIn(`  ${token}\n`), token);
  for (const other of ["", "https://host/?scene=arm", "https://host/#token=abc", "hello"])
    assert.equal(tokenIn(other), null, other);
});
