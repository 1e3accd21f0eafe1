// test.mjs - the tests of the editor that need no browser: editor/**/*.test.ts are bundled and run
// by Node.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

async function testsIn(folder) {
  const entries = await readdir(folder, { withFileTypes: true });
  const lists = entries.map((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? testsIn(path) : entry.name.endsWith(".test.ts") ? [path] : [];
  });
  return (await Promise.all(lists)).flat();
}

const bundles = await mkdtemp(join(tmpdir(), "gizmod-web-test-"));
try {
  const entryPoints = await testsIn(join(here, "editor"));
  await build({
    entryPoints,
    outdir: bundles,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node18",
    jsx: "automatic",
    jsxImportSource: "preact",
    loader: { ".css": "empty", ".svg": "empty" },
    sourcemap: "inline",
    logLevel: "warning",
  });
  const { status } = spawnSync(process.execPath, ["--enable-source-maps", "--test", bundles], {
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
} finally {
  await rm(bundles, { recursive: true, force: true });
}
