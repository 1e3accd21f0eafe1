// Nothing that axe-core calls serious: on the page without a scene, in both themes, with something selected, in the past, and on a phone.
import assert from "node:assert/strict";
import { before, test } from "node:test";

import { Authority } from "./support/authority.js";
import { violations } from "./support/axe.js";
import { Daemon } from "./support/daemon.js";
import { browser, daemon, open } from "./support/stage.js";

before(() => open());

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

/** The contrast of the text of each option with its own background, as WCAG counts it: by the select's name. */
const contrasts = (person) =>
  person.page.evaluate(() => {
    const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
    const linear = (value) => (value <= 10 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    const light = (colour) => channels(colour).slice(0, 3).map(linear).reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
    const contrastOf = ({ color, backgroundColor }) => {
      if (channels(backgroundColor)[3] === 0) return 0;
      const [dark, bright] = [light(color), light(backgroundColor)].sort((a, b) => a - b);
      return (bright + 0.05) / (dark + 0.05);
    };
    return [...document.querySelectorAll("select")].map((select) => [
      select.ariaLabel, Math.min(...[...select.querySelectorAll("option, optgroup")].map((option) => contrastOf(getComputedStyle(option)))),
    ]);
  });

for (const colorScheme of ["dark", "light"]) {
  test(`the options of every select can be read, ${colorScheme}`, async () => {
    const person = await editor({ colorScheme });
    const found = await contrasts(person);
    assert.ok(found.length >= 4, `the selects are ${found.map(([name]) => name).join(", ")}`);
    for (const [name, contrast] of found) assert.ok(contrast >= 4.5, `${name}: ${contrast}`);
    await person.page.close();
  });
}

for (const options of [{ colorScheme: "dark" }, { colorScheme: "light", viewport: { width: 360, height: 640 } }]) {
  test(`the dialogs that let others in, ${options.colorScheme}`, async () => {
    const authority = await Authority.create();
    const guarded = await Daemon.start(["--sample", "--keys", authority.path("keys.json")]);
    const person = await browser.person({ bypassCSP: true, ...options });
    const token = await authority.token("--user", "ada@example.com", "--role", "admin", "--expires", "2m");
    await person.page.goto(`${guarded.url}/?scene=robot-arm#token=${token}`);
    await person.online();
    for (const name of ["share", "token"]) {
      await person.page.evaluate((name) => (window.gizmod.dialog.value = name), name);
      const dialog = person.page.getByRole("dialog");
      if (name === "share") {
        await dialog.getByLabel("User or pattern").fill("*@example.org");
        await dialog.getByRole("button", { name: "Add" }).click();
        await dialog.getByText("*@example.org may edit now.").waitFor();
        await dialog.getByLabel("How long").selectOption("date");
      }
      assert.deepEqual(await violations(person), []);
      const { scrollWidth, clientWidth } = await dialog.evaluate(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }));
      assert.ok(scrollWidth <= clientWidth, `${name} is ${scrollWidth} wide in ${clientWidth}`);
      await person.page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
    await person.page.close();
    await guarded.stop();
    await authority.remove();
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
