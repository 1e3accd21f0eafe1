// Somebody is invited: an admin makes a link, a guest opens it and drags a part over wss; one who may only look cannot; a token expires while an edit waits, and a new link goes on.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { Authority } from "./support/authority.js";
import { Browser, Person } from "./support/browser.js";
import { Daemon } from "./support/daemon.js";
import { dragArrow, settled } from "./support/gestures.js";

const SCENE = "robot-arm";
const PART = "forearm";
/** What the browser says of a connection that the server refuses. */
const REFUSED = [/status of (401|403)/];
let authority, daemon, browser, ada, bob;
/** The addresses that the pages asked for, WebSockets too, and the tokens that none of them may hold. */
const asked = [];
const tokens = [];

before(async () => {
  authority = await Authority.create();
  daemon = await Daemon.start(["--sample", ...authority.options]);
  browser = new Browser();
});

after(async () => {
  await browser?.close();
  await daemon?.stop();
  await authority?.remove();
});

/** Somebody with a browser of their own that trusts the test's authority. */
async function somebody() {
  const person = await browser.person({ env: { ...process.env, HOME: authority.home }, ignore: REFUSED });
  await watch(person.page);
  return person;
}

/** Another tab of the same browser: its storage is its own. */
async function tabOf(person) {
  const page = await person.page.context().newPage();
  await watch(page);
  return new Person(page);
}

async function watch(page) {
  const log = await page.context().newCDPSession(page);
  await log.send("Network.enable");
  page.sockets = 0;
  log.on("Network.requestWillBeSent", ({ request, documentURL }) => asked.push(request.url, documentURL, request.headers.Referer ?? ""));
  log.on("Network.webSocketCreated", ({ url }) => {
    asked.push(url);
    page.sockets++;
  });
}

const linkOf = (token) => {
  tokens.push(token);
  return `${daemon.url}/?scene=${SCENE}#token=${token}`;
};
const part = (person) => person.node(PART);
const dialog = (person, name) => person.page.getByRole("dialog", { name });

/** Makes a link by the dialog. */
async function share(person, role, term) {
  await person.page.evaluate(() => (navigator.clipboard.writeText = async (text) => void (window.copied = text)));
  await person.page.getByRole("button", { name: "Share", exact: true }).click();
  const open = dialog(person, `Share ${SCENE}`);
  await open.getByLabel("Guests may").selectOption(role);
  await open.getByLabel("How long").selectOption(term);
  await open.getByRole("button", { name: "Copy a new link" }).click();
  await open.getByText(/Link copied\. It is valid until /).waitFor();
  await person.page.keyboard.press("Escape");
  const link = await person.page.evaluate(() => window.copied);
  assert.ok(link.startsWith(`${daemon.url}/?scene=${SCENE}#token=`), link);
  tokens.push(link.split("token=")[1]);
  return link;
}

test("without a token the page says what is needed, and nothing of the scene", async () => {
  bob = await somebody();
  await bob.page.goto(daemon.url);
  await bob.page.getByRole("heading", { name: "You need a link" }).waitFor();
  assert.equal(await bob.page.getByText(SCENE).count(), 0);
});

test("who has a token is who the token says; the address keeps nothing of it, and the tab keeps it", async () => {
  ada = await somebody();
  await ada.page.goto(linkOf(await authority.token("--user", "ada@example.com", "--name", "Ada", "--role", "admin", "--expires", "1h")));
  await ada.online();
  assert.equal(ada.page.url(), `${daemon.url}/?scene=${SCENE}`);
  assert.equal(await ada.page.evaluate(() => `${history.length} ${location.hash}`), "2 ");
  await ada.page.reload();
  await ada.online();
  const [me] = await ada.page.evaluate(() => window.gizmod.session.people);
  assert.deepEqual([me.user, me.name, me.role], ["ada@example.com", "Ada", "admin"]);
  await ada.page.getByRole("list", { name: "People" }).getByText("Ada", { exact: true }).waitFor();
});

test("a guest opens the link that an admin made, and what the guest drags over wss both see", async () => {
  await bob.page.goto(await share(ada, "editor", "hour"));
  await bob.page.getByLabel("Your name").fill("Bob");
  await bob.page.getByText("Others see “Bob (guest)”").waitFor();
  await bob.page.getByRole("button", { name: `Join ${SCENE}` }).click();
  await bob.online();
  await bob.drawn();
  await ada.page.getByText("Bob (guest)").first().waitFor();
  const before = await part(ada);
  await bob.select(before.id);
  await dragArrow(bob, 1, 40);
  await settled(bob);
  await ada.until(({ id, t }) => window.gizmod.session.scene.get(id).t.some((value, i) => value !== t[i]), before);
  assert.deepEqual((await part(ada)).t, (await part(bob)).t);
  const [latest] = await ada.page.evaluate(() => window.gizmod.session.history({ limit: 1 }));
  assert.deepEqual([latest.user, latest.kind], ["Bob (guest)", "translate"]);
  assert.equal(bob.page.url(), `${daemon.url}/?scene=${SCENE}`);
});

test("a guest saves a file of the scene, and who may only look drags nothing", async () => {
  const viewer = await tabOf(bob);
  await viewer.page.goto(await share(ada, "viewer", "day"));
  await viewer.online();
  await viewer.page.getByText("View only").first().waitFor();
  const { id, t } = await part(viewer);
  await viewer.page.evaluate((id) => window.gizmod.session.select([id]), id);
  await viewer.drawn();
  const refused = await viewer.page.evaluate((id) => window.gizmod.session.set([{ id, t: [9, 9, 9] }]).catch((error) => error.code), id);
  assert.equal(refused, "forbidden");
  // What was shown before the answer glides back.
  await viewer.until(({ id, t }) => window.gizmod.session.scene.get(id).t.every((value, i) => value === t[i]), { id, t });
  const [x, y] = await viewer.project((await viewer.middle(id)).slice(0, 3));
  await viewer.page.mouse.move(x, y);
  await viewer.page.mouse.down();
  await viewer.page.mouse.move(x + 60, y - 60, { steps: 5 });
  await viewer.page.mouse.up();
  assert.deepEqual((await part(ada)).t, t);
  await viewer.page.getByRole("button", { name: `Scene menu: ${SCENE}` }).click();
  const backup = viewer.page.getByRole("menuitem", { name: "Download backup" });
  assert.equal(await backup.getAttribute("aria-disabled"), "true");
  const saved = viewer.page.waitForEvent("download");
  await viewer.page.getByRole("menuitem", { name: "Export as .glb" }).click();
  assert.equal((await saved).suggestedFilename(), `${SCENE}.glb`);
  await viewer.page.close();
});

test("a token that expires ends the attempts in words; what waits is saved by a new link", async () => {
  const tab = await tabOf(bob);
  const guest = (expires) => authority.token("--guest", "--role", "editor", "--scene", SCENE, "--expires", expires);
  await tab.page.goto(linkOf(await guest("1h")));
  await tab.online();
  // A link that is opened in the tab of the scene goes on with the page as it is.
  await tab.page.evaluate(() => (window.same = true));
  await tab.page.goto(linkOf(await guest("4m")));
  await tab.page.getByText("This page continues with the new link.").waitFor();
  assert.equal(await tab.page.evaluate(() => window.same), true);
  assert.equal(tab.page.url(), `${daemon.url}/?scene=${SCENE}`);
  await tab.page.getByText(/^Your access ends at /).waitFor();
  await tab.page.goto(linkOf(await guest("8s")));
  const open = dialog(tab, "Use a new link");
  await open.getByText("The token has expired.").waitFor();
  const { id } = await part(tab);
  await tab.page.evaluate((id) => void (window.waiting = window.gizmod.session.set([{ id, t: [0, 0.7, 0] }])), id);
  await open.getByText("1 waiting edit will be saved then.").waitFor();
  await tab.page.evaluate(() => window.gizmod.session.retry());
  await tab.page.waitForTimeout(1500);
  assert.equal(tab.page.sockets, 1, "nothing is tried again");

  const field = open.getByLabel("Link or token");
  await field.fill(daemon.url);
  await open.getByRole("button", { name: "Use link" }).click();
  await open.getByText("This is not a link with a token.").waitFor();
  await field.fill(linkOf(await guest("1h")));
  await field.press("Enter");
  await tab.online();
  await open.waitFor({ state: "detached" });
  await tab.page.evaluate(() => window.waiting);
  assert.deepEqual((await part(ada)).t, [0, 0.7, 0]);
  assert.equal(tab.page.sockets, 2);
  await tab.page.close();
});

test("an admin gives access by patterns, and takes it away", async () => {
  await ada.page.getByRole("button", { name: "Share", exact: true }).click();
  const open = dialog(ada, `Share ${SCENE}`);
  await open.getByLabel("User or pattern").fill("*@example.org");
  await open.getByRole("button", { name: "Add" }).click();
  await open.getByText("*@example.org may edit now.").waitFor();
  await open.getByLabel("*@example.org may").selectOption("viewer");
  await open.getByText("*@example.org may view now.").waitFor();
  assert.deepEqual(
    (await ada.page.evaluate(() => window.gizmod.session.accesses())).map(({ user, role, by }) => [user, role, by]),
    [["*@example.org", "viewer", "ada@example.com"]],
  );
  const carl = await tabOf(ada);
  await carl.page.goto(linkOf(await authority.token("--user", "carl@example.org", "--expires", "1h")));
  await carl.online();
  assert.equal(await carl.page.evaluate(() => window.gizmod.session.role), "viewer");
  await open.getByRole("button", { name: "Remove *@example.org" }).click();
  await open.getByText("*@example.org was removed.").waitFor();
  await carl.page.getByText(/you have no access to this scene/i).first().waitFor();
  await carl.page.close();
});

test("no address that was asked for had a token, nor has the daemon's log", () => {
  assert.ok(asked.some((url) => url.startsWith("wss://")) && tokens.length >= 6);
  for (const token of tokens) {
    const [, claims, signature] = token.split(".");
    for (const secret of [claims, signature]) {
      assert.deepEqual(asked.filter((url) => url.includes(secret)), []);
      assert.ok(!daemon.log.includes(secret), "the log has a token");
    }
  }
});

test("nobody's console has an error", () => {
  assert.deepEqual(browser.errors, []);
});
