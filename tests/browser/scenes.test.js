// Scenes as a whole: the page that lists them, and what the page of a scene says when others do something to all of it.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { before, test } from "node:test";
import { promisify } from "node:util";

import { ENGINE } from "./support/daemon.js";
import { browser, daemon, open } from "./support/stage.js";

// A name that is taken is answered 409, and 404 what a page still asks for of a scene that was just renamed or deleted under it.
const BOX = "/usr/share/assimp/models/glTF2/BoxTextured-glTF-Binary/BoxTextured.glb";
const GONE = [/status of (404|409)/];
let ada;

before(async () => {
  await open([]);
  ada = await browser.person({ ignore: GONE });
});

const sql = (file, words) => promisify(execFile)("sqlite3", [file, words]);
const button = (person, name) => person.page.getByRole("button", { name, exact: true });
const rowOf = (person, scene) => person.page.getByRole("row").filter({ has: button(person, scene) });

/** The page of all scenes, under this name. */
async function startPage(person, name) {
  await person.page.goto(`${daemon.url}/`);
  await person.page.getByLabel("Your name").fill(name);
}

test("scenes_the_sample_that_cannot_be_fetched_is_said_and_the_one_that_somebody_made_just_then_is_joined", async () => {
  const eve = await browser.person({ ignore: [/status of (409|404)/, /net::ERR_FAILED/] });
  const { page } = eve;
  await startPage(eve, "Eve");
  await page.getByText("No scenes yet").first().waitFor();
  for (const [answer, words] of [[(route) => route.fulfill({ status: 404 }), "answers 404"], [(route) => route.abort(), "cannot be reached"]]) {
    await page.route("**/robot-arm.glb", answer);
    await button(eve, "Open sample scene").click();
    await page.getByText(`The sample scene cannot be fetched: the server ${words}.`).waitFor();
    await page.unroute("**/robot-arm.glb");
  }
  await page.route("**/robot-arm.glb", async (route) => {
    await daemon.import("robot-arm", ENGINE);
    await route.continue();
  });
  await button(eve, "Open sample scene").click();
  await eve.online();
  assert.match(page.url(), /scene=robot-arm/);
  assert.ok(await eve.page.evaluate(() => window.gizmod.session.scene.nodes.size > 16), "the one that is there");
  await page.close();
  await fetch(`${daemon.url}/scenes/robot-arm`, { method: "DELETE" });
});

test("scenes_the_sample_is_made_where_there_is_none_and_opened_where_there_is_one", async () => {
  for (const count of [1, 2]) {
    await startPage(ada, "Ada");
    await ada.page.getByText(count === 1 ? "No scenes yet" : "robot-arm").first().waitFor();
    await button(ada, "Open sample scene").click();
    await ada.online();
    assert.equal(await ada.page.evaluate(() => window.gizmod.session.scene.nodes.size), 16);
    assert.match(ada.page.url(), /scene=robot-arm/);
  }
});

test("scenes_the_list_tells_nodes_last_change_and_people", async () => {
  await daemon.import("engine", ENGINE);
  const bob = await browser.person({ ignore: GONE });
  await startPage(bob, "Bob");
  await rowOf(bob, "robot-arm").getByText("1 here now").waitFor();
  assert.match(await rowOf(bob, "engine").innerText(), /engine\s+82\s+just now/);
  await button(bob, "engine").click();
  await bob.online();
  await bob.page.close();
});

test("scenes_one_that_somebody_replaces_is_said_with_who_and_when", async () => {
  const bob = await browser.person({ ignore: GONE });
  await bob.join(daemon, "robot-arm", "Bob");
  await daemon.import("robot-arm", ENGINE, { replace: true });
  for (const person of [ada, bob]) await person.page.getByText(/^test replaced this scene with a file at \d\d:\d\d:\d\d\./).waitFor();
  await bob.page.close();
});

test("scenes_nobody_needs_to_be_told_of_their_own_import", async () => {
  await ada.page.reload();
  await ada.online();
  const bob = await browser.person({ ignore: GONE });
  await bob.join(daemon, "robot-arm", "Bob");
  await ada.page.getByRole("button", { name: /^Scene menu/ }).click();
  const chosen = ada.page.waitForEvent("filechooser");
  await ada.page.getByRole("menuitem", { name: "Replace with a file…" }).click();
  await (await chosen).setFiles(ENGINE);
  await button(ada, "Replace").click();
  await ada.page.getByText("Imported 2CylinderEngine.glb: 82 nodes.").waitFor();
  await bob.page.getByText(/^Ada replaced this scene/).waitFor();
  await ada.until(() => window.gizmod.lastEdit.value?.kind === "import");
  assert.equal(await ada.page.getByText(/replaced this scene/).count(), 0);
  await bob.page.close();
});

test("scenes_a_file_is_added_with_its_meshes_and_undone", async () => {
  await daemon.import("bay", ENGINE);
  const bob = await browser.person({ ignore: GONE });
  for (const person of [ada, bob]) await person.join(daemon, "bay", person === ada ? "Ada" : "Bob");
  await bob.until(() => window.gizmod.asset.value.phase === "ready");
  const asked = [];
  bob.page.on("request", (request) => asked.push(new URL(request.url()).search));
  await ada.page.getByRole("button", { name: /^Scene menu/ }).click();
  const chosen = ada.page.waitForEvent("filechooser");
  await ada.page.getByRole("menuitem", { name: "Add a file…" }).click();
  await (await chosen).setFiles(BOX);
  await ada.page.getByText("Imported BoxTextured.glb: 2 nodes.").waitFor();
  await bob.until(() => window.gizmod.session.scene.nodes.size === 84);
  const added = await bob.page.evaluate(() => [...window.gizmod.session.scene.nodes.values()].filter(({ id }) => id > 82).map(({ asset }) => asset));
  assert.deepEqual(added, [82, 83]);
  await bob.until(() => window.gizmod.asset.value.phase === "ready");
  assert.deepEqual(asked.filter((search) => search.startsWith("?of=")), ["?of=82"], "the other file is there already");
  await ada.page.keyboard.press("Control+z");
  await bob.until(() => window.gizmod.session.scene.nodes.size === 82);
  await ada.page.goto(`${daemon.url}/?scene=robot-arm&user=Ada`);
  await ada.online();
  await bob.page.close();
});

test("scenes_the_first_file_of_an_empty_scene_replaces_nothing_and_nobody_is_warned", async () => {
  const [bob, carl] = [await browser.person({ ignore: GONE }), await browser.person({ ignore: GONE })];
  await bob.page.goto(`${daemon.url}/?scene=bare&user=Bob&create`);
  await bob.online();
  await carl.join(daemon, "bare", "Carl");
  await daemon.import("bare", ENGINE, { replace: true });
  for (const person of [bob, carl]) {
    await person.until(() => window.gizmod.lastEdit.value?.kind === "import" && window.gizmod.session.scene.nodes.size === 82);
    await person.drawn();
    assert.equal(await person.page.getByText(/replaced this scene/).count(), 0);
  }
  await daemon.import("bare", ENGINE, { replace: true });
  await carl.page.getByText(/^test replaced this scene/).waitFor();
  const said = await carl.page.evaluate(() => window.gizmod.toasts.value.map(({ level, text }) => `${level}: ${text}`));
  assert.deepEqual(said.map((text) => text.replace(/^warn: test replaced this scene.*/, "replaced")), ["replaced"]);
  await Promise.all([bob.page.close(), carl.page.close()]);
});

/** Opens the menu of a scene on the start page and chooses from it. */
async function choose(person, scene, item) {
  await person.page.getByRole("button", { name: `Menu of ${scene}`, exact: true }).click();
  await person.page.getByRole("menuitem", { name: item }).click();
}

test("scenes_one_that_is_renamed_says_so_where_it_is_open_and_leads_to_its_new_name", async () => {
  await daemon.import("motor", ENGINE);
  const bob = await browser.person({ ignore: GONE });
  await bob.join(daemon, "motor", "Bob");
  await startPage(ada, "Ada");
  await choose(ada, "motor", "Rename…");
  const field = ada.page.getByLabel("New name");
  for (const [name, fault] of [["New Motor", "Small letters"], ["engine", "engine"]]) {
    await field.fill(name);
    await field.press("Enter");
    await ada.page.getByRole("dialog").getByRole("alert").filter({ hasText: fault }).waitFor();
  }
  await field.fill("v8");
  await field.press("Enter");
  await button(ada, "v8").waitFor();
  assert.equal(await button(ada, "motor").count(), 0);
  await bob.page.getByRole("heading", { name: "Scene renamed" }).waitFor();
  await bob.page.getByText(/renamed to v8 by Ada/).first().waitFor();
  await bob.page.getByRole("link", { name: "Open v8" }).click();
  await bob.online();
  assert.equal(await bob.page.evaluate(() => `${window.gizmod.session.user} in ${window.gizmod.session.sceneName}`), "Bob in v8");
  await bob.page.close();
});

test("scenes_one_is_deleted_once_that_was_asked_and_says_so_where_it_is_open", async () => {
  const bob = await browser.person({ ignore: GONE });
  await bob.join(daemon, "v8", "Bob");
  await startPage(ada, "Ada");
  await rowOf(ada, "v8").getByText("1 here now").waitFor();
  const dialog = ada.page.getByRole("dialog", { name: "Delete v8?" });
  await choose(ada, "v8", "Delete…");
  await dialog.getByText("1 person is in it now.").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  await button(ada, "v8").waitFor();
  await choose(ada, "v8", "Delete…");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await button(ada, "v8").waitFor({ state: "detached" });
  assert.equal((await (await fetch(`${daemon.url}/scenes`)).json()).filter(({ name }) => name === "v8").length, 0);
  await bob.page.getByRole("heading", { name: "Scene deleted or closed" }).waitFor();
  await bob.page.getByText(/deleted by Ada/).first().waitFor();
  await bob.page.getByRole("link", { name: "All scenes" }).click();
  await bob.page.getByRole("heading", { name: "Scenes" , exact: true }).waitFor();
  await bob.page.close();
});

test("scenes_nobody_renames_or_deletes_one_without_a_name", async () => {
  await daemon.import("spare", ENGINE);
  const carl = await browser.person({ ignore: GONE });
  await startPage(carl, "");
  for (const [item, verb] of [["Rename…", "Rename"], ["Delete…", "Delete"]]) {
    await carl.page.getByLabel("Your name").fill("");
    await choose(carl, "spare", item);
    await carl.page.getByRole("alert").filter({ hasText: "Enter your name first." }).waitFor();
    assert.equal(await carl.page.getByRole("dialog").count(), 0);
    await carl.page.getByLabel("Your name").fill("Carl");
    await button(carl, `${verb} spare`).click();
    await carl.page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await carl.page.getByRole("dialog").waitFor({ state: "detached" });
  }
  await carl.page.close();
});

test("scenes_one_that_nobody_signed_for_is_said_to_be_deleted_too", async () => {
  const bob = await browser.person({ ignore: GONE });
  await bob.join(daemon, "spare", "Bob");
  await bob.until(() => window.gizmod.asset.value.phase === "ready");
  assert.equal((await fetch(`${daemon.url}/scenes/spare`, { method: "DELETE" })).status, 204);
  await bob.page.getByRole("heading", { name: "Scene deleted or closed" }).waitFor();
  await bob.page.getByText(/deleted/).first().waitFor();
  await bob.page.close();
});

test("scenes_one_whose_file_is_damaged_is_shown_and_says_why_nobody_can_edit_it", async () => {
  const dan = await browser.person();
  await daemon.import("damaged", ENGINE);
  await daemon.kill("SIGTERM");
  await sql(join(daemon.folder, "damaged.db"), "UPDATE nodes SET tx = 5.0");
  await daemon.run();
  await dan.join(daemon, "damaged", "Dan");
  await dan.page.getByText(/^This scene is read-only: its file is damaged: node \d+ .* has another translation/).waitFor();
  await dan.page.getByText("View only", { exact: true }).waitFor();
  await dan.page.close();
});

test("scenes_nobodys_console_has_an_error", () => {
  assert.deepEqual(browser.errors, []);
});
