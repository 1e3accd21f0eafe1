// The pictures of the README, made of the real thing: into GIZMOD_PICTURES.
import assert from "node:assert/strict";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { before, test } from "node:test";

import { ENGINE } from "./support/daemon.js";
import { dragArrow, settled } from "./support/gestures.js";
import { browser, daemon, open } from "./support/stage.js";

const folder = process.env.GIZMOD_PICTURES ?? "pictures";
const viewport = { width: 1280, height: 800 };
let ada, bob;

before(async () => {
  await mkdir(folder, { recursive: true });
  await open();
  await daemon.import("engine", ENGINE);
  ada = await browser.person({ viewport, colorScheme: "dark" });
  bob = await browser.person({ viewport, colorScheme: "light" });
  await ada.join(daemon, "engine", "Ada");
  await bob.join(daemon, "engine", "Bob");
});

async function picture(person, name) {
  await person.rested();
  const path = join(folder, name);
  await person.screenshot(path);
  assert.ok((await stat(path)).size > 20_000, `${name} shows something`);
}

test("two people, one drags", async () => {
  const piston = (await ada.node("node 74")).id;
  const other = (await bob.node("node 80")).id;
  await ada.page.evaluate((id) => window.gizmod.session.note({ text: "too close to the valve?", node: id }), piston);
  await bob.page.evaluate(() => window.gizmod.rig.look([-500, 420, 700], [0, 0, 0]));
  await bob.page.evaluate((id) => window.gizmod.session.select([id]), other);
  await ada.select(piston);
  await dragArrow(ada, 0, 80, { release: false });
  await picture(ada, "together.png");
  await picture(bob, "light.png");
  await ada.page.mouse.up();
  await settled(ada);
});

test("the past", async () => {
  await ada.page.getByRole("slider", { name: "Moment" }).focus();
  await ada.page.keyboard.press("ArrowLeft");
  await ada.page.locator("[data-part=past-banner]").waitFor();
  await picture(ada, "past.png");
});

test("nobody's console has an error", () => {
  assert.deepEqual(browser.errors, []);
});
