// prepack.mjs - makes what the package holds besides its sources: types/, which tsc derives from
// the JSDoc, predict.wasm, and the LICENSE. npm runs it before it packs, in a clone that was never
// built too. A build without clang's parts for WebAssembly runs it with --without-prediction.
import { spawnSync } from "node:child_process";
import { appendFileSync, copyFileSync, existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const web = dirname(here);
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

if (!existsSync(tsc)) run("npm", ["ci", "--no-audit", "--no-fund"], web);
rmSync(join(here, "types"), { recursive: true, force: true });
run(process.execPath, [tsc, "-p", here], here);
// JavaScript has no way to export types from another file.
appendFileSync(join(here, "types/index.d.ts"), 'export type * from "./types.js";\n');
if (!process.argv.includes("--without-prediction") && !existsSync(join(here, "predict.wasm")))
  run("sh", [join(web, "../predict/build.sh"), join(here, "predict.wasm")], here);
copyFileSync(join(web, "../../LICENSE"), join(here, "LICENSE"));
