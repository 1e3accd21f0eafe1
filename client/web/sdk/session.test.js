// The session against a real daemon: what it shows, what it keeps through crashes, what it says
// when it cannot.
import assert from "node:assert/strict";
import { createConnection, createServer } from "node:net";
import { after, before, test } from "node:test";
import WebSocket from "ws";

import { Daemon } from "../../../tests/browser/support/daemon.js";
import { Session, connect } from "./index.js";

const SCENE = "robot-arm";
let daemon;
const sessions = [];

before(async () => {
  daemon = await Daemon.start();
});

after(async () => {
  for (const session of sessions) session.close();
  await daemon?.stop();
});

async function join(user, more = {}) {
  const session = await connect({ url: daemon.socket, scene: SCENE, user, WebSocket, ...more });
  sessions.push(session);
  return session;
}

/** Sockets that find nobody while `held`: the page is still away while others are there again. */
let held = false;
class Held extends WebSocket {
  constructor(url, ...rest) {
    super(held ? "ws://127.0.0.1:9" : url, ...rest);
  }
}

/** Resolves with the first event for which `accept` is true. */
function event(session, name, accept = () => true) {
  return new Promise((resolve) => {
    const off = session.on(name, (told) => {
      if (!accept(told)) return;
      off();
      resolve(told);
    });
  });
}

/** Resolves once presence, which is told at most 20 times a second, has made it so. */
const told = async (session, accept) => {
  if (!accept()) await event(session, "people", accept);
};

const online = (session) => event(session, "status", ({ phase }) => phase === "online");

test("a drag of many nodes is told as motions, and is exact in the end", async () => {
  const bytes = { Bob: 0, Cleo: 0 };
  const counted = (user) =>
    class extends WebSocket {
      constructor(...rest) {
        super(...rest);
        this.on("message", (data) => (bytes[user] += data.byteLength ?? data.length));
      }
    };
  const more = { scene: "many", create: true, predict: false };
  const ada = await join("Ada", more);
  const nodes = Array.from({ length: 600 }, (_, i) => ({ name: "n", t: [i / 7, i % 9, 0.3] }));
  const { ids } = await ada.create(nodes);
  const bob = await join("Bob", { ...more, WebSocket: counted("Bob") }),
    cleo = await join("Cleo", { ...more, form: "plain", WebSocket: counted("Cleo") });
  const poses = (session) => ids.map((id) => session.scene.told(id));
  const isNear = (a, b) =>
    a.every(({ t, r }, i) =>
      [...t, ...r].every((x, j) => Math.abs(x - [...b[i].t, ...b[i].r][j]) <= 1e-7),
    );
  await ada.grab("rz", { nodes: ids, value: [0.1] });
  let last = poses(cleo);
  const before = { ...bytes };
  // Either of the two may be told first.
  const isToldBoth = () => !isNear(poses(cleo), last) && isNear(poses(bob), poses(cleo));
  for (const angle of [0.2, 0.5, -1.1]) {
    const toldBoth = Promise.any(
      [bob, cleo].map(({ scene }) => event(scene, "change", isToldBoth)),
    );
    await ada.grab("rz", { value: [angle] });
    await toldBoth;
    last = poses(cleo);
  }
  assert.ok(bytes.Cleo - before.Cleo > 10 * (bytes.Bob - before.Bob), JSON.stringify(bytes));
  const { seq } = await ada.up();
  for (const { scene } of [bob, cleo])
    if (scene.seq < seq) await event(scene, "change", () => scene.seq >= seq);
  assert.deepEqual(poses(bob), poses(cleo));
});

test("what one sets the other sees, with the same seq", async () => {
  const ada = await join("Ada"),
    bob = await join("Bob");
  const [id] = ada.scene.roots;
  const told = event(bob, "edit");
  const change = event(bob.scene, "change");
  const { seq, edit } = await ada.set([{ id, t: [0, 1, 0] }]);
  assert.equal((await told).id, edit);
  assert.deepEqual((await change).moved, [id]);
  assert.deepEqual(bob.scene.get(id).t, [0, 1, 0]);
  assert.equal(bob.scene.seq, seq);
  await ada.undo();
});

test("poses from outside show at once to all, and are one edit and one step", async () => {
  const ada = await join("Ada"),
    bob = await join("Bob");
  const [id] = ada.scene.roots;
  const before = structuredClone(ada.scene.told(id));
  const hold = await ada.hold([id], { path: false });
  const seen = event(bob.scene, "change", () => bob.scene.get(id).t[1] === 7);
  for (let i = 0; i < 50; i++) hold.pose([{ id, t: [i, 2, 3] }]);
  hold.pose([{ id, y: 7 }]);
  if (ada.predicting) assert.deepEqual(ada.scene.get(id).t, [49, 7, 3]);
  await seen;
  assert.deepEqual(bob.scene.get(id).t, [49, 7, 3]);
  await assert.rejects(bob.set([{ id, x: 0 }]), ({ code }) => code === "locked");
  await ada.set([{ id, name: "held" }]); // the holder may
  const told = event(bob, "edit", ({ kind }) => kind === "pose");
  const { edit } = await hold.release();
  assert.equal((await told).id, edit);
  assert.throws(() => hold.pose([{ id, x: 0 }]), /bad_state|ended by release/);
  await ada.undo();
  assert.deepEqual(ada.scene.told(id), before);
  await ada.undo();
});

test("holds of a session are apart, and one that is cancelled leaves every bit", async () => {
  const ada = await join("Ada");
  const { ids } = await ada.create([{ name: "one", t: [0.1, 0, 0] }, { name: "two" }]);
  const [one, two] = await Promise.all(ids.map((id) => ada.hold([id])));
  one.pose([{ id: ids[0], x: 5 }]);
  two.pose([{ id: ids[1], t: [1, 2, 3] }]);
  await assert.rejects(ada.hold([ids[0]]), ({ code }) => code === "bad_state");
  await one.cancel();
  await two.release();
  assert.deepEqual(ada.scene.told(ids[0]).t, [0.1, 0, 0]);
  assert.deepEqual(ada.scene.told(ids[1]).t, [1, 2, 3]);
  assert.equal(one.runs || two.runs, false);
  await ada.delete(ids);
});

test("a killed daemon ends a hold with what it had stored, and release says so", async () => {
  const ada = await join("Ada");
  const { ids } = await ada.create([{ name: "held" }]);
  const [id] = ids;
  const hold = await ada.hold([id]);
  hold.pose([{ id, t: [1, 2, 3] }]);
  await ada.create([{ name: "later" }]); // stored, and so is what was before it
  hold.pose([{ id, x: 5 }]);
  const away = event(ada, "status", ({ phase }) => phase === "offline");
  await daemon.kill();
  await away;
  assert.equal(hold.runs, false);
  const back = online(ada);
  await daemon.run();
  ada.retry();
  await back;
  assert.equal((await hold.release()).edit, undefined);
  const { t } = ada.scene.told(id);
  assert.ok(t[0] === 1 || t[0] === 5, "as far as it was stored");
  for (const _ of ["the hold", "what was made during it"]) await ada.undo();
  assert.deepEqual(ada.scene.told(id).t, [0, 0, 0]);
});

test("the world of a node follows those above it", async () => {
  const ada = await join("Ada");
  const [root] = ada.scene.roots;
  const [child] = ada.scene.get(root).children;
  const before = ada.scene.world(child).slice();
  await ada.set([{ id: root, t: [3, 0, 0] }]);
  const after = ada.scene.world(child);
  assert.ok(Math.abs(after[12] - before[12] - 3) < 1e-12);
  await ada.undo();
  assert.deepEqual([...ada.scene.world(child)], [...before]);
});

test("the box of nodes is around the bounds of all below them", async () => {
  const ada = await join("Ada");
  const turned = [0, 0, Math.SQRT1_2, Math.SQRT1_2];
  const { ids } = await ada.create([
    { ref: "a", name: "a", t: [10, 0, 0], r: turned, s: [2, 2, 2] },
    { name: "b", parent: "a", t: [1, 0, 0], bounds: [-1, 0, -3, 1, 2, 0] },
    { name: "c", t: [20, 5, 0], bounds: [0, 0, 0, 1, 1, 1] },
  ]);
  const near = (box, ...expected) =>
    assert.ok(
      box.every((x, i) => Math.abs(x - expected[i]) < 1e-9),
      box.join(" "),
    );
  near(ada.scene.box([ids[0]]), 6, 0, -6, 10, 4, 0);
  near(ada.scene.box([ids[2], ids[1]]), 6, 0, -6, 21, 6, 1);
  assert.equal(ada.scene.box([ids[2] + 1]), null);
  await ada.undo();
});

test("a selection is known as soon as it is answered", async () => {
  const ada = await join("Ada");
  const [a] = ada.scene.roots;
  const [b] = ada.scene.get(a).children;
  await ada.select([a]);
  await ada.select([b], "toggle");
  assert.deepEqual(ada.selection, [a, b]);
  await ada.select([a], "toggle");
  assert.deepEqual(ada.selection, [b]);
  await ada.select([]);
  assert.deepEqual(ada.selection, []);
});

test("nodes that are made and deleted come and go in the tree", async () => {
  const ada = await join("Ada"),
    bob = await join("Bob");
  const [root] = ada.scene.roots;
  const { ids } = await ada.create([
    { ref: "a", name: "bracket", parent: root },
    { name: "bolt", parent: "a" },
  ]);
  assert.deepEqual(ada.scene.get(ids[0]).children, [ids[1]]);
  assert.ok(ada.scene.get(root).children.includes(ids[0]));
  const told = event(bob, "edit", ({ kind }) => kind === "delete");
  await ada.set([{ id: ids[1], parent: null }]);
  assert.ok(
    ada.scene.roots.includes(ids[1]) && ada.scene.get(ids[0]).children.length === 0,
    "hung elsewhere",
  );
  await ada.set([{ id: ids[1], parent: ids[0] }]);
  assert.deepEqual(ada.scene.get(ids[0]).children, [ids[1]]);
  await ada.delete([ids[0]]);
  assert.equal(ada.scene.get(ids[1]), undefined);
  assert.ok(!ada.scene.get(root).children.includes(ids[0]));
  await told;
  assert.deepEqual([...bob.scene.nodes.keys()], [...ada.scene.nodes.keys()]);
});

test("copies have the mesh of their node and what is not said of them", async () => {
  const ada = await join("Ada"),
    bob = await join("Bob");
  const node = [...ada.scene.nodes.values()].find(
    ({ asset, children }) => asset !== undefined && children.length > 0,
  );
  const { ids, edit } = await ada.create([
    { ref: "a", copy: node.id },
    { parent: "a", copy: node.children[0], name: "again" },
  ]);
  const [top, below] = ids.map((id) => ada.scene.get(id)),
    { children, id, by, ...rest } = node;
  assert.deepEqual(top, { ...rest, id: ids[0], children: [ids[1]], by: ada.id });
  assert.equal(below.asset, ada.scene.get(node.children[0]).asset);
  assert.equal(below.name, "again");
  const told = event(bob, "edit", ({ kind }) => kind === "undo");
  await ada.revert(edit);
  await told;
  assert.equal(bob.scene.get(ids[0]), undefined);
  await assert.rejects(ada.create([{ copy: ids[0] }]), {
    code: "unknown_node",
    message: `create.nodes[0].copy: there is no node ${ids[0]}`,
  });
});

test("the past is a scene of its own and the present stays", async () => {
  const ada = await join("Ada");
  const [id] = ada.scene.roots;
  const seq = ada.scene.seq;
  const t = ada.scene.get(id).t;
  await ada.set([{ id, t: [9, 9, 9] }]);
  const past = await ada.at({ seq });
  assert.deepEqual(past.get(id).t, t);
  assert.deepEqual(ada.scene.get(id).t, [9, 9, 9]);
  assert.equal(past.nodes.size, ada.scene.nodes.size);
  await ada.restore({ seq });
  assert.deepEqual(ada.scene.get(id).t, t);
});

test("an edit of an unknown node says so and changes nothing", async () => {
  const ada = await join("Ada");
  const seq = ada.scene.seq;
  await assert.rejects(
    ada.set([{ id: 999_999, t: [0, 0, 0] }]),
    ({ code, nodes }) => code === "unknown_node" && nodes[0] === 999_999,
  );
  assert.equal(ada.scene.seq, seq);
});

test("who holds a node is told, and in the way of others", async () => {
  const ada = await join("Ada"),
    bob = await join("Bob");
  const [id] = ada.scene.roots;
  const held = event(bob, "people", () => bob.holder(id) !== undefined);
  await ada.grab("tx", { nodes: [id], value: [0.5] });
  await held;
  assert.equal(bob.holder(id).user, "Ada");
  assert.equal(ada.holder(id), undefined, "oneself is nobody else");
  await assert.rejects(
    bob.set([{ id, t: [0, 0, 0] }]),
    ({ code, holder, message }) => code === "locked" && holder === ada.id && /Ada/.test(message),
  );
  await ada.cancel();
});

test("a killed daemon: an edit made meanwhile waits, and is made once, by its key", async () => {
  const ada = await join("Ada"),
    bob = await join("Bob");
  const [id] = ada.scene.roots;
  const [child] = ada.scene.get(id).children;
  await ada.select([id]);
  const { seq } = await ada.set([{ id, t: [0, 0, 1] }]); // all that was seen is saved
  const away = event(ada, "status", ({ phase }) => phase === "offline");
  await daemon.kill();
  await away;
  const edit = ada.set([{ id, t: [0, 2, 0] }]);
  assert.equal(ada.unsaved, 1);
  await ada.select([child], "add");
  assert.deepEqual(ada.selection, [id, child], "selected while away");
  await assert.rejects(ada.history(), ({ code }) => code === "lost");
  const back = Promise.all([online(ada), online(bob)]);
  await daemon.run();
  ada.retry();
  bob.retry();
  const [status] = await back;
  assert.equal(status.resumed, true);
  assert.equal((await edit).seq > seq, true);
  assert.equal(ada.unsaved, 0);
  assert.deepEqual(ada.selection, [id, child], "selected again");
  const told = (people) =>
    people.some(({ session, selection }) => session === ada.id && selection?.length === 2);
  if (!told(bob.people)) await event(bob, "people", told);
  const [latest, before] = await ada.history({ limit: 2 });
  assert.equal(latest.id, (await edit).edit);
  assert.equal(before.seq, seq, "once");
  await ada.undo();
});

test("an edit made while away does not write over what others did meanwhile", async () => {
  const ada = await join("Ada", { WebSocket: Held, predict: false });
  const [id] = ada.scene.roots;
  const away = event(ada, "status", ({ phase }) => phase === "offline");
  held = true;
  await daemon.kill();
  await away;
  const edit = ada.set([{ id, t: [5, 0, 0] }]),
    next = ada.set([{ id, t: [6, 0, 0] }]);
  for (const one of [edit, next]) one.catch(() => {});
  await daemon.run();
  await daemon.ctl("set", SCENE, String(id), "--user", "bob", "--t", "0,7,0");
  held = false;
  ada.retry();
  await assert.rejects(edit, ({ code, nodes }) => code === "conflict" && nodes.includes(id));
  await assert.rejects(next, ({ code }) => code === "conflict");
  assert.deepEqual(ada.scene.get(id).t, [0, 7, 0]);
});

test("who only watches is counted, and known once they act", async () => {
  const others = [];
  for (let i = 0; i < 14; i++) others.push(await join(`P${i}`, { scene: "crowd", create: true }));
  const watcher = others.at(-1);
  const last = await join("All", { scene: "crowd", form: "plain" });
  const joined = others.length + 1;
  for (const session of [others[0], watcher, last])
    if (session.here !== joined) await event(session, "here", (here) => here === joined);
  assert.equal(others[0].people.length, 12, "a few are known at once");
  assert.deepEqual(
    watcher.people.filter(({ me }) => me).map(({ user }) => user),
    ["P13"],
    "oneself, too",
  );
  assert.equal(last.people.length, 13, "the few, and oneself");
  const { id: session } = watcher;
  const seen = event(others[0], "people", (people) => people.some((one) => one.user === "P13"));
  await watcher.create([{ name: "new" }]);
  await seen;
  assert.equal(others[0].here, joined);
  const [page, rest] = [await watcher.who({ limit: 14 }), await watcher.who({ after: session })];
  assert.deepEqual(
    page.map(({ user }) => user),
    others.map((_, i) => `P${i}`),
  );
  assert.equal(page.at(-1)?.me, true);
  assert.deepEqual(
    rest.map(({ user, me }) => [user, me]),
    [["All", false]],
  );
  await assert.rejects(watcher.who({ limit: 1001 }), ({ code }) => code === "bad_value");
  for (const other of others) other.close();
  await event(last, "people", (people) => people.length === 1);
});

test("edits made while away do not stand in each other's way", async () => {
  const ada = await join("Ada");
  const [id] = ada.scene.roots;
  const away = event(ada, "status", ({ phase }) => phase === "offline");
  await daemon.kill();
  await away;
  const edits = [
    ada.set([{ id, t: [1, 0, 0] }]),
    ada.set([{ id, name: "renamed" }]),
    ada.set([{ id, t: [2, 0, 0] }]),
  ];
  await daemon.run();
  const back = online(ada);
  ada.retry();
  await back;
  await Promise.all(edits);
  assert.deepEqual(ada.scene.get(id).t, [2, 0, 0]);
  assert.equal(ada.scene.get(id).name, "renamed");
});

test("part of the scene is all that is sent, even after a crash, until more is asked", async () => {
  const ada = await join("Ada");
  const all = ada.scene.nodes.size;
  const [root] = ada.scene.roots;
  const [child] = ada.scene.get(root).children;
  const part = event(ada.scene, "change");
  await ada.interest({ nodes: [child] });
  await part;
  const some = ada.scene.nodes.size;
  assert.ok(some < all);
  assert.ok(ada.scene.get(root), "what is above belongs to it");
  const away = event(ada, "status", ({ phase }) => phase === "offline");
  await daemon.kill();
  await away;
  await daemon.run();
  const back = online(ada);
  ada.retry();
  await back;
  assert.equal(ada.scene.nodes.size, some);
  const whole = event(ada.scene, "change");
  await ada.interest();
  await whole;
  assert.equal(ada.scene.nodes.size, all);
});

/**
 * A network that can hang: what either side says then stays where it is, and the daemon does not
 * hear who has hung up.
 */
async function network(t) {
  const port = Number(new URL(daemon.socket).port),
    pairs = new Set();
  let hung = false;
  const server = createServer((near) => {
    const far = createConnection(port, "127.0.0.1");
    const pair = { near, far, hung: false };
    pairs.add(pair);
    near
      .on("data", (bytes) => pair.hung || far.write(bytes))
      .on("error", () => {})
      .on("close", () => pair.hung || far.destroy());
    far
      .on("data", (bytes) => pair.hung || near.write(bytes))
      .on("error", () => {})
      .on("close", () => near.destroy());
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    for (const { near, far } of pairs) {
      near.destroy();
      far.destroy();
    }
    server.close();
  });
  return {
    url: `ws://127.0.0.1:${server.address().port}/ws`,
    hang: () => {
      for (const pair of pairs) pair.hung = true;
    },
  };
}

test("whoever comes back while the old connection hangs has at once what they held", async (t) => {
  const { url, hang } = await network(t);
  const sockets = [];
  class Kept extends WebSocket {
    constructor(...rest) {
      super(...rest);
      sockets.push(this);
    }
  }
  const bob = await join("Bob"),
    ada = await join("Eva", { url, WebSocket: Kept, predict: false });
  const [id] = ada.scene.roots,
    x = ada.scene.get(id).t[0];
  const ray = (to) => ({ ray: [to, 0, 5, 0, 0, -1] });
  await ada.grab("tx", { nodes: [id], ...ray(0) });
  ada.move(ray(1));
  await event(bob.scene, "change", () => bob.scene.get(id).t[0] !== x);
  const dragged = bob.scene.get(id).t[0],
    first = ada.id;
  await told(bob, () => bob.holder(id)?.session === first);
  hang();
  const lost = event(ada, "status", ({ phase }) => phase !== "online");
  sockets.at(-1).terminate();
  await lost;
  await online(ada);
  assert.notEqual(ada.id, first);
  assert.equal(ada.status.resumed, true);
  await ada.grab("tx", { nodes: [id], ...ray(0) });
  await ada.cancel();
  assert.equal(ada.scene.get(id).t[0], dragged, "the drag that hung is an edit");
  await ada.undo();
  assert.equal(ada.scene.get(id).t[0], x);
  await told(
    bob,
    () =>
      bob.people
        .filter(({ user }) => user === "Eva")
        .map(({ session }) => session)
        .join() === `${ada.id}`,
  );
});

test("a scene that is not there is refused for good, in words", async () => {
  const session = new Session({ url: daemon.socket, scene: "nowhere", user: "Ada", WebSocket });
  sessions.push(session);
  await assert.rejects(session.ready, /nowhere/);
  assert.equal(session.status.phase, "closed");
  await assert.rejects(session.set([{ id: 1, t: [0, 0, 0] }]), ({ code }) => code === "closed");
});

test("a viewer may look and not edit", async () => {
  const eve = await join("Eve", { role: "viewer" });
  assert.equal(eve.role, "viewer");
  await assert.rejects(
    eve.set([{ id: eve.scene.roots[0], t: [0, 0, 0] }]),
    ({ code }) => code === "forbidden",
  );
});

test("checkpoints are told to everybody at once, to newcomers, and when they go", async () => {
  const ada = await join("Ada"),
    bob = await join("Bob");
  const has = (name) => (list) => list.some((checkpoint) => checkpoint.name === name);
  const told = event(bob, "checkpoints", has("before lunch"));
  const seq = await ada.checkpoint("before lunch");
  const [{ made, ...checkpoint }] = await told;
  assert.deepEqual(checkpoint, { name: "before lunch", seq, user: "Ada" });
  assert.ok(made > 0);
  const earlier = event(bob, "checkpoints", has("the beginning"));
  await ada.checkpoint("the beginning", { seq: 0 });
  assert.deepEqual(
    (await earlier).map(({ name }) => name),
    ["the beginning", "before lunch"],
  );
  const eve = new Session({ url: daemon.socket, scene: "robot-arm", user: "Eve", WebSocket });
  sessions.push(eve);
  await event(eve, "checkpoints", has("before lunch"));
  assert.deepEqual(eve.named, await eve.checkpoints());
  const gone = event(eve, "checkpoints", (list) => list.length === 0);
  await bob.checkpoint("before lunch", { gone: true });
  await bob.checkpoint("the beginning", { gone: true });
  await gone;
});

test("an admin gives a role, and whose role changes comes back with it", async () => {
  const keeper = await Daemon.start(["--sample", "--admin", "Sue"]);
  try {
    const url = keeper.socket;
    const sue = await join("Sue", { url, role: "admin" }),
      bob = await join("Bob", { url });
    assert.equal(bob.role, "editor");
    await assert.rejects(sue.link("viewer", 60), { code: "bad_state" });
    await sue.access("B?b", "admin");
    await online(bob);
    assert.equal(bob.role, "admin");
    const [{ made, ...access }] = await bob.accesses();
    assert.deepEqual(access, { user: "B?b", role: "admin", by: "Sue" });
    assert.ok(made > 0);
    await sue.access("B?b", null);
    await online(bob);
    assert.equal(bob.role, "editor");
    await assert.rejects(bob.accesses(), { code: "forbidden" });
    assert.deepEqual(await sue.accesses(), []);
    sue.close();
    bob.close();
  } finally {
    await keeper.stop();
  }
});

test("notes are there for everybody, and go", async () => {
  const ada = await join("Ada"),
    bob = await join("Bob");
  const [id] = ada.scene.roots;
  const told = event(bob, "notes", (notes) => notes.some(({ text }) => text === "too close?"));
  const note = await ada.note({ text: "too close?", node: id, point: [0, 1, 0] });
  assert.deepEqual((await told).find((other) => other.id === note).point, [0, 1, 0]);
  const gone = event(bob, "notes", (notes) => notes.every((other) => other.id !== note));
  await ada.note({ id: note, gone: true });
  await gone;
});
