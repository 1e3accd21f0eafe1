// People who get in each other's way, over networks that are slow, stall and break: whatever
// happens, once nothing is on its way each page shows what the server has, bit by bit; each edit
// that was acknowledged is in the history, and none was made twice. GIZMOD_CASES says how many
// cases to try.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import WebSocket from "ws";

import { Daemon } from "../../../tests/browser/support/daemon.js";
import { Delay } from "../../../tests/browser/support/delay.js";
import { random } from "../../../tests/browser/support/random.js";
import { connect } from "./index.js";

const CASES = Number(process.env.GIZMOD_CASES ?? 40);
const SEED = Number(process.env.GIZMOD_SEED ?? 1);
/** Scenes in which cases go on at the same time. */
const LANES = Math.min(CASES / 5, 20);
const ACTIONS = CASES > 1000 ? 25 : 6;

const HANDLES = ["tx", "tyz", "tv", "ry", "rv", "rb", "sx", "szx", "su", "bxp", "bnpn"];
const CAMERA = {
  view: [0.8, 0.2, 0.5656854, 0, 0, 0.9428, -0.3333, 0, -0.6, 0.2667, 0.7542, 0, 0, -1, -9, 1],
  proj: [1.8, 0, 0, 0, 0, 2.4, 0, 0, 0, 0, -1.02, -1, 0, 0, -0.2, 0],
  viewport: [0, 0, 800, 600],
};
/** What the server may say to people who get in each other's way. */
const REFUSALS = new Set([
  "locked",
  "conflict",
  "bad_state",
  "bad_value",
  "unknown_node",
  "lost",
  "rate_limited",
]);

let daemon;
const closing = [];

before(async () => {
  daemon = await Daemon.start([]);
});

after(async () => {
  for (const close of closing.reverse()) await close();
  await daemon?.stop();
});

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(condition, what) {
  for (let i = 0; i < 5000; i++) {
    if (condition()) return;
    await wait(2);
  }
  assert.fail(`never: ${typeof what === "function" ? what() : what}`);
}

/** Somebody behind a network of their own, who does things at random. */
class Person {
  dragging = false;
  /** The answers that are awaited. */
  open = new Set();
  /** The edits that were acknowledged. */
  edits = [];

  static async join(scene, user, chance, more) {
    const person = new Person();
    Object.assign(person, { user, chance });
    person.net = await Delay.start(daemon.port, { random: chance });
    person.session = await connect({
      url: person.net.socket,
      scene,
      user,
      create: true,
      WebSocket,
      ...more,
    });
    await until(() => person.session.predicting || more?.predict === false, "it predicts");
    person.session.setCamera(CAMERA);
    // After a loss the next attempt comes at once.
    person.session.on("status", ({ phase }) => {
      if (phase === "offline") setTimeout(() => person.session.retry(), 5);
    });
    closing.push(() => person.net.stop());
    closing.push(() => person.session.close());
    return person;
  }

  one(list) {
    return list[Math.floor(this.chance() * list.length)];
  }

  node() {
    return this.one([...this.session.scene.nodes.keys()]) ?? 1;
  }

  number() {
    return Math.round(40 * (this.chance() - 0.5)) / 8;
  }

  place() {
    const mods = this.one([[], [], [], ["snap"], ["fine"]]);
    return { at: [300 + 200 * this.chance(), 200 + 200 * this.chance()], mods };
  }

  /** Something whose answer is awaited at the end. */
  ask(promise, isEdit) {
    const open = promise.then(
      (done) => isEdit && done?.edit !== undefined && this.edits.push(done.edit),
      (error) => assert.ok(REFUSALS.has(error.code), `${error.code}: ${error.message}`),
    );
    this.open.add(open);
    open.finally(() => this.open.delete(open)).catch(() => {});
  }

  grab() {
    const nodes = this.chance() < 0.7 ? [this.node()] : [this.node(), this.node()];
    const value = this.chance() < 0.1 ? [this.number()] : undefined;
    const place = value ? {} : this.place();
    this.dragging = true;
    this.ask(this.session.grab(this.one(HANDLES), { nodes: [...new Set(nodes)], value, ...place }));
  }

  end() {
    this.dragging = false;
    if (this.chance() < 0.2) this.ask(this.session.cancel());
    else this.ask(this.session.up(this.place()), true);
  }

  set() {
    const id = this.node();
    const t = [this.number(), this.number(), this.number()];
    const change = this.one([
      { t },
      { t },
      { euler: t },
      { s: t.map((value) => Math.abs(value) + 0.5) },
      { name: `n${id}` },
      { parent: this.one([null, this.node()]) },
    ]);
    this.ask(this.session.set([{ id, ...change }]), true);
  }

  view() {
    this.session.setCamera({ ...CAMERA, view: CAMERA.view.with(12, this.number() / 8) });
  }

  tool() {
    this.session.setTool({
      space: this.one(["world", "local", "parent", "view"]),
      pivot: this.one(["median", "active", "each", "bounds"]),
      snap: { on: this.chance() < 0.3, t: 0.25 },
    });
  }

  /** The network does what networks do. */
  async suffer() {
    const how = this.chance();
    if (how < 0.3) this.net.stall(30 * this.chance());
    else if (how < 0.6) this.net.set({ ms: 60 * this.chance(), jitter: 0.5, random: this.chance });
    else if (how < 0.8) this.net.cut();
    else {
      this.net.close();
      await wait(30 * this.chance());
      this.net.close(false);
    }
  }

  async act() {
    const { session, chance } = this;
    const what = chance();
    if (what < 0.5) {
      if (!this.dragging) this.grab();
      for (let i = 0; i < 3; i++) session.move(this.place());
      if (chance() < 0.3) this.end();
    } else if (what < 0.64) this.set();
    else if (what < 0.7) this.ask(session.undo(), true);
    else if (what < 0.73) this.ask(session.redo(), true);
    else if (what < 0.79 && !this.dragging) session.wheel(chance() < 0.5 ? 1 : -1);
    else if (what < 0.83) this.ask(session.select([this.node()], this.one(["set", "toggle"])));
    else if (what < 0.87) this.view();
    else if (what < 0.9) this.tool();
    else if (what < 0.92) this.ask(session.create([{ name: "new", parent: this.node() }]), true);
    else if (what < 0.93 && session.scene.nodes.size > 5)
      this.ask(session.delete([this.node()]), true);
    else if (what < 0.98) await this.suffer();
    if (chance() < 0.5) await wait(6 * chance());
  }

  /** Ends what runs, and waits until all is answered. */
  async rest() {
    if (this.dragging) this.end();
    this.net.set({});
    this.session.retry();
    // A wheel that turns without a connection becomes an edit before the next one is made.
    const id = this.node();
    this.ask(this.session.set([{ id, name: this.session.scene.get(id)?.name ?? "" }]), true);
    while (this.open.size > 0) await Promise.all(this.open);
    await until(() => this.session.status.phase === "online", `${this.user} is online`);
  }
}

const transformOf = ({ t, r, s }) => ({ t, r, s });
const transforms = (scene, of = (id) => scene.get(id)) =>
  new Map(
    [...scene.nodes.keys()]
      .sort((a, b) => a - b)
      .map((id) => [id, [scene.get(id).parent, of(id).t, of(id).r, of(id).s]]),
  );

/** Everybody shows what the server has. */
async function agree(people, witness) {
  await Promise.all(people.map((person) => person.rest()));
  const sessions = people.map(({ session }) => session);
  // Turns of wheels have no answer of their own that this test awaits.
  await Promise.all(people.map(({ session }) => session.history({ limit: 1 }).catch(() => {})));
  await witness.history({ limit: 1 });
  await until(
    () => sessions.every(({ scene, unsaved }) => unsaved === 0 && scene.seq === witness.scene.seq),
    () => `one seq: ${sessions.map(({ scene, unsaved }) => [scene.seq, unsaved])}`,
  );
  const truth = transforms(witness.scene);
  for (const { session, user } of people)
    assert.deepEqual(
      transforms(session.scene, (id) => session.scene.told(id)),
      truth,
      user,
    );
  for (const { session, user } of people) {
    const { scene } = session;
    const glides = (id) => !isDeepStrictEqual(transformOf(scene.get(id)), scene.told(id));
    await until(() => ![...scene.nodes.keys()].some(glides), `${user} shows what the server has`);
    assert.deepEqual(transforms(scene), truth, user);
  }
}

/** What an edit is that the session makes only where the test awaits its answer. */
const AWAITED = new Set(["create", "delete", "undo", "redo"]);

/** The history has each acknowledged edit, and no other one that is awaited. */
async function account(people, witness) {
  const all = [];
  for (let page; (page = await witness.history({ changes: false, before: all.at(-1)?.ended })); ) {
    all.push(...page);
    if (page.length < 1000) break;
  }
  const known = new Set(all.map(({ id }) => id));
  const acknowledged = people.flatMap(({ edits }) => edits);
  assert.equal(
    new Set(acknowledged).size,
    acknowledged.length,
    "each answer is about another edit",
  );
  for (const id of acknowledged) assert.ok(known.has(id), `edit ${id} was acknowledged`);
  const made = all.filter(({ kind, user }) => AWAITED.has(kind) && user !== "Maker");
  for (const { id, kind } of made)
    assert.ok(acknowledged.includes(id), `edit ${id} (${kind}) was made twice`);
}

/** Two trees and a node beside them. */
async function build(witness) {
  const box = [-0.5, -0.5, -0.5, 0.5, 0.5, 0.5];
  await witness.create([
    { ref: "a", name: "a", t: [0.3, 0, 0.1], r: [0.2, 0.1, -0.3, 0.9], s: [1, 2, 1], bounds: box },
    { ref: "b", name: "b", parent: "a", t: [1, 0.2, 0], r: [0, 0.6, 0, 0.8], bounds: box },
    { name: "c", parent: "b", t: [0, 1, 0], bounds: box },
    { ref: "d", name: "d", t: [-1, 0.5, 0] },
    { name: "e", parent: "d", t: [0, 0.5, 1], s: [0.5, 0.5, 2], bounds: box },
    { name: "f", t: [0, -1, 2], bounds: box },
  ]);
}

async function lane(number) {
  const scene = `interference-${number}`;
  const witness = await connect({
    url: daemon.socket,
    scene,
    user: "Maker",
    create: true,
    WebSocket,
    predict: false,
  });
  closing.push(() => witness.close());
  await build(witness);
  const chance = random(SEED * 1000 + number);
  const people = await Promise.all([
    Person.join(scene, "Ada", random(chance() * 1e9), { form: "plain" }),
    Person.join(scene, "Bob", random(chance() * 1e9)),
    Person.join(scene, "Cy", random(chance() * 1e9), { predict: false }),
  ]);
  for (let i = number; i < CASES; i += LANES) {
    const all = people.map(async (person) => {
      for (let action = 0; action < ACTIONS; action++) await person.act();
    });
    await Promise.all(all);
    await agree(people, witness);
    if (witness.scene.nodes.size < 6) await build(witness);
  }
  await account(people, witness);
  return people.reduce((sum, { session }) => sum + session.corrections, 0);
}

test(`interference_ends_with_the_same_scene_for_everybody_${CASES}_times`, async (t) => {
  const corrections = await Promise.all(Array.from({ length: LANES }, (_, i) => lane(i)));
  t.diagnostic(`${corrections.reduce((a, b) => a + b)} corrections`);
});
