// The editor in WebKit, beside somebody in Chromium: selecting, dragging in the tree and in the view, typing, looking back.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Browser } from "./support/browser.js";
import { Daemon, ENGINE } from "./support/daemon.js";
import { carryArrow, dragArrow, glide, settled } from "./support/gestures.js";
import { WebKit } from "./support/webkit.js";

const PX_MAX = 1.5;
let daemon, browser, ada, bob;

before(async () => {
  daemon = await Daemon.start();
  await daemon.import("engine", ENGINE);
  browser = new Browser();
  ada = await WebKit.person();
  bob = await browser.person();
  await ada.join(daemon, "engine", "Ada");
  await ada.page.evaluate(() => void (document.documentElement.dataset.theme = "dark"));
  await bob.join(daemon, "engine", "Bob");
});

after(async () => {
  await ada?.close();
  await browser?.close();
  await daemon?.stop();
});

const row = (id) => `[data-node="${id}"] .tree-name`;
const translation = (person, id) => person.page.evaluate((id) => window.gizmod.session.scene.get(id).t, id);

test("it is WebKit", async () => {
  const agent = await ada.page.evaluate(() => navigator.userAgent);
  assert.match(agent, /AppleWebKit/);
  assert.doesNotMatch(agent, /Chrome/);
});

test("a row that is dragged onto another hangs below it, and no text is selected by it", async () => {
  const [from, to] = [(await bob.node("node 79")).id, (await bob.node("node 80")).id];
  const [start, end] = [await ada.page.box(row(from)), await ada.page.box(row(to))];
  const at = [start.x + 60, start.y + start.height / 2];
  await ada.page.mouse.move(...at);
  await ada.page.mouse.down();
  await glide(ada, at, [at[0], end.y + end.height / 2]);
  assert.equal(await ada.page.evaluate(() => String(getSelection())), "");
  await ada.page.mouse.up();
  await bob.until(({ from, to }) => window.gizmod.session.scene.get(from).parent === to, { from, to });
});

test("a piston is selected in the tree and dragged by mouse, its arrow under the cursor; the other sees it move", async () => {
  const { id, t } = await bob.node("node 77");
  await ada.page.evaluate(() => window.gizmod.rig.setParallel(true));
  await ada.page.click(row(id));
  await ada.until((id) => window.gizmod.selection.value[0] === id && window.gizmod.gizmo.value !== null, id);
  await ada.drawn();
  const [pressed, moved] = await carryArrow(ada, 1, 37);
  assert.ok(pressed > 5, "the arrow's end is seen, beyond the cursor");
  assert.ok(Math.abs(moved - pressed) <= PX_MAX, `${moved} px beyond the cursor, at the press ${pressed}`);
  await bob.until(({ id, y }) => window.gizmod.people.value.some(({ user, locks }) => user === "Ada" && locks?.includes(id)) && window.gizmod.session.scene.get(id).t[1] !== y, { id, y: t[1] });
  await ada.page.mouse.up();
  await settled(ada);
  assert.deepEqual(await translation(bob, id), await translation(ada, id));
});

test("a number typed during a drag is how far it goes", async () => {
  await dragArrow(ada, 1, 20, { release: false });
  await ada.page.keyboard.type("12.5mm");
  await ada.until(() => window.gizmod.gizmo.value.value?.[0] === 0.0125);
  await ada.page.keyboard.press("Enter");
  await ada.page.mouse.up();
  await settled(ada);
  const [latest] = await bob.page.evaluate(() => window.gizmod.session.history({ limit: 1 }));
  assert.deepEqual([latest.user, ...[latest.value].flat()], ["Ada", 0.0125]);
});

test("the timeline is dragged to a moment before, which is shown as the past, and left again", async () => {
  const { x, y, width, height } = await ada.page.box('[role=slider][aria-label="Moment"]');
  const from = [x + width - 20, y + height / 2];
  await ada.page.mouse.move(...from);
  await ada.page.mouse.down();
  await glide(ada, from, [x + 5, from[1]]);
  await ada.page.mouse.up();
  await ada.until(() => window.gizmod.past.value !== null && document.querySelector("[data-part=past-banner]") !== null);
  await ada.page.click("[data-part=past-banner] button");
  await ada.until(() => window.gizmod.past.value === null);
});

test("nobody's console has an error", async () => {
  assert.deepEqual(await ada.page.evaluate(() => window.errors), []);
  assert.deepEqual(browser.errors, []);
});
