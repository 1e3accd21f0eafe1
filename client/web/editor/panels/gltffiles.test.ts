// gltffiles.test.ts - which file is imported, what is embedded, and what is refused.
import assert from "node:assert/strict";
import * as buffer from "node:buffer";
import { test } from "node:test";

import nameCases from "../../../../tests/data/names/cases.json";
import { type NamedFile, oneFile } from "./gltffiles";

globalThis.File ??= buffer.File as unknown as typeof File; // Node 18 has it, but not as a global

const named = (path: string, ...parts: BlobPart[]): NamedFile => ({
  path,
  file: new File(parts, path.split("/").at(-1) as string),
});
const gltf = (path: string, json: object): NamedFile => named(path, JSON.stringify(json));
const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => (7 * i) % 251);

test("a file that needs no others is taken as it is, also among others", async () => {
  const glb = named("a.glb", "glTF");
  assert.equal(await oneFile([named("readme.txt"), glb]), glb.file);
  const alone = gltf("b.gltf", { buffers: [{ uri: "data:,abc" }, {}] });
  assert.equal(await oneFile([alone]), alone.file);
  const broken = named("c.gltf", "{");
  assert.equal(await oneFile([broken]), broken.file);
});

test("the files that a .gltf names are embedded, from folders and by name", async () => {
  const json = {
    buffers: [{ uri: "my%20model.bin", byteLength: 100_000 }],
    images: [{ uri: "../maps/skin.PNG" }, { bufferView: 0 }, { uri: "./loose.jpg" }],
  };
  const file = await oneFile([
    gltf("top/model/x.gltf", json),
    named("top/model/my model.bin", bytes),
    named("top/maps/skin.PNG", "png"),
    named("loose.jpg", "jpg"),
  ]);
  const made = JSON.parse(await file.text());
  assert.equal(file.name, "x.gltf");
  assert.equal(
    made.buffers[0].uri,
    `data:application/octet-stream;base64,${Buffer.from(bytes).toString("base64")}`,
  );
  assert.equal(made.buffers[0].byteLength, 100_000);
  assert.deepEqual(made.images, [
    { uri: `data:image/png;base64,${btoa("png")}` },
    { bufferView: 0 },
    { uri: `data:image/jpeg;base64,${btoa("jpg")}` },
  ]);
});

test("a file's name is only a name, wherever it points and whatever it says", async () => {
  const json = {
    buffers: [
      { uri: "../../../../etc/x.bin" },
      { uri: "https://elsewhere.example/a.constructor" },
      { uri: "maps\\b.bin" },
      { uri: "DATA:,abc" },
    ],
  };
  const file = await oneFile([
    gltf("x.gltf", json),
    named("x.bin", "x"),
    named("a.constructor", "a"),
    named("top/maps/b.bin", "b"),
  ]);
  const { buffers } = JSON.parse(await file.text());
  assert.deepEqual(
    buffers.map(({ uri }: { uri: string }) => uri),
    [..."xab"]
      .map((text) => `data:application/octet-stream;base64,${btoa(text)}`)
      .concat("DATA:,abc"),
  );
  await assert.rejects(
    oneFile([gltf("x.gltf", { buffers: [{ uri: `${"long".repeat(1e5)}.bin` }] })]),
    ({ message }) => message.length < 200,
  );
});

interface NameCase {
  uri: string;
  files: string[];
  takes: string | null;
  base64?: string;
}

test("names are read as gizmoctl reads them", async () => {
  const cases = nameCases as NameCase[];
  assert.ok(cases.length > 20);
  for (const { uri, files, takes, base64 } of cases) {
    const scene = gltf("x.gltf", { images: [{ uri }] });
    const file = await oneFile([scene, ...files.map((path) => named(path, path))]);
    const [image] = JSON.parse(await file.text()).images;
    const type = /\.png$/i.test(takes ?? "") ? "image/png" : "application/octet-stream";
    assert.equal(image.uri, takes === null ? uri : `data:${type};base64,${base64}`, uri);
  }
});

test("what is not a name stays as it is, byte by byte", async () => {
  const odd =
    '{ "extras" : {"guid":18446744073709551615,"a":1e400,"a":-0.0,"t":"\\ud800\\u0000\\/"},\r\n' +
    '"images":[{"uri":"old.png"}], "buffers" : [ {"uri" : "no.bin","\\u0075ri":"my\\u0020x.bin"},' +
    '{"name":"uri"},{"extras":{"uri":"x.bin"}} ],"images":[{},{"uri":"none.png"}]}\n';
  const bytes = new Uint8Array([0xef, 0xbb, 0xbf, ...Buffer.from(odd), 0xff, 0x20]);
  const file = await oneFile([named("x.gltf", bytes), named("my x.bin", "x")]);
  const wanted = odd.replace('"my\\u0020x.bin"', '"data:application/octet-stream;base64,eA=="');
  const got = Buffer.from(await file.arrayBuffer());
  assert.equal(
    got.toString("latin1"),
    Buffer.from([0xef, 0xbb, 0xbf, ...Buffer.from(wanted), 0xff, 0x20]).toString("latin1"),
  );
});

test("a .glb that names files has them embedded, and keeps its other chunks", async () => {
  const json = Buffer.from('{"images":[{"uri":"a.png"}],"extras":18446744073709551615}  ');
  const chunk = (type: string, data: Uint8Array) => {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(data.length);
    head.write(type, 4, "latin1");
    return Buffer.concat([head, data]);
  };
  const body = Buffer.concat([chunk("JSON", json), chunk("BIN\0", Buffer.from("abcd"))]);
  const head = Buffer.from("glTF\x02\0\0\0\0\0\0\0", "latin1");
  head.writeUInt32LE(12 + body.length, 8);
  const file = await oneFile([named("x.glb", head, body), named("a.png", "p")]);
  const out = Buffer.from(await file.arrayBuffer());
  const size = out.readUInt32LE(12);
  assert.equal(out.readUInt32LE(8), out.length);
  assert.equal(size % 4, 0);
  assert.equal(
    out
      .subarray(20, 20 + size)
      .toString()
      .trimEnd(),
    '{"images":[{"uri":"data:image/png;base64,cA=="}],"extras":18446744073709551615}',
  );
  assert.deepEqual(out.subarray(20 + size), chunk("BIN\0", Buffer.from("abcd")));
  // Bytes behind the length that the header says would be read as a chunk.
  const longer = await oneFile([named("x.glb", head, body, "behind it all"), named("a.png", "p")]);
  assert.deepEqual(Buffer.from(await longer.arrayBuffer()), out);
});

test("what is too much is said, and not read", async () => {
  const unread = () => assert.fail("read");
  const huge = {
    path: "x.bin",
    file: { name: "x.bin", size: 3e9, arrayBuffer: unread } as unknown as File,
  };
  await assert.rejects(
    oneFile([gltf("x.gltf", { buffers: [{ uri: "x.bin" }] }), huge]),
    /x\.gltf and its files are too large: 3815 MiB, at most 256\. Save them as one \.glb file/,
  );
  await assert.rejects(
    oneFile(Array.from({ length: 2001 }, (_, i) => named(`${i}.bin`))),
    /more than 2,000 files/,
  );
  await assert.rejects(oneFile([]), /None of these files/);
});

test("what is missing is named, and so is what is one too many", async () => {
  const model = gltf("x.gltf", { buffers: [{ uri: "x.bin" }], images: [{ uri: "a/skin.png" }] });
  await assert.rejects(
    oneFile([model]),
    /x\.gltf needs x\.bin\. Drop or choose all of these files together/,
  );
  const two = await oneFile([model, named("x.bin", "x"), named("b/skin.png"), named("c/skin.png")]);
  const { buffers, images } = JSON.parse(await two.text());
  assert.match(buffers[0].uri, /^data:/);
  assert.equal(images[0].uri, "a/skin.png", "two could be meant; the server says what is missing");
  await assert.rejects(
    oneFile([named("a.glb"), named("b.glb")]),
    /These are 2 scenes: a\.glb, b\.glb\./,
  );
  await assert.rejects(oneFile([named("a.obj")]), /a\.obj is not a \.glb or \.gltf file/);
  // Nobody can drop an address: the server says what is missing then.
  const far = gltf("x.gltf", { buffers: [{ uri: "https://a.example/x.bin" }, { uri: "" }] });
  assert.equal(await oneFile([far]), far.file);
  const path = gltf("x.gltf", { buffers: [{ uri: "C:\\x.bin" }] });
  await assert.rejects(oneFile([path]), /x\.gltf needs C:\\x\.bin/);
});
