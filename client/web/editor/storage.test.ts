// storage.test.ts - values are kept and forgotten, and the page works if storage is blocked.
import assert from "node:assert/strict";
import { test } from "node:test";

import { keep, recall } from "./storage";

const blocked = () => {
  throw new Error("SecurityError: access is denied");
};

test("where storage is blocked nothing is kept, and nothing fails", () => {
  Object.defineProperty(globalThis, "localStorage", { get: blocked, configurable: true });
  keep("a", "1");
  assert.equal(recall("a"), null);
});

test("what is kept is recalled where it was kept, until it is forgotten", () => {
  for (const name of ["localStorage", "sessionStorage"])
    Object.defineProperty(globalThis, name, { value: fakeStorage(), configurable: true });
  keep("a", "1");
  keep("a", "2", "tab");
  assert.equal(recall("a"), "1");
  assert.equal(recall("a", "tab"), "2");
  keep("a", null);
  assert.equal(recall("a"), null);
});

function fakeStorage() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}
