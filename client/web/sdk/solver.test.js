// The solvers in the page against those of a real daemon: the same gizmo, the same drags, the same
// views.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import WebSocket from "ws";

import { Daemon } from "../../../tests/browser/support/daemon.js";
import { connect } from "./index.js";
import { Solver } from "./solver.js";

const WASM = new URL("./predict.wasm", import.meta.url);
/** What a difference in sin, cos, pow or hypot of the two C libraries may come to. */
const SLACK = 1e-12;

let daemon, session, ids;

before(async () => {
  daemon = await Daemon.start([]);
  session = await connect({
    url: daemon.socket,
    scene: "solver",
    user: "Ada",
    create: true,
    WebSocket,
    predict: false,
  });
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

test("a drag on each handle ends where the daemon has it, and looks alike on the way", async () => {
  const next = chance(1);
  const solver = await Solver.load(WASM);
  ({ ids } = await session.create([
    { ref: "a", name: "a", ...someNode(next) },
    { ref: "b", name: "b", parent: "a", ...someNode(next) },
    { name: "c", parent: "b", ...someNode(next) },
    { name: "c", parent: "b", ...someNode(next) },
    { name: "d", ...someNode(next) },
  ]));
  let exact = 0,
    drags = 0;
  for (const [round, tool] of [...TOOLS, ...TOOLS].entries()) {
    const full = { ...FIRST, ...tool, snap: { ...FIRST.snap, ...tool.snap } };
    const camera = someCamera(next);
    session.setCamera(camera);
    session.setTool(full);
    const nodes = round % 2 === 0 ? [ids[3]] : [ids[2], ids[3], ids[4]];
    await session.select(nodes);
    assert.ok(solver.setCamera(camera) && solver.setTool(full));
    assert.ok(solver.setTargets(nodes.map(targetOf), nodes.length - 1));
    const start = somePlace(next);
    solver.hover(start);
    await session.probe(start);
    await sameGizmo(solver);
    for (const handle of told()?.handles ?? []) {
      const press = somePlace(next);
      const begun = solver.press(handle, press);
      const grabbed = await session.grab(handle, press).then(
        () => "ok",
        () => "none",
      );
      assert.equal(begun, grabbed, handle);
      if (begun === "none") continue;
      let place;
      for (let i = 0; i < 3; i++) {
        place = { ...somePlace(next), mods: i === 1 ? ["fine"] : next() > 0 ? ["snap"] : [] };
        session.move(place);
        solver.move(place, place.mods);
      }
      await sameGizmo(solver);
      solver.move(place, place.mods);
      const { seq } = await session.up(place);
      await until(
        () => session.scene.seq >= seq,
        () => `seq ${seq}`,
      );
      const poses = [...solver.poses()];
      drags++;
      let bits = true;
      nodes.forEach((id, i) => {
        const wanted = trsOf(session.scene.get(id));
        const got = poses.slice(10 * i, 10 * i + 10);
        assertNear(got, wanted, handle[0] === "t" ? 0 : SLACK, `${handle} of ${id}`);
        bits &&= wanted.every((value, k) => value === got[k]);
      });
      if (bits) exact++;
      solver.end();
      assert.ok(solver.setTargets(nodes.map(targetOf), nodes.length - 1));
      await sameGizmo(solver);
    }
  }
  console.log(`${drags} drags, ${exact} to the last bit`);
});
