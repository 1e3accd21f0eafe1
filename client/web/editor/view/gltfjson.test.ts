// gltfjson.test.ts - files that the server takes are made readable for three.js's loader.
import assert from "node:assert/strict";
import test from "node:test";

import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";

import { blankPadding, mendPrimitives, meshesOf, removeNulls } from "./gltfjson";

const corners = Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer);
const file = {
  asset: { version: "2.0", copyright: null },
  nodes: [{ mesh: 0, children: null, matrix: null }, null, { mesh: null }, { mesh: "0" }, 7],
  scene: null,
  scenes: null,
  meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: null, material: null }] }],
  accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: "VEC3", sparse: null }],
  bufferViews: [{ buffer: 0, byteLength: 36, byteStride: null }],
  buffers: [{ byteLength: 36, uri: null }],
  materials: null,
};

/** A .glb whose JSON is padded with NULs. */
function glb(json: object): ArrayBuffer {
  const text = Buffer.from(JSON.stringify(json));
  const padding = 4 - (text.length % 4);
  const chunk = (type: string, ...parts: Buffer[]): Buffer => {
    const bytes = Buffer.concat(parts);
    const head = Buffer.alloc(8);
    head.writeUInt32LE(bytes.length);
    head.write(type, 4, "latin1");
    return Buffer.concat([head, bytes]);
  };
  const chunks = [chunk("JSON", text, Buffer.alloc(padding)), chunk("BIN\0", corners)];
  const head = Buffer.from("glTF\x02\0\0\0\0\0\0\0", "latin1");
  head.writeUInt32LE(12 + chunks[0].length + chunks[1].length, 8);
  return new Uint8Array(Buffer.concat([head, ...chunks])).buffer;
}

test("a padded file with nulls for what is not there shows its mesh", async () => {
  const bytes = glb(file);
  blankPadding(bytes);
  const loader = new GLTFLoader();
  let meshes: (number | undefined)[] = [];
  loader.register(({ json }) => {
    removeNulls(json);
    meshes = meshesOf(json.nodes);
    Object.assign(json, { nodes: [], scenes: [{ nodes: [] }] });
    return { name: "test" };
  });
  const { parser } = await loader.parseAsync(bytes, "");
  const mesh = await parser.getDependency("mesh", 0);
  assert.equal(mesh.geometry.getAttribute("position").count, 3);
  assert.deepEqual(meshes, [0, undefined, undefined, undefined, undefined]);
});

/** How many corners the primitive has, as the loader reads it once it is mended. */
async function cornersOf(primitive: object): Promise<number> {
  const loader = new GLTFLoader();
  loader.register(({ json }) => {
    mendPrimitives(json);
    return { name: "test" };
  });
  const json = { ...file, nodes: [], scenes: [], scene: 0, materials: [{}, null] };
  removeNulls(json);
  const bytes = glb({
    ...json,
    meshes: [null, { primitives: 1 }, { primitives: [null, primitive] }],
  });
  blankPadding(bytes);
  const { parser } = await loader.parseAsync(bytes, "");
  const mesh = await parser.getDependency("mesh", 2);
  return (mesh.geometry.getIndex() ?? mesh.geometry.getAttribute("position")).count;
}

test("a member of a primitive that cannot be used costs no shape", async () => {
  const attributes = { POSITION: 0 };
  const primitives = [
    { attributes, material: 7 },
    { attributes, material: "0" },
    { attributes, material: 1 },
    { attributes: { POSITION: 0, NORMAL: 9, TEXCOORD_0: -1, COLOR_0: 0.5 } },
    { attributes, indices: 99 },
    { attributes, mode: 9 },
    { attributes, targets: [{ POSITION: 99 }] },
    { attributes, targets: 5, mode: 4, material: 0 },
  ];
  for (const primitive of primitives) assert.equal(await cornersOf(primitive), 3);
  await assert.rejects(cornersOf({ attributes: { POSITION: 9 } }));
});

test("padding is blanked in a .gltf, too, and bytes of a chunk behind it are not", () => {
  const bytes = new TextEncoder().encode('{"a":"\u0000"}\0\n\0 ').buffer as ArrayBuffer;
  blankPadding(bytes);
  assert.equal(new TextDecoder().decode(bytes), '{"a":"\u0000"}    ');
  const binary = glb({});
  blankPadding(binary);
  assert.deepEqual(Buffer.from(binary).subarray(-36), corners);
});

test("nodes that are no list have no meshes; nulls of lists stay in their places", () => {
  assert.deepEqual(meshesOf(undefined), []);
  const json = { list: [null, { a: null, b: [null] }] };
  removeNulls(json);
  assert.deepEqual(json, { list: [null, { b: [null] }] });
});
