// What is selected, as one sees it: one's own selection in the colour of the theme, one outline and one box about all of it; a group by what is below it; others' marks
// in the tree at whatever depth.
import assert from "node:assert/strict";
import { before, test } from "node:test";

import { ENGINE } from "./support/daemon.js";
import { glide, grab, settled } from "./support/gestures.js";
import { decode } from "./support/pixels.js";
import { browser, daemon, open } from "./support/stage.js";

const DEPTH = 24;
let ada, bob;

before(async () => {
  await open(["--open", "boxes"]);
  await daemon.import("engine", ENGINE);
  [ada, bob] = await Promise.all([browser.person({ colorScheme: "dark" }), browser.person({ colorScheme: "dark" })]);
  await ada.join(daemon, "boxes", "Ada");
  await bob.join(daemon, "boxes", "Bob");
});

const create = (person, nodes) => person.page.evaluate((nodes) => window.gizmod.session.create(nodes).then(({ ids }) => ids), nodes);
const look = (person, eye, target) => person.page.evaluate(([eye, target]) => window.gizmod.rig.look(eye, target), [eye, target]);
const toolOf = (person, name) => person.page.getByRole("button", { name, exact: true }).click();

async function picture(person) {
  await person.rested();
  return decode(await person.screenshot());
}

const pixel = ({ data, width }, [x, y]) => [...data.subarray(4 * (Math.round(y) * width + Math.round(x)), 4 * (Math.round(y) * width + Math.round(x)) + 3)];
const alike = (a, b, off = 40) => a.every((value, i) => Math.abs(value - b[i]) <= off);

/** Whether this colour is seen within so many pixels. */
function isSeen(image, colour, [x, y], reach = 3) {
  for (let dy = -reach; dy <= reach; dy++) for (let dx = -reach; dx <= reach; dx++) if (alike(pixel(image, [x + dx, y + dy]), colour)) return true;
  return false;
}

/** The numbers of a colour as CSS says it. */
const colourOf = (person, name) =>
  person.page.evaluate((name) => [1, 3, 5].map((at) => parseInt(getComputedStyle(document.documentElement).getPropertyValue(name).trim().slice(at, at + 2), 16)), name);

test("selection_of_oneself_has_the_colour_of_the_theme_and_others_have_theirs", async () => {
  const half = [-0.1, -0.1, -0.1, 0.1, 0.1, 0.1];
  const [left, right] = await create(ada, [{ name: "left", t: [-1, 0, 0], bounds: half }, { name: "right", t: [1, 0, 0], bounds: half }]);
  for (const person of [ada, bob]) {
    await look(person, [0, 0, 4], [0, 0, 0]);
    await toolOf(person, "Select");
  }
  await ada.page.evaluate((id) => window.gizmod.session.select([id]), left);
  await bob.page.evaluate((id) => window.gizmod.session.select([id]), right);
  await ada.until(() => window.gizmod.people.value.some(({ me, selection }) => !me && selection?.length === 1));
  await bob.until(() => window.gizmod.people.value.some(({ me, selection }) => !me && selection?.length === 1));
  const own = await colourOf(ada, "--selection");
  for (const [person, mine, theirs] of [[ada, -1, 1], [bob, 1, -1]]) {
    const other = await person.page.evaluate(() => [1, 3, 5].map((at) => parseInt(window.gizmod.people.value.find(({ me }) => !me).colour.slice(at, at + 2), 16)));
    const image = await picture(person);
    const edge = async (x) => isSeen(image, x === mine ? own : other, await person.project([x, 0.1, 0.1]));
    assert.ok(await edge(mine), "one's own is in the theme's colour");
    assert.ok(await edge(theirs), "what another has selected is in theirs");
  }
});

test("selection_does_not_change_the_colour_of_what_is_selected", async () => {
  const at = await ada.project([-0.97, 0.03, 0.1]);
  await ada.page.evaluate(() => window.gizmod.session.select([]));
  const before = pixel(await picture(ada), at);
  await ada.page.evaluate(() => window.gizmod.session.select([window.gizmod.session.scene.roots[0]]));
  assert.deepEqual(pixel(await picture(ada), at), before);
});

test("selection_of_several_has_one_box_about_all", async () => {
  await bob.page.evaluate(() => window.gizmod.session.select([]));
  await ada.page.evaluate(() => window.gizmod.session.select([...window.gizmod.session.scene.roots]));
  const image = await picture(ada);
  const own = await colourOf(ada, "--selection");
  // A corner draws a part of the edge of 2.2 m: it ends beyond the box of 0.2 m that is in it.
  assert.ok(isSeen(image, own, await ada.project([-0.83, 0.1, 0.1]), 2), "the box about all");
  assert.ok(!isSeen(image, own, await ada.project([-0.5, 0.1, 0.1]), 2), "nothing is between them");
});

test("selection_of_a_group_has_handles_on_the_bounds_of_what_is_below_it", async () => {
  await ada.join(daemon, "engine", "Ada");
  await toolOf(ada, "Bounds");
  const { id } = await ada.node("node 0");
  await ada.select(id);
  const { box, handles } = await ada.page.evaluate(() => window.gizmod.gizmo.value);
  assert.equal(handles.length, 14, "six faces and eight corners");
  const face = [0, 1, 2].map((i) => box[i] + box[3 + i]);
  const at = await ada.project(face);
  await grab(ada, at);
  await glide(ada, at, [at[0] + 60, at[1] + 30]);
  await ada.page.mouse.up();
  await settled(ada);
  const s = await ada.page.evaluate((id) => [...window.gizmod.session.scene.get(id).s], id);
  assert.ok(s[0] > 1.02 && s[1] === 1 && s[2] === 1, `${s}`);
});

test("selection_marks_of_others_are_seen_in_the_tree_at_any_depth", async () => {
  await ada.join(daemon, "boxes", "Ada");
  await bob.join(daemon, "boxes", "Bob");
  const nodes = Array.from({ length: DEPTH }, (_, i) => ({ ref: `${i}`, ...(i > 0 && { parent: `${i - 1}` }), name: `the arm of level ${i} of this machine` }));
  const ids = await create(bob, nodes);
  await bob.page.evaluate((id) => window.gizmod.session.select([id]), ids.at(-1));
  await ada.page.evaluate((id) => window.gizmod.session.select([id]), ids.at(-1)); // opens the tree down to it
  const [mark, name, tree] = await Promise.all([
    ada.page.locator(`[data-node="${ids.at(-1)}"] .tree-mark`).boundingBox(),
    ada.page.locator(`[data-node="${ids.at(-1)}"] .tree-name`).boundingBox(),
    ada.page.getByRole("tree", { name: "Scene tree" }).boundingBox(),
  ]);
  assert.ok(mark.x >= tree.x && mark.x + mark.width <= tree.x + tree.width, `the mark is at ${mark.x}, the tree ends at ${tree.x + tree.width}`);
  assert.ok(name.width >= 40 && name.x + name.width <= mark.x, `the name has ${name.width} px from ${name.x}`);
});

test("selection_pages_reported_no_errors", () => assert.deepEqual(browser.errors, []));
