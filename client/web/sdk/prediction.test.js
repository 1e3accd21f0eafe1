// What shows before the server has answered, against a real daemon behind a slow network: what is
// seen at once, that it is what the server does, and what becomes of it if it is not. Each drag
// is one edit; one that goes on without a connection is sent once, and overwrites no others' edits.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import WebSocket from "ws";

import { Daemon } from "../../../tests/browser/support/daemon.js";
import { Delay } from "../../../tests/browser/support/delay.js";
import { random } from "../../../tests/browser/support/random.js";
import { decode, encode } from "./codec.js";
import { Session, connect } from "./index.js";

const CAMERA = {
  view: [0.8, 0.2, 0.5656854, 0, 0, 0.9428, -0.3333, 0, -0.6, 0.2667, 0.7542, 0, 0, -1, -9, 1],
  proj: [1.8, 0, 0, 0, 0, 2.4, 0, 0, 0, 0, -1.02, -1, 0, 0, -0.2, 0],
  viewport: [0, 0, 800, 600],
};

let daemon,
  count = 0;
const closing = [];

before(async () => {
  daemon = await Daemon.start([]);
});

after(async () => {
  for (const close of closing.reverse()) await close();
  await daemon?.stop();
});

/** A network that delivers late, the same in each run. */
async function network(ms, more = {}) {
  const net = await Delay.start(daemon.port, { ms, jitter: 0.2, random: random(7), ...more });
  closing.push(() => net.stop());
  return net;
}

async function join(scene, user, net = null, more = {}) {
  const session = await connect({
    url: net?.socket ?? daemon.socket,
    scene,
    user,
    create: true,
    WebSocket,
    ...more,
  });
  closing.push(() => session.close());
  await until(() => session.predicting);
  session.setCamera(CAMERA);
  return session;
}

const sceneName = () => `prediction-${++count}`;
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves once this is true; looks again every few milliseconds. */
async function until(condition, what = String(condition)) {
  for (let i = 0; i < 4000; i++) {
    if (condition()) return;
    await wait(2);
  }
  assert.fail(`never: ${what}`);
}

/** A root that is turned and scaled, a node below it, and one beside. */
async function build(scene) {
  const maker = await join(scene, "Maker");
  const box = [-0.5, -0.5, -0.5, 0.5, 0.5, 0.5];
  const { ids } = await maker.create([
    { ref: "a", name: "a", t: [0.3, 0, 0.1], r: [0.2, 0.1, -0.3, 0.9], s: [1, 2, 1], bounds: box },
    { name: "b", parent: "a", t: [1, 0.2, 0], r: [0, 0.6, 0, 0.8], bounds: box },
    { name: "c", t: [-1, 0.5, 0], bounds: box },
  ]);
  maker.close();
  return ids;
}

const transformOf = ({ t, r, s }) => ({ t, r, s });
/** What this session shows, and what it knows that the server has. */
const shown = ({ scene }, id) => transformOf(scene.get(id));
const told = ({ scene }, id) => transformOf(scene.told(id));

/** The pointer of a drag with a few pixels each time. */
function* path(n, [x, y] = [400, 300]) {
  for (let i = 1; i <= n; i++) yield { at: [x + 7 * i, y - 4 * i + (i % 3)] };
}

// Most of the time is the network's.
describe("prediction", { concurrency: true }, () => {
  test("a_hand_without_a_camera_is_shown_the_servers_gizmo", async () => {
    const scene = sceneName();
    const [id] = await build(scene);
    const hands = await Promise.all(
      [true, false].map(async (predict) => {
        const more = { url: daemon.socket, scene, WebSocket, predict };
        const hand = await connect({ ...more, user: predict ? "Ada" : "Bob" });
        closing.push(() => hand.close());
        await until(() => hand.predicting === predict);
        await hand.select([id]);
        return hand;
      }),
    );
    for (const away of [0.4, 7, 300])
      for (const hand of hands) {
        await hand.probe({ ray: [0.3, 0, 0.1 + away, 0.01, 0, -1] });
        assert.ok(Math.abs(hand.gizmo.size / (0.096 * away) - 1) < 1e-9, `${hand.gizmo.size}`);
        const aim = [0.3, 0, 0.1 + 2 * away, 0.173, 0, -2];
        const { handle } = await hand.down({ ray: aim.with(3, 0.173 * away).with(5, -2 * away) });
        assert.equal(handle, "tx");
        assert.ok(Math.abs(hand.gizmo.size / (0.192 * away) - 1) < 1e-9, `${hand.gizmo.size}`);
        await hand.cancel();
      }
  });

  for (const ms of [0, 100, 400])
    test(`drags_show_at_once_and_are_never_corrected_at_${ms}_ms`, async () => {
      const scene = sceneName();
      const ids = await build(scene);
      const net = await network(ms);
      const ada = await join(scene, "Ada", net);
      const edits = [];
      ada.on("edit", (edit) => edits.push(edit));
      const ups = [];
      const handles = ["tx", "tyz", "tv", "rx", "rv", "rb", "sy", "szx", "su", "bxp", "bnnp"];
      const spaces = ["world", "local", "parent", "view"];
      for (const [i, handle] of handles.entries()) {
        const nodes = [[ids[1]], [ids[0], ids[2]], [ids[0]]][i % 3];
        ada.setTool({ space: spaces[i % 4], pivot: ["median", "each", "active"][i % 3] });
        const before = nodes.map((id) => shown(ada, id));
        const grabbed = ada.grab(handle, { nodes, at: [430, 280] });
        assert.equal(ada.gizmo.active, handle);
        for (const place of path(4)) ada.move(place);
        assert.notDeepEqual(
          nodes.map((id) => shown(ada, id)),
          before,
          handle,
        );
        await wait(8);
        for (const { at } of path(3, [440, 290])) ada.move({ at, mods: ["fine"] });
        ada.setCamera({ ...CAMERA, view: CAMERA.view.with(12, 0.1 * i) });
        await wait(8);
        for (const { at } of path(3, [470, 270])) ada.move({ at, mods: ["snap"] });
        ups.push(ada.up({ at: [480, 260] }), grabbed);
      }
      const ended = ids.map((id) => shown(ada, id));
      await Promise.all(ups);
      assert.equal(ada.corrections, 0);
      assert.deepEqual(
        ids.map((id) => shown(ada, id)),
        ids.map((id) => told(ada, id)),
      );
      for (const [i, { t }] of ended.entries())
        t.forEach((value, axis) => assert.ok(Math.abs(value - told(ada, ids[i]).t[axis]) < 1e-12));
      await until(() => edits.length === handles.length);
      assert.equal(ada.unsaved, 0);
    });

  test("drag_of_what_somebody_else_moved_meanwhile_is_solved_again", async () => {
    const scene = sceneName();
    const [id] = await build(scene);
    const net = await network(150);
    const ada = await join(scene, "Ada", net),
      bob = await join(scene, "Bob");
    net.stall();
    await bob.set([{ id, t: [0.3, 3, 0.1] }]); // Ada has not heard of it
    const grabbed = ada.grab("tx", { nodes: [id], at: [400, 300] });
    for (const place of path(3)) ada.move(place);
    assert.equal(shown(ada, id).t[1], 0);
    net.goOn();
    await grabbed;
    for (const place of path(3, [500, 300])) ada.move(place);
    await until(() => shown(ada, id).t[1] === 3, "the place where Bob put it");
    const { corrections } = ada;
    assert.ok(corrections > 0);
    for (const place of path(6, [500, 300])) {
      ada.move(place);
      await wait(20);
    }
    const moved = shown(ada, id).t[0] - 0.3;
    assert.ok(Math.abs(ada.gizmo.value[0] - moved) < 1e-9, "the amount counts from the press");
    await ada.up({ at: [500, 300] });
    assert.equal(ada.corrections, corrections, "once");
    assert.deepEqual(shown(ada, id), told(ada, id));
    assert.deepEqual(shown(bob, id), told(ada, id));
  });

  test("drag_follows_a_parent_that_somebody_else_moves", async () => {
    const scene = sceneName();
    const [a, b] = await build(scene);
    const net = await network(100);
    const ada = await join(scene, "Ada", net),
      bob = await join(scene, "Bob");
    await ada.grab("tv", { nodes: [b], at: [400, 300] });
    for (const place of path(3)) ada.move(place);
    await until(() => bob.scene.get(b).by === ada.id);
    const place = ada.scene.world(b).slice(12, 15);
    await bob.set([{ id: a, t: [1, 1, 1], r: [0, 0, 0.6, 0.8] }]);
    await until(() => ada.scene.get(a).t[0] === 1);
    place.forEach((value, i) => assert.ok(Math.abs(value - ada.scene.world(b)[12 + i]) < 1e-9));
    for (const next of path(3, [420, 300])) ada.move(next);
    await ada.up({ at: [500, 300] });
    assert.equal(ada.corrections, 0);
    assert.deepEqual(shown(ada, b), told(ada, b));
  });

  test("drag_of_nodes_beside_the_part_is_left_to_the_server", async () => {
    const scene = sceneName();
    const [a, , c] = await build(scene);
    const ada = await join(scene, "Ada", await network(50));
    const whole = await join(scene, "Ben");
    await ada.interest({ nodes: [a] });
    await until(() => ada.scene.get(c) === undefined);
    await ada.select([a, c]);
    const before = shown(ada, a);
    const grabbed = ada.grab("tx", { at: [430, 280] });
    ada.move({ at: [480, 280] });
    assert.deepEqual(shown(ada, a), before);
    await grabbed;
    await ada.up({ at: [480, 280] });
    await until(() => isDeepStrictEqual(shown(ada, a), shown(whole, a)));
    assert.notDeepEqual(shown(ada, a), before);
  });

  test("drag_that_is_refused_goes_back", async () => {
    const scene = sceneName();
    const [id] = await build(scene);
    const net = await network(100);
    const ada = await join(scene, "Ada", net),
      bob = await join(scene, "Bob");
    const before = shown(ada, id);
    await bob.grab("tx", { nodes: [id], at: [400, 300] });
    const grabbed = ada.grab("ty", { nodes: [id], at: [400, 300] });
    for (const place of path(3)) ada.move(place);
    assert.notDeepEqual(shown(ada, id), before);
    await assert.rejects(grabbed, { code: "locked", holder: bob.id });
    assert.deepEqual(ada.selection, []);
    ada.move({ at: [600, 300] });
    await until(() => JSON.stringify(shown(ada, id)) === JSON.stringify(before), "it is back");
    assert.deepEqual(await ada.up({ at: [600, 300] }).then(({ edit }) => edit), undefined);
    await bob.cancel();
    assert.deepEqual(shown(ada, id), before);
  });

  test("drag_that_is_cancelled_is_back_at_once", async () => {
    const scene = sceneName();
    const [id] = await build(scene);
    const ada = await join(scene, "Ada", await network(100));
    const before = shown(ada, id);
    void ada.grab("rb", { nodes: [id], at: [400, 300] });
    for (const place of path(3)) ada.move(place);
    await wait(60);
    for (const place of path(3, [500, 300])) ada.move(place);
    const cancelled = ada.cancel();
    assert.deepEqual(shown(ada, id), before);
    let moved = 0;
    ada.scene.on("change", (change) => (moved += change.moved.length));
    await cancelled;
    await until(() => isDeepStrictEqual(told(ada, id), before), "the state follows the answer");
    assert.equal(moved, 0, "nobody sees the server catch up");
    assert.equal(ada.corrections, 0);
  });

  test("values_that_are_typed_show_at_once_and_go_back_if_refused", async () => {
    const scene = sceneName();
    const [id, , c] = await build(scene);
    const ada = await join(scene, "Ada", await network(100));
    void ada.grab("tx", { nodes: [c], at: [400, 300] });
    void ada.grab("tx", { value: [2.5] });
    assert.equal(shown(ada, c).t[0], 1.5);
    await assert.rejects(ada.grab("tx", { value: [1, 2] }), { code: "bad_value" });
    ada.move({ at: [700, 300] });
    assert.equal(shown(ada, c).t[0], 1.5, "what was typed counts");
    await ada.up();
    assert.equal(told(ada, c).t[0], 1.5);
    const set = ada.set([{ id, t: [4, 4, 4], euler: [0.1, 0.2, 0.3], order: "ZXY" }]);
    const foreseen = shown(ada, id);
    assert.deepEqual(foreseen.t, [4, 4, 4]);
    await set;
    foreseen.r.forEach((value, i) => assert.ok(Math.abs(value - told(ada, id).r[i]) < 1e-15));
    await assert.rejects(
      ada.set([
        { id, t: [5, 5, 5] },
        { id: 999, t: [0, 0, 0] },
      ]),
      {
        code: "unknown_node",
      },
    );
    await until(() => shown(ada, id).t[0] === 4, "it is back");
    assert.equal(ada.corrections > 0, true);
  });

  test("value_that_the_server_refuses_for_its_own_reasons_goes_back_to_the_pointer", async (t) => {
    const sockets = [];
    /** A WebSocket whose other end is the test. */
    class Socket {
      readyState = 1;
      sent = [];
      constructor() {
        sockets.push(this);
      }
      send(frame) {
        this.sent.push(...decode(frame));
      }
      close() {}
      tell(...messages) {
        this.onmessage({ data: encode(...messages).slice().buffer });
      }
      async answer(op, message) {
        await until(() => this.sent.some((one) => one.op === op && !one.done));
        const asked = this.sent.find((one) => one.op === op && !one.done);
        asked.done = true;
        this.tell({ ...message, rid: asked.rid });
      }
    }
    const session = new Session({
      url: "ws://there/ws",
      scene: "a",
      user: "Ada",
      WebSocket: Socket,
    });
    t.after(() => session.close());
    const [socket] = sockets;
    socket.onopen();
    const node = { id: 1, t: [0, 0, 0], r: [0, 0, 0, 1], s: [1, 1, 1], name: "a", parent: null };
    socket.tell(
      { op: "welcome", v: 1, session: 1, scene: "a", epoch: 7, seq: 0, role: "editor", limits: {} },
      { op: "delta", from: 0, seq: 2, time: 1, saved: 2, nodes: [node] },
    );
    await until(() => session.predicting);
    session.setCamera(CAMERA);
    const grabbed = session.grab("tx", { nodes: [1], at: [400, 300] });
    session.move({ at: [450, 300] });
    const pointed = shown(session, 1);
    await socket.answer("grab", { op: "ok", handle: "tx" });
    await grabbed;
    const typed = session.grab("tx", { value: [3] });
    assert.equal(shown(session, 1).t[0], 3);
    await socket.answer("grab", { op: "error", code: "rate_limited", message: "later" });
    await assert.rejects(typed, { code: "rate_limited" });
    await until(() => shown(session, 1).t[0] === pointed.t[0]);
    session.move({ at: [460, 300] });
    assert.ok(shown(session, 1).t[0] > pointed.t[0], "the pointer moves it again");
  });

  test("selection_shows_at_once_and_goes_back_if_refused", async () => {
    const scene = sceneName();
    const [a, b] = await build(scene);
    const ada = await join(scene, "Ada", await network(100)),
      bob = await join(scene, "Bob");
    const first = ada.select([a]);
    assert.deepEqual(ada.selection, [a]);
    assert.ok(ada.gizmo.handles.includes("tx"));
    await first;
    await bob.delete([b]);
    const refused = ada.select([b], "add"),
      kept = ada.select([a]);
    await assert.rejects(refused, { code: "unknown_node" });
    await kept;
    assert.deepEqual(ada.selection, [a]);
  });

  test("drag_goes_on_without_a_connection_and_is_sent_once", async () => {
    const scene = sceneName();
    const [, , id] = await build(scene);
    const net = await network(50);
    const ada = await join(scene, "Ada", net),
      bob = await join(scene, "Bob");
    const edits = [];
    bob.on("edit", (edit) => edits.push(edit));
    await ada.grab("tx", { nodes: [id], at: [400, 300] });
    for (const place of path(4)) ada.move(place);
    await until(() => told(ada, id).t[0] !== -1);
    net.close();
    await until(() => ada.status.phase === "offline");
    assert.equal(ada.gizmo.active, "tx");
    for (const place of path(4, [500, 300])) ada.move(place);
    const end = shown(ada, id);
    assert.notDeepEqual(end, told(ada, id));
    const up = ada.up({ at: [528, 284] });
    const second = ada.down({ at: [0, 0] }).catch(({ code }) => code);
    assert.equal(ada.unsaved, 1);
    assert.equal(await second, "lost");
    // Another drag, all of it without the server.
    assert.deepEqual(await ada.grab("ty", { at: [400, 300] }), { handle: "ty" });
    for (const place of path(4)) ada.move(place);
    const last = ada.up({ at: [428, 284] });
    assert.equal(ada.unsaved, 2);
    const goal = shown(ada, id);
    net.close(false);
    ada.retry();
    await Promise.all([up, last]);
    assert.equal(ada.unsaved, 0);
    assert.deepEqual(shown(ada, id), goal);
    assert.deepEqual(told(ada, id), goal);
    await until(() => edits.length === 3);
    assert.deepEqual(
      edits.map(({ kind }) => kind),
      ["translate", "set", "set"],
      "what the server saw before the loss, and what came after",
    );
    await until(() => bob.scene.seq === ada.scene.seq);
    assert.deepEqual(shown(bob, id), goal);
  });

  test("drag_whose_end_was_lost_on_its_way_is_completed", async () => {
    const scene = sceneName();
    const [, , id] = await build(scene);
    const net = await network(200);
    const ada = await join(scene, "Ada", net);
    await ada.grab("tx", { nodes: [id], at: [400, 300] });
    for (const place of path(4)) ada.move(place);
    const up = ada.up({ at: [600, 300] });
    const end = shown(ada, id);
    await wait(20);
    net.cut();
    const { edit } = await up;
    assert.ok(edit > 0);
    assert.deepEqual(shown(ada, id), end);
    assert.deepEqual(told(ada, id), end);
  });

  test("drag_is_not_ended_by_the_end_of_an_earlier_one_that_was_lost", async () => {
    const scene = sceneName();
    const [, , id] = await build(scene);
    const net = await network(100);
    const ada = await join(scene, "Ada", net);
    const ups = [];
    net.stall();
    for (const x of [500, 600]) {
      ada.grab("tx", { nodes: [id], at: [400, 300] });
      ups.push(ada.up({ at: [x, 300] }));
    }
    const end = structuredClone(shown(ada, id));
    await wait(20);
    net.cut();
    net.goOn();
    await until(() => ada.status.phase === "offline");
    ada.retry();
    await until(() => ada.status.phase === "online");
    await ada.grab("ty", { at: [400, 300] });
    for (const place of path(4)) ada.move(place);
    await Promise.all(ups);
    assert.equal(ada.gizmo.active, "ty");
    await ada.cancel();
    await until(() => isDeepStrictEqual(shown(ada, id), told(ada, id)));
    assert.deepEqual(told(ada, id), end);
  });

  test("edits_without_a_connection_come_after_the_drag_whose_end_was_lost", async () => {
    const scene = sceneName();
    const [, , id] = await build(scene);
    const net = await network(200);
    const ada = await join(scene, "Ada", net);
    await ada.grab("tx", { nodes: [id], at: [400, 300] });
    for (const place of path(4)) ada.move(place);
    const up = ada.up({ at: [600, 300] });
    await wait(20);
    net.close();
    await until(() => ada.status.phase === "offline");
    ada.wheel(1);
    const typed = ada.set([{ id, t: [8, 8, 8] }]);
    assert.equal(ada.unsaved, 3, "the drag, the wheel that ends, and what was typed");
    net.close(false);
    ada.retry();
    const [first, last] = await Promise.all([up, typed]);
    assert.ok(first.edit < last.edit);
    await until(() => ada.unsaved === 0);
    assert.deepEqual(told(ada, id).t, [8, 8, 8]);
    assert.ok(Math.abs(told(ada, id).s[0] - 1.1) < 1e-12);
    assert.deepEqual(shown(ada, id), told(ada, id));
  });

  test("drag_without_a_connection_does_not_write_over_what_others_did_meanwhile", async () => {
    const scene = sceneName();
    const [, , id] = await build(scene);
    const net = await network(0);
    const ada = await join(scene, "Ada", net),
      bob = await join(scene, "Bob");
    net.close();
    await until(() => ada.status.phase === "offline");
    await ada.grab("tx", { nodes: [id], at: [400, 300] });
    ada.move({ at: [500, 300] });
    const up = ada.up({ at: [500, 300] });
    await bob.set([{ id, t: [0, 9, 0] }]);
    net.close(false);
    ada.retry();
    await assert.rejects(up, { code: "conflict" });
    await until(() => shown(ada, id).t[1] === 9, "it goes back");
  });

  test("wheel_shows_at_once_and_is_never_corrected", async () => {
    const scene = sceneName();
    const [id] = await build(scene);
    const net = await network(100);
    const ada = await join(scene, "Ada", net);
    await ada.select([id]);
    const { s } = shown(ada, id);
    for (let i = 1; i <= 5; i++) {
      ada.wheel(1);
      assert.ok(Math.abs(shown(ada, id).s[0] - s[0] * 1.1 ** i) < 1e-12);
      await wait(30);
    }
    await until(() => Math.abs(told(ada, id).s[0] - s[0] * 1.1 ** 5) < 1e-12);
    await wait(120);
    assert.deepEqual(shown(ada, id), told(ada, id));
    net.close();
    await until(() => ada.status.phase === "offline");
    const unsaved = [];
    ada.on("unsaved", (count) => unsaved.push(count));
    ada.wheel(-2);
    assert.equal(ada.unsaved, 1, "the wheel that turns");
    ada.wheel(-1);
    assert.ok(Math.abs(shown(ada, id).s[0] - s[0] * 1.1 ** 2) < 1e-12);
    net.close(false);
    ada.retry();
    await until(() => ada.unsaved === 0, "it rests and is saved");
    assert.ok(Math.abs(told(ada, id).s[0] - s[0] * 1.1 ** 2) < 1e-12);
    assert.deepEqual([unsaved[0], Math.max(...unsaved), unsaved.at(-1)], [1, 1, 0]);
    assert.deepEqual(shown(ada, id), told(ada, id));
    assert.equal(ada.corrections, 0);
  });

  test("orbits_turn_the_view_at_once_and_agree_with_the_server", async () => {
    const scene = sceneName();
    const [id] = await build(scene);
    const net = await network(100);
    const ada = await join(scene, "Ada", net),
      bob = await join(scene, "Bob", null, { form: "plain" });
    const views = [];
    ada.on("view", (view) => views.push([...view]));
    for (const law of ["ball", "turntable"]) {
      ada.setTool({ orbit: law });
      await ada.select(law === "ball" ? [] : [id]);
      views.length = 0;
      const down = ada.down({ at: [400, 300], mods: ["orbit"] });
      for (const { at } of path(5)) ada.move({ at, mods: ["orbit"] });
      assert.equal(views.length, 5, "one for each pointer, at once");
      await down;
      await ada.up({ at: [500, 200] });
      assert.equal(views.length, 6, "the server's answers are the same");
      const own = () => bob.people.find(({ me, user }) => !me && user === "Ada");
      await until(() =>
        own()?.view?.every((value, i) => Math.abs(value - ada.camera.view[i]) < 1e-9),
      );
    }
    ada.setTool({ mode: "orbit" });
    ada.wheel(1);
    ada.wheel(2);
    assert.equal(views.length, 8);
    net.close();
    await until(() => ada.status.phase === "offline");
    await ada.down({ at: [400, 300] });
    ada.move({ at: [450, 300] });
    await ada.up({ at: [460, 300] });
    assert.equal(views.length, 10, "without a connection too");
  });
});
