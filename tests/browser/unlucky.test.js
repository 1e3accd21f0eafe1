// What breaks a person's day where nobody thinks of it: a browser that keeps nothing, names that are programs, another file under one's eyes, no mouse.
import assert from "node:assert/strict";
import { before, test } from "node:test";

import { ENGINE } from "./support/daemon.js";
import { browser, daemon, open } from "./support/stage.js";

let ada;

before(async () => {
  await open();
  ada = await browser.person();
  await ada.page.addInitScript(() => {
    const get = () => {
      throw new DOMException("The operation is insecure.", "SecurityError");
    };
    for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { get });
  });
});

const distance = () => ada.page.evaluate(() => window.gizmod.rig.pose.distance);

test("where the browser keeps nothing the editor works all the same", async () => {
  await ada.page.goto(`${daemon.url}/`);
  await ada.page.getByLabel("Your name").fill("Ada");
  await ada.page.getByRole("button", { name: /^robot-arm/ }).click();
  await ada.online();
  await ada.page.reload();
  await ada.online();
});

test("by the keys alone: a number is typed and taken back, the past is left for the view", async () => {
  const { page } = ada;
  await page.getByRole("tree", { name: "Scene tree" }).focus();
  await page.keyboard.press("Home");
  await ada.until(() => window.gizmod.selection.value.length === 1);
  const x = () => page.evaluate(() => window.gizmod.session.scene.get(window.gizmod.selection.value[0]).t[0]);
  const before = await x();
  await page.getByLabel("Translation X").focus();
  await page.keyboard.type("2.5");
  await page.keyboard.press("Enter");
  await ada.until(() => window.gizmod.session.scene.get(window.gizmod.selection.value[0]).t[0] === 2.5);
  await page.keyboard.press("Control+z");
  await ada.until((before) => window.gizmod.session.scene.get(window.gizmod.selection.value[0]).t[0] === before, before);
  await page.getByRole("slider", { name: "Moment" }).focus();
  await page.keyboard.press("ArrowLeft");
  await ada.until(() => window.gizmod.past.value !== null);
  await page.getByRole("button", { name: "Back to now" }).focus();
  await page.keyboard.press("Enter");
  await ada.until(() => window.gizmod.past.value === null);
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "CANVAS");
});

test("names are words and never programs", async () => {
  const name = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>';
  await ada.page.evaluate(async (name) => {
    const { session } = window.gizmod;
    const [id] = session.scene.roots;
    await session.set([{ id, name }]);
    await session.note({ text: name, node: id });
    await session.checkpoint(name.slice(0, 64));
  }, name);
  await ada.page.getByRole("tree", { name: "Scene tree" }).getByText(name).waitFor();
  await ada.drawn();
  assert.equal(await ada.page.evaluate(() => window.ran), undefined);
});

test("another file that takes the place of the scene is seen whole", async () => {
  const before = await distance();
  const response = await daemon.import("robot-arm", ENGINE, { replace: true });
  assert.ok(response.nodes > 0);
  await ada.page.waitForFunction((before) => window.gizmod.rig.pose.distance > 10 * before, before);
});

test("nobody's console has an error", () => {
  assert.deepEqual(browser.errors, []);
});
