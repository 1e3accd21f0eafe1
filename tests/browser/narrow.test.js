// Little room: on phones, tablets and where the page is much enlarged nothing lies over a control or beyond the window, and what the timeline has no room for is in its menu.
import assert from "node:assert/strict";
import { before, test } from "node:test";

import { violations } from "./support/axe.js";
import { browser, daemon, open } from "./support/stage.js";

/** 320 by 200 is a window of 1280 by 800 at four times the size. */
const SIZES = [[320, 200], [320, 568], [390, 844], [600, 700], [768, 1024], [844, 390], [900, 700], [1024, 768], [1280, 800]];
/** Low ones, as a page of 1280 by 720 or 1024 is when it is enlarged. */
const LOW = [[320, 256], [640, 360], [1024, 470]];

before(() => open());

async function editor(options) {
  const person = await browser.person({ bypassCSP: true, reducedMotion: "reduce", ...options });
  await person.join(daemon, "robot-arm", "Ada");
  const id = await person.page.evaluate(() => window.gizmod.session.scene.roots[0]);
  for (let i = 1; i <= 3; i++) await person.page.evaluate(({ id, i }) => window.gizmod.session.set([{ id, t: [i / 10, 0, 0] }]), { id, i });
  await person.page.waitForFunction(() => window.gizmod.timeline.history.edits.value.length >= 4);
  await person.select(id);
  return person;
}

/** What is wrong with the controls that are seen: beyond the window, under something else, or too small. */
const wrong = (person) =>
  person.page.evaluate(() => {
    const all = [...document.querySelectorAll("header button, .tools button, .tools select, .time-row button, .time-row select, .past-return, .compass button")];
    const told = all.flatMap((control) => {
      const box = control.getBoundingClientRect();
      if (box.width === 0) return [];
      const name = control.getAttribute("aria-label") ?? control.textContent;
      if (box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight) return [`${name} is beyond the window`];
      if ((box.width < 24 || box.height < 24) && !control.closest(".compass-ball")) return [`${name} is ${box.width} by ${box.height}`];
      const top = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
      return control.contains(top) ? [] : [`${name} is under ${top?.outerHTML.slice(0, 80)}`];
    });
    if (document.documentElement.scrollWidth > innerWidth) told.push(`the page is ${document.documentElement.scrollWidth} wide`);
    const boxOf = (selector) => document.querySelector(selector)?.getBoundingClientRect();
    const [view, middle, tools] = [".viewport", ".middle", ".tools-modes"].map(boxOf);
    const beside = tools.height > tools.width ? tools.width : 0;
    if (view.width < middle.width - beside - 1) told.push(`the view is ${view.width} wide in ${middle.width}`);
    const [hint, compass] = [".navigation-hint", ".compass"].map(boxOf);
    if (hint?.width && compass.width && hint.right > compass.left && hint.bottom > compass.top) told.push("the hint lies over the compass");
    const readout = document.querySelector(".time-readout");
    if (readout.scrollWidth > readout.clientWidth + 1) told.push("the moment is cut off");
    return told;
  });

/** The window has this size, and the row what fits into it. */
async function resize(person, [width, height]) {
  await person.page.setViewportSize({ width, height });
  await person.until((width) => innerWidth === width && document.querySelector(".app").clientWidth === width, width);
  await person.drawn();
}

for (const [kind, options] of [["mouse", {}], ["fingers", { hasTouch: true, isMobile: true }]]) {
  test(`every control has its place, for ${kind}`, async () => {
    const person = await editor(options);
    await person.page.evaluate(() => (window.gizmod.timeline.history.older.value = "some")); // the longest row
    for (const size of LOW) {
      await resize(person, size);
      assert.deepEqual(await wrong(person), [], `${size}`);
    }
    for (const size of SIZES) {
      await resize(person, size);
      assert.deepEqual(await wrong(person), [], `${size} now`);
      await person.page.evaluate(() => window.gizmod.setTool({ snap: { on: true } }));
      await person.drawn();
      assert.deepEqual(await wrong(person), [], `${size} snapping`);
      await person.page.evaluate(() => window.gizmod.setTool({ snap: { on: false } }));
      await person.page.evaluate(() => window.gizmod.timeline.player.step(-1));
      await person.page.locator("[data-part=past-banner]").waitFor();
      await person.drawn();
      assert.deepEqual(await wrong(person), [], `${size} in the past`);
      await person.page.evaluate(() => window.gizmod.timeline.player.toNow());
      await person.page.locator("[data-part=past-banner]").waitFor({ state: "detached" });
    }
    await person.page.close();
  });
}

test("on the start page of a phone every button is whole", async () => {
  const { page } = await browser.person({ hasTouch: true, isMobile: true });
  await page.goto(daemon.url);
  await page.getByRole("button", { name: "Create empty scene" }).waitFor();
  for (const width of [320, 360, 390, 430]) {
    await page.setViewportSize({ width, height: 800 });
    const cut = () => [...document.querySelectorAll(".start :is(button, input, a)")].map((control) => [control.textContent || control.ariaLabel, control.getBoundingClientRect()])
      .filter(([, { left, right }]) => left < 0 || right > innerWidth).map(([name, { right }]) => `${name} ends at ${right}`);
    assert.deepEqual(await page.evaluate(cut), [], `${width} px`);
  }
  await page.close();
});

test("on a phone the menu of the timeline has what the row has no room for", async () => {
  const person = await editor({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const { page } = person;
  const choose = async (role, name) => {
    await page.getByRole("button", { name: "More timeline options" }).tap();
    await page.getByRole(role, { name }).tap();
  };
  assert.equal(await page.getByRole("button", { name: "Add checkpoint" }).count(), 0, "it is not twice there");
  await choose("menuitem", "Add checkpoint");
  await page.getByLabel("Name of the checkpoint").fill("before lunch");
  await page.getByRole("button", { name: "Add", exact: true }).tap();
  await page.locator("footer [data-checkpoint]").getByText("before lunch").waitFor();
  await choose("menuitem", /^before lunch/);
  await page.locator("[data-part=past-banner]").waitFor();
  await choose("menuitemcheckbox", "Edit details");
  await page.getByRole("region", { name: "Edit details" }).waitFor();
  await choose("menuitemradio", "Edits by sample");
  await person.until(() => window.gizmod.timeline.shown.value.every(({ user }) => user === "sample"));
  await page.getByRole("button", { name: "More timeline options" }).tap();
  await resize(person, [320, 568]); // as when it is folded
  const menu = await page.getByRole("menu").boundingBox();
  assert.ok(menu.x >= 0 && menu.x + menu.width <= 320, `the menu is at ${menu.x} and ${menu.width} wide`);
  await page.keyboard.press("Escape");
  await resize(person, [390, 844]);
  await choose("menuitemradio", "Speed 4×");
  assert.equal(await page.evaluate(() => window.gizmod.timeline.player.speed.value), 4);
  await page.getByRole("button", { name: "More timeline options" }).tap();
  assert.equal(await page.getByRole("menuitemradio", { name: "Speed 4×" }).getAttribute("aria-checked"), "true");
  assert.deepEqual(await violations(person), []);
  await page.close();
});

for (const viewport of [{ width: 320, height: 200 }, { width: 844, height: 390 }]) {
  test(`nothing that axe-core calls serious, now and in the past, at ${viewport.width} by ${viewport.height}`, async () => {
    const person = await editor({ viewport, hasTouch: true, isMobile: true });
    assert.deepEqual(await violations(person), []);
    await person.page.evaluate(() => window.gizmod.timeline.player.step(-1));
    await person.page.locator("[data-part=past-banner]").waitFor();
    assert.deepEqual(await violations(person), []);
    await person.page.close();
  });
}

test("nobody's console has an error", () => {
  assert.deepEqual(browser.errors, []);
});
