// Nothing that axe-core calls serious: on the page without a scene, in both themes, with something selected, in the past, and on a phone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { violations } from "./support/axe.js";
import { Browser } from "./support/browser.js";
import { Daemon } from "./support/daemon.js";

let daemon, browser;

before(async () => {
  daemon = await Daemon.start();
  browser = new Browser();
});

after(async () => {
  await browser?.close();
  await daemon?.stop();
});

async function editor(options) {
  const person = await browser.person({ bypassCSP: true, ...options });
  await person.join(daemon, "robot-arm", "Ada");
  const id = await person.page.evaluate(() => window.gizmod.session.scene.roots[0]);
  await person.page.evaluate((id) => window.gizmod.session.set([{ id, t: [0.1, 0, 0] }]), id);
  await person.page.evaluate((id) => window.gizmod.session.note({ text: "too close?", node: id }), id);
  await person.select(id);
  return person;
}

test("the start page", async () => {
  const person = await browser.person({ bypassCSP: true });
  await person.page.goto(daemon.url);
  await person.page.getByText("robot-arm").first().waitFor();
  assert.deepEqual(await violations(person), []);
  await person.page.close();
});

for (const colorScheme of ["dark", "light"]) {
  test(`the editor, ${colorScheme}`, async () => {
    const person = await editor({ colorScheme });
    assert.deepEqual(await violations(person), []);
    await person.page.getByRole("slider", { name: "Moment" }).focus();
    await person.page.keyboard.press("ArrowLeft");
    await person.page.locator("[data-part=past-banner]").waitFor();
    assert.deepEqual(await violations(person), []);
    await person.page.close();
  });
}

test("the editor on a phone", async () => {
  const person = await editor({ viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true });
  assert.deepEqual(await violations(person), []);
  await person.page.close();
});

test("every control is reached by the Tab key and says its name", async () => {
  const person = await editor({});
  const names = new Set();
  for (let i = 0; i < 150; i++) {
    await person.page.keyboard.press("Tab");
    const name = await person.page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent?.trim() ?? "");
    names.add(name);
  }
  for (const wanted of ["View of the scene", "Move", "Undo"]) assert.ok([...names].some((name) => name.includes(wanted)), `${wanted} is not reached: ${[...names].join(", ")}`);
  await person.page.close();
});

test("nobody's console has an error", () => {
  assert.deepEqual(browser.errors, []);
});

test("the example", async () => {
  const person = await browser.person({ bypassCSP: true });
  await person.page.goto(`${daemon.url}/example/?user=Ada`);
  await person.page.getByText("Ada (you)").waitFor();
  assert.deepEqual(await violations(person), []);
  await person.page.close();
});
