// The panels: numbers that are typed and dragged, the tree that is renamed, searched and rearranged, the start page that makes a scene of a file.
import assert from "node:assert/strict";
import { before, test } from "node:test";

import { ENGINE } from "./support/daemon.js";
import { glide } from "./support/gestures.js";
import { browser, daemon, open } from "./support/stage.js";

let ada, bob;
const field = (person, name) => person.page.getByRole("textbox", { name, exact: true });
const row = (person, name) => person.page.locator(`[role=treeitem][aria-label^="${name}"]`);
const MODELS = "/usr/share/assimp/models/glTF2";
const close = (a, b, within = 1e-9) => a.every((value, i) => Math.abs(value - b[i]) < within);

before(async () => {
  await open();
  ada = await browser.person();
  bob = await browser.person();
  await ada.join(daemon, "robot-arm", "Ada");
  await bob.join(daemon, "robot-arm", "Bob");
});

/** Selects by a click in the tree, and waits until the fields are about it. */
async function pick(person, name, options) {
  await row(person, name).locator(".tree-name").click(options);
  await row(person, name).and(person.page.locator("[aria-selected=true]")).first().waitFor();
  await person.drawn();
}

/** The latest edits, newest first, once the server has answered everything. */
async function latest(person, limit) {
  await person.until(() => window.gizmod.session.unsaved === 0);
  return person.page.evaluate((limit) => window.gizmod.session.history({ limit }), limit);
}

/** The middle of the letter before a field. */
async function letterOf(person, name) {
  const box = await field(person, name).locator("xpath=preceding-sibling::span").boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

test("a typed number is an edit of that number alone, with arithmetic and units", async () => {
  await pick(ada, "shoulder");
  const before = await ada.node("shoulder");
  await field(ada, "Translation X").fill("0.1 + 25mm");
  await field(ada, "Translation X").press("Enter");
  await bob.until(({ id }) => Math.abs(window.gizmod.session.scene.get(id).t[0] - 0.125) < 1e-12, before);
  const { t, r } = await bob.node("shoulder");
  assert.deepEqual([t.slice(1), r], [before.t.slice(1), before.r]);
});

test("fields, labels, steps and typed numbers of a small scene are in metres too", async () => {
  const nodes = [{ name: "wheel", translation: [0.0125, 0, 0] }, { name: "hub" }];
  const body = JSON.stringify({ asset: { version: "2.0" }, scene: 0, scenes: [{ nodes: [0, 1] }], nodes });
  assert.equal((await fetch(`${daemon.url}/scenes/watch?user=test`, { method: "PUT", body })).status, 201);
  const carl = await browser.person();
  await carl.join(daemon, "watch", "Carl");
  await pick(carl, "wheel");
  const x = field(carl, "Translation X");
  assert.equal(await x.inputValue(), "0.0125");
  assert.equal(await carl.page.getByRole("group", { name: "Translation" }).locator(".fields-unit").innerText(), "m");
  for (const [text, metres] of [["0.02", 0.02], ["3cm", 0.03], ["+= 0.0005", 0.0305]]) {
    await x.fill(text);
    await x.press("Enter");
    await carl.until((metres) => Math.abs([...window.gizmod.session.scene.nodes.values()][0].t[0] - metres) < 1e-15, metres);
  }
  const words = await carl.page.evaluate(async () => window.gizmod.timeline.textOf((await window.gizmod.session.history({ limit: 1 }))[0]));
  assert.equal(words, "Carl moved wheel 0.0005 m");
  await carl.page.getByRole("button", { name: "Snap", exact: true }).click();
  assert.equal(await carl.page.locator(".stepfield-unit").first().innerText(), "m");
  await carl.page.getByRole("application").focus();
  await carl.page.keyboard.press("ArrowUp");
  await carl.page.getByRole("status").filter({ hasText: /^Moved Y \d[\d.]* m$/ }).waitFor({ state: "attached" });
  await carl.page.close();
});

test("an angle past a quarter turn is shown as it was typed", async () => {
  const { id, r } = await ada.node("elbow");
  await pick(ada, "elbow");
  await field(ada, "Rotation Y").fill("120");
  await field(ada, "Rotation Y").press("Enter");
  await ada.until(({ id, r }) => window.gizmod.session.scene.get(id).r[1] !== r[1], { id, r });
  await ada.drawn();
  assert.equal(await field(ada, "Rotation Y").inputValue(), "120");
});

test("what is no number changes nothing and is said", async () => {
  const [edit] = await latest(ada, 1);
  await field(ada, "Scale Z").fill("two");
  await field(ada, "Scale Z").press("Enter");
  await ada.page.getByRole("complementary", { name: "Details" }).getByText('"two" is not a number').waitFor();
  assert.equal((await latest(ada, 1))[0].id, edit.id);
  assert.deepEqual([await field(ada, "Scale Z").inputValue(), await field(ada, "Scale Z").getAttribute("aria-invalid")], ["two", "true"], "it stands there to be mended");
  await field(ada, "Scale Z").press("Escape");
  assert.deepEqual([await field(ada, "Scale Z").inputValue(), await field(ada, "Scale Z").getAttribute("aria-invalid")], ["1", null]);
});

test("three quarter turns are shown as they were typed, whatever was selected since, and after an undo", async () => {
  await pick(ada, "elbow");
  const shown = () => Promise.all(["X", "Y", "Z"].map((axis) => field(ada, `Rotation ${axis}`).inputValue()));
  const type = async (axis, degrees) => {
    const [edit] = await latest(ada, 1);
    await field(ada, `Rotation ${axis}`).fill(String(degrees));
    await field(ada, `Rotation ${axis}`).press("Enter");
    await ada.until((id) => window.gizmod.session.unsaved === 0 && window.gizmod.lastEdit.value.id !== id, edit.id);
  };
  for (const axis of ["X", "Y", "Z"]) await type(axis, 90);
  assert.deepEqual(await shown(), ["90", "90", "90"]);
  await type("Z", 45);
  assert.deepEqual(await shown(), ["90", "90", "45"]);
  await pick(ada, "upper arm");
  await pick(ada, "elbow");
  assert.deepEqual(await shown(), ["90", "90", "45"]);
  await ada.page.evaluate(() => window.gizmod.undo());
  await ada.until(() => window.gizmod.session.unsaved === 0);
  await ada.drawn();
  assert.deepEqual(await shown(), ["90", "90", "90"]);
});

test("a place that is typed beyond the view is offered to be looked at", async () => {
  await pick(ada, "elbow");
  await field(ada, "Translation X").fill("5000");
  await field(ada, "Translation X").press("Enter");
  const view = await ada.page.evaluate(() => window.gizmod.rig.view.join());
  await ada.page.getByRole("button", { name: "Frame it" }).click();
  await ada.until((view) => window.gizmod.rig.view.join() !== view, view);
  await ada.page.evaluate(() => window.gizmod.undo());
  await ada.until(() => window.gizmod.session.unsaved === 0);
});

for (const [name, kind, handle] of [["Translation Y", "translate", "ty"], ["Rotation Z", "rotate", "rz"], ["Scale X", "scale", "sx"]]) {
  test(`dragging the letter of ${name} is one drag that others see while it goes on`, async () => {
    const { id } = await ada.node("upper arm");
    await pick(ada, "upper arm");
    const [edit] = await latest(ada, 1);
    const tool = await ada.page.evaluate(() => window.gizmod.session.tool);
    const from = await letterOf(ada, name);
    await ada.page.mouse.move(...from);
    await ada.page.mouse.down();
    await glide(ada, from, [from[0] + 30, from[1]]);
    await bob.until((id) => window.gizmod.people.value.some(({ user, locks }) => user === "Ada" && locks?.includes(id)), id);
    const during = await field(ada, name).inputValue();
    await ada.page.mouse.up();
    await ada.until(() => window.gizmod.gizmo.value?.active === undefined);
    const [mine, before] = await latest(ada, 2);
    assert.deepEqual([mine.kind, mine.handle, mine.nodes, before.id], [kind, handle, [id], edit.id]);
    assert.equal(await field(ada, name).inputValue(), during);
    assert.deepEqual(await ada.page.evaluate(() => window.gizmod.session.tool), tool, "the tool is as it was");
  });
}

test("a letter that nobody sees drag until it is let go says why", async () => {
  await pick(ada, "upper arm");
  const why = (name) => field(ada, name).evaluate((input) => input.parentElement.querySelector(".cell-letter").title);
  assert.deepEqual([await why("Rotation X"), await why("Rotation Z"), await why("Translation Y")], ["", "", ""]);
  assert.match(await why("Rotation Y"), /middle angle/);
  await ada.page.getByLabel("Euler order").selectOption("XZY");
  await ada.until(() => /middle angle/.test(document.querySelector('[aria-label="Rotation Z"]').parentElement.querySelector(".cell-letter").title));
  assert.equal(await why("Rotation Y"), "");
  await ada.page.getByLabel("Euler order").selectOption("XYZ");
  const from = await letterOf(ada, "Rotation Y");
  await ada.page.mouse.move(...from);
  await ada.page.mouse.down();
  await glide(ada, from, [from[0] + 30, from[1]]);
  const { id, r } = await ada.node("upper arm");
  await ada.page.mouse.up();
  await bob.until(({ id, r }) => window.gizmod.session.scene.get(id).r.some((value, i) => value !== r[i]), { id, r });
  assert.equal((await latest(ada, 1))[0].kind, "set");
});

test("Escape takes a drag of a letter back", async () => {
  const { id, t } = await ada.node("upper arm");
  const [edit] = await latest(ada, 1);
  const from = await letterOf(ada, "Translation Z");
  await ada.page.mouse.move(...from);
  await ada.page.mouse.down();
  await glide(ada, from, [from[0] + 50, from[1]]);
  await ada.until(() => window.gizmod.gizmo.value?.active !== undefined);
  await ada.page.keyboard.press("Escape");
  await ada.page.mouse.up();
  await ada.until(() => window.gizmod.gizmo.value?.active === undefined);
  await bob.until(({ id, t }) => window.gizmod.session.scene.get(id).t.every((value, i) => value === t[i]), { id, t });
  assert.equal((await latest(ada, 1))[0].id, edit.id);
});

test("several nodes show what they have in common, and change together", async () => {
  await pick(ada, "left finger");
  await pick(ada, "right finger", { modifiers: ["Control"] });
  await ada.until(() => window.gizmod.selection.value.length === 2);
  assert.equal(await field(ada, "Name").inputValue(), "2 nodes");
  await field(ada, "Translation Y").fill("+=0.01");
  const before = [await ada.node("left finger"), await ada.node("right finger")];
  await field(ada, "Translation Y").press("Enter");
  await bob.until(({ id, t }) => window.gizmod.session.scene.get(id).t[1] !== t[1], before[1]);
  const moved = [await bob.node("left finger"), await bob.node("right finger")];
  moved.forEach(({ t }, i) => assert.ok(close(t, [before[i].t[0], before[i].t[1] + 0.01, before[i].t[2]])));
  assert.equal((await latest(ada, 1))[0].nodes.length, 2, "it is one edit");
});

test("a row that is dropped on another hangs below it and stays where it is, and Undo brings it back", async () => {
  const { id, parent } = await ada.node("status lamp");
  const world = (person) => person.page.evaluate((id) => [...window.gizmod.session.scene.world(id)], id);
  const before = await world(ada);
  const base = await ada.node("base plate");
  const drop = async () => {
    const [from, to] = [await row(ada, "status lamp").boundingBox(), await row(ada, "base plate").boundingBox()];
    const start = [from.x + from.width - 30, from.y + from.height / 2];
    await ada.page.mouse.move(...start);
    await ada.page.mouse.down();
    await glide(ada, start, [start[0], to.y + to.height / 2]);
    await ada.page.mouse.up();
  };
  const toast = ada.page.locator(".toast").filter({ hasText: "Moved status lamp" });
  await drop();
  await bob.until(({ id, base }) => window.gizmod.session.scene.get(id).parent === base, { id, base: base.id });
  assert.ok(close(await world(bob), before), "it did not move");
  assert.doesNotMatch(await toast.textContent(), /unevenly/);
  const isBack = () => bob.until(({ id, parent }) => window.gizmod.session.scene.get(id).parent === parent, { id, parent });
  await toast.getByRole("button", { name: "Undo" }).click();
  await isBack();
  // Below a parent that skews it the shape changes, and the page says so.
  await bob.page.evaluate((nodes) => window.gizmod.session.set(nodes), [{ id: base.id, s: [1, 3, 1] }, { id, r: [Math.sin(0.3), 0, 0, Math.cos(0.3)] }]);
  await drop();
  await toast.filter({ hasText: "scaled unevenly" }).last().getByRole("button", { name: "Undo" }).click();
  await isBack();
  await bob.page.evaluate(() => window.gizmod.session.undo());
});

test("the tree goes by keys: rows, names, new nodes, deletion", async () => {
  await pick(ada, "pedestal");
  await ada.page.keyboard.press("ArrowDown");
  await ada.until(() => window.gizmod.session.scene.get(window.gizmod.selection.value[0])?.name === "turntable");
  await ada.page.keyboard.press("ArrowLeft");
  await row(ada, "turntable").and(ada.page.locator("[aria-expanded=false]")).waitFor();
  await ada.page.keyboard.press("F2");
  await ada.page.keyboard.type("table");
  await ada.page.keyboard.press("Enter");
  await row(bob, "table").waitFor();
  await ada.page.getByRole("button", { name: "New node" }).click();
  await ada.page.getByRole("textbox", { name: "Name of the node" }).waitFor();
  await ada.page.keyboard.type("mine");
  await ada.page.keyboard.press("Enter");
  await row(bob, "mine").waitFor();
  await ada.page.keyboard.press("Delete");
  await row(bob, "mine").waitFor({ state: "detached" });
});

test("the keys of the tree go on from where they are, however late the server answers", async () => {
  await pick(bob, "robot arm");
  await bob.until(() => window.gizmod.session.scene.get(window.gizmod.selection.value[0])?.name === "robot arm");
  await bob.page.evaluate(() => {
    const { session } = window.gizmod;
    const select = session.select.bind(session);
    session.select = async (...words) => {
      const answer = select(...words);
      await new Promise((done) => setTimeout(done, 150));
      return answer;
    };
  });
  await bob.page.keyboard.press("ArrowDown");
  await bob.page.waitForTimeout(100);
  for (const key of ["ArrowDown", "ArrowDown"]) await bob.page.keyboard.press(key);
  await bob.page.waitForTimeout(100);
  await bob.page.keyboard.press("ArrowDown");
  const fourth = await bob.page.locator("[role=treeitem]").nth(4).getAttribute("data-node");
  await bob.until((id) => window.gizmod.selection.value[0] === Number(id), fourth);
  await bob.page.evaluate(() => delete window.gizmod.session.select);
});

test("Delete in the tree right after a click is about that row alone, however late the server answers", async () => {
  const [all, ids] = await bob.page.evaluate(async () => {
    const { session } = window.gizmod;
    const all = session.scene.nodes.size;
    const { ids } = await session.create([{ name: "one of three" }, { name: "two of three" }, { name: "three of three" }]);
    await session.select(ids);
    const select = session.select.bind(session);
    session.select = async (...words) => {
      const answer = select(...words);
      await new Promise((done) => setTimeout(done, 150));
      return answer;
    };
    return [all, ids];
  });
  await row(bob, "one of three").and(bob.page.locator("[aria-selected=true]")).waitFor();
  await pick(bob, "two of three");
  await bob.page.keyboard.press("Delete");
  await row(bob, "two of three").waitFor({ state: "detached" });
  await bob.page.evaluate(() => delete window.gizmod.session.select);
  assert.equal(await bob.page.evaluate(() => window.gizmod.session.scene.nodes.size), all + 2);
  await bob.page.evaluate((ids) => window.gizmod.session.delete(ids), [ids[0], ids[2]]);
});

test("a search leaves what is called so and what is above it", async () => {
  await bob.page.getByRole("searchbox", { name: "Search nodes" }).fill("left pad");
  await row(bob, "base plate").waitFor({ state: "detached" });
  assert.equal(await row(bob, "left pad").count(), 1);
  assert.equal(await row(bob, "left finger").count(), 1);
  await bob.page.getByRole("searchbox", { name: "Search nodes" }).fill("");
});

test("what was found and chosen is in sight once the search is cleared, also in a branch that was closed", async () => {
  const search = bob.page.getByRole("searchbox", { name: "Search nodes" });
  await row(bob, "shoulder").locator("[data-twist]").click();
  await row(bob, "left pad").waitFor({ state: "detached" });
  await search.fill("left pad");
  await row(bob, "left pad").click();
  await row(bob, "left pad").and(bob.page.locator("[aria-selected=true]")).waitFor();
  await search.fill("");
  await row(bob, "right pad").waitFor();
  await row(bob, "left pad").waitFor();
});

test("what somebody else has selected is marked in the tree, by name", async () => {
  await pick(ada, "base plate");
  await bob.page.getByRole("treeitem", { name: "base plate, selected by Ada" }).waitFor();
});

test("the palette finds a node and goes to it, and the focus comes back", async () => {
  await pick(bob, "robot arm");
  await bob.page.keyboard.press("Control+k");
  await bob.page.getByRole("combobox", { name: "Find a command or a node" }).fill("gripper");
  await bob.page.keyboard.press("Enter");
  await bob.until(() => window.gizmod.session.scene.get(window.gizmod.selection.value[0])?.name === "gripper");
  assert.equal(await bob.page.evaluate(() => document.activeElement.getAttribute("role")), "tree");
});

test("the start page makes a scene of a file, and joins it under the name that was said", async () => {
  await bob.page.goto(`${daemon.url}/`);
  await bob.page.getByRole("textbox", { name: "Your name" }).fill("Grace");
  await bob.page.locator("input[type=file]").setInputFiles(ENGINE);
  await bob.online();
  assert.equal(await bob.page.evaluate(() => window.gizmod.session.sceneName), "2cylinderengine");
  assert.equal(await bob.page.evaluate(() => window.gizmod.session.user), "Grace");
  await bob.until(() => window.gizmod.session.scene.nodes.size === 82);
});

test("a .gltf comes with the files that it names, and without them one is told which", async () => {
  await bob.page.goto(daemon.url);
  const files = bob.page.locator("input[type=file]");
  await files.setInputFiles(`${MODELS}/cameras/Cameras.gltf`);
  await bob.page.getByText("Cameras.gltf needs simpleSquare.bin. Drop or choose all of these files together.").waitFor();
  await files.setInputFiles([`${MODELS}/cameras/Cameras.gltf`, `${MODELS}/cameras/simpleSquare.bin`]);
  await bob.online();
  assert.match(bob.page.url(), /scene=cameras/);
  await bob.until(() => window.gizmod.asset.value.phase === "ready");
});

test("who drops a file before they said their name, and before the scenes are listed, is asked for it, and then goes on", async () => {
  let listed;
  const list = new Promise((done) => (listed = done));
  await bob.page.route("**/scenes", (route) => list.then(() => route.continue()));
  await bob.page.evaluate(() => localStorage.clear());
  await bob.page.goto(`${daemon.url}/`);
  await bob.page.getByRole("heading", { name: "Scenes", exact: true }).waitFor();
  await bob.page.locator("input[type=file]").setInputFiles(ENGINE);
  await bob.page.getByRole("button", { name: "Import 2CylinderEngine.glb" }).waitFor();
  await bob.page.keyboard.type("Hedy");
  await bob.page.keyboard.press("Enter");
  listed();
  await bob.online();
  await bob.page.unroute("**/scenes");
  assert.equal(await bob.page.evaluate(() => window.gizmod.session.sceneName), "2cylinderengine-2");
  const [edit] = await latest(bob, 1);
  assert.equal(edit.user, "Hedy");
});

test("the theme is kept and shown at once", async () => {
  await bob.page.getByRole("button", { name: "Theme" }).click();
  await bob.page.getByRole("menuitemradio", { name: "Light" }).click();
  await bob.page.reload();
  await bob.online();
  assert.equal(await bob.page.evaluate(() => document.documentElement.dataset.theme), "light");
});

test("a number that its field has no room for is shown rounded, and whole while it is edited", async () => {
  const id = await ada.page.evaluate(() => window.gizmod.session.scene.roots[0]);
  await ada.page.evaluate((id) => window.gizmod.session.set([{ id, t: [-205667.123, 1234.56789, 0.5] }]), id);
  await ada.select(id);
  const field = ada.page.getByRole("textbox", { name: "Translation X" });
  await ada.until(() => document.querySelector("[aria-label='Translation X']").value === "-205667");
  const cut = await ada.page.locator(".cell > .input").evaluateAll((inputs) => inputs.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ value }) => value));
  assert.deepEqual(cut, []);
  assert.equal(await field.getAttribute("title"), "-205667.123");
  await field.focus();
  assert.equal(await field.inputValue(), "-205667.123");
  await field.press("Enter");
  await field.blur();
  assert.equal(await field.inputValue(), "-205667");
  assert.equal((await ada.page.evaluate((id) => window.gizmod.session.scene.get(id).t[0], id)), -205667.123, "what was only looked at stays as it was");
});

test("a menu is closed by the button that opened it", async () => {
  const button = ada.page.getByRole("button", { name: /^Scene menu/ });
  await button.click();
  await ada.page.getByRole("menu").waitFor();
  await button.click();
  assert.equal(await ada.page.getByRole("menu").count(), 0);
  assert.equal(await button.getAttribute("aria-expanded"), "false");
});

test("nobody's console has an error", () => {
  assert.deepEqual(browser.errors, []);
});
