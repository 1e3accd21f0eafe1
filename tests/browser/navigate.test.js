// How one finds one's way in the view: what is said at first, the left button for those who have no other one, grids in the plane one looks at, and handles that nothing covers.
import assert from "node:assert/strict";
import { before, test } from "node:test";

import { ENGINE } from "./support/daemon.js";
import { dragArrow, glide, grab, settled } from "./support/gestures.js";
import { decode } from "./support/pixels.js";
import { browser, daemon, open } from "./support/stage.js";

/** Where the review found a handle under a menu. */
const viewport = { width: 1000, height: 640 };
let ada, bob, id;

before(async () => {
  await open();
  await daemon.import("engine", ENGINE);
  [ada, bob] = await Promise.all([browser.person({ viewport, colorScheme: "dark" }), browser.person({ viewport })]);
  await ada.join(daemon, "engine", "Ada");
  await bob.join(daemon, "engine", "Bob");
  id = (await ada.node("node 74")).id;
});

const hint = () => ada.page.getByRole("note", { name: "How to orbit, pan and zoom" });
const pose = () => ada.page.evaluate(() => [...window.gizmod.rig.view]);
const middle = async () => (await ada.corner()).map((value, i) => value + [320, 230][i]);

/** Moves the view so that the origin of the gizmo is at this pixel of the view. */
async function bringGizmo(to) {
  await ada.page.evaluate((to) => {
    const { rig, gizmo } = window.gizmod;
    const at = rig.project(gizmo.value.origin);
    rig.pan(to[0] - at[0], to[1] - at[1]);
  }, to);
  await ada.rested();
}

async function drag(button, from, to, key) {
  const { keyboard, mouse } = ada.page;
  if (key) await keyboard.down(key);
  await mouse.move(...from);
  await mouse.down({ button });
  await glide(ada, from, to);
  await mouse.up({ button });
  if (key) await keyboard.up(key);
}

test("navigate_is_explained_until_it_was_done_and_can_be_found_again", async () => {
  await hint().waitFor();
  const at = await middle();
  const before = await pose();
  await drag("middle", at, [at[0] + 40, at[1] + 10]);
  await hint().waitFor({ state: "detached" });
  await ada.until((before) => window.gizmod.rig.view.some((value, i) => Math.abs(value - before[i]) > 1e-3), before);
  await ada.join(daemon, "engine", "Ada");
  assert.equal(await hint().count(), 0, "it is known by now");
  await ada.page.getByRole("button", { name: "How to orbit, pan and zoom" }).click();
  await hint().waitFor();
  // A drag hides the hint: the button does not say that it is seen then, and cannot put it away unseen.
  const shows = ada.page.getByRole("button", { name: "How to orbit, pan and zoom" });
  await ada.select(id);
  await ada.page.getByRole("button", { name: "Move", exact: true }).click();
  await dragArrow(ada, 1, 10, { release: false });
  await hint().waitFor({ state: "detached" });
  assert.deepEqual([await shows.isDisabled(), await shows.getAttribute("aria-pressed")], [true, "false"]);
  await ada.page.keyboard.press("Escape");
  await ada.page.mouse.up();
  await hint().waitFor();
  assert.equal(await shows.isEnabled(), true);
  await settled(ada);
  await ada.page.evaluate(() => window.gizmod.session.select([]));
  await ada.page.getByRole("button", { name: "Got it" }).click();
  await hint().waitFor({ state: "detached" });
});

test("navigate_with_the_left_button_turns_and_moves_the_view_and_still_selects", async () => {
  await ada.page.getByRole("button", { name: "Navigate with the left button" }).click();
  const at = await middle();
  const looks = () => ada.page.evaluate(() => ({ view: [...window.gizmod.rig.view], distance: window.gizmod.rig.distance }));
  for (const [key, kind] of [[undefined, "orbit"], ["Shift", "pan"], ["Control", "zoom"]]) {
    const before = await looks();
    await drag("left", at, [at[0] + 50, at[1] + 20], key);
    await ada.until((before) => window.gizmod.rig.view.some((value, i) => Math.abs(value - before[i]) > 1e-3), before.view);
    await ada.rested();
    const after = await looks();
    const turned = [0, 1, 2, 4, 5, 6, 8, 9, 10].some((i) => Math.abs(after.view[i] - before.view[i]) > 1e-3);
    const nearer = Math.abs(after.distance / before.distance - 1) > 1e-3;
    assert.equal(turned ? "orbit" : nearer ? "zoom" : "pan", kind);
  }
  assert.deepEqual(await ada.page.evaluate(() => window.gizmod.selection.value), [], "nothing was drawn about nodes");
  await ada.page.evaluate(() => window.gizmod.rig.look([600, 500, 900], [0, 0, 0]));
  await ada.page.mouse.click(...(await ada.project([0, 0, 0])));
  await ada.until(() => window.gizmod.selection.value.length === 1);
  // A handle that lights up is what a press takes.
  await ada.page.getByRole("button", { name: "Move", exact: true }).click();
  const before = await pose();
  await dragArrow(ada, 1, 10, { release: false });
  assert.equal(await ada.page.evaluate(() => window.gizmod.gizmo.value.active), "ty");
  assert.deepEqual(await pose(), before);
  await ada.page.keyboard.press("Escape");
  await ada.page.mouse.up();
  await settled(ada);
  await ada.page.keyboard.press("v");
  await ada.page.getByRole("button", { name: "Navigate with the left button", pressed: false }).waitFor();
});

test("navigate_from_the_front_and_the_side_there_is_a_grid_in_that_plane", async () => {
  await ada.page.evaluate(() => window.gizmod.session.select([]));
  for (const parallel of [false, true]) {
    await ada.page.evaluate((parallel) => window.gizmod.rig.setParallel(parallel), parallel);
    for (const eye of [[0, 0, 900], [0, 0, -900], [900, 0, 0], [-900, 0, 0], [0, 900, 0.001]]) {
      await ada.page.evaluate((eye) => window.gizmod.rig.look(eye, [0, 0, 0]), eye);
      await ada.rested();
      const image = decode(await ada.screenshot());
      const [left, top] = (await ada.corner()).map(Math.round);
      // Below the engine, where there is nothing else: how often the brightness changes along a row and along a column.
      const edges = (points) => points.filter(([x, y], i) => i > 0 && Math.abs(image.data[4 * (y * image.width + x)] - image.data[4 * (points[i - 1][1] * image.width + points[i - 1][0])]) > 6).length;
      const row = edges(Array.from({ length: 400 }, (_, i) => [left + 20 + i, top + 400]));
      const column = edges(Array.from({ length: 200 }, (_, i) => [left + 25, top + 200 + i]));
      assert.ok(row >= 4 && column >= 4, `from ${eye}, ${parallel ? "orthographic" : "perspective"}: ${row} and ${column} changes`);
    }
  }
  await ada.page.evaluate(() => window.gizmod.rig.setParallel(false));
});

for (const [where, to] of [["the upper left", [80, 60]], ["the lower left", [60, 400]], ["the compass", [430, 110]]]) {
  test(`navigate_a_handle_at_${where.replaceAll(" ", "_")}_of_the_view_is_pressed_by_a_press_there`, async () => {
    await ada.page.evaluate(() => window.gizmod.rig.look([600, 500, 900], [0, 0, 0]));
    await ada.select(id);
    await ada.page.getByRole("button", { name: "Move", exact: true }).click();
    await bringGizmo(to);
    for (const axis of [0, 1]) {
      const { origin, axes, size } = await ada.page.evaluate(() => window.gizmod.gizmo.value);
      const at = await ada.project(origin.map((value, i) => value + axes[3 * axis + i] * 0.4 * size));
      await grab(ada, at);
      assert.equal(await ada.page.evaluate(() => window.gizmod.gizmo.value.active), ["tx", "ty"][axis]);
      await ada.page.keyboard.press("Escape");
      await ada.page.mouse.up();
      await settled(ada);
    }
  });
}

test("navigate_who_holds_something_is_said_inside_of_the_view", async () => {
  await bob.select((await bob.node("node 80")).id);
  await dragArrow(bob, 1, 10, { release: false });
  await ada.until(() => window.gizmod.people.value.some(({ me, locks }) => !me && locks?.length === 1));
  // What is held is at the upper edge, its top beyond it.
  await ada.page.evaluate(() => {
    const { rig, people, session } = window.gizmod;
    const box = session.scene.box(people.value.find(({ me }) => !me).locks);
    const point = [0, 1, 2].map((i) => (box[i] + box[i + 3]) / 2);
    rig.look([point[0], point[1], point[2] + 120], point);
    rig.pan(0, 4 - rig.project(point)[1]);
  });
  await ada.rested();
  const label = await ada.page.locator(".people-tag-held").boundingBox();
  const view = await ada.page.getByRole("application", { name: "View of the scene" }).boundingBox();
  assert.ok(label.y >= view.y && label.x >= view.x, JSON.stringify(label));
  await bob.page.keyboard.press("Escape");
  await bob.page.mouse.up();
});

test("navigate_pages_reported_no_errors", () => assert.deepEqual(browser.errors, []));
