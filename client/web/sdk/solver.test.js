// The solvers in the page against those of a real daemon and of `gizmoctl solve`: the same gizmo,
// the same drags, the same views. And what they cost.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import WebSocket from "ws";

import { Daemon } from "../../../tests/browser/support/daemon.js";
import { connect } from "./index.js";
import { Solver } from "./solver.js";

const WASM = new URL("./predict.wasm", import.meta.url);
/** A build without clang's parts for WebAssembly has none, and says so when it is configured. */
const skip = existsSync(WASM) ? false : "this build has no predict.wasm";
/** What a difference in sin, cos and hypot of the two C libraries may come to. */
const SLACK = 1e-12;
const RELEASE = "../../../build/release/bin/gizmoctl";
const BYTES_MAX = 40_000;

let daemon, session, ids;

/** Shows what the server says and nothing else. */
const join = (user, scene = "solver") =>
  connect({ url: daemon.socket, scene, user, create: true, WebSocket, predict: false });

before(async () => {
  daemon = await Daemon.start();
  session = await join("Ada");
  const next = chance(1);
  ({ ids } = await session.create([
    { ref: "a", name: "a", ...someNode(next) },
    { ref: "b", name: "b", parent: "a", ...someNode(next) },
    { name: "c", parent: "b", ...someNode(next) },
    { name: "d", parent: "b", ...someNode(next) },
    { name: "e", ...someNode(next) },
  ]));
});

after(async () => {
  session?.close();
  await daemon?.stop();
});

/** Numbers from -1 to 1 that are the same each time. */
function chance(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (((t ^ (t >>> 14)) >>> 0) / 4294967296) * 2 - 1;
  };
}

function someNode(next) {
  const r = [next(), next(), next(), 1 + next()];
  const length = Math.hypot(...r);
  return {
    t: [next(), next(), next()],
    r: r.map((x) => x / length),
    s: [1.5 + next(), 1.5 + next(), 1.5 + next()],
  };
}

/** Looks from z = 10 at the origin, a little to the side. */
function someCamera(next) {
  const angle = next() / 2;
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return {
    view: [c, 0, s, 0, 0, 1, 0, 0, -s, 0, c, 0, next() / 2, next() / 2, -10, 1],
    proj: [1.8, 0, 0, 0, 0, 1.8, 0, 0, 0, 0, -1, -1, 0, 0, -0.2, 0],
    viewport: [0, 0, 800, 800],
  };
}

const somePlace = (next) => ({ at: [400 + 300 * next(), 400 + 300 * next()] });

/** A node as the solver takes it. */
function targetOf(id) {
  const node = session.scene.get(id);
  const above = [];
  for (let at = node; at.parent !== null; ) above.unshift((at = session.scene.get(at.parent)));
  return { t: node.t, r: node.r, s: node.s, above, bounds: node.bounds };
}

/** Resolves as soon as it is so: it is looked at again with each event. */
async function until(accept, what) {
  const end = Date.now() + 10_000;
  while (!accept()) {
    if (Date.now() > end) assert.fail(`${what()} did not come`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

const trsOf = ({ t, r, s }) => [...t, ...r, ...s];

function assertNear(got, wanted, slack, what) {
  const size = Math.max(1, ...wanted.map(Math.abs));
  wanted.forEach((value, i) => {
    const off = Math.abs(got[i] - value);
    assert.ok(
      slack === 0 ? got[i] === value : off <= slack * size,
      `${what}: ${got} is not ${wanted}`,
    );
  });
}

/** The server's gizmo, without what is the message's own. */
const told = () => {
  if (session.gizmo === null) return null;
  const { op, ...gizmo } = session.gizmo;
  return gizmo;
};

function looksAlike(a, b) {
  if (typeof a === "number") return Math.abs(a - b) <= SLACK * Math.max(1, Math.abs(a));
  if (a === null || b === null || typeof a !== "object") return a === b;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => looksAlike(a[key], b[key]));
}

const sameGizmo = (solver) =>
  until(
    () => looksAlike(solver.gizmo(), told()),
    () => JSON.stringify([solver.gizmo(), told()]),
  );

/** Each field of a tool. */
const FIRST = {
  mode: "translate",
  space: "world",
  pivot: "median",
  snap: { t: 1, r: 1, s: 1, on: false, absolute: false },
  size: 96,
  tolerance: 8,
  edge: 0.0873,
  axis_method: "screen",
  ball: "exact",
  ball_fit: "object",
  orbit: "ball",
  mirror: false,
};
const TOOLS = [
  { mode: "universal", space: "world", pivot: "median" },
  { mode: "translate", space: "local", snap: { t: 0.25, on: true, absolute: true } },
  { mode: "rotate", space: "parent", snap: { r: 0.1, on: false }, pivot: "each" },
  { mode: "scale", space: "local", pivot: "active", mirror: true },
  { mode: "bounds", space: "world", pivot: [0.1, 0.2, 0.3] },
  { mode: "arcball", space: "view", ball: "bell", ball_fit: "circle" },
  { mode: "translate", space: "view", axis_method: "plane", edge: 0.2, size: 70, tolerance: 12 },
];

/** What the session and the solver both know from now on. */
async function begin(solver, tool, next, nodes) {
  const full = { ...FIRST, ...tool, snap: { ...FIRST.snap, ...tool.snap } };
  const camera = someCamera(next);
  session.setCamera(camera);
  session.setTool(full);
  await session.select(nodes);
  assert.ok(solver.setCamera(camera) && solver.setTool(full));
  assert.ok(solver.setTargets(nodes.map(targetOf), nodes.length - 1));
}

const isThere = ({ seq }) =>
  until(
    () => session.scene.seq >= seq,
    () => `seq ${seq}`,
  );

/** The targets are, here and there, where they are to the last bit, or nearly. */
function assertPoses(solver, nodes, slack, what) {
  nodes.forEach((id, i) => {
    const pose = [...solver.poses()].slice(10 * i, 10 * i + 10);
    assertNear(pose, trsOf(session.scene.get(id)), slack, `${what}, node ${id}`);
  });
}

/** False if the press has no answer, which both have to say. */
async function drag(solver, handle, next, nodes) {
  const press = somePlace(next);
  const begun = solver.press(handle, press);
  const grabbed = await session.grab(handle, press).then(
    () => "ok",
    () => "none",
  );
  assert.equal(begun, grabbed, handle);
  if (begun === "none") return false;
  let place;
  for (let i = 0; i < 3; i++) {
    place = { ...somePlace(next), mods: [["snap"], ["fine"], [], ["snap", "fine"]][i] };
    session.move(place);
    solver.move(place, place.mods);
  }
  await sameGizmo(solver);
  const done = await session.up(place);
  solver.move(place, place.mods);
  await isThere(done);
  assertPoses(solver, nodes, handle[0] === "t" ? 0 : SLACK, handle);
  solver.end();
  if (done.edit !== undefined) await isThere(await session.undo());
  assert.ok(solver.setTargets(nodes.map(targetOf), nodes.length - 1));
  await sameGizmo(solver);
  return true;
}

test("each drag looks alike on its way and ends where the daemon has it", { skip }, async () => {
  const next = chance(2);
  const solver = await Solver.load(WASM);
  let drags = 0;
  for (const [round, tool] of [...TOOLS, ...TOOLS].entries()) {
    const nodes = round % 2 === 0 ? [ids[3]] : [ids[2], ids[3], ids[4]];
    await begin(solver, tool, next, nodes);
    const start = somePlace(next);
    solver.hover(start);
    await session.probe(start);
    await sameGizmo(solver);
    assert.equal(solver.pick(start), told()?.hover ?? null);
    for (const handle of told()?.handles ?? [])
      drags += (await drag(solver, handle, next, nodes)) ? 1 : 0;
  }
  assert.ok(drags > 60, `${drags} drags`);
});

test("handles on the bounds of real parts take them where the daemon does", { skip }, async () => {
  const next = chance(7);
  const solver = await Solver.load(WASM);
  const before = session;
  session = await join("Ada", "robot-arm");
  const parts = [...session.scene.nodes.values()].filter(({ bounds }) => bounds);
  const leaves = parts.filter(({ children }) => children.length === 0).slice(0, 3);
  let drags = 0;
  for (const nodes of [[leaves[0].id], leaves.map(({ id }) => id)]) {
    for (const pivot of ["median", "bounds"]) {
      await begin(solver, { mode: "bounds", space: "local", pivot }, next, nodes);
      await sameGizmo(solver);
      assert.equal(told().box.length, 12);
      for (const handle of told().handles)
        drags += (await drag(solver, handle, next, nodes)) ? 1 : 0;
    }
  }
  assert.ok(drags > 20, `${drags} drags`);
  session.close();
  session = before;
});

test("a typed value, and a parent that somebody else moves meanwhile", { skip }, async () => {
  const solver = await Solver.load(WASM);
  const nodes = [ids[2], ids[3]];
  await begin(solver, TOOLS[1], chance(3), nodes);
  const bob = await join("Bob");
  await session.grab("tx", { value: [0.5] });
  assert.equal(solver.press("tx", null), "ok");
  assert.equal(solver.value([Number.NaN]), "kept");
  assert.equal(solver.value([0.5]), "ok");
  assert.equal(solver.move({ at: [10, 10] }), "kept", "the value counts");
  await sameGizmo(solver);
  const t = [0.3, -0.7, 0.9];
  await isThere(await bob.set([{ id: ids[0], t }]));
  assert.ok(solver.setTargets(nodes.map(targetOf), 1));
  await until(
    () => nodes.every((id, i) => solver.poses()[10 * i] === session.scene.get(id).t[0]),
    () => "the same place beneath the parent that moved",
  );
  assert.equal(solver.setTargets([targetOf(ids[4])], 0), false, "others cannot be held now");
  await isThere(await session.up());
  assertPoses(solver, nodes, 0, "after the parent has moved");
  bob.close();
});

test("a wheel and an orbit take nodes and view where the daemon does", { skip }, async () => {
  const solver = await Solver.load(WASM);
  const next = chance(4);
  const nodes = [ids[3], ids[4]];
  for (const orbit of ["ball", "turntable"]) {
    await begin(solver, { ...TOOLS[0], orbit }, next, nodes);
    for (const notches of [1, 2, -3]) assert.equal(solver.wheel(notches), "ok");
    for (const dy of [1, 1, -5]) await session.wheel(dy);
    await until(
      () => nodes.every((id, i) => solver.poses()[10 * i + 7] === session.scene.get(id).s[0]),
      () => "what the wheel has scaled",
    );
    assertPoses(solver, nodes, 0, "whole notches");
    solver.end();
    const views = [];
    const off = session.on("view", (view) => views.push([...view]));
    const centre = [0.2, 0.1, 0];
    const camera = { ...session.camera, target: centre };
    session.setCamera(camera);
    const place = { at: [300, 300], mods: ["orbit"] };
    assert.equal(solver.orbitBegin(centre, place.at), true);
    await session.down(place);
    const seen = [
      [350, 320],
      [500, 100],
    ].map((at) => (session.move({ ...place, at }), [...solver.orbitMove(at)]));
    await session.up({ ...place, at: [500, 100] });
    solver.end();
    session.setTool({ mode: "orbit" });
    await session.wheel(2);
    await until(
      () => views.length >= 4,
      () => "four views",
    );
    seen.push([...solver.dolly(centre, 2)]);
    assertNear(views[0], seen[0], SLACK, "orbit");
    assertNear(views.at(-2), seen[1], SLACK, "orbit");
    assertNear(views.at(-1), seen[2], SLACK, "dolly");
    off();
  }
});

// ---- the recorded drags ----

const DRAGS = new URL("../../../tests/data/drags/cases.jsonl.gz", import.meta.url);
const MODES = { translate: "translate", rotate: "rotate", scale: "scale", arcball: "arcball" };
const SUFFIXES = { view: "v", uniform: "u", ball: "b" };

/** The protocol's name of a record's handle. */
const handleOf = ({ tool, handle }) =>
  (tool === "arcball" ? "r" : tool[0]) + (SUFFIXES[handle] ?? handle);

/** The recorded drag's rows, as `gizmoctl solve` gives them. */
function solveCase(solver, wasm, drag) {
  const { object, gizmo, view, proj, variant } = drag;
  const target = { t: object.position, r: object.rotation, s: object.scale, above: [] };
  solver.setCamera({ view, proj, viewport: [0, 0, ...drag.viewport] });
  const single = variant === "shoemake_1x";
  const mode = MODES[drag.tool.split("_")[0]];
  const ball = variant && !single ? variant : "exact";
  solver.setTool({ mode, space: drag.space, size: gizmo.px, edge: 0, ball });
  // What no message can say of a tool: its numbers still are in the block.
  const block = new Float64Array(wasm.memory.buffer, wasm.block(), wasm.block_size());
  if (single) block[14] = 4;
  if (gizmo.ball) block.set(gizmo.ball, 19);
  wasm.tool();
  solver.setTargets([target], 0);
  const begun = solver.press(handleOf(drag), { at: drag.start });
  const isRing = drag.tool.startsWith("rotate");
  const start = drag.object.rotation;
  const rows = drag.path.map((at) => {
    if (begun === "ok") solver.move({ at });
    const row = [...solver.poses()];
    // A row tells a ring's rotation on the start's side, however many turns it took.
    const side = start.reduce((sum, number, i) => sum + number * row[3 + i], 0);
    return isRing && side < 0 ? row.map((number, i) => (i > 2 && i < 7 ? -number : number)) : row;
  });
  solver.end();
  return rows;
}

test("600 recorded drags go where `gizmoctl solve` takes them", { skip }, async () => {
  const lines = gunzipSync(readFileSync(DRAGS)).toString().trim().split("\n");
  const program = process.env.GIZMOD_CTL ?? fileURLToPath(new URL(RELEASE, import.meta.url));
  const input = lines.join("\n") + "\n";
  const { stdout } = spawnSync(program, ["solve"], { input, maxBuffer: 1 << 28 });
  const answers = stdout.toString().trim().split("\n");
  const module = await WebAssembly.compile(readFileSync(WASM));
  const instance = await WebAssembly.instantiate(module);
  const solver = new Solver(instance);
  assert.equal(answers.length, 600);
  lines.map(JSON.parse).forEach((drag, i) => {
    const slack = drag.tool.startsWith("translate") ? 0 : SLACK;
    const { r } = JSON.parse(answers[i]);
    const rows = solveCase(solver, instance.exports, drag);
    r.forEach((row, k) => assertNear(rows[k], row, slack, `drag ${drag.id}, point ${k}`));
  });
});

// ---- loading ----

test(
  "comes from an address, a response or bytes, and says what it cannot use",
  { skip },
  async () => {
    const bytes = readFileSync(WASM);
    const server = createServer((request, response) => {
      const typed = request.url === "/typed.wasm";
      if (request.url === "/none.wasm") response.statusCode = 404;
      if (typed) response.setHeader("content-type", "application/wasm");
      response.end(bytes);
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = (name) => `http://127.0.0.1:${server.address().port}/${name}.wasm`;
    const sources = [bytes, WASM, url("typed"), url("untyped"), new URL(url("typed"))];
    sources.push(await fetch(url("typed")), await WebAssembly.compile(bytes));
    for (const source of sources) assert.equal((await Solver.load(source)).gizmo(), null);
    await assert.rejects(Solver.load(url("none")), /could not be fetched: 404/);
    await assert.rejects(Solver.load(new Uint8Array(8)), WebAssembly.CompileError);
    server.close();
    server.closeAllConnections();
  },
);

test("what cannot be used is refused and changes nothing", { skip }, async () => {
  const solver = await Solver.load(WASM);
  const camera = someCamera(chance(5));
  assert.equal(solver.pick({ at: [400, 400] }), null);
  assert.equal(solver.press("tx", { at: [400, 400] }), "none");
  assert.equal(solver.move({ at: [400, 400] }), "none");
  assert.ok(solver.setCamera(camera));
  assert.ok(solver.setTargets([{ t: [0, 0, 0], r: [0, 0, 0, 1], s: [1, 1, 1], above: [] }], 0));
  const before = solver.gizmo();
  assert.equal(solver.setCamera({ ...camera, view: new Array(16).fill(0) }), false);
  assert.equal(solver.setTool({ mode: "twirl" }), false);
  assert.equal(solver.setTargets([], 0), true);
  assert.equal(solver.gizmo(), null);
  assert.equal(solver.press("twirl", null), "none");
  assert.ok(solver.setTargets([{ t: [0, 0, 0], r: [0, 0, 0, 1], s: [1, 1, 1], above: [] }], 0));
  assert.deepEqual(solver.gizmo(), before);
  assert.equal(solver.gizmo(), solver.gizmo(), "the same object while it looks the same");
});

test("a motion takes any start along", { skip }, async () => {
  const solver = await Solver.load(WASM);
  const start = { t: [1, 2, 3], r: [0, 0, 0, 1], s: [1, 1, 1] };
  const above = [{ t: [0, 0, 5], r: [0, 0, 0, 1], s: [2, 2, 2] }];
  solver.setTargets([{ ...start, above }], 0);
  assert.equal(solver.press("tx", null), "ok");
  assert.equal(solver.value([3]), "ok");
  const motion = solver.motion();
  assert.deepEqual(solver.apply(motion, 0, start), { ...start, t: [2.5, 2, 3] });
  assert.deepEqual(solver.apply(motion, 0, { ...start, t: [0, 0, 0] }).t, [1.5, 0, 0]);
  assert.deepEqual(solver.apply(motion, 0, start, []).t, [5, 4, 11], "another parent, same place");
  assert.equal(solver.apply(motion, 1, start), null, "no such target");
  solver.end();
  assert.deepEqual([...solver.poses()].slice(0, 3), [2.5, 2, 3], "it stays when the drag is over");
});

// ---- what it costs ----

test("is at most 40 kB to fetch", { skip }, () => {
  assert.ok(gzipSync(readFileSync(WASM), { level: 9 }).length <= BYTES_MAX);
});

/** A drag of so many events, by Node that says each collection. */
const DRAG = `
  import { writeSync } from "node:fs";
  import { readFile } from "node:fs/promises";
  const { Solver } = await import(process.argv[1]);
  const solver = await Solver.load(await readFile(process.argv[2]));
  const camera = JSON.parse(process.argv[3]);
  const r = [0, 0, 0, 1], s = [1, 1, 1];
  const above = [{ t: [0, 0, 0], r, s }];
  const targets = [-1, 0, 1].map((x) => ({ t: [x, 0, 0], r, s, above }));
  const place = { at: [0, 0] }, mods = ["snap"], shown = new Float64Array(30);
  solver.setCamera(camera);
  solver.setTool({ mode: "universal" });
  function drag(events) {
    solver.setTargets(targets, 2);
    solver.press("txy", { at: [400, 400] });
    for (let i = 0; i < events; i++) {
      place.at[0] = 100.5 + (i % 600);
      place.at[1] = 200.25 + (i % 400);
      solver.move(place, mods);
      shown.set(solver.poses());
      solver.hover(place);
      solver.pick(place);
    }
    solver.end();
  }
  drag(20_000);
  globalThis.gc();
  writeSync(1, "begins\\n");
  drag(100_000);
  writeSync(1, "ends\\n");
`;

test("100,000 pointer events of a drag leave nothing to collect", { skip }, () => {
  const words = ["--trace-gc", "--expose-gc", "--input-type=module", "-e", DRAG];
  const solver = new URL("./solver.js", import.meta.url).href;
  const camera = JSON.stringify(someCamera(chance(6)));
  const run = spawnSync(process.execPath, [...words, solver, fileURLToPath(WASM), camera]);
  const traced = /begins\n([^]*)ends/.exec(run.stdout.toString());
  assert.ok(traced, run.stderr.toString());
  assert.equal(traced[1], "");
});
