// The editor and the example below a path of somebody else's host: a reverse proxy has them at /gizmo/ and strips that.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Browser } from "./support/browser.js";
import { Daemon, ENGINE } from "./support/daemon.js";
import { dragArrow, settled } from "./support/gestures.js";
import { Proxy } from "./support/proxy.js";

let daemon, proxy, browser;

before(async () => {
  daemon = await Daemon.start();
  await daemon.import("engine", ENGINE);
  proxy = await Proxy.start(daemon, "/gizmo");
  browser = new Browser();
});

after(async () => {
  await browser?.close();
  await proxy?.stop();
  await daemon?.stop();
});

test("prefix_a_drag_in_the_editor_works_through_the_proxy", async () => {
  const ada = await browser.person();
  await ada.join(proxy, "engine", "Ada");
  await ada.until(() => window.gizmod.asset.value.phase === "ready");
  const { id, t } = await ada.node("node 74");
  await ada.select(id);
  await dragArrow(ada, 0, 60);
  await settled(ada);
  assert.notEqual((await ada.node("node 74")).t[0], t[0]);
  const [latest] = await ada.page.evaluate(() => window.gizmod.session.history({ limit: 1 }));
  assert.equal(latest.handle, "tx");
});

test("prefix_start_page_lists_scenes_and_the_export_is_below_the_path", async () => {
  const bob = await browser.person();
  await bob.page.goto(`${proxy.url}/`);
  await bob.page.getByLabel("Your name").fill("Bob");
  await bob.page.getByRole("button", { name: /^engine/ }).click();
  await bob.online();
  await bob.page.getByRole("button", { name: /^Scene menu/ }).click();
  const link = bob.page.getByRole("menuitem", { name: /^Export/ });
  assert.equal(await link.evaluate(({ href }) => href), `${proxy.url}/scenes/engine/export`);
  assert.equal((await fetch(`${proxy.url}/scenes/engine/export`)).status, 200);
});

test("prefix_the_example_joins_through_the_proxy", async () => {
  const eve = await browser.person();
  await eve.page.goto(`${proxy.url}/example/?user=Eve`);
  await eve.page.getByText("Eve (you)").waitFor();
});

test("prefix_nothing_was_asked_for_outside_of_the_path", () => {
  assert.deepEqual(proxy.strays, []);
  assert.deepEqual(browser.errors, []);
});
