// The session where the server does what a real one does seldom: connections that break in the
// middle of a state, messages that are dropped.
import assert from "node:assert/strict";
import { test } from "node:test";

import { decode, encode } from "./codec.js";
import { Emitter } from "./emitter.js";
import { SceneModel, Session } from "./index.js";

/** A WebSocket whose other end is the test. */
class Socket {
  static all = [];
  readyState = 0;
  sent = [];
  frames = 0;

  constructor() {
    Socket.all.push(this);
  }

  open() {
    this.readyState = 1;
    this.onopen();
  }

  send(frame) {
    this.frames++;
    this.sent.push(...decode(frame));
  }

  close() {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.onclose();
  }

  tell(...messages) {
    this.onmessage({ data: encode(...messages).slice().buffer });
  }

  /** The last message of this kind that the session sent. */
  last(op) {
    return this.sent.filter((message) => message.op === op).at(-1);
  }
}

const node = (id) => ({
  id,
  t: [0, 0, 0],
  r: [0, 0, 0, 1],
  s: [1, 1, 1],
  name: `n${id}`,
  parent: null,
});
const welcome = (more = {}) => ({
  op: "welcome",
  v: 1,
  session: 1,
  scene: "arm",
  epoch: 7,
  seq: 0,
  resumed: false,
  role: "editor",
  limits: {},
  server: "gizmod",
  ...more,
});
const state = (more = {}) => ({
  op: "delta",
  from: 0,
  seq: 2,
  time: 1,
  saved: 2,
  nodes: [node(1), node(2)],
  ...more,
});
/** After so long the session sends again what the server dropped. */
const DROPPED_MS = 1000;
/** Until what was queued in this turn is sent, and promises are settled. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A session that is online, and its socket. */
async function joined(t, told = welcome()) {
  const session = new Session({
    url: "ws://there/ws",
    scene: "arm",
    user: "Ada",
    WebSocket: Socket,
    predict: false,
  });
  t.after(() => session.close());
  const socket = Socket.all.at(-1);
  socket.open();
  socket.tell(told, state());
  await settled();
  return { session, socket };
}

/** The connection breaks and another one is made. */
function reconnect(session, socket) {
  socket.close();
  session.retry();
  const next = Socket.all.at(-1);
  next.open();
  return next;
}

test("resume_after_a_state_that_broke_off_begins_anew", async (t) => {
  const { session, socket } = await joined(t);
  assert.equal(session.scene.seq, 2);
  const second = reconnect(session, socket);
  assert.deepEqual(second.last("hello").resume, { epoch: 7, seq: 2, edit: 2 });
  second.tell(welcome({ epoch: 8 }), state({ seq: 1, saved: 1, more: true }));
  const third = reconnect(session, second);
  assert.deepEqual(
    third.last("hello").resume,
    { epoch: 8, seq: 0, edit: 1 },
    "seq 2 was of another epoch",
  );
});

test("resume_after_an_interest_ended_without_its_state_begins_anew", async (t) => {
  const { session, socket } = await joined(t);
  const part = session.interest({ nodes: [1] });
  await settled();
  socket.tell(
    { op: "ok", rid: socket.last("interest").rid },
    { op: "delta", from: 2, seq: 2, time: 1, saved: 2, nodes: [], gone: [2] },
  );
  await part;
  const whole = session.interest();
  await settled();
  socket.tell({ op: "ok", rid: socket.last("interest").rid });
  await whole;
  assert.equal(reconnect(session, socket).last("hello").resume.seq, 0, "what is here is a part");
});

test("selection_survives_a_connection_that_breaks_at_once_and_loses_what_is_gone", async (t) => {
  const { session, socket } = await joined(t);
  const chosen = session.select([1, 2]);
  await settled();
  socket.tell({ op: "ok", rid: socket.last("select").rid });
  await chosen;
  const second = reconnect(session, socket);
  second.tell(welcome({ resumed: true }));
  const third = reconnect(session, second);
  await settled();
  assert.deepEqual(session.selection, [1, 2]);
  const person = { session: 1, user: "Ada", role: "editor", selection: [] };
  third.tell(
    welcome({ resumed: true }),
    { op: "presence", all: true, users: [person] },
    {
      op: "delta",
      from: 2,
      seq: 3,
      time: 1,
      saved: 3,
      nodes: [],
      gone: [1],
    },
  );
  await settled();
  third.tell({
    op: "error",
    rid: third.last("select").rid,
    code: "unknown_node",
    message: "nodes[0]: there is no node 1",
    nodes: [1],
  });
  await settled();
  assert.deepEqual(third.last("select").nodes, [2]);
  assert.deepEqual(session.selection, [2]);
});

test("selection_shows_at_once_and_goes_back_if_it_is_refused", async (t) => {
  const { session, socket } = await joined(t);
  const first = session.select([1]);
  assert.deepEqual(session.selection, [1]);
  const second = session.select([2], "add").catch(({ code }) => code);
  assert.deepEqual(session.selection, [1, 2]);
  await settled();
  const [one, two] = socket.sent.filter(({ op }) => op === "select");
  socket.tell({ op: "ok", rid: one.rid });
  await first;
  assert.deepEqual(session.selection, [1, 2]);
  socket.tell({ op: "error", rid: two.rid, code: "rate_limited", message: "too many" });
  assert.equal(await second, "rate_limited");
  assert.deepEqual(session.selection, [1]);
});

test("selection_stays_as_it_was_answered_when_others_are_told_of", async (t) => {
  const { session, socket } = await joined(t);
  const person = (more) => ({ session: 1, user: "Ada", role: "editor", selection: [], ...more });
  const chosen = session.select([1, 2]);
  await settled();
  socket.tell({ op: "presence", all: true, users: [person()] });
  socket.tell({ op: "ok", rid: socket.last("select").rid });
  await chosen;
  socket.tell({ op: "presence", users: [person({ session: 2, user: "Bob" })] });
  assert.deepEqual(session.selection, [1, 2]);
  socket.tell({ op: "presence", users: [person({ selection: [1] })] });
  assert.deepEqual(session.selection, [1], "another deleted node 2");
});

/** Of the packed form: what is told of session 1, by the bits of its fields. */
const person = (bits, ...fields) => [2, bits, 1, ...fields];
const { SELECTION, LENS, WHO } = { SELECTION: 16, LENS: 64, WHO: 512 + 2048 + 4096 };
const ada = (...nodes) => person(SELECTION + WHO, nodes, "Ada", 0xff0000, "editor");

test("selection_stays_as_it_was_answered_when_only_the_own_pointer_is_told", async (t) => {
  const { session, socket } = await joined(t);
  socket.tell(ada());
  const grabbed = session.grab("tx", { nodes: [1], at: [0, 0] });
  await settled();
  const { rid } = socket.last("grab");
  socket.tell({ op: "ok", rid, handle: "tx" }, person(LENS, -1, 1, -1, 1, 0));
  await grabbed;
  assert.deepEqual(session.selection, [1]);
  socket.tell(person(SELECTION, []));
  assert.deepEqual(session.selection, [], "another deleted node 1");
});

test("selection_is_as_it_was_told_or_answered_last_also_in_one_frame", async (t) => {
  const asks = [
    (session) => session.select([1, 2]),
    (session) => session.grab("tx", { nodes: [1, 2], at: [0, 0] }),
    (session) => session.down({ at: [0, 0] }),
  ];
  for (const [i, ask] of asks.entries()) {
    const { session, socket } = await joined(t);
    socket.tell(ada());
    const asked = ask(session);
    await settled();
    const { rid } = socket.sent.at(-1);
    socket.tell(person(SELECTION, [2]), { op: "ok", rid, hit: 1 });
    await asked;
    assert.deepEqual(session.selection, i < 2 ? [1, 2] : [1], "answered after it was told");
    const again = ask(session);
    await settled();
    socket.tell({ op: "ok", rid: socket.sent.at(-1).rid, hit: 1 }, person(SELECTION, []));
    await again;
    assert.deepEqual(session.selection, [], "told after it was answered");
  }
});

test("selection_is_what_others_left_of_it_if_a_choice_is_refused", async (t) => {
  const { session, socket } = await joined(t);
  socket.tell(ada(1, 2));
  const chosen = session.select([2]).catch(({ code }) => code);
  await settled();
  const { rid } = socket.last("select");
  socket.tell(person(SELECTION, [1]));
  assert.deepEqual(session.selection, [2]);
  socket.tell({
    op: "error",
    rid,
    code: "unknown_node",
    message: "there is no node 2",
    nodes: [2],
  });
  assert.equal(await chosen, "unknown_node");
  assert.deepEqual(session.selection, [1]);
});

test("selection_is_as_it_was_told_last_also_in_the_frame_that_selects_again", async (t) => {
  const { session, socket } = await joined(t);
  socket.tell(ada(1, 2));
  assert.deepEqual(session.selection, [1, 2]);
  const second = reconnect(session, socket);
  second.tell(welcome({ resumed: true }));
  await settled();
  const { rid } = second.last("select");
  second.tell(ada(), { op: "ok", rid });
  assert.deepEqual(session.selection, [1, 2], "told before it was selected again");
  await settled();
  const third = reconnect(session, second);
  third.tell(welcome({ resumed: true }));
  await settled();
  third.tell({ op: "ok", rid: third.last("select").rid }, ada(2));
  assert.deepEqual(session.selection, [2], "another deleted node 1");
});

test("frames_hold_no_more_than_the_server_takes", async (t) => {
  const { session, socket } = await joined(t, welcome({ limits: { message_bytes: 500 } }));
  const before = socket.frames;
  for (let i = 0; i < 10; i++) session.set([{ id: 1, t: [i, 0, 0] }]).catch(() => {});
  await settled();
  assert.equal(socket.sent.filter(({ op }) => op === "set").length, 10);
  assert.ok(socket.frames - before > 1, "in several frames");
  const nodes = Array.from({ length: 40 }, (_, i) => ({ id: i + 1, t: [0.5, 0.5, 0.5] }));
  await assert.rejects(
    session.set(nodes),
    ({ code, message }) => code === "too_large" && /500/.test(message),
  );
  assert.equal(
    socket.sent.filter(({ op }) => op === "set").length,
    10,
    "what is too large is not sent",
  );
  assert.equal(session.unsaved, 10);
});

test("requests_that_are_too_much_work_are_refused_and_edits_are_sent_again", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { session, socket } = await joined(t);
  const edit = session.set([{ id: 1, t: [1, 0, 0] }]);
  const pick = session.pick({ at: [0, 0] });
  await settled();
  const { key, rid } = socket.last("set");
  const refused = { op: "error", code: "rate_limited", message: "ask again in 1.0 s" };
  socket.tell({ ...refused, rid: socket.last("pick").rid });
  socket.tell({ ...refused, rid });
  await assert.rejects(pick, ({ code }) => code === "rate_limited");
  t.mock.timers.tick(DROPPED_MS);
  await settled();
  assert.deepEqual(
    socket.sent.filter(({ op }) => op === "set").map((message) => [message.key, message.rid]),
    [
      [key, rid],
      [key, rid],
    ],
  );
  socket.tell({ op: "ok", rid, edit: 1, seq: 2 });
  await edit;
});

test("dropped_messages_leave_no_promise_open_and_edits_are_sent_again", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { session, socket } = await joined(t);
  const edit = session.set([{ id: 1, t: [1, 0, 0] }]);
  const pick = session.pick({ at: [0, 0] });
  await settled();
  const { key, rid } = socket.last("set");
  const late = socket.last("pick").rid;
  const errors = [];
  session.on("error", ({ code }) => errors.push(code));
  socket.tell({
    op: "error",
    code: "rate_limited",
    message: "more than 2000 messages per second; the rest is dropped",
  });
  await assert.rejects(pick, ({ code }) => code === "rate_limited");
  socket.tell({ op: "error", rid: late, code: "bad_state", message: "late" });
  assert.deepEqual(errors, ["rate_limited"], "what was given up is not told");
  t.mock.timers.tick(DROPPED_MS);
  await settled();
  assert.deepEqual(
    socket.sent.filter(({ op }) => op === "set").map((message) => [message.key, message.rid]),
    [
      [key, rid],
      [key, rid],
    ],
  );
  socket.tell({ op: "ok", rid, seq: 3, edit: 9 });
  assert.equal((await edit).edit, 9);
});

/** Edits are made while the session is away, and the server comes back with an older state. */
async function awayFromOlder(t) {
  const { session, socket } = await joined(t);
  socket.close();
  const edits = [session.set([{ id: 1, t: [1, 0, 0] }]), session.create([{ name: "new" }])];
  const second = reconnect(session, socket);
  second.tell(welcome({ epoch: 8, seq: 1 }));
  edits.push(session.set([{ id: 2, t: [1, 0, 0] }])); // before the older state is here
  second.tell(state({ seq: 1, saved: 1 }));
  await settled();
  return { session, second, edits };
}

const sentEdits = (socket) => socket.sent.filter(({ key }) => key !== undefined);

test("edits_made_to_a_newer_state_wait_until_they_are_applied", async (t) => {
  const { session, second, edits } = await awayFromOlder(t);
  assert.deepEqual([session.status.older, session.held, session.unsaved], [true, 3, 3]);
  const third = reconnect(session, second);
  third.tell(welcome({ epoch: 8, seq: 1, resumed: true }), state({ seq: 1, saved: 1 }));
  const own = session.set([{ id: 1, t: [2, 0, 0] }]);
  await settled();
  assert.deepEqual(
    [sentEdits(second).length, sentEdits(third).length, session.held],
    [0, 1, 3],
    "another one goes by itself",
  );
  third.tell({ op: "ok", rid: third.last("set").rid, seq: 2, edit: 7 });
  await own;
  session.applyHeld();
  await settled();
  const sent = sentEdits(third).slice(1);
  assert.deepEqual(
    sent.map(({ op, base }) => [op, base]),
    [
      ["set", undefined],
      ["create", undefined],
      ["set", undefined],
    ],
  );
  third.tell(...sent.map(({ rid }, i) => ({ op: "ok", rid, seq: 3 + i, edit: 8 + i })));
  assert.deepEqual(
    (await Promise.all(edits)).map(({ edit }) => edit),
    [8, 9, 10],
  );
  assert.deepEqual([session.held, session.unsaved], [0, 0]);
});

test("edits_made_to_a_newer_state_are_discarded_as_conflicts", async (t) => {
  const { session, second, edits } = await awayFromOlder(t);
  const told = [];
  session.on("unsaved", (count) => told.push(count));
  session.discardHeld();
  for (const edit of edits)
    await assert.rejects(
      edit,
      ({ code, message }) => code === "conflict" && /newer state/.test(message),
    );
  assert.deepEqual([session.held, session.unsaved, told, sentEdits(second).length], [0, 0, [0], 0]);
});

test("edit_made_away_goes_by_what_was_saved_and_by_the_base_of_its_caller", async (t) => {
  const { session, socket } = await joined(t);
  socket.tell({
    op: "delta",
    from: 2,
    seq: 5,
    time: 1,
    saved: 2,
    nodes: [{ id: 1, t: [3, 0, 0] }],
  });
  socket.close();
  const edit = session.set([{ id: 1, t: [1, 0, 0] }]);
  const own = session.set([{ id: 1, t: [1, 0, 0] }], { base: 9 });
  const second = reconnect(session, socket);
  second.tell(welcome({ epoch: 8, seq: 2 }), state());
  await settled();
  const [first, last] = sentEdits(second);
  assert.deepEqual([first.base, last.base, session.held], [2, 9, 0]);
  second.tell({ op: "ok", rid: first.rid, seq: 3, edit: 9 });
  second.tell({
    op: "error",
    rid: last.rid,
    code: "bad_value",
    message: "set.base: is in the future; the scene is at 2",
  });
  assert.equal((await edit).edit, 9);
  await assert.rejects(
    own,
    ({ code }) => code === "bad_value",
    "what the caller said is the caller's",
  );
});

test("typed_numbers_of_edits_are_lists_however_they_came", async (t) => {
  const { session, socket } = await joined(t);
  const told = [];
  session.on("edit", ({ value }) => told.push(value));
  const edit = {
    op: "edit",
    id: 1,
    by: 1,
    user: "Ada",
    kind: "translate",
    handle: "tx",
    nodes: [1],
    seq: 3,
    began: 1,
    ended: 1,
  };
  socket.tell({ ...edit, value: 0.5 }, { ...edit, value: [1, 2] }, edit);
  assert.deepEqual(told, [[0.5], [1, 2], undefined]);
  const history = session.history();
  await settled();
  socket.tell({ op: "ok", rid: socket.last("history").rid, edits: [{ ...edit, value: 2 }] });
  assert.deepEqual((await history)[0].value, [2]);
});

test("refusal_is_told_with_the_code_of_the_server", async (t) => {
  const session = new Session({
    url: "ws://there/ws",
    scene: "arm",
    user: "Ada",
    WebSocket: Socket,
  });
  const socket = Socket.all.at(-1);
  socket.open();
  socket.tell({
    op: "error",
    code: "unknown_scene",
    message: "there is no scene arm",
    fatal: true,
  });
  socket.close();
  await assert.rejects(session.ready, ({ code }) => code === "unknown_scene");
  assert.equal(session.status.code, "unknown_scene");
});

test("gizmo_of_a_lost_connection_is_not_there", async (t) => {
  const { session, socket } = await joined(t);
  socket.tell({
    op: "gizmo",
    mode: "translate",
    handles: ["tx"],
    active: "tx",
    origin: [0, 0, 0],
    axes: [1, 0, 0, 0, 1, 0, 0, 0, 1],
    size: 1,
  });
  assert.equal(session.gizmo.active, "tx");
  socket.close();
  assert.equal(session.gizmo, null);
});

test("scene_nodes_that_go_before_the_state_is_whole_are_nowhere", () => {
  const scene = new SceneModel();
  scene.apply([{ from: 0, seq: 1, nodes: [node(1), node(2)] }]);
  let change;
  scene.on("change", (told) => (change = told));
  scene.apply([
    { from: 1, seq: 2, nodes: [node(3), { id: 2, name: "renamed", parent: 1 }] },
    { from: 2, seq: 3, nodes: [], gone: [2, 3] },
  ]);
  assert.deepEqual(scene.roots, [1]);
  assert.deepEqual(scene.get(1).children, []);
  assert.deepEqual([change.added, change.moved, change.structure], [[], [], []]);
});

test("emitter_a_listener_that_throws_is_reported_and_in_nobodys_way", (t) => {
  const { queueMicrotask } = globalThis;
  const reports = [];
  globalThis.queueMicrotask = (report) => reports.push(report);
  t.after(() => (globalThis.queueMicrotask = queueMicrotask));
  const emitter = new Emitter();
  const heard = [];
  emitter.on("news", () => {
    throw new Error("mine");
  });
  emitter.on("news", (news) => heard.push(news));
  emitter.emit("news", 1);
  assert.deepEqual(heard, [1]);
  assert.throws(reports[0], /mine/);
});

test("an_answer_in_parts_is_put_together", async (t) => {
  const { session, socket } = await joined(t);
  const edit = { op: "edit", id: 4, by: 1, user: "Ada", kind: "set", seq: 2, began: 1, ended: 1 };
  const part = (nodes) => ({ ...edit, nodes, changes: nodes.map((id) => ({ id, name: "n" })) });
  const history = session.history();
  await settled();
  const { rid } = socket.last("history");
  socket.tell({ op: "ok", rid, edits: [{ ...part([9]), id: 5 }, part([1, 2])], more: true });
  socket.tell({ op: "ok", rid, edits: [part([3]), { ...part([8]), id: 3 }] });
  const told = await history;
  assert.deepEqual(
    told.map(({ id, nodes, changes }) => [id, nodes, changes.length]),
    [
      [5, [9], 1],
      [4, [1, 2, 3], 3],
      [3, [8], 1],
    ],
  );
  const pick = session.pick({ rect: [0, 0, 9, 9] });
  await settled();
  const picked = socket.last("pick").rid;
  const hit = (id) => ({ id, distance: id, point: [0, 0, 0] });
  socket.tell({ op: "ok", rid: picked, hits: [hit(1), hit(2)], more: true });
  socket.tell({ op: "ok", rid: picked, hits: [hit(3)] });
  assert.deepEqual(
    (await pick).map(({ id }) => id),
    [1, 2, 3],
  );
});
