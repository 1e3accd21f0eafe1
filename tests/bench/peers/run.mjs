// run.mjs - gizmod beside its floor and its peers, measured by one driver (peer_load.c):
//
//   node run.mjs [--quick] [--rounds N] [--seconds S] [--curves FOLDER] [NAME=]GIZMOD...
//
// It prints tables in Markdown, medians of rounds in which the servers take turns, and draws curves
// as SVG into FOLDER. Several daemons can be given, as before=PATH and now=PATH; the programs of
// the bench lie beside the last one. The server has one core and the driver another. --smoke only
// looks whether a move arrives from each server.
import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import * as colyseus from "./colyseus.mjs";
import { curves } from "./curves.mjs";
import { floor, gizmod } from "./gizmod.mjs";
import * as hocuspocus from "./hocuspocus.mjs";
import { mark } from "./scene.mjs";
import * as sharedb from "./sharedb.mjs";
import * as ws from "./ws.mjs";

const PEERS = [ws, colyseus, hocuspocus, sharedb];
const SELF = fileURLToPath(import.meta.url);
const MOVES_PER_S = 60;
const NODES = 16; // of a scene in which editors move
const WARM_S = 0.5; // as peer_load.c has it
const PATIENCE_MS = 600_000;
const NEWCOMERS = 10; // who join a scene of many nodes at once
const FLIGHTS = [1, 16, 64, 256]; // as edit_bench.c has them

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean" },
    smoke: { type: "boolean" },
    rounds: { type: "string" },
    seconds: { type: "string" },
    curves: { type: "string" },
    serve: { type: "string" },
  },
});

const fan = (viewers, editors = 1) => ({ viewers, editors });
const sizes = options.quick
  ? { fans: [fan(10), fan(100), fan(100, 4)], nodes: [100, 1000] }
  : {
      fans: [fan(10), fan(100), fan(1000), fan(100, 4), fan(100, 16), fan(1000, 16)],
      nodes: [100, 1000, 10_000],
    };
const rounds = Number(options.rounds ?? (options.quick ? 1 : 5));
const seconds = Number(options.seconds ?? (options.quick ? 1 : 3));

// ---- one server and its load ----

const pinned = (core, command) =>
  cpus().length > 1 ? ["taskset", "-c", String(core), ...command] : command;

async function start(command) {
  const [program, ...rest] = pinned(0, command);
  const env = { ...process.env, NODE_ENV: "production" };
  const child = spawn(program, rest, { env, stdio: ["ignore", "pipe", "inherit"] });
  child.ended = new Promise((resolve) => child.on("exit", resolve));
  let said = "";
  const port = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", () => reject(new Error(`${command[0]} ended`)));
    child.stdout.on("data", (data) => {
      const [, found] = /^listening (?:\S+:)?(\d+)/m.exec((said += data)) ?? [];
      if (found) resolve(Number(found));
    });
  });
  return { child, port };
}

const hex = (frame) => Buffer.from(frame).toString("hex");

/** The plan in the words of peer_load.c. */
function written(plan, scene, time) {
  const lines = [plan.text && "text", plan.waits && "waits"].filter(Boolean);
  const frames = (word, list = []) => list.forEach((frame) => lines.push(`${word} ${hex(frame)}`));
  plan.paths.forEach((path) => lines.push(`path ${path}`));
  frames("greeting", plan.greeting ?? plan.hello);
  frames("hello", plan.hello);
  frames("setup", plan.setup);
  const count = time > 0 ? Math.ceil((WARM_S + time) * MOVES_PER_S + 2) * scene.editors : 0;
  for (let i = scene.editors; i < count + scene.editors; i++)
    lines.push(`move ${hex(plan.move(i % scene.editors, mark(i)))}`);
  return `${lines.join("\n")}\n`;
}

async function drive({ child, port }, plan, scene, { viewers, time }) {
  const numbers = [port, child.pid, scene.editors, viewers, MOVES_PER_S, time].map(String);
  const [program, ...rest] = pinned(1, [join(tools, "peer_load"), ...numbers]);
  const run = promisify(execFile)(program, rest, { timeout: PATIENCE_MS, killSignal: "SIGKILL" });
  run.child.stdin.on("error", () => {}); // what it says of it comes below
  run.child.stdin.end(written(plan, scene, time));
  const result = JSON.parse((await run).stdout);
  return { ...result, join_s: result.join_s + (plan.seats_s ?? 0) };
}

/** Undefined if the server does not get through. */
async function measure(server, scene, load) {
  const folder = mkdtempSync(join(tmpdir(), "gizmod-peers-"));
  const { nodes, editors } = scene;
  let running;
  try {
    running = await start(server.command(folder, scene));
    const connections = editors + load.viewers;
    const plan = await server.plan(scene, { port: running.port, connections });
    return await drive(running, plan, scene, load);
  } catch (error) {
    const said = error.stderr || error.stdout || error.message;
    console.error(`${server.name}, ${load.viewers} x ${editors}, ${nodes} nodes: ${said}`);
    return undefined;
  } finally {
    running?.child.kill("SIGKILL");
    await running?.child.ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

// ---- rounds: lists of what was measured, by case and server ----

function median(results, what) {
  const numbers = results.map((result) => result?.[what]).filter(Number.isFinite);
  numbers.sort((a, b) => a - b);
  const middle = numbers.length / 2;
  if (numbers.length === 0 || results.length > numbers.length) return undefined;
  return (numbers[Math.ceil(middle) - 1] + numbers[Math.floor(middle)]) / 2;
}

/** @returns what each server did, by turns */
async function takeTurns(servers, { scene, load }) {
  const done = servers.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [j, server] of servers.entries())
      if (!(scene.nodes > server.nodes_max)) done[j].push(await measure(server, scene, load));
  return done;
}

/** Durable edits, as edit_bench prints them, with what SQLite alone does in front. */
async function edit(daemons) {
  const done = FLIGHTS.map(() => [[], ...daemons.map(() => [])]);
  const folder = mkdtempSync(join(tmpdir(), "gizmod-peers-"));
  for (let i = 0; i < rounds * daemons.length; i++) {
    const j = i % daemons.length;
    const env = { ...process.env, GIZMOD: daemons[j].program };
    const run = [join(tools, "edit_bench"), [folder, String(Math.min(seconds, 2))], { env }];
    const { stdout } = await promisify(execFile)(...run);
    const found = stdout.matchAll(/^\| (\d+) \| (\d+) \| \d+ \| (\d+) \| (\S+) \/ (\S+) \|/gm);
    for (const [, ...numbers] of found) {
      const [flight, bare, per_s, p50_ms, p99_ms] = numbers.map(Number);
      const row = done[FLIGHTS.indexOf(flight)];
      row[0].push({ per_s: bare });
      row[1 + j].push({ per_s, p50_ms, p99_ms });
    }
  }
  rmSync(folder, { recursive: true, force: true });
  return done;
}

// ---- what is shown ----

const short = (value) =>
  value === undefined ? "-" : Number(value.toPrecision(value < 1 ? 2 : 3)).toLocaleString("en");

/**
 * Prints each case as soon as it is measured. `shown`: what each line says, and the names of its
 * numbers.
 */
async function table(head, names, cases, shown, take) {
  const line = (cells) => console.log(`| ${cells.join(" | ")} |`);
  const done = [];
  line([head, "", ...names]);
  line(["---", "---", ...names.map(() => "---")]);
  for (const [i, name] of cases.entries()) {
    done.push(await take(i));
    for (const [at, [label, ...whats]] of shown.entries()) {
      const cell = (of) => whats.map((what) => short(median(of, what))).join(" / ");
      line([at === 0 ? name : "", label, ...done[i].map(cell)]);
    }
  }
  console.log("");
  return done;
}

/** `xs`: where the cases stand on the axis; one that is undefined is not shown. */
function draw(file, labels, names, xs, done, what) {
  const series = names.map((name, j) => ({
    name,
    points: xs
      .map((x, i) => [x, median(done[i][j], what)])
      .filter(([x, value]) => x > 0 && value > 0)
      .sort(([a], [b]) => a - b),
  }));
  const [title, x, y] = labels;
  const svg = options.curves && curves({ title, x, y, series });
  if (svg) writeFileSync(join(options.curves, `${file}.svg`), svg);
}

async function fanOut(servers, names) {
  const { fans } = sizes;
  const cases = fans.map(({ viewers, editors }) => ({
    scene: { nodes: NODES, editors },
    load: { viewers, time: seconds },
  }));
  const head = `viewers x editors at ${MOVES_PER_S} moves/s`;
  const rows = fans.map(({ viewers, editors }) => `${viewers} x ${editors}`);
  const shown = [
    ["us a change", "us"],
    ["p50 / p99 ms", "p50_ms", "p99_ms"],
    ["frames a change", "frames"],
    ["kB/s for a viewer", "kb_per_s"],
    ["RSS of a viewer, kB", "rss_kb"],
    ["all joins, s", "join_s"],
  ];
  const done = await table(head, names, rows, shown, (i) => takeTurns(servers, cases[i]));
  const alone = fans.map(({ viewers, editors }) => (editors === 1 ? viewers : undefined));
  const hundred = fans.map(({ viewers, editors }) => (viewers === 100 ? editors : undefined));
  const wait = "wait in the median, ms";
  const cost = "us of the server's processor a change";
  draw("viewers-wait", ["One editor", "viewers", wait], names, alone, done, "p50_ms");
  draw("viewers-cost", ["One editor", "viewers", cost], names, alone, done, "us");
  draw("editors-wait", ["100 viewers", "editors", wait], names, hundred, done, "p50_ms");
  const bytes = ["100 viewers", "editors", "kB/s for a viewer"];
  draw("editors-bytes", bytes, names, hundred, done, "kb_per_s");
}

async function joinAll(servers, names) {
  const cases = sizes.nodes.map((nodes) => ({
    scene: { nodes, editors: 1 },
    load: { viewers: NEWCOMERS, time: 0 },
  }));
  const shown = [
    [`${NEWCOMERS} joins at once, s`, "join_s"],
    ["first state, kB", "first_kb"],
  ];
  const take = (i) => takeTurns(servers, cases[i]);
  const done = await table("nodes", names, sizes.nodes, shown, take);
  const labels = [`${NEWCOMERS} viewers join at once`, "nodes", "s"];
  draw("nodes-join", labels, names, sizes.nodes, done, "join_s");
}

async function editAll(daemons) {
  const names = ["SQLite alone", ...daemons.map(({ name }) => name)];
  const edited = await edit(daemons);
  const shown = [
    ["edits/s", "per_s"],
    ["p50 / p99 ms", "p50_ms", "p99_ms"],
  ];
  const done = await table("durable edits in flight", names, FLIGHTS, shown, (i) => edited[i]);
  const labels = ["Durable edits", "edits in flight", "edits a second"];
  draw("edits-rate", labels, names, FLIGHTS, done, "per_s");
}

// ---- all of it ----

async function serve([nodes, editors]) {
  const peer = PEERS.find(({ name }) => name === options.serve);
  console.log(`listening ${await peer.serve({ nodes: Number(nodes), editors: Number(editors) })}`);
}

async function smoke(servers) {
  for (const server of servers) {
    const result = await measure(server, { nodes: NODES, editors: 2 }, { viewers: 2, time: 0.5 });
    if (!result) process.exitCode = 1;
    console.log(`${server.name}: ${result ? "a move arrived" : "no move arrived"}`);
  }
}

async function compare(servers, daemons) {
  const names = servers.map(({ name }) => name);
  if (options.curves) mkdirSync(options.curves, { recursive: true });
  await fanOut(servers, names);
  await joinAll(servers, names);
  await editAll(daemons);
}

const daemons = positionals.map((given) => {
  const [, name = "gizmod", program] = /^(?:(\w+)=)?(.*)$/.exec(given);
  return { name, program };
});
const tools = dirname(daemons.at(-1)?.program ?? "");

if (options.serve) {
  await serve(positionals);
} else if (daemons.length === 0) {
  console.error("node run.mjs [--quick] [--rounds N] [--curves FOLDER] [NAME=]GIZMOD...");
  process.exitCode = 1;
} else {
  const peers = PEERS.map((peer) => ({
    ...peer,
    command: (_, { nodes, editors }) =>
      [process.execPath, SELF, "--serve", peer.name, nodes, editors].map(String),
  }));
  const floored = floor(join(tools, "floor_bench"));
  const servers = [...daemons.map(({ name, program }) => gizmod(name, program)), floored, ...peers];
  await (options.smoke ? smoke(servers) : compare(servers, daemons));
}
