// The golden vectors by this codec: what the server reads and writes is what a JavaScript client
// writes and reads.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { SUBPROTOCOL, decode, encode } from "./codec.js";

const file = new URL("../../../proto/vectors/vectors.json", import.meta.url);
const { vectors } = JSON.parse(readFileSync(file, "utf8"));
const canonical = vectors.filter((vector) => vector.canonical);
const bytesOf = (vector) => new Uint8Array(Buffer.from(vector.bytes, "hex"));

test("codec_there_are_vectors_of_both_sides", () => {
  assert.ok(canonical.some((vector) => vector.side === "client"));
  assert.ok(canonical.some((vector) => vector.side === "server"));
});

for (const vector of canonical) {
  test(`codec_reads_${vector.side}_${vector.name}`, () => {
    assert.deepStrictEqual(decode(bytesOf(vector)), vector.expect);
  });
  test(`codec_writes_${vector.side}_${vector.name}`, () => {
    // Whole floats become integers here, which the wire allows, so the bytes can be fewer; the
    // meaning is the same.
    const frame = encode(...vector.expect);
    assert.ok(frame.length <= vector.bytes.length / 2);
    assert.deepStrictEqual(decode(frame), vector.expect);
  });
}

test("codec_writes_no_undefined_fields", () => {
  assert.deepStrictEqual(decode(encode({ op: "ping", rid: undefined })), [{ op: "ping" }]);
});

test("codec_writes_the_bytes_of_the_protocol_where_nothing_is_a_float", () => {
  for (const name of [
    "hello_full",
    "select_set",
    "undo",
    "restore",
    "saved",
    "ok_edit",
    "error_full",
  ]) {
    const vector = canonical.find((candidate) => candidate.name === name);
    assert.equal(Buffer.from(encode(...vector.expect)).toString("hex"), vector.bytes);
  }
});

test("codec_reads_an_array_buffer", () => {
  assert.deepStrictEqual(decode(encode({ op: "ping" }).slice().buffer), [{ op: "ping" }]);
});

test("codec_keeps_the_largest_id", () => {
  assert.deepStrictEqual(decode(encode({ op: "saved", seq: 2 ** 53 - 1 })), [
    { op: "saved", seq: 2 ** 53 - 1 },
  ]);
});

for (const [name, hex] of [
  ["a_cut_frame", "82a26f70"],
  ["a_list", "9101"],
  ["no_op", "80"],
  ["noise", "c1"],
]) {
  test(`codec_throws_on_${name}`, () =>
    assert.throws(() => decode(new Uint8Array(Buffer.from(hex, "hex")))));
}

// What the published protocol shows as bytes is what is tested.
test("codec_readme_examples_are_vectors", () => {
  const readme = readFileSync(new URL("../../../proto/README.md", import.meta.url), "utf8");
  const blocks = [...readme.matchAll(/^```wire\n(.*?)^```$/gms)].map(([, block]) =>
    block.replace(/^((?:[0-9a-f]{2} ?)+).*$/gm, "$1").replace(/\s/g, ""),
  );
  const bytes = (name) => vectors.find((vector) => vector.name === name).bytes;
  assert.deepStrictEqual(blocks, [bytes("readme_client"), bytes("readme_server")]);
});

test("codec_names_the_subprotocol", () => assert.equal(SUBPROTOCOL, "gizmod.v1"));
