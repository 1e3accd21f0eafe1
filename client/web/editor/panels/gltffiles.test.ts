// gltffiles.test.ts - which file is imported, what is embedded, and what is refused.
import assert from "node:assert/strict";
import * as buffer from "node:buffer";
import { test } from "node:test";

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
    /x\.gltf needs x\.bin, a\/skin\.png\. Drop or choose all of these files together/,
  );
  await assert.rejects(
    oneFile([model, named("x.bin"), named("b/skin.png"), named("c/skin.png")]),
    /needs a\/skin\.png\./,
    "two could be meant",
  );
  await assert.rejects(
    oneFile([named("a.glb"), named("b.glb")]),
    /These are 2 scenes: a\.glb, b\.glb\./,
  );
  await assert.rejects(oneFile([named("a.obj")]), /a\.obj is not a \.glb or \.gltf file/);
});
