// A page that slept, and a server that is not what it was: both find back without a reload.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { browser, daemon, open } from "./support/stage.js";

/** What Chromium itself says on the console where a socket is refused. */
const REFUSED = /WebSocket connection to .* failed/;
/** Longer than the server lets a silent connection be, and than the page waits for a word from it. */
const ASLEEP_MS = 26_000;
let ada, bob, id;

before(async () => {
  await open();
  ada = await browser.person({ ignore: [REFUSED] });
  bob = await browser.person({ ignore: [REFUSED] });
  await ada.join(daemon, "robot-arm", "Ada");
  await bob.join(daemon, "robot-arm", "Bob");
  id = await ada.page.evaluate(() => window.gizmod.session.scene.roots[0]);
  await ada.page.evaluate(() => {
    window.never = "reloaded";
    window.beats = 0;
    setInterval(() => window.beats++, 100);
  });
});

const set = (who, t) => who.page.evaluate(({ id, t }) => window.gizmod.session.set([{ id, t }]), { id, t });
const edits = (who) => who.page.evaluate(() => window.gizmod.timeline.history.edits.value.map(({ id }) => id));
const nodes = (who) => who.page.evaluate(() => [...window.gizmod.session.scene.nodes.values()].map(({ id, name, parent, t, r, s }) => ({ id, name, parent, t, r, s })));

/** Nothing in the page goes on, no timer and no message, until `meanwhile` is over: as in a tab that the browser froze, or on a laptop that was shut. It is the debugger
 * that stops it, for Chromium freezes no tab that is seen, and here all are. */
async function freeze(person, meanwhile) {
  const tab = await person.page.context().newCDPSession(person.page);
  const beats = await person.page.evaluate(() => window.beats);
  const stopped = new Promise((resolve) => tab.once("Debugger.paused", resolve));
  await tab.send("Debugger.enable");
  await tab.send("Debugger.pause");
  await stopped;
  await meanwhile();
  await tab.send("Debugger.resume");
  await tab.detach();
  return (await person.page.evaluate(() => window.beats)) - beats;
}

/** Ada has what Bob has, and is the page that she was. */
async function caughtUp() {
  await ada.until(() => window.gizmod.status.value.phase === "online");
  const seq = await bob.page.evaluate(() => window.gizmod.session.scene.seq);
  await ada.until((seq) => window.gizmod.session.scene.seq >= seq, seq);
  assert.deepEqual(await nodes(ada), await nodes(bob));
  assert.equal(await ada.page.evaluate(() => window.never), "reloaded");
  const latest = Math.max(...(await edits(bob)));
  await ada.until((latest) => window.gizmod.timeline.history.edits.value.some(({ id }) => id === latest), latest);
}

test("a page that was frozen catches up without a reload", async () => {
  const beats = await freeze(ada, async () => {
    for (let i = 1; i <= 20; i++) await set(bob, [i, 0, 0]);
    await bob.page.evaluate(() => window.gizmod.session.checkpoint("while she slept"));
    await bob.page.evaluate(() => window.gizmod.session.create([{ name: "made meanwhile" }]));
    await sleep(ASLEEP_MS);
  });
  assert.ok(beats < ASLEEP_MS / 200, `the page was not frozen: it counted to ${beats}`);
  await caughtUp();
  await ada.page.locator("footer [data-checkpoint]").getByText("while she slept").waitFor();
  await set(ada, [0, 1, 0]);
  await bob.until((id) => window.gizmod.session.scene.get(id).t[1] === 1, id);
});

test("a page that was frozen while the server was started anew catches up without a reload", async () => {
  await freeze(ada, async () => {
    await daemon.kill();
    await daemon.run();
    await bob.online();
    await set(bob, [0, 0, 7]);
  });
  await caughtUp();
  await set(ada, [0, 2, 0]);
});

/** The server is stopped; Ada renames the root meanwhile; the server comes back with the state of an earlier backup. */
async function goBackTo(file, name) {
  const { page } = ada;
  await daemon.kill("SIGTERM");
  await ada.until(() => window.gizmod.status.value.phase !== "online");
  await page.evaluate(({ id, name }) => {
    window.edited = window.gizmod.session.set([{ id, name }]).catch(({ code }) => code);
  }, { id, name });
  const scene = join(daemon.folder, "robot-arm.db");
  for (const ending of ["-wal", "-shm"]) await rm(scene + ending, { force: true });
  await copyFile(file, scene);
  await daemon.run();
  await ada.online();
  await bob.online();
  await page.getByText("1 waiting change was made to a newer state of the scene").waitFor();
}

const answerHeld = (name) => ada.page.locator("[data-part=held]").getByRole("button", { name }).click();

test("a backup that is put back under an open page is what it shows, in words; what waited there is applied if one says so", async () => {
  const { page } = ada;
  const file = join(daemon.folder, "kept");
  await set(ada, [1, 1, 1]);
  await page.evaluate(() => window.gizmod.session.checkpoint("before the backup"));
  await daemon.ctl("backup", "robot-arm", file);
  const kept = await edits(ada);
  await set(bob, [9, 9, 9]);
  await page.evaluate(() => window.gizmod.session.create([{ name: "after the backup" }]));
  await page.evaluate(() => window.gizmod.session.checkpoint("after the backup"));
  await page.evaluate(() => window.gizmod.session.note({ text: "after the backup" }));
  await page.getByText("after the backup").first().waitFor();
  await page.evaluate(() => window.gizmod.timeline.player.step(-1));
  await page.locator("[data-part=past-banner]").waitFor();

  await goBackTo(file, "renamed while away");
  await page.getByText("The server now has an earlier state of this scene").waitFor();
  await caughtUp();
  assert.notEqual(await bob.page.evaluate((id) => window.gizmod.session.scene.get(id).name, id), "renamed while away", "nobody said yes");
  await answerHeld("Apply anyway");
  assert.ok((await page.evaluate(() => window.edited)).edit > 0, "what waited is saved");
  await page.locator("[data-part=held]").waitFor({ state: "detached" });
  await bob.until((id) => window.gizmod.session.scene.get(id).name === "renamed while away", id);
  await caughtUp();
  const root = await ada.node("renamed while away");
  assert.deepEqual(root.t, [1, 1, 1]);
  assert.equal(await ada.node("after the backup"), null);
  assert.equal(await page.evaluate(() => window.gizmod.past.value), null, "that moment is not there any more");
  await page.getByText("after the backup").first().waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => window.gizmod.notes.value.length), 0);
  const named = await page.evaluate(() => window.gizmod.timeline.history.checkpoints.value.map(({ name }) => name));
  assert.ok(named.includes("before the backup") && !named.includes("after the backup"), named.join());
  await ada.until((count) => window.gizmod.timeline.history.edits.value.length === count, kept.length + 1);
  assert.deepEqual((await edits(ada)).slice(0, kept.length), kept);
});

test("what waited for a server that has an older scene by then is discarded if one says so", async () => {
  await goBackTo(join(daemon.folder, "kept"), "renamed and discarded");
  await answerHeld("Discard");
  assert.equal(await ada.page.evaluate(() => window.edited), "conflict");
  await ada.page.locator("[data-part=held]").waitFor({ state: "detached" });
  await ada.until(() => window.gizmod.unsaved.value === 0);
  await caughtUp();
  assert.equal(await ada.node("renamed and discarded"), null);
});

test("nobody's console has an error", () => {
  assert.deepEqual(browser.errors, []);
});
