// build.mjs - bundles the editor and the example into a folder that the daemon serves:
//
//   node build.mjs [FOLDER] [--watch]
//
// The names of bundles contain a hash of their content, so browsers may cache them for good;
// index.html they may not.
import { build, context } from "esbuild";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const watch = process.argv.includes("--watch");
const folder = process.argv.slice(2).find((word) => !word.startsWith("--")) ?? join(here, "dist");

/** Pages: where their source is, and where they are served from. */
const PAGES = [
  { source: "editor", entry: "main.tsx", to: "" },
  { source: "example", entry: "main.js", to: "example" },
];

/**
 * After each build: writes the names of the new bundles into the pages, and compressed copies of
 * large files.
 */
const finish = {
  name: "pages",
  setup(bundler) {
    bundler.onEnd(async ({ metafile, errors }) => {
      if (errors.length > 0) return;
      for (const page of PAGES) await writePage(page, metafile.outputs);
      for (const path of Object.keys(metafile.outputs)) await compress(join(here, path));
      if (watch)
        console.log(`${new Date().toLocaleTimeString()}  bundled into ${folder}: reload the page`);
    });
  },
};

async function writePage(page, outputs) {
  const entry = `${page.source}/${page.entry}`;
  const [script, output] = Object.entries(outputs).find(
    ([, { entryPoint }]) => entryPoint === entry,
  );
  const to = join(folder, page.to);
  const name = (path) => (page.to ? "../" : "") + path.slice(path.lastIndexOf("/") + 1);
  const style = output.cssBundle ? `<link rel="stylesheet" href="${name(output.cssBundle)}">` : "";
  const html = await readFile(join(here, page.source, "index.html"), "utf8");
  await mkdir(to, { recursive: true });
  await writeFile(
    join(to, "index.html"),
    html.replace(
      "<!-- bundle -->",
      `${style}\n  <script type="module" src="${name(script)}"></script>`,
    ),
  );
}

async function compress(path) {
  if (!/\.(js|css|svg|wasm)$/.test(path)) return;
  await writeFile(`${path}.gz`, gzipSync(await readFile(path), { level: 9 }));
}

async function copyStatic() {
  const files = await readdir(join(here, "editor/static")).catch(() => []);
  for (const file of files) await copyFile(join(here, "editor/static", file), join(folder, file));
  // The start page makes the sample scene from this file, if the daemon has not made the scene.
  await copyFile(
    join(here, "../../server/gltf/sample/robot-arm.glb"),
    join(folder, "robot-arm.glb"),
  );
}

/** The decoder of meshes that Draco compressed; three's loader fetches it by these names. */
async function copyDraco() {
  const { resolve } = createRequire(import.meta.url);
  await mkdir(join(folder, "draco"), { recursive: true });
  for (const file of ["draco_wasm_wrapper.js", "draco_decoder.wasm"]) {
    await copyFile(resolve(`three/addons/libs/draco/gltf/${file}`), join(folder, "draco", file));
  }
}

const solver = join(here, "sdk/predict.wasm");

/**
 * The solver, which the client package fetches from beside the bundle that contains it. Where it
 * was not built, what the user does shows when the server answers.
 */
async function copySolver() {
  if (!existsSync(solver)) return;
  await copyFile(solver, join(folder, "predict.wasm"));
  await compress(join(folder, "predict.wasm"));
}

const options = {
  absWorkingDir: here,
  entryPoints: PAGES.map(({ source, entry }) => join(source, entry)),
  outdir: folder,
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  target: ["es2022", "safari16.4"], // style sheets get the prefixes that Safari wants
  minify: !watch,
  sourcemap: true,
  metafile: true,
  jsx: "automatic",
  jsxImportSource: "preact",
  loader: { ".svg": "file", ".woff2": "file" },
  define: { PREDICTS: String(existsSync(solver)) },
  logLevel: "warning",
  plugins: [finish],
};

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
await copyStatic();
await copyDraco();
await copySolver();
if (watch) {
  const bundler = await context(options);
  await bundler.watch();
} else {
  await build(options);
}
