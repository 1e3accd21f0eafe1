// A daemon that was killed numbers its sessions anew: people who come back in another order keep their own names, at everybody.
import assert from "node:assert/strict";
import { before, test } from "node:test";

import { browser, daemon, open } from "./support/stage.js";

/** What Chromium itself says on the console where a socket, or a question by HTTP, is refused. */
const REFUSED = /WebSocket connection to .* failed|ERR_CONNECTION_REFUSED|ERR_INTERNET_DISCONNECTED/;
const NAMES = ["Ada", "Bob", "Cleo"];
const people = {};

const session = (name) => people[name].page.evaluate(() => window.gizmod.session.id);
const rows = (at) => people[at].page.getByRole("list", { name: "People" }).locator("[data-session]");
const held = (at, name) => people[at].page.locator(".people-tag-held", { hasText: name });

/** Kills the daemon, starts it again, and lets people come back one by one. Returns their sessions. */
async function comeBack(order, { signal = "SIGKILL" } = {}) {
  for (const name of NAMES) await people[name].page.context().setOffline(true);
  await daemon.kill(signal);
  for (const name of NAMES) await people[name].until(() => window.gizmod.status.value.phase === "offline");
  await daemon.run();
  for (const name of order) {
    await people[name].page.context().setOffline(false);
    await people[name].online();
  }
  return Object.fromEntries(await Promise.all(NAMES.map(async (name) => [name, await session(name)])));
}

/** Each page has each person once, by their own session, and itself first. */
async function everybodyIsThemselves(sessions) {
  for (const at of NAMES) {
    await people[at].until((count) => document.querySelectorAll("[data-session]").length === count, NAMES.length);
    for (const name of NAMES) {
      const row = people[at].page.locator(`[data-session="${sessions[name]}"]`);
      await row.waitFor();
      assert.equal(await row.locator("b").innerText(), name, `${at}'s page: session ${sessions[name]}`);
      assert.equal(await row.locator(".people-note", { hasText: "you" }).count(), at === name ? 1 : 0);
    }
    assert.equal(await rows(at).first().getAttribute("data-session"), String(sessions[at]));
  }
}

/** What `name` selects and holds has their name, and so has the refusal. */
async function isNamed(name, at) {
  const id = await people[name].page.evaluate(() => [...window.gizmod.session.scene.nodes.values()].find(({ bounds }) => bounds).id);
  await people[name].select(id);
  await people[at].page.locator(`[title="selected by ${name}"]`).waitFor({ state: "attached" });
  await people[name].page.evaluate(() => window.gizmod.session.grab("tx", { value: [0.05] }));
  await held(at, name).waitFor();
  for (const other of NAMES.filter((other) => other !== name)) assert.equal(await held(at, other).count(), 0);
  const refusal = await people[at].page.evaluate((id) => window.gizmod.session.set([{ id, t: [0, 0, 0] }]).catch(({ message }) => message), id);
  assert.match(refusal, new RegExp(`is held by ${name}`));
  await people[name].page.evaluate(() => window.gizmod.session.cancel());
  await held(at, name).waitFor({ state: "detached" });
  await people[name].page.evaluate(() => window.gizmod.session.select([]));
}

before(async () => {
  await open();
  for (const name of NAMES) {
    people[name] = await browser.person({ ignore: [REFUSED] });
    await people[name].join(daemon, "robot-arm", name);
  }
});

test("after kill -9 everybody has their own name, in whatever order they come back", async () => {
  let before = Object.fromEntries(await Promise.all(NAMES.map(async (name) => [name, await session(name)])));
  await everybodyIsThemselves(before);
  for (const order of [["Cleo", "Bob", "Ada"], ["Bob", "Cleo", "Ada"]]) {
    const after = await comeBack(order);
    assert.notDeepEqual(after, before, "the sessions have other numbers");
    await everybodyIsThemselves(after);
    await isNamed("Cleo", "Ada");
    await isNamed("Ada", "Bob");
    before = after;
  }
});

test("one goes on following the person, not the number", async () => {
  await people.Ada.page.getByRole("button", { name: "Follow Cleo" }).click();
  await people.Ada.page.getByRole("button", { name: "Stop following Cleo" }).first().waitFor();
  const after = await comeBack(["Ada", "Cleo", "Bob"]);
  await everybodyIsThemselves(after);
  await people.Ada.page.getByRole("button", { name: "Stop following Cleo" }).first().waitFor();
  assert.equal(await people.Ada.page.getByRole("button", { name: "Stop following Bob" }).count(), 0);
  await people.Cleo.page.evaluate(() => window.gizmod.rig.turn(0.7, 0.2));
  const view = await people.Cleo.page.evaluate(() => window.gizmod.rig.view);
  await people.Ada.until((view) => window.gizmod.rig.view.slice(0, 12).every((value, i) => Math.abs(value - view[i]) < 2e-4), view);
});

test("a second tab of a person is theirs too", async () => {
  people.Tab = await browser.person({ ignore: [REFUSED] });
  await people.Tab.join(daemon, "robot-arm", "Bob");
  await rows("Ada").filter({ hasText: "Bob (2)" }).waitFor();
  await people.Tab.page.context().setOffline(true);
  await comeBack(["Cleo", "Ada"].concat("Bob"));
  await people.Tab.page.context().setOffline(false);
  await people.Tab.online();
  for (const at of NAMES) {
    await rows(at).filter({ hasText: "Bob (2)" }).waitFor();
    const names = (await rows(at).locator("b").allInnerTexts()).sort();
    assert.deepEqual(names, ["Ada", "Bob", "Bob (2)", "Cleo"], `${at}'s page`);
  }
});

test("nobody's console has an error", () => {
  assert.deepEqual(browser.errors, []);
});
