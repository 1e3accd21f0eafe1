// Two people in one scene: one drags a piston of the engine by the mouse and takes it back; the other sees it move and finds both in the history.
import assert from "node:assert/strict";
import { before, test } from "node:test";

import { ENGINE } from "./support/daemon.js";
import { dragArrow } from "./support/gestures.js";
import { browser, daemon, open } from "./support/stage.js";

const PISTON = "node 74";
let ada, bob, home;

before(async () => {
  await open();
  await daemon.import("engine", ENGINE);
  ada = await browser.person();
  bob = await browser.person();
  await ada.join(daemon, "engine", "Ada");
  await bob.join(daemon, "engine", "Bob");
});

test("a piston that one drags by mouse moves for the other, and is in the history", async () => {
  const { id, t } = await bob.node(PISTON);
  home = t;
  const edits = await ada.page.evaluate(() => window.gizmod.session.history().then((all) => all.length));
  await ada.page.getByRole("button", { name: "Move", exact: true }).click();
  await ada.select(id);
  await bob.page.evaluate((id) => {
    const { scene } = window.gizmod.session;
    window.places = [];
    scene.on("change", () => window.places.push(scene.told(id).t[0]));
  }, id);
  await dragArrow(ada, 0, 60);
  await bob.until(({ id, x }) => Math.abs(window.gizmod.session.scene.get(id).t[0] - x) > 1, { id, x: t[0] });
  await ada.until((count) => window.gizmod.session.unsaved === 0 && window.gizmod.lastEdit.value !== null, edits);

  const [mine, theirs] = [await ada.node(PISTON), await bob.node(PISTON)];
  assert.deepEqual(theirs.t, mine.t);
  const places = await bob.page.evaluate(() => window.places);
  assert.ok(places.filter((x) => x !== t[0] && x !== mine.t[0]).length > 1, `the other sees the way: ${places}`);
  assert.deepEqual(theirs.t.slice(1), t.slice(1), "an axis moves nothing else");
  const [latest] = await bob.page.evaluate(() => window.gizmod.session.history({ limit: 1 }));
  assert.equal(latest.user, "Ada");
  assert.equal(latest.kind, "translate");
  assert.equal(latest.handle, "tx");
  assert.deepEqual(latest.nodes, [id]);
  assert.equal(await bob.page.locator(`[data-edit="${latest.id}"]`).count(), 1, "the timeline shows it");
  assert.match(await daemon.ctl("history", "engine"), /Ada/);
});

test("what one takes back is back for the other", async () => {
  const moved = await bob.node(PISTON);
  await ada.page.getByRole("application", { name: "View of the scene" }).press("Control+z");
  await bob.until(({ id, x }) => window.gizmod.session.scene.get(id).t[0] !== x, { id: moved.id, x: moved.t[0] });
  assert.deepEqual((await bob.node(PISTON)).t, home);
  const [latest] = await bob.page.evaluate(() => window.gizmod.session.history({ limit: 1 }));
  assert.deepEqual([latest.user, latest.kind], ["Ada", "undo"]);
});

test("nobody's console has an error", () => {
  assert.deepEqual(browser.errors, []);
});
