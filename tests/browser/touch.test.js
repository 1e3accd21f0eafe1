// Fingers: one drags a handle, taps, turns the view; two move and zoom it.
import assert from "node:assert/strict";
import { before, test } from "node:test";

import { arrow, settled } from "./support/gestures.js";
import { browser, daemon, open } from "./support/stage.js";

let ada, id, fingers;

before(async () => {
  await open();
  ada = await browser.person({ viewport: { width: 820, height: 1000 }, hasTouch: true, isMobile: true });
  await ada.join(daemon, "robot-arm", "Ada");
  id = await ada.page.evaluate(() => window.gizmod.session.scene.roots[0]);
  fingers = await ada.page.context().newCDPSession(ada.page);
});

const touch = (type, ...points) =>
  fingers.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], i) => ({ x, y, id: i })) });
const middle = async () => {
  const box = await ada.page.getByRole("application").boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
};
const view = () => ada.page.evaluate(() => window.gizmod.rig.view.slice());

test("a tap selects what is under it", async () => {
  await ada.page.evaluate(() => window.gizmod.session.select([]));
  const at = await ada.project(await ada.middle(id));
  const [hit] = await ada.page.evaluate((at) => window.gizmod.session.pick({ at, surface: true }), await inView(at));
  await touch("touchStart", at);
  await touch("touchEnd");
  await ada.until((id) => window.gizmod.selection.value.includes(id), hit.id);
});

test("a finger on a handle drags it, as one edit", async () => {
  await ada.select(id);
  const { at, along } = await arrow(ada, 1);
  await touch("touchStart", at);
  await ada.until(() => window.gizmod.gizmo.value?.active === "ty");
  for (let i = 1; i <= 6; i++) await touch("touchMove", [at[0] + along[0] * 8 * i, at[1] + along[1] * 8 * i]);
  await touch("touchEnd");
  await settled(ada);
  const [latest] = await ada.page.evaluate(() => window.gizmod.session.history({ limit: 1 }));
  assert.deepEqual([latest.user, latest.handle, latest.nodes], ["Ada", "ty", [id]]);
});

test("a finger beside everything turns the view", async () => {
  const before = await view();
  const [x, y] = await middle();
  const at = [x - 180, y - 250];
  await touch("touchStart", at);
  for (let i = 1; i <= 8; i++) await touch("touchMove", [at[0] + 10 * i, at[1]]);
  await touch("touchEnd");
  await ada.until((before) => window.gizmod.rig.view.some((value, i) => Math.abs(value - before[i]) > 0.05), before);
});

test("two fingers apart come nearer", async () => {
  const before = await ada.page.evaluate(() => window.gizmod.rig.distance);
  const [x, y] = await middle();
  await touch("touchStart", [x - 40, y], [x + 40, y]);
  for (let i = 1; i <= 8; i++) await touch("touchMove", [x - 40 - 10 * i, y], [x + 40 + 10 * i, y]);
  await touch("touchEnd");
  await ada.drawn();
  const after = await ada.page.evaluate(() => window.gizmod.rig.distance);
  assert.ok(after < 0.6 * before, `${before} -> ${after}`);
});

test("nobody's console has an error", () => {
  assert.deepEqual(browser.errors, []);
});

async function inView([x, y]) {
  const [left, top] = await ada.corner();
  return [x - left, y - top];
}
