// The golden vectors by this codec: what the server reads and writes is what a JavaScript client
// writes and reads.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Frames, SUBPROTOCOL, decode, encode } from "./codec.js";

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

/** What is sent of these frames. */
function flushed(frames) {
  const sent = [];
  frames.flush((frame) => sent.push(frame));
  return sent;
}

test("codec_pointers_that_move_are_messages_like_any_other", () => {
  const frames = new Frames();
  const places = [
    { at: [1, 2.5] },
    { at: [-3e9, 0.1], mods: [] },
    { at: [7, 8], mods: ["snap", "fine"] },
    { at: [9, 10], mods: ["snap", "fine"] },
    { at: [9, 10], mods: ["fine", "snap"] },
    { ray: [0, 0.25, 1e9, 0, 0, -1], mods: ["fine"] },
    { mods: ["fine"] },
    {},
  ];
  places.forEach((place, i) => frames.addMove(2 ** (4 * i), place, Infinity));
  const wanted = places.map((place, i) => ({
    op: "pointer",
    phase: "move",
    n: 2 ** (4 * i),
    ...place,
  }));
  assert.deepStrictEqual(flushed(frames).flatMap(decode), wanted);
  assert.deepStrictEqual(flushed(frames), [], "they are sent once");
});

test("codec_frames_are_as_few_as_their_largest_size_allows", () => {
  const frames = new Frames();
  const message = (n) => ({ op: "pick", rid: n, text: "x".repeat(40) });
  const { length } = encode(message(1));
  for (let n = 1; n <= 5; n++) assert.equal(frames.add(message(n), 2 * length), 0);
  assert.equal(frames.add({ op: "pick", text: "x".repeat(200) }, 2 * length), 216);
  const sent = flushed(frames);
  assert.deepStrictEqual(
    sent.map((frame) => frame.length / length),
    [2, 2, 1],
  );
  assert.deepStrictEqual(sent.flatMap(decode), [1, 2, 3, 4, 5].map(message));
});

test("codec_a_frame_that_waits_to_be_sent_is_not_written_again", () => {
  const frames = new Frames();
  const send = (n) => (frames.addMove(n, { at: [0, 0] }, Infinity), flushed(frames)[0]);
  const first = send(1);
  assert.equal(send(2), first, "the same memory");
  frames.renew();
  const third = send(3);
  assert.deepStrictEqual(
    [first, third].map((frame) => decode(frame)[0].n),
    [2, 3],
  );
});

for (const [name, hex] of [
  ["a_cut_frame", "82a26f70"],
  ["a_list", "91a26f70"],
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
