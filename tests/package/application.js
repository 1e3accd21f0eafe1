// application.js - the client package as npm packs it, and an application in a fresh folder that has it from its tarball.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const SDK = join(ROOT, "client/web/sdk");

/** What the package is made of: itself, what makes its types, and what predict.wasm is built of. */
const WEB_FILES = ["package.json", "package-lock.json", "tsconfig.json"].map((name) => join("client/web", name));
const SOURCES = ["client/web/sdk", "client/predict", "server/solver", "proto/base", "LICENSE", ...WEB_FILES];
/** What packing leaves beside the sources. */
const MADE = ["types", "LICENSE", "predict.wasm"].map((name) => join(SDK, name));
/** Without one of these predict.wasm cannot be built. */
const BUILDERS = ["clang", "wasm-ld", "wasm-opt"];

/** Runs a program to its end. @returns {Promise<{ status: number, stdout: string, stderr: string }>} */
export async function run(command, words, cwd, variables = {}) {
  // What the build has fetched already is not fetched again.
  const env = { ...process.env, npm_config_prefer_offline: "true", ...variables };
  return new Promise((resolve) => {
    execFile(command, words, { cwd, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => resolve({ status: error?.code ?? 0, stdout, stderr }));
  });
}

/** What it prints; a failure of it is one of the test. */
export async function output(command, words, cwd, variables) {
  const { status, stdout, stderr } = await run(command, words, cwd, variables);
  assert.equal(status, 0, `${command} ${words.join(" ")}:\n${stdout}${stderr}`);
  return stdout;
}

/** A folder that goes with the test. */
export async function scratch(t) {
  const folder = await mkdtemp(join(tmpdir(), "gizmod-package-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A clone that was never built. */
export async function makeClone(folder) {
  for (const path of SOURCES) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await cp(join(ROOT, path), join(folder, path), { recursive: true, filter: (source) => !MADE.includes(source) });
  }
  return join(folder, "client/web/sdk");
}

/** Packs what lies in `sdk` into `folder`. @returns {Promise<{ filename: string, files: { path: string }[] }>} */
export async function pack(sdk, folder, variables) {
  return JSON.parse(await output("npm", ["pack", "--json", sdk], folder, variables))[0];
}

/** A PATH with all that the test's has, but clang and its parts for WebAssembly. */
export async function pathWithoutClang(folder) {
  await mkdir(folder);
  for (const from of process.env.PATH.split(delimiter)) {
    for (const name of await readdir(from).catch(() => [])) {
      if (!BUILDERS.includes(name)) await symlink(join(from, name), join(folder, name)).catch(() => {});
    }
  }
  return folder;
}

/** Installs the tarball, and what applications have beside it, by npm. */
export async function install(folder, tarball) {
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(ROOT, "client/web/package.json"), "utf8"));
  const others = { ...dependencies, ...devDependencies };
  const wanted = ["three", "@types/three", "typescript", "esbuild"].map((name) => `${name}@${others[name]}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "type": "module", "private": true }');
  await output("npm", ["install", "--silent", "--no-audit", "--no-fund", tarball, ...wanted, "ws@8.23.0"], folder);
}

/** The programs of the package's README, in order. */
export async function programs() {
  const readme = await readFile(join(SDK, "README.md"), "utf8");
  const found = [...readme.matchAll(/^```(?:js|ts|javascript|typescript|jsx|tsx|mjs)\n([^]*?)^```$/gm)].map(([, program]) => program);
  assert.ok(found.length > 3);
  return found;
}
