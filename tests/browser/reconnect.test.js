// The daemon is killed and started again under a page that is in the middle of its work.
import assert from "node:assert/strict";
import { before, test } from "node:test";

import { dragArrow, settled } from "./support/gestures.js";
import { browser, daemon, open } from "./support/stage.js";

/** What Chromium itself says on the console where a socket, or a question by HTTP, is refused. */
const REFUSED = /WebSocket connection to .* failed|ERR_CONNECTION_REFUSED/;
let ada, id;

before(async () => {
  await open();
  ada = await browser.person({ ignore: [REFUSED] });
  await ada.join(daemon, "robot-arm", "Ada");
  id = await ada.page.evaluate(() => window.gizmod.session.scene.roots[0]);
});

const connection = () => ada.page.locator("[data-part=connection]");

test("a lost connection is said, with what is unsaved; all is there after the restart", async () => {
  await ada.select(id);
  await dragArrow(ada, 1, 40);
  await settled(ada);
  const { t } = await ada.node(await name());
  await daemon.kill();
  await ada.until(() => window.gizmod.status.value.phase === "offline");
  assert.match(await connection().getAttribute("data-phase"), /offline|connecting/);

  await ada.page.evaluate((id) => {
    window.edited = window.gizmod.session.set([{ id, name: "renamed while away" }]);
  }, id);
  assert.match(await ada.page.locator("[data-part=unsaved]").first().innerText(), /1/);

  await daemon.run();
  await ada.online();
  assert.ok((await ada.page.evaluate(() => window.edited)).edit > 0);
  await ada.until((id) => window.gizmod.session.scene.get(id).name === "renamed while away", id);
  assert.deepEqual((await ada.node("renamed while away")).t, t, "what was acknowledged is there");
  assert.deepEqual(await ada.page.evaluate(() => window.gizmod.selection.value), [id]);
  assert.equal(await ada.page.locator("[data-part=unsaved]").filter({ hasText: /[1-9]/ }).count(), 0);
});

test("a drag that a crash interrupts goes on and is saved, and the next one works", async () => {
  await ada.select(id);
  const [x, y] = await dragArrow(ada, 1, 40, { release: false });
  await daemon.kill();
  await ada.until(() => window.gizmod.status.value.phase !== "online");
  await ada.page.mouse.move(x, y - 20);
  const { t } = await ada.node(await name());
  await daemon.run();
  await ada.online();
  await ada.page.mouse.up();
  await settled(ada);
  assert.deepEqual((await ada.node(await name())).t, t);
  await dragArrow(ada, 1, 30);
  await settled(ada);
  assert.notDeepEqual((await ada.node(await name())).t, t);
});

test("nobody's console has an error", () => {
  assert.deepEqual(browser.errors, []);
});

async function name() {
  return ada.page.evaluate((id) => window.gizmod.session.scene.get(id).name, id);
}
