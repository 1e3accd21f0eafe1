// What one sees of the others: who is here and what they do, where they look, their view as one's own, and what they say in notes pinned to the scene.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { before, test } from "node:test";

import { connect } from "../../client/web/sdk/index.js";
import { ENGINE } from "./support/daemon.js";
import { browser, daemon, open } from "./support/stage.js";

const WebSocket = createRequire(new URL("../../client/web/sdk/index.js", import.meta.url))("ws");
/** By their names alone this one and Ada have the same colour. */
const NAMESAKE = "Lena";
/** The tip of a pin is its left lower corner, this far from its box. */
const PIN_TIP = [3, 27];
const PIN_PX = 1;

let ada, bob;

before(async () => {
  await open();
  await daemon.import("engine", ENGINE);
  ada = await browser.person();
  bob = await browser.person();
  await ada.join(daemon, "engine", "Ada");
  await bob.join(daemon, "engine", "Bob");
});

const row = (person, name) => person.page.getByRole("list", { name: "People" }).locator("[data-session]").filter({ hasText: name });
const viewOf = (person) => person.page.evaluate(() => window.gizmod.rig.view);
/** As the browser says a colour. */
const rgb = (colour) => `rgb(${[1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)).join(", ")})`;
const notes = (person) => person.page.getByRole("region", { name: "Notes" });

/** Waits until one looks from where the other does, as exactly as others' views are told: proto/README.md, "person". */
async function sameView(follower, followed) {
  await follower.until((view) => {
    const eye = (at) => [0, 4, 8].map((column) => -(at[column] * at[12] + at[column + 1] * at[13] + at[column + 2] * at[14]));
    const own = window.gizmod.rig.view;
    const isTurned = own.slice(0, 12).every((value, i) => Math.abs(value - view[i]) < 2e-4);
    return isTurned && eye(own).every((value, i) => Math.abs(value - eye(view)[i]) < 1e-3);
  }, await viewOf(followed));
}

test("everybody is in the list, oneself first, with what they do", async () => {
  await row(ada, "Bob").waitFor();
  assert.match(await ada.page.getByRole("list", { name: "People" }).locator("[data-session]").first().innerText(), /Ada\s+you/);
  const { id } = await bob.node("node 74");
  await bob.select(id);
  await row(ada, "node 74 selected").waitFor();
  await bob.page.evaluate(() => window.gizmod.session.grab("tx", { value: [1] }));
  await row(ada, "moving node 74").waitFor();
  await ada.page.locator(".people-tag-held", { hasText: "Bob" }).waitFor();
  await bob.page.evaluate(() => window.gizmod.session.cancel());
  await ada.until(() => document.querySelector(".people-tag-held") === null);
});

test("two tabs of one user have names of their own", async () => {
  const tab = await browser.person();
  await tab.join(daemon, "engine", "Bob");
  await row(ada, "Bob (2)").waitFor();
  await row(tab, "Bob (2)").getByText("you", { exact: true }).waitFor();
  await tab.page.evaluate((id) => window.gizmod.session.select([id]), (await tab.node("node 80")).id);
  await ada.page.locator('[title="selected by Bob (2)"]').waitFor({ state: "attached" });
  await tab.page.close();
  await row(ada, "Bob (2)").waitFor({ state: "detached" });
});

test("a link can be copied for those who edit and for those who look", async () => {
  await ada.page.evaluate(() => (navigator.clipboard.writeText = async (text) => void (window.copied = text)));
  for (const [label, query] of [["Copy link", "?scene=engine"], ["Copy view-only link", "?scene=engine&role=viewer"]]) {
    await ada.page.getByRole("button", { name: "Share" }).click();
    const dialog = ada.page.getByRole("dialog", { name: "Share engine" });
    await dialog.getByText("everybody who can reach it may already edit").waitFor();
    await dialog.getByRole("button", { name: label, exact: true }).click();
    await dialog.getByText(/ copied\./).waitFor();
    assert.equal(await ada.page.evaluate(() => window.copied), `${daemon.url}/${query}`);
    await ada.page.keyboard.press("Escape");
  }
});

test("the camera of another is in the view with a name, unless one does not want it", async () => {
  await ada.page.evaluate(() => window.gizmod.rig.zoom(2.5));
  const name = ada.page.locator(".people-tag-eye", { hasText: "Bob" });
  await name.waitFor();
  await ada.page.getByRole("button", { name: "Show others in the view" }).click();
  await name.waitFor({ state: "detached" });
  await ada.page.getByRole("button", { name: "Show others in the view" }).click();
  await name.waitFor();
});

test("one follows another's view, through a lost connection too, until one moves one's own", async () => {
  await ada.page.getByRole("button", { name: "Follow Bob" }).click();
  await bob.page.evaluate(() => window.gizmod.rig.turn(0.7, 0.2));
  await sameView(ada, bob);
  await bob.page.mouse.move(...(await bob.project([0, 0, 0])));
  await ada.until(([x, y]) => {
    const cursor = document.querySelector(".people-tag-cursor");
    const [left, top] = cursor?.style.transform.match(/-?\d+/g).map(Number) ?? [NaN, NaN];
    return Math.hypot(left - x, top - y) < 3;
  }, await ada.page.evaluate(() => window.gizmod.rig.project([0, 0, 0])));
  await bob.page.reload();
  await bob.online();
  await bob.page.evaluate(() => window.gizmod.rig.turn(-1.1, 0.1));
  await sameView(ada, bob);
  await ada.page.getByRole("button", { name: "Stop following Bob" }).first().waitFor();
  const [left, top] = await ada.corner();
  await ada.page.mouse.move(left + 300, top + 250);
  await ada.page.mouse.wheel(0, 120);
  await ada.until(() => window.gizmod.following.value === null);
  await ada.page.getByRole("button", { name: "Follow Bob" }).waitFor();
});

test("a note is pinned to where one clicks, and the other sees it there and answers", async () => {
  await ada.page.getByRole("button", { name: "Frame all" }).first().click().catch(() => ada.page.keyboard.press("Home"));
  await ada.page.getByRole("application", { name: "View of the scene" }).press("n");
  const [left, top] = await ada.corner();
  const { width, height } = await ada.page.evaluate(() => ({ width: window.gizmod.rig.width, height: window.gizmod.rig.height }));
  const at = [Math.round(left + width / 2), Math.round(top + height / 2)];
  await ada.page.mouse.click(...at);
  await ada.page.getByRole("textbox", { name: "New note" }).fill("Is this the right bolt?");
  await ada.page.keyboard.press("Control+Enter");

  const pin = ada.page.locator("[data-pin]");
  await pin.waitFor();
  await ada.drawn();
  const box = await pin.boundingBox();
  const tip = [box.x + PIN_TIP[0], box.y + PIN_TIP[1]];
  for (const i of [0, 1]) assert.ok(Math.abs(tip[i] - at[i]) <= PIN_PX, `the pin is at ${tip}, the click was at ${at}`);

  await notes(bob).getByText("1 new").waitFor();
  await bob.page.locator("[data-pin]").click();
  await notes(bob).getByRole("textbox", { name: "Reply" }).fill("It is.");
  await notes(bob).getByRole("button", { name: "Reply" }).click();
  assert.equal(await notes(bob).getByText("1 new").count(), 0, "what is open is read");
  await notes(ada).getByText("It is.").waitFor();
});

test("what is done is out of the way, and another's words are not one's own to change", async () => {
  const thread = notes(bob).locator(".notes-item");
  const menuOf = async (user) => {
    await thread.getByRole("button", { name: `Menu of the note by ${user}` }).click();
    const items = await bob.page.getByRole("menuitem").allInnerTexts();
    await bob.page.keyboard.press("Escape");
    return items.map((item) => item.trim());
  };
  assert.deepEqual(await menuOf("Ada"), ["Copy link"]);
  assert.deepEqual(await menuOf("Bob"), ["Copy link", "Edit", "Delete"]);
  await thread.getByRole("button", { name: "Done" }).click();
  await ada.page.locator("[data-pin]").waitFor({ state: "detached" });
  await notes(ada).getByRole("button", { name: "Done 1" }).click();
  await notes(ada).getByText("Is this the right bolt?").waitFor();
});

test("who may only look has the notes and cannot write any", async () => {
  const eve = await browser.person();
  await eve.join(daemon, "engine", "Eve", "&role=viewer");
  await row(eve, "Eve").getByText("view only").waitFor();
  await notes(eve).getByRole("button", { name: "All 1" }).click();
  await notes(eve).getByRole("button", { name: /Ada/ }).click();
  await notes(eve).getByText("It is.").waitFor();
  assert.equal(await notes(eve).getByRole("textbox").count(), 0);
  assert.equal(await notes(eve).getByRole("button", { name: "Add note" }).count(), 0);
});

test("a note is written on what is selected with the keyboard alone, and Escape leaves it", async () => {
  const { id } = await ada.node("node 74");
  await ada.select(id);
  const view = ada.page.getByRole("application", { name: "View of the scene" });
  await view.press("n");
  await ada.page.getByText("Click where the note belongs").waitFor();
  await view.press("Escape");
  assert.equal(await ada.page.getByText("Click where the note belongs").count(), 0);
  assert.deepEqual(await ada.page.evaluate(() => window.gizmod.selection.value), [id], "Escape was for the note");
  await view.press("n");
  await view.press("Enter");
  await ada.page.getByRole("dialog", { name: "New note" }).getByText("On node 74").waitFor();
  await ada.page.keyboard.type("worn");
  await ada.page.keyboard.press("Control+Enter");
  await ada.until((node) => window.gizmod.notes.value.some((note) => note.text === "worn" && note.node === node), id);
});

test("a link to a note opens the page at it", async () => {
  const [id] = await ada.page.evaluate(() => window.gizmod.notes.value.map((note) => note.id));
  const dora = await browser.person();
  await dora.join(daemon, "engine", "Dora", `&note=${id}`);
  await notes(dora).getByRole("textbox", { name: "Reply" }).waitFor();
  const distance = (person) => person.page.evaluate(() => window.gizmod.rig.distance);
  await dora.until((far) => window.gizmod.rig.distance < far, await distance(ada));
});

test("people whose usual colours are the same have two while both are here, on their notes too", async () => {
  const lena = await connect({ url: daemon.socket, scene: "engine", user: NAMESAKE, WebSocket });
  const note = await lena.note({ text: "here", point: [0, 0, 0] });
  const told = await ada.page.evaluate(() => Object.fromEntries(window.gizmod.people.value.map(({ user, colour }) => [user, colour])));
  assert.notEqual(told[NAMESAKE], told.Ada);
  const pin = ada.page.locator(`[data-pin="${note}"]`);
  const mark = ada.page.locator(`[data-note="${note}"] .notes-mark`);
  const colourOf = (element) => element.evaluate((at) => at.style.getPropertyValue("--person") || at.style.background);
  await pin.waitFor();
  assert.equal(await colourOf(pin), told[NAMESAKE]);
  assert.equal(await colourOf(mark), rgb(told[NAMESAKE]));
  lena.close();
  await ada.until((name) => !window.gizmod.people.value.some(({ user }) => user === name), NAMESAKE);
  await ada.until(([id, colour]) => document.querySelector(`[data-pin="${id}"]`)?.style.getPropertyValue("--person") === colour, [note, told.Ada]);
  assert.equal(await colourOf(mark), rgb(told.Ada), "who is not here has the usual one");
});

test("those who only watch are a number, until they do something", async () => {
  const crowd = [];
  const here = await ada.page.evaluate(() => window.gizmod.session.people.length);
  const watching = ada.page.locator(".people-watching");
  /* So many are told of whatever they do: GZ_PRESENCE_FEW. */
  for (let i = here; i < 14; i++) crowd.push(await connect({ url: daemon.socket, scene: "engine", user: `Watcher ${i}`, WebSocket }));
  await ada.page.locator(".people-watching", { hasText: "and 2 who watch" }).waitFor();
  assert.equal(await row(ada, "Watcher 13").count(), 0);
  await crowd.at(-1).select([(await ada.node("node 80")).id]);
  await row(ada, "node 80 selected").waitFor();
  await ada.page.locator(".people-watching", { hasText: "and 1 who watches" }).waitFor();
  await ada.page.locator(".people-count", { hasText: "14" }).waitFor();
  for (const session of crowd) session.close();
  await watching.waitFor({ state: "detached" });
});

test("nobody's console has an error", () => {
  assert.deepEqual(browser.errors, []);
});
