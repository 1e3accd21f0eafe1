// What a drag leaves to the garbage collector: nothing where the page predicts, shows and sends,
// and a counted number of bytes where answers of the server are decoded. The session runs in a
// process of its own, against a WebSocket that leaves nothing itself.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const WASM = new URL("./predict.wasm", import.meta.url);
/** A build without clang's parts for WebAssembly has none, and says so when it is configured. */
const skip = existsSync(WASM) ? false : "this build has no predict.wasm";

/** A decoded answer is made of new objects: at most so many bytes each, and for each node in it. */
const ANSWER_BYTES = 9000;
const NODE_BYTES = 1500;

/** Drags nodes with all that listens in an application: controls, a binding, the scene to draw. */
const PAGE = `
  import { writeSync } from "node:fs";
  import { readFile } from "node:fs/promises";
  import { getHeapStatistics } from "node:v8";
  const [folder, wasm, how, count, warmUp, events] = process.argv.slice(1);
  const { Session } = await import(folder + "index.js");
  const { encode, decode } = await import(folder + "codec.js");
  const { bind } = await import(folder + "three/bind.js");
  const { RemoteTransformControls } = await import(folder + "three/controls.js");
  const { Object3D, PerspectiveCamera } = await import("three");
  let due = null, sent = 0;
  class Socket {
    readyState = 1;
    bufferedAmount = 0;
    sent = [];
    constructor() { Socket.last = this; }
    send(frame) {
      sent++;
      if (this.sent) this.sent.push(...decode(frame));
    }
    close() { this.onclose?.(); }
    tell(...messages) { this.onmessage({ data: encode(...messages).slice().buffer }); }
  }
  const ids = Array.from({ length: Number(count) }, (_, i) => i + 1);
  const place = (id) => ({ t: [id % 10 + 0.25, id / 10, 0.125], r: [0, 0, 0, 1], s: [1, 1, 1] });
  const session = new Session({
    url: "ws://there/ws",
    scene: "arm",
    user: "Ada",
    WebSocket: Socket,
    predict: await readFile(wasm),
  });
  const socket = Socket.last;
  socket.onopen();
  socket.tell(
    { op: "welcome", v: 1, session: 1, scene: "arm", epoch: 7, seq: 1, resumed: false,
      role: "editor", limits: {}, server: "gizmod" },
    { op: "delta", from: 0, seq: 1, time: 1, saved: 1,
      nodes: ids.map((id) => ({ id, name: "n" + id, parent: null, ...place(id) })) },
  );
  await new Promise((resolve) => session.on("predicting", resolve));
  let seen = 0;
  const objects = new Map(ids.map((id) => [id, new Object3D()]));
  const binding = bind(session.shown, ({ id }) => objects.get(id));
  const element = { style: {}, addEventListener() {}, removeEventListener() {} };
  new RemoteTransformControls(new PerspectiveCamera(), element, session, binding).dragging = true;
  binding.on("change", (moved) => (seen += moved.length));
  session.on("gizmo", (gizmo) => (seen += gizmo.origin.length));
  session.shown.on("change", ({ moved }) => {
    for (const id of moved) seen += session.shown.world(id).length;
  });
  session.setCamera({
    view: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -30, 1],
    proj: [1.8, 0, 0, 0, 0, 2.4, 0, 0, 0, 0, -1.02, -1, 0, 0, -0.2, 0],
    viewport: [0, 0, 800, 600],
  });
  const chosen = session.select(ids);
  await new Promise(setImmediate);
  const answer = (op) => {
    const { rid } = socket.sent.findLast((m) => m.op === op);
    socket.tell({ op: "ok", rid });
  };
  answer("select");
  await chosen;
  let seq = 1, n = 0;
  const pointer = { at: [0.5, 0.5], mods: ["fine"] };
  function move(i) {
    pointer.at[0] = 100 + (i % 600);
    pointer.at[1] = 100.25 + (i % 400);
    session.move(pointer);
    due?.();
    due = null;
    n++;
  }
  const state = (nodes) => {
    const acks = [[1, n]];
    return { op: "delta", from: seq, seq: ++seq, time: 2 + seq / 60, acks, nodes };
  };
  /** What the server will say after each pointer, as frames. */
  function foretell(events) {
    const frames = [];
    for (let i = 0; i < events; i++) {
      move(i);
      const nodes = ids.map((id) => ({ id, by: 1, t: [...session.scene.get(id).t] }));
      frames.push(encode(state(nodes)).slice().buffer);
    }
    return frames;
  }
  const grabbed = session.grab("txy", { at: [400, 300] });
  await new Promise(setImmediate);
  answer("grab");
  await grabbed;
  socket.sent = null;
  // The turn of the event loop in which a frame is sent is the platform's.
  globalThis.queueMicrotask = (run) => (due = run);
  const news = { data: null };
  const answers = how === "answered" ? foretell(Number(events)) : null;
  function drag(events) {
    for (let i = 0; i < events; i++) {
      move(i);
      if (!answers) continue;
      news.data = answers[i];
      socket.onmessage(news);
    }
  }
  if (!answers) drag(Number(warmUp));
  globalThis.gc();
  const before = getHeapStatistics().used_heap_size;
  writeSync(1, "begins\\n");
  drag(Number(events));
  writeSync(1, "ends\\n");
  const bytes = (getHeapStatistics().used_heap_size - before) / events;
  writeSync(1, JSON.stringify({ bytes, corrections: session.corrections, seen, sent }));
  process.exit();
`;

/** Young objects are collected when they take so many megabytes. */
const semiSpace = (mb) => [`--min-semi-space-size=${mb}`, `--max-semi-space-size=${mb}`];

/**
 * @returns what was said of each collection during the drag, and what the page counted
 */
function drag({ how, nodes, warmUp = 0, events, more = [] }) {
  // V8 optimises on this thread: on another one it may still be at it when the warm-up is over.
  const v8 = ["--trace-gc", "--expose-gc", "--no-concurrent-recompilation"];
  const words = [...v8, ...more, "--input-type=module", "-e", PAGE];
  const numbers = [nodes, warmUp, events].map(String);
  const folder = new URL("./", import.meta.url).href;
  const run = spawnSync(process.execPath, [...words, folder, fileURLToPath(WASM), how, ...numbers]);
  const said = /begins\n([^]*)ends\n([^]*)/.exec(run.stdout.toString());
  assert.ok(said, run.stderr.toString());
  const counted = JSON.parse(said[2]);
  assert.equal(counted.corrections, 0);
  assert.ok(counted.seen >= 2 * nodes * events && counted.sent >= events, said[2]);
  return { collections: said[1], ...counted };
}

for (const [nodes, warmUp, events] of [
  [1, 20_000, 100_000],
  [100, 4000, 5000],
])
  test(`${events} pointers of a drag of ${nodes} leave nothing to collect`, { skip }, () => {
    const { collections } = drag({
      how: "moves",
      nodes,
      warmUp,
      events,
      more: semiSpace(1),
    });
    assert.equal(collections, "");
  });

for (const [nodes, events] of [
  [1, 2000],
  [100, 200],
])
  test(`an answer about ${nodes} leaves its own objects to collect`, { skip }, (t) => {
    // No collection comes between both looks at the heap.
    const { collections, bytes } = drag({ how: "answered", nodes, events, more: semiSpace(64) });
    assert.equal(collections, "");
    t.diagnostic(`${Math.round(bytes)} bytes`);
    assert.ok(bytes <= ANSWER_BYTES + NODE_BYTES * nodes, `${bytes} bytes`);
  });
