// prepack.mjs - makes what the package holds besides its sources: types/, which tsc derives from
// the JSDoc, predict.wasm, and the LICENSE. npm runs it before it packs, in a clone that was never
// built too. A predict.wasm that a build has made is taken as it is, which needs no clang. Without
// one that is up to date, and without clang, nothing is packed. A build without clang's parts for
// WebAssembly runs it with --without-prediction, for the types, and packs nothing.
import { spawnSync } from "node:child_process";
import { appendFileSync, copyFileSync, existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const web = dirname(here);
const root = join(web, "../..");
const solver = join(here, "predict.wasm");
const build = join(web, "../predict/build.sh");
/** What predict.wasm is built of. */
const SOLVERS = ["client/predict", "server/solver", "proto/base"];
const CANNOT_BUILD = `
gizmod-client is not packed: it would lack predict.wasm, which is not built here or is older than
its sources. A daemon with an editor has the package that fits it, ready-made:
    npm install http://127.0.0.1:7432/gizmod-client.tgz
To build it here, install what builds it: sh .ci/install build
`;
const tsc = join(web, "node_modules/typescript/bin/tsc");

/**
 * Ends with the command's status if it fails. All that it prints goes to standard error: `npm pack`
 * prints its result.
 */
function run(command, words, folder) {
  // `npm pack --dry-run` would let an `npm ci` inside of it install nothing.
  const env = { ...process.env, npm_config_dry_run: "" };
  const shell = command === "npm"; // on Windows it is a script
  const { status } = spawnSync(command, words, {
    cwd: folder,
    env,
    shell,
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) process.exit(status ?? 1);
}

/** Whether predict.wasm is there, and no source of it is newer: the rule of make. */
function isBuilt() {
  if (!existsSync(solver)) return false;
  const { mtimeMs } = statSync(solver);
  const sources = SOLVERS.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((file) => /\.(c|h|sh)$/.test(file))
      .map((file) => join(root, folder, file)),
  );
  return sources.every((file) => statSync(file).mtimeMs <= mtimeMs);
}

/** Before all else, so that nobody waits for what cannot be packed. */
function makeSolver() {
  if (isBuilt()) return;
  if (spawnSync("sh", [build, "--check"], { stdio: ["ignore", 2, 2] }).status !== 0) {
    console.error(CANNOT_BUILD);
    process.exit(1);
  }
  run("sh", [build, solver], here);
}

if (!process.argv.includes("--without-prediction")) makeSolver();
if (!existsSync(tsc)) run("npm", ["ci", "--no-audit", "--no-fund"], web);
rmSync(join(here, "types"), { recursive: true, force: true });
run(process.execPath, [tsc, "-p", here], here);
// JavaScript has no way to export types from another file.
appendFileSync(join(here, "types/index.d.ts"), 'export type * from "./types.js";\n');
copyFileSync(join(root, "LICENSE"), join(here, "LICENSE"));
