// The handle that is dragged stays under the cursor, in pixels of screenshots: at most 1.5 from where the press found it.
import assert from "node:assert/strict";
import { afterEach, before, test } from "node:test";

import { ENGINE } from "./support/daemon.js";
import { arrow, glide, grab, settled } from "./support/gestures.js";
import { HELD, centroid, decode, extent } from "./support/pixels.js";
import { browser, daemon, open } from "./support/stage.js";

const PX_MAX = 1.5;
let ada, id;

before(async () => {
  await open();
  await daemon.import("engine", ENGINE);
  ada = await browser.person({ colorScheme: "dark" });
  await ada.join(daemon, "engine", "Ada");
  id = (await ada.node("node 74")).id;
});

/** Each test lets go of what it held, also one that failed. */
afterEach(async () => {
  await ada.page.keyboard.press("Escape");
  await ada.page.mouse.up();
  await settled(ada);
});

const picture = async () => {
  await ada.rested();
  return decode(await ada.screenshot());
};

/** How far apart two measures are that were taken from two pictures. */
const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);

for (const axis of [0, 1, 2]) {
  test(`the arrow of axis ${"xyz"[axis]} follows the cursor, orthographic`, async () => {
    await ada.page.evaluate(() => window.gizmod.rig.setParallel(true));
    await ada.page.getByRole("button", { name: "Move", exact: true }).click();
    await ada.select(id);
    const { at, along } = await arrow(ada, axis);
    await grab(ada, at);
    const pressed = extent(await picture(), at, 60, along, HELD);
    assert.ok(pressed > 5, "the arrow's end is seen, beyond the cursor");
    for (const pixels of [37, -23]) {
      const to = [at[0] + along[0] * pixels, at[1] + along[1] * pixels];
      await glide(ada, at, to);
      const held = extent(await picture(), to, 60, along, HELD);
      assert.ok(Math.abs(held - pressed) <= PX_MAX, `moved by ${pixels} px: ${held} px beyond the cursor, at the press ${pressed}`);
    }
  });
}

test("the handle of the view plane follows the cursor, perspective", async () => {
  await ada.page.evaluate(() => window.gizmod.rig.setParallel(false));
  await ada.select(id);
  const at = await ada.project(await ada.page.evaluate(() => window.gizmod.gizmo.value.origin));
  await grab(ada, at);
  assert.equal(await ada.page.evaluate(() => window.gizmod.gizmo.value.active), "tv");
  const from = centroid(await picture(), at, 20, HELD);
  for (const [dx, dy] of [[60, 25], [-45, 40]]) {
    const to = [at[0] + dx, at[1] + dy];
    await glide(ada, at, to);
    const held = centroid(await picture(), to, 20, HELD);
    const error = apart([held[0] - to[0], held[1] - to[1]], [from[0] - at[0], from[1] - at[1]]);
    assert.ok(error <= PX_MAX, `${error} px`);
  }
});

test("what a ring turns stays under the cursor that goes round", async () => {
  await ada.page.getByRole("button", { name: "Rotate", exact: true }).click();
  await ada.select(id);
  // The ring whose plane is seen best, and the place of it that is nearest to the viewer.
  const { axis, on } = await ada.page.evaluate(() => {
    const { origin, axes, size } = window.gizmod.gizmo.value;
    const { view } = window.gizmod.rig;
    const back = [view[2], view[6], view[10]];
    const facing = [0, 1, 2].map((i) => Math.abs(axes[3 * i] * back[0] + axes[3 * i + 1] * back[1] + axes[3 * i + 2] * back[2]));
    const axis = facing.indexOf(Math.max(...facing));
    const u = axes.slice(3 * ((axis + 1) % 3), 3 * ((axis + 1) % 3) + 3);
    const v = axes.slice(3 * ((axis + 2) % 3), 3 * ((axis + 2) % 3) + 3);
    const at = (angle) => origin.map((value, i) => value + size * (Math.cos(angle) * u[i] + Math.sin(angle) * v[i]));
    const depth = (p) => p[0] * back[0] + p[1] * back[1] + p[2] * back[2];
    const angles = Array.from({ length: 72 }, (_, i) => (i * Math.PI) / 36);
    const best = angles.reduce((a, b) => (depth(at(b)) > depth(at(a)) ? b : a));
    return { axis, on: [0, 0.1, 0.2, 0.3, 0.4, 0.5].map((turn) => at(best + 0.3 + turn)) };
  });
  const at = await ada.project(on[0]);
  await grab(ada, at);
  assert.equal(await ada.page.evaluate(() => window.gizmod.gizmo.value.active), ["rx", "ry", "rz"][axis]);
  // The point of the node that was pressed: it goes round with the node.
  const inNode = await ada.page.evaluate(({ id, point }) => {
    const m = window.gizmod.session.scene.world(id);
    const d = point.map((value, i) => value - m[12 + i]);
    const length = (c) => m[4 * c] ** 2 + m[4 * c + 1] ** 2 + m[4 * c + 2] ** 2;
    return [0, 1, 2].map((c) => (m[4 * c] * d[0] + m[4 * c + 1] * d[1] + m[4 * c + 2] * d[2]) / length(c));
  }, { id, point: on[0] });
  for (const point of on.slice(1)) await ada.page.mouse.move(...(await ada.project(point)));
  await ada.rested();
  const cursor = await ada.project(on.at(-1));
  const world = await ada.page.evaluate(({ id, p }) => {
    const m = window.gizmod.session.scene.world(id);
    return [0, 1, 2].map((row) => m[row] * p[0] + m[4 + row] * p[1] + m[8 + row] * p[2] + m[12 + row]);
  }, { id, p: inNode });
  const error = apart(await ada.project(world), cursor);
  assert.ok(error <= PX_MAX, `${error} px`);
});

test("nobody's console has an error", () => {
  assert.deepEqual(browser.errors, []);
});
