// What a scene of several glTF files is exported as, by the validator of Khronos: no error, and no warning, that the files had not.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import validator from "gltf-validator";

import { Daemon } from "./support/daemon.js";

const MODELS = "/usr/share/assimp/models/glTF2";
const FILES = [
  "2CylinderEngine-glTF-Binary/2CylinderEngine.glb",
  "BoxTextured-glTF-Binary/BoxTextured.glb",
  "BoxTextured-glTF-Embedded/BoxTextured.gltf",
  "cameras/Cameras.gltf",
  "simple_skin/simple_skin.gltf",
  "glTF-Sample-Models/AnimatedMorphCube-glTF/AnimatedMorphCube.gltf",
];
const SEVERE = 1; // an error is 0, a warning 1
const ABOUT_THE_PLACE = "NODE_SKINNED_MESH_NON_ROOT"; // the node was put below another one

let daemon;
before(async () => (daemon = await Daemon.start([])));
after(() => daemon.stop());

/** The file with the files beside it embedded, as the editor and gizmoctl embed them. */
async function load(name) {
  const bytes = await readFile(`${MODELS}/${name}`);
  if (name.endsWith(".glb")) return bytes;
  const gltf = JSON.parse(bytes);
  for (const item of [...(gltf.buffers ?? []), ...(gltf.images ?? [])]) {
    if (!item.uri || item.uri.startsWith("data:")) continue;
    const beside = await readFile(`${MODELS}/${name.replace(/[^/]+$/, "")}${decodeURIComponent(item.uri)}`);
    item.uri = `data:${item.mimeType ?? (/\.png$/.test(item.uri) ? "image/png" : /\.jpe?g$/.test(item.uri) ? "image/jpeg" : "application/octet-stream")};base64,${beside.toString("base64")}`;
  }
  return Buffer.from(JSON.stringify(gltf));
}

async function judge(bytes) {
  const { issues, info } = await validator.validateBytes(new Uint8Array(bytes), { maxIssues: 0 });
  const codes = new Set(issues.messages.filter(({ severity }) => severity <= SEVERE).map(({ code }) => code));
  return { codes, triangles: info?.totalTriangleCount ?? 0, draws: info?.drawCallCount ?? 0, animations: info?.animationCount ?? 0 };
}

async function send(method, path, body) {
  const response = await fetch(`${daemon.url}${path}`, { method, body });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

async function exported(path) {
  const response = await fetch(`${daemon.url}${path}`);
  assert.equal(response.status, 200, path);
  return judge(await response.arrayBuffer());
}

/** Nothing is severe that was not so in one of the parts, and everything of them is there. */
function assertSum(whole, parts, name) {
  for (const code of whole.codes) if (code !== ABOUT_THE_PLACE) assert.ok(parts.some(({ codes }) => codes.has(code)), `${name}: ${code}`);
  for (const what of ["triangles", "draws", "animations"])
    assert.equal(whole[what], parts.reduce((sum, part) => sum + part[what], 0), `${name}: ${what}`);
}

test("merged_two_files_are_one_without_a_fault", async () => {
  for (const [i, first] of FILES.entries()) {
    const second = FILES[(i + 1) % FILES.length];
    const [a, b] = [await load(first), await load(second)];
    const parts = [await judge(a), await judge(b)];
    const { roots } = await send("PUT", "/scenes/pair?replace", a);
    await send("POST", `/scenes/pair/import?parent=${roots[0]}`, b);
    for (const form of ["export", "export.gltf", "export?ids"])
      assertSum(await exported(`/scenes/pair/${form}`), parts, `${first} + ${second}: ${form}`);
  }
});

test("merged_all_files_are_one_and_come_back_as_one", async () => {
  const files = await Promise.all(FILES.map(load));
  const parts = await Promise.all(files.map(judge));
  await send("PUT", "/scenes/all", files[0]);
  for (const file of files.slice(1)) await send("POST", "/scenes/all/import", file);
  const bytes = await (await fetch(`${daemon.url}/scenes/all/export`)).arrayBuffer();
  assertSum(await judge(bytes), parts, "all");
  const { nodes, warnings } = await send("PUT", "/scenes/again", bytes);
  assert.deepEqual(warnings, []);
  const scenes = await (await fetch(`${daemon.url}/scenes`)).json();
  assert.equal(nodes, scenes.find(({ name }) => name === "all").nodes);
});
