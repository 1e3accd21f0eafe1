// The package as npm packs it: what is in it, and that programs in TypeScript and in JavaScript can
// use each entry point.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const modules = join(here, "../node_modules");
let folder, packed;

/** What the build has fetched already is not fetched again. */
const env = { ...process.env, npm_config_prefer_offline: "true" };

function run(command, words, cwd) {
  const { status, stdout, stderr } = spawnSync(command, words, { cwd, env, encoding: "utf8" });
  assert.equal(status, 0, `${command} ${words.join(" ")}:\n${stdout}${stderr}`);
  return stdout;
}

/** What predict.wasm is built of. */
const SOLVERS = ["client/predict", "server/solver", "proto/base"];

/**
 * A clone that was never built: the package's sources and what makes its types and predict.wasm,
 * without fetched packages.
 */
function makeClone() {
  const web = join(folder, "clone/client/web");
  const made = ["types", "LICENSE", "predict.wasm"].map((name) => join(here, name));
  cpSync(here, join(web, "sdk"), { recursive: true, filter: (path) => !made.includes(path) });
  for (const file of ["package.json", "package-lock.json", "tsconfig.json"])
    copyFileSync(join(here, "..", file), join(web, file));
  for (const path of ["LICENSE", ...SOLVERS])
    cpSync(join(here, "../../..", path), join(folder, "clone", path), { recursive: true });
  return join(web, "sdk");
}

/** An application that has the package from its tarball, and three.js of its own. */
before(() => {
  folder = mkdtempSync(join(tmpdir(), "gizmod-package-"));
  [packed] = JSON.parse(run("npm", ["pack", "--json", makeClone()], folder));
  mkdirSync(join(folder, "node_modules/@types"), { recursive: true });
  run("tar", ["-xzf", packed.filename, "-C", "node_modules"], folder);
  run("mv", ["node_modules/package", "node_modules/gizmod-client"], folder);
  for (const name of ["three", "@types/three", "@msgpack"])
    symlinkSync(join(modules, name), join(folder, "node_modules", name));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
});

after(() => rmSync(folder, { recursive: true, force: true }));

test("package_holds_its_sources_types_solvers_licence_and_readme_and_nothing_else", () => {
  const sources = ["", "three/"].flatMap((part) =>
    readdirSync(join(here, part))
      .filter((file) => /(?<!\.test)\.js$/.test(file))
      .map((file) => part + file),
  );
  const declared = sources.map((file) => file.replace(/\.js$/, ".d.ts"));
  const types = [...declared, "types.d.ts", "wire.d.ts"].map((file) => `types/${file}`);
  const files = packed.files.map(({ path }) => path);
  assert.deepEqual(
    files.sort(),
    ["LICENSE", "README.md", "package.json", "predict.wasm", ...sources, ...types].sort(),
  );
  assert.equal(
    readFileSync(join(folder, "node_modules/gizmod-client/LICENSE"), "utf8"),
    readFileSync(join(here, "../../../LICENSE"), "utf8"),
  );
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
function check(files, module, moduleResolution, skipLibCheck) {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: "es2022",
    lib: ["es2022", "dom", "dom.iterable"],
    types: [],
    module,
    moduleResolution,
    skipLibCheck,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  run(process.execPath, [join(modules, "typescript/bin/tsc"), "-p", folder], folder);
}

for (const [moduleResolution, module] of [
  ["bundler", "esnext"],
  ["nodenext", "nodenext"],
]) {
  test(`package_has_types_for_every_entry_point_by_${moduleResolution}`, () => {
    const skipLibCheck = moduleResolution === "nodenext"; // the other one looks at all declarations
    writeFileSync(join(folder, "app.ts"), CONSUMER);
    check(["app.ts"], module, moduleResolution, skipLibCheck);
  });
}

/** What the application of the README's snippets has already. */
const SURROUNDINGS = `
import type { Mesh, PerspectiveCamera, Scene, WebGLRenderer } from "three";
import type { OrbitControls } from "three/addons/controls/OrbitControls.js";

declare global {
  const mesh: Mesh, lamp: Mesh, table: Mesh;
  const camera: PerspectiveCamera, renderer: WebGLRenderer, scene: Scene, orbit: OrbitControls;
}
`;

test("package_readme_has_programs_that_are_strict_typescript", () => {
  const readme = readFileSync(join(here, "README.md"), "utf8");
  const programs = [...readme.matchAll(/```js\n([^]*?)```/g)].map(([, program]) => program);
  assert.equal(programs.length, readme.split("```js").length - 1);
  assert.ok(programs.length > 3);
  const files = programs.map((_, i) => `readme${i}.ts`);
  programs.forEach((program, i) => writeFileSync(join(folder, files[i]), program));
  writeFileSync(join(folder, "surroundings.d.ts"), SURROUNDINGS);
  check(["surroundings.d.ts", ...files], "esnext", "bundler", true);
});

test("package_entry_points_load_in_node", () => {
  const lines = [
    'import { Session } from "gizmod-client";',
    'import { encode } from "gizmod-client/codec";',
    'import { share } from "gizmod-client/three";',
    'import { Solver } from "gizmod-client/solver";',
    'await Solver.load(new URL(import.meta.resolve("gizmod-client/predict.wasm")));',
  ];
  const print = "console.log(typeof Session, encode({ op: 'ping' }).length > 0, typeof share);";
  writeFileSync(join(folder, "app.mjs"), [...lines, print].join("\n"));
  assert.equal(run(process.execPath, ["app.mjs"], folder), "function true function\n");
});
