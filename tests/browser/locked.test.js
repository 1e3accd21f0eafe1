// What one holds is in nobody else's way for long: who tries is told by whom it is held, and nothing moves.
import assert from "node:assert/strict";
import { before, test } from "node:test";

import { arrow, dragArrow, settled } from "./support/gestures.js";
import { browser, daemon, open } from "./support/stage.js";

let ada, bob, id;

before(async () => {
  await open();
  ada = await browser.person();
  bob = await browser.person();
  await ada.join(daemon, "robot-arm", "Ada");
  await bob.join(daemon, "robot-arm", "Bob");
  id = (await ada.node("forearm"))?.id ?? (await ada.page.evaluate(() => window.gizmod.session.scene.roots[0]));
});

test("who grabs what another holds is told by whom, at the pointer, and it does not move", async () => {
  await ada.select(id);
  await bob.select(id);
  await dragArrow(ada, 1, 40, { release: false });
  await bob.until((id) => window.gizmod.session.holder(id)?.user === "Ada", id);
  const held = await ada.node(await name(ada, id));
  // What Ada foresees may differ in its last digits.
  await bob.until(({ id, t }) => Math.hypot(...window.gizmod.session.scene.nodes.get(id).t.map((at, i) => at - t[i])) < 1e-6, held);
  await bob.drawn();
  const before = await bob.node(await name(bob, id));
  const { at } = await arrow(bob, 1);
  await bob.page.mouse.move(...at);
  await bob.page.mouse.down();
  await bob.page.mouse.move(at[0] + 30, at[1]);
  await bob.page.getByText(/held by Ada/).first().waitFor();
  await bob.page.mouse.up();
  assert.deepEqual((await bob.node(await name(bob, id))).t, before.t);
  await ada.page.mouse.up();
  await settled(ada);
  assert.equal((await bob.page.evaluate(() => window.gizmod.session.history())).filter(({ user }) => user === "Bob").length, 0);
});

test("the fields of a held node say by whom, and take nothing until it is free", async () => {
  await ada.select(id);
  await dragArrow(ada, 1, -40, { release: false });
  const details = bob.page.getByRole("complementary", { name: "Details" });
  await details.getByText("Held by Ada").waitFor();
  const field = details.getByLabel("Translation X");
  assert.equal(await field.isEditable(), false);
  await ada.page.mouse.up();
  await settled(ada);
  await details.getByText("Held by Ada").waitFor({ state: "detached" });
  assert.equal(await field.isEditable(), true);
});

test("once it is free it can be grabbed", async () => {
  const before = await bob.node(await name(bob, id));
  await bob.until(() => window.gizmod.session.people.every(({ locks }) => !locks?.length));
  await dragArrow(bob, 1, 30);
  await settled(bob);
  assert.notDeepEqual((await ada.node(await name(ada, id))).t, before.t);
});

test("nobody's console has an error", () => {
  assert.deepEqual(browser.errors, []);
});

async function name(person, id) {
  return person.page.evaluate((id) => window.gizmod.session.scene.get(id).name, id);
}
