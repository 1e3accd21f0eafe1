// The timeline: the scene as it was, clearly marked as the past; back to now; a moment restored as an edit that can be undone.
import assert from "node:assert/strict";
import { before, test } from "node:test";

import { browser, daemon, open } from "./support/stage.js";

let ada, id;

before(async () => {
  await open();
  ada = await browser.person();
  await ada.join(daemon, "robot-arm", "Ada");
  id = await ada.page.evaluate(() => window.gizmod.session.scene.roots[0]);
  for (let i = 1; i <= 5; i++) await ada.page.evaluate(({ id, i }) => window.gizmod.session.set([{ id, t: [i, 0, 0] }]), { id, i });
  await ada.page.waitForFunction(() => document.querySelectorAll("footer [data-edit]").length >= 6);
});

const shown = () => ada.page.evaluate((id) => window.gizmod.scene.value.get(id).t[0], id);
const now = () => ada.page.evaluate((id) => window.gizmod.session.scene.get(id).t[0], id);
const moment = () => ada.page.getByRole("slider", { name: "Moment" });
const banner = () => ada.page.locator("[data-part=past-banner]");

test("by keys along the timeline the scene is shown as it was, and says so", async () => {
  await moment().focus();
  await ada.page.keyboard.press("ArrowLeft");
  await ada.until((id) => window.gizmod.scene.value.get(id).t[0] === 4, id);
  await banner().waitFor();
  await ada.page.keyboard.press("ArrowLeft");
  await ada.until((id) => window.gizmod.scene.value.get(id).t[0] === 3, id);
  assert.equal(await now(), 5, "the present stays");
});

test("the view is as large in the past as in the present, and a viewer's as an editor's", async () => {
  const [view, options] = [ada.page.getByRole("application"), ada.page.getByRole("combobox", { name: "Pivot" })];
  const past = await view.boundingBox();
  assert.equal(await options.isDisabled(), true);
  await ada.page.getByRole("button", { name: "Back to now" }).first().click();
  await ada.until(() => window.gizmod.past.value === null);
  assert.deepEqual(await view.boundingBox(), past);
  assert.equal(await options.isDisabled(), false);
  const eve = await browser.person();
  await eve.join(daemon, "robot-arm", "Eve", "&role=viewer");
  assert.deepEqual(await eve.page.getByRole("application").boundingBox(), past);
  await eve.page.close();
  await moment().focus();
  for (let i = 0; i < 2; i++) await ada.page.keyboard.press("ArrowLeft");
  await ada.until((id) => window.gizmod.scene.value.get(id).t[0] === 3, id);
});

test("in the past nothing can be edited", async () => {
  const seq = await ada.page.evaluate(() => window.gizmod.session.scene.seq);
  await ada.page.locator(`[data-node="${id}"]`).click();
  const field = ada.page.getByLabel("Translation X");
  assert.equal(await field.inputValue(), "3", "the field shows the past");
  assert.equal(await field.isEditable(), false);
  await ada.page.getByRole("application").focus();
  await ada.page.keyboard.press("Delete");
  assert.equal(await ada.page.evaluate(() => window.gizmod.session.scene.seq), seq);
});

test("back to now shows the present", async () => {
  await ada.page.getByRole("button", { name: "Back to now" }).first().click();
  await ada.until(() => window.gizmod.past.value === null);
  assert.equal(await shown(), 5);
  assert.equal(await banner().count(), 0);
});

test("the edits are a list beside the view, which says what the bars mean; a click shows what an edit left", async () => {
  assert.ok((await ada.page.locator("footer").boundingBox()).height <= 80, "the timeline leaves the height to the view");
  await ada.page.getByRole("button", { name: "List of edits", exact: true }).click();
  const list = ada.page.getByRole("region", { name: "Edits", exact: true });
  await list.getByText("The longer it took, the wider its bar").waitFor();
  const rows = list.getByRole("listitem");
  assert.match(await rows.first().innerText(), /^Ada .*\d\d:\d\d:\d\d$/s);
  await rows.nth(2).getByRole("button").click();
  await ada.until((id) => window.gizmod.scene.value.get(id).t[0] === 3, id);
  await ada.page.getByRole("button", { name: "Edit details" }).click();
  const [card, view] = await Promise.all([
    ada.page.getByRole("region", { name: "Edit details" }).boundingBox(),
    ada.page.getByRole("application", { name: "View of the scene" }).boundingBox(),
  ]);
  assert.ok(card.x >= view.x + view.width, "nothing of the view is covered");
  await ada.page.getByRole("button", { name: "Edit details" }).click();
  await ada.page.getByRole("button", { name: "List of edits", exact: true }).click();
  await list.waitFor({ state: "detached" });
  await ada.page.getByRole("button", { name: "Back to now" }).first().click();
});

test("what others do meanwhile does not move the past", async () => {
  await moment().focus();
  await ada.page.keyboard.press("ArrowLeft");
  await ada.until((id) => window.gizmod.scene.value.get(id).t[0] === 4, id);
  await daemon.ctl("set", "robot-arm", String(id), "--user", "bob", "--t", "9,0,0");
  await ada.until((id) => window.gizmod.session.scene.get(id).t[0] === 9, id);
  assert.equal(await shown(), 4);
});

test("a restored moment is one edit, and its undo brings the present back", async () => {
  await ada.page.getByRole("button", { name: "Restore this version" }).first().click();
  await ada.page.getByRole("dialog").getByRole("button", { name: "Restore", exact: true }).click();
  await ada.until((id) => window.gizmod.session.scene.get(id).t[0] === 4 && window.gizmod.past.value === null, id);
  const [latest] = await ada.page.evaluate(() => window.gizmod.session.history({ limit: 1 }));
  assert.equal(latest.kind, "restore");
  await ada.page.getByRole("button", { name: "Undo", exact: true }).first().click();
  await ada.until((id) => window.gizmod.session.scene.get(id).t[0] === 9, id);
});

test("an edit of one's own is taken back from what it says of itself", async () => {
  await ada.page.evaluate((id) => window.gizmod.session.set([{ id, t: [7, 0, 0] }]), id);
  const mark = ada.page.locator("footer [data-edit]").last();
  await ada.until((id) => window.gizmod.timeline.history.edits.value.at(-1).kind === "set", id);
  await mark.click({ button: "right" });
  await ada.page.getByRole("region", { name: "Edit details" }).getByText("7, 0, 0 m").waitFor();
  await ada.page.getByRole("button", { name: "Revert" }).click();
  await ada.until((id) => window.gizmod.session.scene.get(id).t[0] === 9, id);
  await ada.page.locator("footer [data-edit][data-undone]").first().waitFor();
  await ada.page.getByRole("region", { name: "Edit details" }).getByRole("button", { name: "Close" }).click();
});

test("playing goes through the edits and ends in the present", async () => {
  await ada.page.evaluate(() => {
    window.seen = new Set();
    window.gizmod.past.subscribe((past) => past && window.seen.add(past.seq));
  });
  await ada.page.getByLabel("Speed").selectOption("8");
  await ada.page.getByRole("button", { name: "Play" }).click();
  await ada.until(() => window.seen.size >= 4 && window.gizmod.past.value === null);
});

test("a drag that is played is what the server says it was, without a scene for each picture", async () => {
  const result = await ada.page.evaluate(async (id) => {
    const { session, timeline, past } = window.gizmod;
    await session.set([{ id, t: [0, 0, 0] }]); // where it can be seen
    await session.grab("tv", { nodes: [id], at: [300, 300] });
    const began = performance.now();
    for (let s = 0; s < 1.2; s = (performance.now() - began) / 1000) {
      session.move({ at: [300 + 90 * Math.sin(4 * s), 300 - 60 * s] });
      await new Promise(requestAnimationFrame);
    }
    await session.up({ at: [320, 200] });
    const { marks } = timeline.axis.value;
    const { edit } = marks.at(-2);
    timeline.player.seek({ time: edit.ended, seq: edit.seq, edit });
    while (past.value?.seq !== edit.seq) await new Promise(requestAnimationFrame);
    const asked = [];
    const { at } = session;
    session.at = (moment) => (asked.push(moment), at.call(session, moment));
    const seen = [];
    const stop = past.subscribe((now) => now && seen.push({ time: now.time, seq: now.seq, nodes: JSON.stringify([...now.scene.nodes.values()].map(({ id, t, r, s }) => [id, t, r, s])) }));
    timeline.player.speed.value = 0.5;
    timeline.player.play();
    while (timeline.player.playing.value) await new Promise(requestAnimationFrame);
    stop();
    delete session.at;
    const drag = timeline.history.edits.value.at(-1);
    const inside = seen.filter(({ time }) => time > drag.began && time < drag.ended);
    const told = [];
    for (const { time } of [...inside].filter((_, i) => i % Math.ceil(inside.length / 8) === 0)) told.push({ time, scene: await session.at({ time }) });
    return {
      asked: asked.length, byTime: asked.filter(({ time }) => time !== undefined).length, inside: inside.length,
      pairs: told.map(({ time, scene }) => ({
        seen: inside.find((moment) => moment.time === time), seq: scene.seq, nodes: [...scene.nodes.values()].map(({ id, t, r, s }) => [id, t, r, s]),
      })),
    };
  }, id);
  assert.equal(result.byTime, 0, `of ${result.inside} moments`);
  assert.ok(result.asked <= 2, `${result.asked} scenes`);
  assert.ok(result.inside >= 3, `${result.inside} moments`);
  for (const { seen, seq, nodes } of result.pairs) {
    assert.equal(seen.seq, seq);
    const numbers = (list) => new Map(list.map(([id, ...parts]) => [id, parts.flat()]));
    const [shown, told] = [numbers(JSON.parse(seen.nodes)), numbers(nodes)];
    assert.equal(shown.size, told.size);
    for (const [id, values] of told) values.forEach((value, i) => assert.ok(Math.abs(value - shown.get(id)[i]) < 1e-9, `node ${id} at ${seen.time}: ${shown.get(id)} is not ${values}`));
  }
});

test("the path of what is selected is there to be drawn", async () => {
  await ada.page.evaluate((id) => window.gizmod.session.select([id]), id);
  await ada.page.getByRole("button", { name: "Show motion path" }).click();
  await ada.until(() => window.gizmod.motionPaths.value[0]?.stops.length >= 5);
});

test("a menu in which nothing can be chosen has the keys all the same", async () => {
  await ada.page.evaluate((id) => window.gizmod.session.select([id]), id);
  await ada.page.getByRole("button", { name: "Checkpoints" }).click();
  await ada.page.getByRole("menuitem", { name: "No checkpoints yet" }).waitFor();
  await ada.page.keyboard.press("Escape");
  await ada.page.getByRole("menu").waitFor({ state: "detached" });
  assert.deepEqual(await ada.page.evaluate(() => window.gizmod.selection.value), [id]);
});

test("a checkpoint is on the timeline, and there for the command line", async () => {
  await ada.page.getByRole("button", { name: "Add checkpoint" }).click();
  const name = ada.page.getByLabel("Name of the checkpoint");
  await name.fill("before lunch");
  await name.press("Enter");
  await ada.page.locator("footer").getByText("before lunch").first().waitFor();
  assert.match(await daemon.ctl("checkpoints", "robot-arm"), /before lunch/);
});

test("what others name, or take the name from, is on the timeline at once, in the list and as a name that is taken", async () => {
  const bob = await browser.person();
  await bob.join(daemon, "robot-arm", "Bob");
  await bob.page.locator("footer").getByText("before lunch").first().waitFor();
  await bob.page.evaluate(() => window.gizmod.session.checkpoint("Bob's idea"));
  await ada.page.locator("footer [data-checkpoint]").getByText("Bob's idea").waitFor();
  await ada.page.getByRole("button", { name: "Checkpoints" }).click();
  await ada.page.getByRole("menuitem", { name: /Bob's idea/ }).waitFor();
  await ada.page.keyboard.press("Escape");
  await ada.page.getByRole("button", { name: "Add checkpoint" }).click();
  await ada.page.getByLabel("Name of the checkpoint").fill("Bob's idea");
  await ada.page.getByText("Another checkpoint has this name.").waitFor();
  await bob.page.evaluate(() => window.gizmod.session.checkpoint("Bob's idea", { gone: true }));
  await ada.page.getByText("Another checkpoint has this name.").waitFor({ state: "detached" });
  await ada.page.keyboard.press("Escape");
  assert.equal(await ada.page.locator("footer [data-checkpoint]").getByText("Bob's idea").count(), 0);
  assert.equal(await ada.page.locator("footer [data-checkpoint]").getByText("before lunch").count(), 1);
});

test("nobody's console has an error", () => {
  assert.deepEqual(browser.errors, []);
});
