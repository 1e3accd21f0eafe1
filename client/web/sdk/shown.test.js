// The scene as it is drawn: what others move is drawn evenly although the network delivers it
// unevenly. The clock of these tests is their own.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Object3D } from "three";

import { slerp } from "./maths.js";
import { SceneModel } from "./scene.js";
import { ShownScene } from "./shown.js";
import { bind } from "./three/index.js";

const ME = 1,
  BOB = 2;
/** Unix milliseconds: the server's clock is not the page's. */
const EPOCH_MS = 1_700_000_000_000;
const FRAME_MS = 1000 / 30,
  PICTURE_MS = 1000 / 60;
const JITTER_MS = 50;
/** Metres in a millisecond. */
const SPEED = 0.001;
const ARM = 1,
  HAND = 2,
  TABLE = 3;

/** The same numbers in each run, evenly spread from 0 to 1. */
function randomness(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A page that looks at a scene with an arm, its hand, and a table. */
class Page {
  now = 0;
  scene = new SceneModel();
  viewer = { id: ME, selection: [], smooth: true };
  #arrivals = [];
  #pictures = [];

  constructor({ draws = true } = {}) {
    const at = { t: [0, 0, 0], r: [0, 0, 0, 1], s: [1, 1, 1] };
    this.told([
      { id: ARM, ...at },
      { id: HAND, parent: ARM, ...at, t: [0, 1, 0] },
      { id: TABLE, ...at },
    ]);
    const clock = {
      now: () => this.now,
      beforePicture: (run) => this.#pictures.push(run),
    };
    this.shown = new ShownScene(this.scene, this.viewer, draws ? clock : null);
  }

  /** A frame of the server arrives now. */
  told(nodes, made = this.now) {
    const { seq } = this.scene;
    this.scene.apply([{ from: seq, seq: seq + 1, time: (EPOCH_MS + made) / 1000, nodes }]);
  }

  /**
   * Somebody moves nodes along x at an even speed. The network delivers what the server says in
   * its order.
   */
  moves({ ids = [ARM], by = BOB, from = 0, frames = 150, every = FRAME_MS, jitter = 0, place }) {
    const random = randomness(7);
    let last = 0;
    for (let frame = 1; frame <= frames; frame++) {
      const made = from + frame * every;
      const nodes = ids.map((id) => ({ id, by, ...(place ?? alongX)(made - from) }));
      last = Math.max(last, made + jitter * random());
      this.#arrivals.push({ at: last, run: () => this.told(nodes, made) });
    }
    this.#arrivals.sort((a, b) => a.at - b.at);
  }

  /** Makes pictures until then. @returns what `look` sees in each */
  run(until, look) {
    const seen = [];
    for (;;) {
      const picture = (Math.floor(this.now / PICTURE_MS + 1e-6) + 1) * PICTURE_MS;
      if (picture > until) return seen;
      while (this.#arrivals[0]?.at <= picture) {
        const { at, run } = this.#arrivals.shift();
        this.now = at;
        run();
      }
      this.now = picture;
      for (const run of this.#pictures.splice(0)) run();
      seen.push(look?.());
    }
  }

  get waits() {
    return this.#pictures.length > 0;
  }
}

const alongX = (ms) => ({ t: [SPEED * ms, 0, 0] });

/** By which share of the speed the steps between pictures deviate from it, at most. */
function deviation(places) {
  const steps = places.slice(1).map((x, i) => x - places[i]);
  return Math.max(...steps.map((step) => Math.abs(step / (SPEED * PICTURE_MS) - 1)));
}

const x = (page) => () => page.shown.world(ARM)[12];

test("with 50 ms of jitter at 30 Hz the speed that is seen deviates by less than a tenth", () => {
  const page = new Page();
  page.moves({ jitter: JITTER_MS });
  const seen = page.run(4900, x(page)).slice(Math.round(2500 / PICTURE_MS));
  assert.ok(deviation(seen) < 0.1, `deviates by ${deviation(seen)}`);
  const late = 4900 - seen.at(-1) / SPEED;
  assert.ok(late <= JITTER_MS + 120 && late > 0, `${late} ms late`);
});

test("so it does where the jitter is longer than two intervals", () => {
  const page = new Page();
  page.moves({ jitter: JITTER_MS, every: PICTURE_MS, frames: 300 });
  const seen = page.run(4900, x(page)).slice(Math.round(2500 / PICTURE_MS));
  assert.ok(deviation(seen) < 0.1, `deviates by ${deviation(seen)}`);
});

test("drawn as it comes the same motion stands still in some pictures", () => {
  const page = new Page();
  page.viewer.smooth = false;
  page.moves({ jitter: JITTER_MS });
  const seen = page.run(4900, x(page)).slice(Math.round(2500 / PICTURE_MS));
  assert.ok(deviation(seen) >= 1);
});

test("what comes evenly is drawn when it comes", () => {
  const page = new Page();
  page.moves({ jitter: 5 });
  page.run(4900, () => assert.equal(page.shown.get(ARM), page.scene.get(ARM)));
  assert.ok(page.scene.get(ARM).t[0] > 4);
});

test("a motion ends where the server has the node, and then no pictures are made for it", () => {
  const page = new Page();
  page.moves({ jitter: JITTER_MS });
  const changes = [];
  page.shown.on("change", ({ moved }) => changes.push(...moved));
  page.run(5300);
  assert.equal(page.shown.get(ARM), page.scene.get(ARM));
  assert.deepEqual([...page.shown.world(HAND)], [...page.scene.world(HAND)]);
  assert.equal(page.waits, false);
  assert.deepEqual([...new Set(changes)], [ARM]);
});

test("nothing is drawn beyond what the server said, and nothing goes back", () => {
  const page = new Page();
  page.moves({ jitter: 300 });
  let before = 0;
  page.run(6000, () => {
    const now = x(page)();
    assert.ok(now >= before && now <= page.scene.get(ARM).t[0] + 1e-12, `${before}, then ${now}`);
    before = now;
  });
});

test("what hangs on a node that is drawn later is drawn with it", () => {
  const page = new Page();
  page.moves({ jitter: JITTER_MS });
  page.run(4900, () => {
    const [arm, hand] = [ARM, HAND].map((id) => page.shown.world(id)[12]);
    assert.ok(Math.abs(arm - hand) < 1e-12);
  });
  assert.notEqual(page.shown.world(HAND)[12], page.scene.world(HAND)[12]);
  assert.equal(page.scene.get(ARM).t, page.scene.nodes.get(ARM).t, "the scene is untouched");
});

test("an object of three.js is where its node is drawn", () => {
  const page = new Page();
  const object = new Object3D();
  const binding = bind(page.shown, ({ id }) => (id === ARM ? object : undefined));
  page.moves({ jitter: JITTER_MS });
  page.run(4000);
  assert.equal(object.position.x, page.shown.get(ARM).t[0]);
  assert.ok(object.position.x < page.scene.get(ARM).t[0]);
  page.run(5300);
  assert.equal(object.position.x, page.scene.get(ARM).t[0]);
  binding.dispose();
});

test("a turn goes at a constant speed, a scale too", () => {
  const page = new Page();
  const place = (ms) => ({
    r: [0, Math.sin(ms / 4000), 0, Math.cos(ms / 4000)],
    s: [1 + SPEED * ms, 1, 1],
  });
  page.moves({ jitter: JITTER_MS, place });
  const seen = page.run(4900, () => page.shown.get(ARM)).slice(Math.round(2500 / PICTURE_MS));
  assert.ok(deviation(seen.map(({ s }) => s[0])) < 0.1);
  assert.ok(deviation(seen.map(({ r }) => 4000 * SPEED * Math.atan2(r[1], r[3]))) < 0.1);
  for (const { r } of seen) assert.ok(Math.abs(Math.hypot(...r) - 1) < 1e-12);
});

test("one's own motion is never drawn later", () => {
  const page = new Page();
  page.moves({ by: ME, jitter: JITTER_MS });
  page.run(4900, () => assert.equal(page.shown.get(ARM), page.scene.get(ARM)));
});

test("what is selected, and what that hangs on, stands where its gizmo is", () => {
  const page = new Page();
  page.viewer.selection = [HAND];
  page.moves({ ids: [ARM, TABLE], jitter: JITTER_MS });
  let later = 0;
  page.run(4900, () => {
    assert.equal(page.shown.get(ARM), page.scene.get(ARM));
    if (page.shown.get(TABLE) !== page.scene.get(TABLE)) later++;
  });
  assert.ok(later > 50, "the table is drawn later");
});

test("what this page itself shows at another place is drawn there at once", () => {
  const page = new Page();
  page.moves({ jitter: JITTER_MS });
  page.run(4000);
  assert.notEqual(page.shown.get(ARM), page.scene.get(ARM));
  // As a prediction does: nodes that moved although the server did not say so.
  const change = { all: false, added: [], gone: [], moved: [ARM], structure: [], from: new Map() };
  page.scene.get(ARM).t = [9, 0, 0];
  page.scene.emit("change", change);
  assert.equal(page.shown.world(ARM)[12], 9);
});

test("a node that is hung elsewhere, deleted or told anew is drawn at once", () => {
  const page = new Page();
  page.moves({ ids: [ARM, TABLE], jitter: JITTER_MS });
  page.run(4000);
  page.told([{ id: ARM, by: BOB, parent: TABLE, t: [0, 0, 0] }], 4010);
  assert.equal(page.shown.get(ARM), page.scene.get(ARM));
  assert.deepEqual([...page.shown.world(ARM)], [...page.shown.world(TABLE)]);
  page.scene.apply([{ from: 0, seq: 900, time: EPOCH_MS / 1000, nodes: [{ id: TABLE }] }]);
  assert.equal(page.shown.get(TABLE), page.scene.get(TABLE));
  assert.equal(page.shown.get(ARM), undefined);
});

test("a motion that begins after a rest is not held up by what is known of the network", () => {
  const page = new Page();
  page.moves({ jitter: JITTER_MS, frames: 90 });
  page.moves({ ids: [TABLE], jitter: JITTER_MS, from: 5000, frames: 60 });
  const seen = page.run(6900, () => page.shown.world(TABLE)[12]);
  const moving = seen.slice(seen.findIndex((place) => place > 0));
  assert.ok(deviation(moving) < 0.1, `deviates by ${deviation(moving)}`);
});

test("more nodes than can be drawn from buffers are drawn as they come", () => {
  const page = new Page();
  const ids = Array.from({ length: 1001 }, (_, i) => 10 + i);
  page.told(ids.map((id) => ({ id })));
  page.moves({ ids, jitter: JITTER_MS, frames: 60 });
  page.run(2500, () => assert.equal(page.shown.get(10), page.scene.get(10)));
});

test("without pictures everything is shown as it comes", () => {
  const page = new Page({ draws: false });
  page.moves({ jitter: JITTER_MS });
  page.run(4900, () => assert.equal(page.shown.get(ARM), page.scene.get(ARM)));
});

test("a turn takes the shorter way", () => {
  const half = slerp([0, 0, 0, 1], [0, 0, -Math.SQRT1_2, -Math.SQRT1_2], 0.5);
  assert.ok(Math.abs(half[2] - Math.sin(Math.PI / 8)) < 1e-12);
  assert.deepEqual(slerp([0, 0, 0, 1], [0, 0, 0, 1], 0.3), [0, 0, 0, 1]);
});
