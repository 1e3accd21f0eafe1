// Parts that are duplicated: a copy of a real part shows its mesh, is moved and taken back like any other, and is in the file that is exported.
import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";

import { ENGINE } from "./support/daemon.js";
import { decode } from "./support/pixels.js";
import { browser, daemon, open } from "./support/stage.js";

/** A connecting rod: of its box it fills a part only. */
const ROD = "node 74";
/** Of a colour channel: less is noise. */
const CHANGE_MIN = 20;
/** The outline of the rod covers less of the view than this part of what its box covers, and more than that. */
const FILLS = [0.1, 0.85];
let ada, bob, rod, copy;

before(async () => {
  await open(["--open", "empty"]);
  await daemon.import("engine", ENGINE);
  ada = await browser.person();
  bob = await browser.person();
  for (const [person, name] of [[ada, "Ada"], [bob, "Bob"]]) {
    await person.join(daemon, "engine", name);
    await person.until(() => window.gizmod.asset.value.phase === "ready");
  }
  rod = await nodeOf(ada, (await ada.node(ROD)).id);
});

const view = () => ada.page.getByRole("application", { name: "View of the scene" });
const count = (person) => person.page.evaluate(() => window.gizmod.session.scene.nodes.size);
const gone = (person, id) => person.until((id) => window.gizmod.session.scene.get(id) === undefined, id);

/** A node without what is its own: its id, and who changed it. */
async function nodeOf(person, id) {
  return person.page.evaluate((id) => {
    const { by, children, ...node } = window.gizmod.session.scene.get(id);
    return { ...node, children: children.length };
  }, id);
}

/** A picture of the view, with nothing selected. */
async function picture() {
  await ada.page.evaluate(() => window.gizmod.session.select([]));
  await ada.until(() => window.gizmod.selection.value.length === 0);
  await ada.rested();
  return decode(await ada.page.screenshot());
}

/** The rectangle of a node's box on the screen: left, top, right, bottom. */
async function rectOf(id) {
  const box = await ada.page.evaluate((id) => window.gizmod.session.scene.box([id]), id);
  const corners = await Promise.all(Array.from({ length: 8 }, (_, corner) => ada.project([0, 1, 2].map((i) => box[i + ((corner >> i) & 1 ? 3 : 0)]))));
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)].map(Math.round);
}

/** The pixels within a rectangle that are not the same, as places in the picture. */
function difference(a, b, [left, top, right, bottom]) {
  const places = new Set();
  for (let row = top; row < bottom; row++) {
    for (let column = left; column < right; column++) {
      const at = row * a.width + column;
      if ([0, 1, 2].some((channel) => Math.abs(a.data[4 * at + channel] - b.data[4 * at + channel]) >= CHANGE_MIN)) places.add(at);
    }
  }
  return places;
}

test("a duplicate of a part has its mesh and its place, is selected, and is there for the others", async () => {
  const before = await count(ada);
  await ada.select(rod.id);
  await view().press("Control+d");
  await ada.page.getByText(`Duplicated ${ROD}. The copy is in the same place.`).waitFor();
  await ada.until((rod) => window.gizmod.selection.value.length === 1 && window.gizmod.selection.value[0] !== rod, rod.id);
  [copy] = await ada.page.evaluate(() => window.gizmod.selection.value);
  assert.notEqual(rod.asset, undefined);
  for (const person of [ada, bob]) assert.deepEqual(await nodeOf(person, copy), { ...rod, id: copy, name: `${ROD}.001` });
  assert.equal(await count(ada), before + 1 + rod.children);
});

test("the copy that is moved shows its mesh there, not the box of its bounds, and two undos take it back", async () => {
  const before = await count(ada);
  await ada.page.evaluate(([id, t]) => window.gizmod.session.set([{ id, t }]), [copy, [rod.t[0] + 4000, rod.t[1], rod.t[2]]]);
  await view().press("f");
  const moved = await picture();
  const rect = await rectOf(copy);
  await view().press("Control+z");
  await ada.until(([id, x]) => window.gizmod.session.scene.get(id).t[0] === x, [copy, rod.t[0]]);
  const without = await picture();
  const mesh = difference(without, moved, rect);
  await view().press("Control+z");
  for (const person of [ada, bob]) await gone(person, copy);
  const { t, r, s, bounds, parent } = rod;
  const box = await ada.page.evaluate(async (node) => (await window.gizmod.session.create([node])).ids[0], { name: "box", t: [t[0] + 4000, t[1], t[2]], r, s, bounds, parent });
  const boxed = difference(without, await picture(), rect);
  assert.ok(boxed.size > 5000, `a box is seen by ${boxed.size} pixels`);
  assert.ok([...mesh].filter((at) => !boxed.has(at)).length < 0.02 * mesh.size, "the mesh is within its bounds, but for an edge that is as dark as what is behind it");
  assert.ok(mesh.size > FILLS[0] * boxed.size && mesh.size < FILLS[1] * boxed.size, `${mesh.size} pixels of ${boxed.size}`);
  await view().press("Control+z");
  await gone(ada, box);
  assert.equal(await count(ada), before - 1 - rod.children);
});

test("a key that is pressed right after Ctrl+D is about the copy, however late the server answers", async () => {
  const before = await count(ada);
  await ada.select(rod.id);
  await ada.page.evaluate(() => {
    const { session } = window.gizmod;
    const create = session.create.bind(session);
    session.create = async (nodes) => {
      await new Promise((done) => setTimeout(done, 200));
      return create(nodes);
    };
  });
  for (const key of ["Control+d", "Delete"]) await view().press(key);
  await ada.until(() => window.gizmod.lastEdit.value?.kind === "delete");
  await ada.page.evaluate(() => delete window.gizmod.session.create);
  assert.equal(await count(ada), before);
  assert.equal((await nodeOf(ada, rod.id)).id, rod.id);
  await ada.page.evaluate(() => window.gizmod.session.undo());
  await ada.page.evaluate(() => window.gizmod.session.undo());
  await ada.until((count) => window.gizmod.session.scene.nodes.size === count, before);
});

test("an assembly is duplicated whole, as one edit", async () => {
  const before = await count(ada);
  const shape = (id) => ada.page.evaluate((id) => [...window.gizmod.session.scene.below(id)].map((at) => window.gizmod.session.scene.get(at).asset), id);
  const whole = await shape(rod.parent);
  assert.ok(whole.length > 1);
  const namesBelow = (id) => ada.page.evaluate((id) => [...window.gizmod.session.scene.below(id)].slice(1).map((at) => window.gizmod.session.scene.get(at).name), id);
  await ada.select(rod.parent);
  await view().press("Control+d");
  await ada.until((count) => window.gizmod.session.scene.nodes.size === count, before + whole.length);
  await ada.until((id) => window.gizmod.selection.value.length === 1 && window.gizmod.selection.value[0] !== id, rod.parent);
  const [top] = await ada.page.evaluate(() => window.gizmod.selection.value);
  assert.deepEqual(await shape(top), whole);
  assert.deepEqual(await namesBelow(top), await namesBelow(rod.parent), "what is below the copy keeps its names");
  await view().press("Control+z");
  await ada.until((count) => window.gizmod.session.scene.nodes.size === count, before);
});

test("the exported file has the copy and its mesh, and makes a scene that shows both", async () => {
  await ada.select(rod.id);
  await view().press("Control+d");
  await ada.until((rod) => window.gizmod.selection.value.length === 1 && window.gizmod.selection.value[0] !== rod, rod.id);
  assert.match(await daemon.ctl("check", join(daemon.folder, "engine.db")), /nothing is wrong/);
  const bytes = Buffer.from(await (await fetch(`${daemon.url}/scenes/engine/export`)).arrayBuffer());
  const { nodes } = JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)).toString());
  const rods = nodes.filter(({ name }) => name === `${ROD}.001`);
  assert.equal(rods.length, 1, "the copy has a name of its own");
  assert.equal(rods[0].mesh, nodes[rod.asset].mesh);
  const response = await fetch(`${daemon.url}/scenes/again?user=test`, { method: "PUT", body: bytes });
  assert.equal(response.status, 201);
  await ada.join(daemon, "again", "Ada");
  await ada.until(() => window.gizmod.asset.value.phase === "ready");
  const same = ([bounds, t]) => [...window.gizmod.session.scene.nodes.values()].filter((node) => String(node.bounds) === bounds && String(node.t) === t).map(({ r, s }) => ({ r, s }));
  const found = await ada.page.evaluate(same, [String(rod.bounds), String(rod.t)]);
  assert.equal(found.length, 2);
  assert.deepEqual(found[0], found[1]);
});

test("nobody's console has an error", () => {
  assert.deepEqual(browser.errors, []);
});
