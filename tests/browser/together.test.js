// Two people in one scene: one drags a piston of the engine by the mouse, the other sees it move and finds it in the history.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Browser } from "./support/browser.js";
import { Daemon, ENGINE } from "./support/daemon.js";

const PISTON = "node 74";
let daemon, browser, ada, bob;

before(async () => {
  daemon = await Daemon.start();
  await daemon.import("engine", ENGINE);
  browser = new Browser();
  ada = await browser.person();
  bob = await browser.person();
  await ada.join(daemon, "engine", "Ada");
  await bob.join(daemon, "engine", "Bob");
});

after(async () => {
  await browser?.close();
  await daemon?.stop();
});

/** Presses on the arrow of an axis of the gizmo and moves it by so many pixels along itself. */
async function dragArrow(person, axis, pixels, { release = true } = {}) {
  const { origin, axes, size } = await person.page.evaluate(() => window.gizmod.gizmo.value);
  const along = (metres) => origin.map((value, i) => value + axes[3 * axis + i] * metres);
  const from = await person.project(along(0.8 * size));
  const [x0, y0] = await person.project(origin);
  const length = Math.hypot(from[0] - x0, from[1] - y0);
  const step = [((from[0] - x0) / length) * pixels, ((from[1] - y0) / length) * pixels];
  const { mouse } = person.page;
  await mouse.move(...from);
  await person.until(() => window.gizmod.gizmo.value?.hover !== undefined);
  await mouse.down();
  await person.until(() => window.gizmod.gizmo.value?.active !== undefined);
  for (let i = 1; i <= 8; i++) await mouse.move(from[0] + (step[0] * i) / 8, from[1] + (step[1] * i) / 8);
  if (release) await mouse.up();
}

test("a piston that one drags by mouse moves for the other, and is in the history", async () => {
  const { id, t } = await bob.node(PISTON);
  const edits = await ada.page.evaluate(() => window.gizmod.session.history().then((all) => all.length));
  await ada.page.getByRole("button", { name: "Move", exact: true }).click();
  await ada.select(id);
  await dragArrow(ada, 0, 60);
  await bob.until(({ id, x }) => Math.abs(window.gizmod.session.scene.get(id).t[0] - x) > 1, { id, x: t[0] });
  await ada.until((count) => window.gizmod.session.unsaved === 0 && window.gizmod.lastEdit.value !== null, edits);

  const [mine, theirs] = [await ada.node(PISTON), await bob.node(PISTON)];
  assert.deepEqual(theirs.t, mine.t);
  assert.deepEqual(theirs.t.slice(1), t.slice(1), "an axis moves nothing else");
  const [latest] = await bob.page.evaluate(() => window.gizmod.session.history({ limit: 1 }));
  assert.equal(latest.user, "Ada");
  assert.equal(latest.kind, "translate");
  assert.equal(latest.handle, "tx");
  assert.deepEqual(latest.nodes, [id]);
  assert.equal(await bob.page.locator(`[data-edit="${latest.id}"]`).count(), 1, "the timeline shows it");
  assert.match(await daemon.ctl("history", "engine"), /Ada/);
});

test("nobody's console has an error", () => {
  assert.deepEqual(browser.errors, []);
});
