// The package as npm packs it: where its solvers come from, what is in it, what judges of packages say, and that programs in TypeScript can use each entry point, those of
// its README as they stand.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { install, makeClone, output, pack, pathWithoutClang, programs, ROOT, run, scratch, SDK } from "./application.js";

const WASM = join(SDK, "predict.wasm");
/** What the build has packed, if ctest runs this. */
const SERVED = process.env.GIZMOD_PACKAGE;
let folder, packed, app;

/** The application has the package that was packed from the tree as it was built. */
before(async (t) => {
  folder = await scratch(t);
  app = join(folder, "app");
  packed = await pack(SDK, folder);
  await install(app, join(folder, packed.filename));
});

const digest = async (path) => createHash("sha256").update(await readFile(path)).digest("hex");
/** What every other way to pack has to give. */
const right = () => digest(join(folder, packed.filename));

test("a_clone_that_was_never_built_packs_the_same_bytes", async (t) => {
  const elsewhere = await scratch(t);
  const { filename } = await pack(await makeClone(join(elsewhere, "clone")), elsewhere);
  assert.equal(await digest(join(elsewhere, filename)), await right());
});

test("what_a_daemon_serves_is_the_same_bytes", { skip: !SERVED && "GIZMOD_PACKAGE is what the build has packed" }, async () => {
  assert.equal(await digest(SERVED), await right());
});

test("without_clang_the_solvers_of_the_latest_build_are_packed", async (t) => {
  const elsewhere = await scratch(t);
  const PATH = await pathWithoutClang(join(elsewhere, "bin"));
  assert.notEqual((await run("sh", ["-c", "command -v clang"], elsewhere, { PATH })).status, 0);
  const { filename } = await pack(SDK, elsewhere, { PATH });
  assert.equal(await digest(join(elsewhere, filename)), await right());
});

for (const [name, make] of [
  ["none", () => {}],
  ["old", async (sdk) => {
    await writeFile(join(sdk, "predict.wasm"), await readFile(WASM));
    await utimes(join(sdk, "predict.wasm"), 1e9, 1e9);
  }],
]) {
  test(`without_clang_and_with_${name}_solvers_nothing_is_packed_and_words_say_what_to_do`, async (t) => {
    const elsewhere = await scratch(t);
    const sdk = await makeClone(join(elsewhere, "clone"));
    await make(sdk);
    const { status, stderr } = await run("npm", ["pack", sdk], elsewhere, { PATH: await pathWithoutClang(join(elsewhere, "bin")) });
    assert.notEqual(status, 0);
    for (const words of ["predict.wasm needs", "/gizmod-client.tgz", "sh .ci/install build"]) assert.ok(stderr.includes(words), stderr);
    assert.deepEqual((await readdir(elsewhere)).filter((file) => file.endsWith(".tgz")), []);
  });
}

test("solvers_that_are_older_than_a_source_are_built_again", async (t) => {
  const elsewhere = await scratch(t);
  const sdk = await makeClone(join(elsewhere, "clone"));
  await writeFile(join(sdk, "predict.wasm"), "old");
  await utimes(join(sdk, "predict.wasm"), 1e9, 1e9);
  await pack(sdk, elsewhere);
  assert.equal(await digest(join(sdk, "predict.wasm")), await digest(WASM));
});

test("package_holds_its_sources_types_solvers_licence_and_readme_and_nothing_else", async () => {
  const sources = [];
  for (const part of ["", "three/"])
    for (const file of await readdir(join(SDK, part))) if (/(?<!\.test)\.js$/.test(file)) sources.push(part + file);
  const declared = sources.map((file) => file.replace(/\.js$/, ".d.ts"));
  const types = [...declared, "types.d.ts", "wire.d.ts"].map((file) => `types/${file}`);
  assert.deepEqual(
    packed.files.map(({ path }) => path).sort(),
    ["LICENSE", "README.md", "package.json", "predict.wasm", ...sources, ...types].sort(),
  );
  assert.equal(await digest(join(app, "node_modules/gizmod-client/LICENSE")), await digest(join(ROOT, "LICENSE")));
});

const resolve = createRequire(import.meta.url).resolve;

test("arethetypeswrong_finds_nothing_wrong", async () => {
  const bin = join(resolve("@arethetypeswrong/cli/package.json"), "../dist/index.js");
  // CommonJS has `import()`, and the file of the solvers has no types.
  const words = [join(folder, packed.filename), "--profile", "esm-only", "--exclude-entrypoints", "predict.wasm", "--no-emoji"];
  await output(process.execPath, [bin, ...words], folder);
});

test("publint_finds_nothing_wrong", async () => {
  const bin = join(fileURLToPath(import.meta.resolve("publint")), "../cli.js");
  await output(process.execPath, [bin, "--strict", join(folder, packed.filename)], folder);
});

/** What an application writes; each @ts-expect-error is a mistake that the types find. */
const CONSUMER = `
import { connect, GizmodError, importScene, listScenes } from "gizmod-client";
import { SceneModel, sceneUrl, Session } from "gizmod-client";
import type { Edit, Id, Person, SceneListing, SceneNode, Status, Vec3 } from "gizmod-client";
import { decode, encode } from "gizmod-client/codec";
import { bindGltf, type Binding, GizmoView } from "gizmod-client/three";
import { RemoteTransformControls, share } from "gizmod-client/three";
import { Mesh, PerspectiveCamera, Scene } from "three";

export async function main(canvas: HTMLCanvasElement): Promise<void> {
  const host = "http://127.0.0.1:7432/";
  const session: Session = await connect({ url: host, scene: "arm", user: "Ada" });
  session.on("status", ({ phase }: Status) => console.log(phase));
  session.on("people", (people) => people.map((person: Person) => person.user));
  session.on("edit", (edit: Edit) => console.log(edit.kind));
  const nameLength = (id: Id) => session.scene.get(id)?.name.length;
  const stop: () => void = session.scene.on("change", ({ moved }) => moved.map(nameLength));
  const node: SceneNode | undefined = session.scene.get(1);
  const t: Vec3 = node?.t ?? [0, 0, 0];
  const { seq } = await session.set([{ id: 1, t }]);
  const past: SceneModel = await session.at({ seq });
  const scenes: SceneListing[] = await listScenes("http://127.0.0.1:7432/");
  const { nodes } = await importScene("arm", new ArrayBuffer(0), { replace: true });
  const url: string = sceneUrl(scenes[0].name, "asset");
  const binding: Binding = await share(session, [new Mesh()]);
  const controls = new RemoteTransformControls(new PerspectiveCamera(), canvas, session, binding);
  new Scene().add(controls.getHelper(), new GizmoView());
  controls.addEventListener("error", ({ error }) =>
    console.log(error instanceof GizmodError && error.code),
  );
  controls.setMode("rotate");
  decode(encode({ op: "ping" }));
  stop();
  // @ts-expect-error a user is needed
  await connect({ scene: "arm" });
  // @ts-expect-error there is no such mode
  controls.setMode("twist");
  // @ts-expect-error an id is a number
  session.scene.get("1");
  console.log(past.seq, nodes.toFixed(), url.length, bindGltf);
}
`;

/** Compiles files of the application. @param {string[]} files */
async function check(files, module, moduleResolution) {
  const lib = ["es2022", "dom", "dom.iterable"];
  const compilerOptions = { strict: true, noEmit: true, target: "es2022", lib, types: [], module, moduleResolution };
  await writeFile(join(app, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  await output(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "."], app);
}

/** The ways in which TypeScript finds packages. The declarations themselves are looked at, too. */
const WAYS = [
  ["bundler", "esnext"],
  ["node16", "node16"],
  ["nodenext", "nodenext"],
];

for (const [way, module] of WAYS) {
  test(`types_of_every_entry_point_and_programs_of_the_readme_as_they_stand_are_strict_by_${way}`, async () => {
    const files = { "app.ts": CONSUMER };
    for (const [i, program] of (await programs()).entries()) files[`readme${i}.ts`] = program;
    for (const [file, program] of Object.entries(files)) await writeFile(join(app, file), program);
    await check(Object.keys(files), module, way);
  });
}
