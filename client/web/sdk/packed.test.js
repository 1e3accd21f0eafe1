// The packed form: each sequence of frames in proto/vectors/packed.json stands for the messages
// that are listed beside it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { decode } from "./codec.js";
import { PackedReader } from "./packed.js";

const fileOf = (name) =>
  JSON.parse(readFileSync(new URL(`../../../proto/vectors/${name}.json`, import.meta.url), "utf8"));

/** What a quaternion in steps, a product of matrices and a unit vector lose. */
const TOLERANCE = 1e-12;

function assertSame(got, expected) {
  if (typeof expected === "number")
    return assert.ok(Math.abs(got - expected) <= TOLERANCE * (1 + Math.abs(expected)));
  if (typeof expected !== "object" || expected === null) return assert.equal(got, expected);
  assert.deepEqual(Object.keys(got).sort(), Object.keys(expected).sort());
  for (const key of Object.keys(expected)) assertSame(got[key], expected[key]);
}

for (const { name, frames, expect } of fileOf("packed").sequences) {
  test(`packed_${name}`, () => {
    const places = new Map();
    const reader = new PackedReader((id) => places.get(id));
    const messages = frames.flatMap((frame) => decode(new Uint8Array(Buffer.from(frame, "hex"))));
    assert.equal(messages.length, expect.length);
    messages.forEach((message, i) => {
      if (expect[i].op === "motion") return assert.equal(reader.read(message), null);
      if (expect[i].error) assert.throws(() => reader.read(message), TypeError);
      if (expect[i].error) return;
      const read = reader.read(message);
      assertSame(read, expect[i]);
      for (const { id, t, r } of read.nodes ?? [])
        places.set(id, { t: t ?? places.get(id).t, r: r ?? places.get(id).r });
      for (const id of read.gone ?? []) places.delete(id);
    });
  });
}

// Where only the types are wrong, the server's own decoder and this one agree.
for (const { name, bytes, expect, side } of fileOf("vectors").vectors) {
  if (side !== "server" || expect.length !== 1 || !/^(moves|person|packed)_/.test(name)) continue;
  if (expect[0].error !== "bad_message" && expect[0].error !== "unknown_op") continue;
  test(`packed_refuses_${name}`, () => {
    const reader = new PackedReader(() => ({ t: [0, 0, 0], r: [0, 0, 0, 1] }));
    reader.read({ op: "delta", from: 0, seq: 9, time: 0, saved: 0, nodes: [] });
    assert.throws(() =>
      decode(new Uint8Array(Buffer.from(bytes, "hex"))).forEach((message) => reader.read(message)),
    );
  });
}
