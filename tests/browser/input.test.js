// Mouse and keys in the view: what a hand does becomes exactly the edit that was meant, or none.
import assert from "node:assert/strict";
import { afterEach, before, test } from "node:test";

import { ENGINE } from "./support/daemon.js";
import { browser, daemon, open } from "./support/stage.js";

const PISTON = "node 74";
let ada;

before(async () => {
  await open();
  await daemon.import("engine", ENGINE);
  ada = await browser.person();
  await ada.join(daemon, "engine", "Ada");
});

afterEach(async () => {
  await ada.page.evaluate(() => {
    window.gizmod.input.setKeymap("common");
    window.gizmod.setTool({ mode: "translate" });
    window.gizmod.rig.setParallel(false);
  });
  await ada.page.keyboard.press("Home");
  await still();
});

/** Until the view has stopped moving. */
async function still() {
  const view = () => ada.page.evaluate(() => window.gizmod.rig.view.join());
  for (let before = ""; before !== (before = await view()); ) await ada.page.waitForTimeout(150);
}

/** On the arrow of an axis of the gizmo, in pixels of the page. */
async function arrow(axis) {
  const { origin, axes, size } = await ada.page.evaluate(() => window.gizmod.gizmo.value);
  return ada.project(origin.map((value, i) => value + axes[3 * axis + i] * 0.8 * size));
}

/** Presses on the arrow and moves a little, the button still down. */
async function grabArrow(axis) {
  const [x, y] = await arrow(axis);
  await ada.page.mouse.move(x, y);
  await ada.until(() => window.gizmod.gizmo.value?.hover !== undefined);
  await ada.page.mouse.down();
  await ada.until(() => window.gizmod.input.dragged.value !== null);
  await ada.page.mouse.move(x + 25, y - 30, { steps: 4 });
  await ada.until(() => Math.abs(window.gizmod.gizmo.value?.value?.[0] ?? 0) > 0);
  return [x, y];
}

const saved = () => ada.until(() => window.gizmod.session.unsaved === 0 && window.gizmod.input.dragged.value === null && !window.gizmod.gizmo.value?.active);
const latest = () => ada.page.evaluate(() => window.gizmod.session.history({ limit: 1 }).then(([edit]) => edit));
const selected = () => ada.page.evaluate(() => window.gizmod.session.selection.length);

/** The middle of the view, in pixels of the page. */
async function centre() {
  const [left, top] = await ada.corner();
  const [width, height] = await ada.page.evaluate(() => [window.gizmod.rig.width, window.gizmod.rig.height]);
  return [left + width / 2, top + height / 2];
}

test("a number typed during a drag is how far it goes, to the bit", async () => {
  const before = await ada.node(PISTON);
  await ada.select(before.id);
  await grabArrow(1);
  await ada.page.keyboard.type("12.5mm");
  await ada.until(() => window.gizmod.gizmo.value.value?.[0] === 0.0125);
  assert.match(await ada.page.locator("[data-part=readout]").innerText(), /12\.5mm.*Y 0\.0125 m/s);
  await ada.page.keyboard.press("Enter");
  await ada.page.mouse.up();
  await saved();
  assert.equal((await latest()).handle, "ty");
  assert.deepEqual([(await latest()).value].flat(), [0.0125]);
});

test("Escape puts a drag back to the bit, and it is no edit", async () => {
  const before = await ada.node(PISTON);
  const { id } = await latest();
  await ada.select(before.id);
  await grabArrow(0);
  await ada.page.keyboard.press("Escape");
  await ada.page.mouse.up();
  await saved();
  await ada.until(([node, x]) => window.gizmod.session.scene.get(node).t[0] === x, [before.id, before.t[0]]); // told apart from the gizmo
  assert.deepEqual(await ada.node(PISTON), before);
  assert.equal((await latest()).id, id);
});

test("an axis key holds a running drag to that axis from its beginning", async () => {
  const before = await ada.node(PISTON);
  await ada.select(before.id);
  await grabArrow(0);
  await ada.page.keyboard.press("y");
  await ada.until(() => window.gizmod.gizmo.value?.active === "ty" && window.gizmod.gizmo.value.value?.[0] !== 0);
  await ada.page.mouse.up();
  await saved();
  const { t } = await ada.node(PISTON);
  assert.deepEqual([t[0], t[2]], [before.t[0], before.t[2]]);
  assert.notEqual(t[1], before.t[1]);
  assert.equal((await latest()).handle, "ty");
  await ada.page.keyboard.press("Control+z");
  await ada.until(() => window.gizmod.lastEdit.value.kind === "undo");
  assert.deepEqual((await ada.node(PISTON)).t, before.t);
});

test("with Blender's keys G X 1 Enter is one metre along x", async () => {
  const before = await ada.node(PISTON);
  await ada.select(before.id);
  await ada.page.evaluate(() => window.gizmod.input.setKeymap("blender"));
  await ada.page.mouse.move(...(await centre()));
  for (const key of ["g", "x", "1", "Enter"]) await ada.page.keyboard.press(key);
  await ada.until((id) => window.gizmod.lastEdit.value?.handle === "tx" && window.gizmod.lastEdit.value.nodes[0] === id, before.id);
  const { t } = await ada.node(PISTON);
  assert.ok(Math.abs(t[0] - before.t[0] - 1) < 1e-9);
  assert.deepEqual(t.slice(1), before.t.slice(1));
});

test("Tab goes on to the second number, and does not leave the drag", async () => {
  const before = await ada.node(PISTON);
  await ada.select(before.id);
  await ada.page.evaluate(() => window.gizmod.input.setKeymap("blender"));
  await ada.page.mouse.click(...(await centre()));
  await ada.select(before.id);
  for (const key of ["g", "Shift+Z", "1", "Tab", "2", "Tab"]) await ada.page.keyboard.press(key);
  await ada.until(() => window.gizmod.input.typed.value === "1,2" && window.gizmod.gizmo.value?.active === "txy");
  assert.equal(await ada.page.evaluate(() => document.activeElement.getAttribute("role")), "application");
  await ada.page.keyboard.press("Enter");
  await saved();
  const { t } = await ada.node(PISTON);
  for (const [i, by] of [1, 2, 0].entries()) assert.ok(Math.abs(t[i] - before.t[i] - by) < 1e-9);
});

test("arrow keys that follow each other are one edit", async () => {
  const before = await ada.node(PISTON);
  await ada.page.mouse.click(...(await centre()));
  await ada.select(before.id);
  const { id } = await latest();
  await ada.page.keyboard.press("ArrowUp");
  await ada.page.keyboard.press("ArrowUp");
  await ada.until(() => window.gizmod.input.dragged.value !== null);
  await saved();
  const edit = await latest();
  assert.equal(edit.handle, "ty");
  const edits = await ada.page.evaluate(() => window.gizmod.session.history({ limit: 2 }));
  assert.equal(edits[1].id, id);
  assert.match(await ada.page.getByRole("status").filter({ hasText: "Moved" }).textContent(), /^Moved Y .*m$/, "screen readers are told");
});

test("a rectangle selects what it touches, Ctrl turns one round, and Escape brings back what was selected", async () => {
  const [x, y] = await centre();
  const { mouse, keyboard } = ada.page;
  await ada.page.evaluate(() => window.gizmod.session.select([]));
  await mouse.move(x - 220, y - 190);
  await mouse.down();
  await mouse.move(x + 200, y + 180, { steps: 4 });
  await ada.until(() => window.gizmod.session.selection.length > 10);
  assert.ok(await ada.page.locator("[data-part=marquee]").isVisible());
  await keyboard.press("Escape");
  await ada.until(() => window.gizmod.session.selection.length === 0);
  await mouse.up();
  assert.equal(await ada.page.locator("[data-part=marquee]").count(), 0);

  await mouse.click(x, y);
  await ada.until(() => window.gizmod.session.selection.length === 1);
  await ada.page.evaluate(() => window.gizmod.setTool({ mode: "none" }));
  await ada.until(() => window.gizmod.gizmo.value === null);
  await keyboard.down("Control");
  await mouse.click(x, y);
  await keyboard.up("Control");
  await ada.until(() => window.gizmod.session.selection.length === 0);
  assert.equal(await selected(), 0);
});

test("an orbit keeps the target in mid-view and the horizon level", async () => {
  const [x, y] = await centre();
  const before = await ada.page.evaluate(() => [...window.gizmod.rig.eye, ...window.gizmod.rig.target]);
  await ada.page.mouse.move(x, y);
  await ada.page.mouse.down({ button: "middle" });
  await ada.page.mouse.move(x + 90, y - 40, { steps: 5 });
  await ada.page.mouse.up({ button: "middle" });
  await ada.until((eye) => Math.hypot(...window.gizmod.rig.eye.map((value, i) => value - eye[i])) > 1, before.slice(0, 3));
  await still();
  const { target, view } = await ada.page.evaluate(() => ({ target: window.gizmod.rig.target, view: window.gizmod.rig.view }));
  const scale = Math.hypot(...before);
  for (let i = 0; i < 3; i++) assert.ok(Math.abs(target[i] - before[3 + i]) < 1e-9 * scale);
  assert.ok(Math.abs(view[4]) < 1e-9, "the eye's right is level");
});

test("Ctrl snaps without anything said before, in steps that suit the zoom; a step that was typed stays", async () => {
  const { id } = await ada.node(PISTON);
  const step = () => ada.page.evaluate(() => window.gizmod.tool.value.snap.t);
  await ada.select(id);
  const [x, y] = await grabArrow(0);
  await ada.page.keyboard.down("Control");
  await ada.page.mouse.move(x + 70, y + 31, { steps: 4 });
  await ada.until(() => {
    const { gizmo, tool } = window.gizmod;
    const steps = gizmo.value.value[0] / tool.value.snap.t;
    return Math.abs(steps) > 0.5 && Math.abs(steps - Math.round(steps)) < 1e-6;
  });
  await ada.page.keyboard.up("Control");
  await ada.page.keyboard.press("Escape");
  await ada.page.mouse.up();
  await saved();

  const far = await step();
  await ada.page.evaluate(() => window.gizmod.rig.zoom(0.01));
  await ada.until((far) => window.gizmod.tool.value.snap.t < far / 20, far);
  await ada.page.getByRole("button", { name: "Snap", exact: true }).click();
  const field = ada.page.getByRole("spinbutton", { name: "Snap distance" });
  await field.fill("25mm");
  await field.press("Enter");
  await ada.page.evaluate(() => window.gizmod.rig.zoom(100));
  assert.equal(await step(), 0.025);
  await field.fill("");
  await field.press("Enter");
  await ada.until((far) => window.gizmod.tool.value.snap.t === far, far);
  await field.fill(await field.inputValue());
  await field.press("Enter");
  await ada.page.evaluate(() => window.gizmod.rig.zoom(0.01));
  assert.equal(await step(), far, "typed, though it was there already");
  await field.fill("");
  await field.press("Enter");
  await ada.until((far) => window.gizmod.tool.value.snap.t < far / 20, far);
  await ada.page.evaluate(() => window.gizmod.rig.zoom(100));
  await ada.page.getByRole("button", { name: "Snap", exact: true }).click();
});

test("snapped to the grid, what is dragged stands on a multiple of the step", async () => {
  const { id, t } = await ada.node(PISTON);
  await ada.select(id);
  await ada.page.keyboard.press("m");
  await ada.page.getByRole("button", { name: "Snap to the grid" }).click();
  await ada.until(() => window.gizmod.tool.value.snap.on && window.gizmod.tool.value.snap.absolute);
  const [x, y] = await grabArrow(0);
  await ada.page.mouse.move(x + 70, y + 31, { steps: 4 });
  await ada.until((from) => {
    const { gizmo, tool } = window.gizmod;
    const steps = gizmo.value.origin[0] / tool.value.snap.t;
    return Math.abs(gizmo.value.origin[0] - from) > 0.5 * tool.value.snap.t && Math.abs(steps - Math.round(steps)) < 1e-6;
  }, t[0]);
  await ada.page.keyboard.press("Escape");
  await ada.page.mouse.up();
  await saved();
  for (const key of ["Shift+M", "m"]) await ada.page.keyboard.press(key);
  await ada.until(() => !window.gizmod.tool.value.snap.on && !window.gizmod.tool.value.snap.absolute);
});

test("Shift, with the key of an axis, chooses a plane and makes nothing fine that was before", async () => {
  const { id } = await ada.node(PISTON);
  await ada.select(id);
  await ada.page.evaluate(() => window.gizmod.input.setKeymap("blender"));
  const [x, y] = await centre();
  await ada.page.keyboard.press("1");
  await still();
  await ada.page.mouse.move(x, y);
  await ada.page.keyboard.press("g");
  await ada.page.mouse.move(x + 60, y - 40, { steps: 4 });
  await ada.until(() => window.gizmod.gizmo.value?.active === "tv" && window.gizmod.gizmo.value.value[0] > 0);
  await ada.page.keyboard.press("Shift+Z");
  await ada.until(() => window.gizmod.gizmo.value.active === "txy");
  const at = async () => {
    const { origin, start } = await ada.page.evaluate(() => window.gizmod.gizmo.value);
    const [to, from] = [await ada.project(origin), await ada.project(start)];
    return [to[0] - from[0], to[1] - from[1]];
  };
  await ada.until(() => window.gizmod.gizmo.value.value[0] !== 0);
  const moved = await at();
  await ada.page.keyboard.press("Escape");
  assert.ok(Math.hypot(moved[0] - 60, moved[1] + 40) < 1, `${moved}`);
});

test("a view that is asked for while another one is on its way begins where that one leads", async () => {
  await ada.select((await ada.node(PISTON)).id);
  for (const key of ["1", "f"]) await ada.page.keyboard.press(key);
  await still();
  const view = await ada.page.evaluate(() => window.gizmod.rig.view);
  for (const [i, value] of [1, 0, 0, 0, 1, 0, 0, 0, 1].entries()) assert.ok(Math.abs(view[4 * Math.floor(i / 3) + (i % 3)] - value) < 1e-9, `${view}`);
});

test("framing a node without a shape brings it into mid-view and flies into nothing", async () => {
  const far = await ada.page.evaluate(() => window.gizmod.rig.distance);
  await ada.select((await ada.node("node 81")).id);
  await ada.page.keyboard.press("f");
  await still();
  const [distance, target] = await ada.page.evaluate(() => [window.gizmod.rig.distance, window.gizmod.rig.target]);
  assert.equal(distance, far);
  assert.deepEqual(target, (await ada.node("node 81")).t);
});

/** No press is answered from now on until `answer` is called, which answers or refuses all and gives the page its own again. */
async function holdPresses() {
  await ada.page.evaluate(() => {
    const { session } = window.gizmod;
    const down = session.down.bind(session);
    const said = new Promise((resolve) => (window.answerPresses = resolve));
    session.down = async (place) => {
      if (await said) return down(place);
      throw Object.assign(new Error("the connection was lost before the answer came"), { code: "lost" });
    };
  });
  return (heard) => ada.page.evaluate((heard) => {
    delete window.gizmod.session.down;
    window.answerPresses(heard);
  }, heard);
}

test("a key that is pressed right after a click is about what was clicked on, however late the server answers", async () => {
  const { id } = await ada.node("node 79");
  await ada.select(id);
  const answer = await holdPresses();
  await ada.page.mouse.click(...(await centre()));
  await ada.page.keyboard.press("Delete");
  await answer(true);
  await ada.until(() => window.gizmod.lastEdit.value?.kind === "delete");
  assert.ok(await ada.node("node 79"), "what was selected before is still there");
  await ada.page.keyboard.press("Control+z");
  await ada.until(() => window.gizmod.lastEdit.value.kind === "undo" && window.gizmod.session.scene.nodes.size === 82);
});

test("keys that follow each other right after a click keep their order, and modifiers end where they ended", async () => {
  const other = await ada.node("node 79");
  await ada.page.mouse.click(...(await centre()));
  await ada.until((id) => window.gizmod.selection.value.length === 1 && window.gizmod.selection.value[0] !== id, other.id);
  const [id] = await ada.page.evaluate(() => window.gizmod.selection.value);
  const place = () => ada.page.evaluate((id) => window.gizmod.session.scene.get(id).t, id);
  const before = await place();
  await ada.select(other.id);
  await ada.page.evaluate(() => window.gizmod.input.setKeymap("blender"));
  const answer = await holdPresses();
  await ada.page.mouse.click(...(await centre()));
  for (const key of ["g", "Shift+X", "x", "1", "Enter"]) await ada.page.keyboard.press(key);
  assert.equal(await ada.page.evaluate(() => window.gizmod.isSelecting), true, "all of that came before the answer");
  await answer(true);
  await ada.until(([id, x]) => Math.abs(window.gizmod.session.scene.get(id)?.t[0] - x) > 0.5, [id, before[0]]);
  await saved();
  const moved = await place();
  assert.deepEqual([moved[0] - before[0], moved[1], moved[2]].map((value) => Number(value.toFixed(9))), [1, before[1], before[2]].map((value) => Number(value.toFixed(9))));
  await ada.page.keyboard.press("Control+z");
  await ada.until(([id, x]) => window.gizmod.session.scene.get(id).t[0] === x, [id, before[0]]);
});

test("a key after a click that the server never heard of does nothing to what was selected before", async () => {
  const { id } = await ada.node("node 79");
  await ada.select(id);
  const [edit] = await ada.page.evaluate(() => window.gizmod.session.history({ limit: 1 }));
  const answer = await holdPresses();
  await ada.page.mouse.click(...(await centre()));
  await ada.page.keyboard.press("Delete");
  await answer(false);
  await ada.until(() => !window.gizmod.isSelecting);
  await ada.page.keyboard.press("["); // once this is done, so would be what came before it
  await saved();
  assert.ok(await ada.node("node 79"));
  assert.equal((await latest()).id, edit.id);
});

test("the wheel keeps what is under the pointer there", async () => {
  const { id } = await ada.node(PISTON);
  const [x, y] = (await ada.project(await ada.middle(id))).map(Math.round);
  const hit = await ada.page.evaluate(async (at) => {
    const { session } = window.gizmod;
    return (await session.pick({ at, surface: true })).find(({ id }) => session.scene.get(id).bounds);
  }, await inView(x, y));
  const before = await ada.page.evaluate(() => {
    const { rig } = window.gizmod;
    rig.setDepth(rig.eye.map((value, i) => value + 3 * (rig.target[i] - value)));
    return rig.distance;
  });
  await ada.page.mouse.move(x, y);
  for (let i = 0; i < 5; i++) await ada.page.mouse.wheel(0, -120);
  await ada.until((before) => window.gizmod.rig.distance < 0.2 * before, before);
  const [nowX, nowY] = await ada.project(hit.point);
  assert.ok(Math.hypot(nowX - x, nowY - y) < 0.5, `${nowX - x}, ${nowY - y}`);
});

test("a pinch as Safari tells it comes nearer by as much as the fingers part, and once", async () => {
  const [left, top] = await ada.corner();
  const at = { clientX: left + 5, clientY: top + 5 };   // nothing is there whose depth would be taken
  const before = await ada.page.evaluate(() => window.gizmod.rig.distance);
  for (const [type, scale] of [["gesturestart", 1], ["gesturechange", 1.25], ["gesturechange", 2], ["gestureend", 2]]) {
    const prevented = await ada.page.evaluate(({ type, scale, at }) => {
      const canvas = document.querySelector("canvas[role=application]");
      const event = Object.assign(new MouseEvent(type, { ...at, cancelable: true }), { scale });
      canvas.dispatchEvent(event);
      if (type === "gesturechange") canvas.dispatchEvent(new WheelEvent("wheel", { ...at, cancelable: true, deltaY: -50, ctrlKey: true }));
      return event.defaultPrevented;
    }, { type, scale, at });
    assert.ok(prevented, "the page itself keeps its size");
  }
  await ada.until((distance) => window.gizmod.rig.distance < 0.6 * distance, before);
  assert.ok(Math.abs((await ada.page.evaluate(() => window.gizmod.rig.distance)) / before - 0.5) < 1e-9);
});

async function inView(x, y) {
  const [left, top] = await ada.corner();
  return [x - left, y - top];
}

test("perspective and orthographic show the target in the same size", async () => {
  const across = () => ada.page.evaluate(() => {
    const { rig } = window.gizmod;
    const right = [rig.view[0], rig.view[4], rig.view[8]].map((value) => value * rig.distance * 0.2);
    const [a, b] = [-1, 1].map((sign) => rig.project(rig.target.map((value, i) => value + sign * right[i])));
    return b[0] - a[0];
  });
  const before = await across();
  await ada.page.getByRole("button", { name: "Orthographic", exact: true }).click();
  assert.ok(Math.abs((await across()) - before) < 1e-6);
  await ada.page.getByRole("button", { name: "Perspective", exact: true }).click();
  assert.ok(Math.abs((await across()) - before) < 1e-6);
});

test("letters that are typed into a field are no commands", async () => {
  const mode = () => ada.page.evaluate(() => window.gizmod.tool.value.mode);
  await ada.page.getByLabel("Search nodes").click();
  await ada.page.keyboard.type("re");
  assert.equal(await mode(), "translate");
  await ada.page.keyboard.press("Control+a");
  await ada.page.keyboard.press("Delete");
  await ada.page.evaluate(() => document.body.appendChild(document.createElement("textarea")).focus());
  await ada.page.keyboard.type("re");
  assert.equal(await mode(), "translate");
  await ada.page.evaluate(() => document.querySelector("body > textarea").remove());
  await ada.page.mouse.click(...(await centre()));
  await ada.page.keyboard.press("e");
  assert.equal(await mode(), "rotate");
});

test("keys of the page are not the browser's where there is nothing for them to do, but for text", async () => {
  await ada.page.evaluate(() => window.gizmod.session.select([]));
  await ada.until(() => window.gizmod.selection.value.length === 0);
  const taken = (key, mods) => ada.page.evaluate(({ key, mods }) => {
    const event = new KeyboardEvent("keydown", { key, code: key.length === 1 ? `Key${key.toUpperCase()}` : key, ...mods, bubbles: true, cancelable: true });
    document.body.dispatchEvent(event);
    return event.defaultPrevented;
  }, { key, mods });
  assert.ok(await taken("d", { ctrlKey: true }), "Ctrl+D makes no bookmark");
  assert.ok(await taken("Escape", { shiftKey: true }), "Shift+Escape opens nothing of Firefox");
  for (const key of ["c", "v"]) assert.equal(await taken(key, { ctrlKey: true }), false, `Ctrl+${key} is for text`);
});

test("the view is the same after the page was loaded again", async () => {
  await ada.page.keyboard.press("3");
  await still();
  const before = await ada.page.evaluate(() => window.gizmod.rig.view);
  await ada.page.reload();
  await ada.online();
  const after = await ada.page.evaluate(() => window.gizmod.rig.view);
  for (let i = 0; i < 16; i++) assert.ok(Math.abs(after[i] - before[i]) < 1e-9 * Math.hypot(...before));
});

for (const keymap of ["common", "blender"]) {
  test(`input_ctrl_z_takes_a_drag_back_and_a_letter_with_ctrl_is_another_key_${keymap}`, async () => {
    await ada.page.evaluate((keymap) => window.gizmod.input.setKeymap(keymap), keymap);
    const { id, t } = await ada.node(PISTON);
    await ada.select(id);
    const { id: edit } = await latest();
    await grabArrow(1);
    for (const key of ["Control+x", "Alt+x", "Control+Shift+x", "Control+Alt+5", "Control+d", "Control+y"]) {
      await ada.page.keyboard.press(key);
      assert.deepEqual(await ada.page.evaluate(() => [window.gizmod.input.dragged.value, window.gizmod.input.typed.value]), ["ty", ""], key);
    }
    await ada.page.keyboard.press("Control+z");
    await ada.until(() => window.gizmod.input.dragged.value === null && !window.gizmod.gizmo.value?.active);
    await ada.page.mouse.up();
    await saved();
    assert.deepEqual((await ada.node(PISTON)).t, t);
    assert.equal((await latest()).id, edit, "and no edit was undone");
  });
}

test("input_drag_whose_release_was_not_heard_ends_where_it_stands", async () => {
  await ada.select((await ada.node(PISTON)).id);
  const devtools = await ada.page.context().newCDPSession(ada.page);
  const ways = {
    lost: ([x, y]) => devtools.send("Input.dispatchMouseEvent", { type: "mouseMoved", x: x + 40, y: y - 40, buttons: 0, button: "none" }),
    blurred: () => ada.page.evaluate(() => void window.dispatchEvent(new Event("blur"))),
    hidden: async ([x, y]) => {
      await ada.page.evaluate(() => (document.querySelector(".viewport").style.display = "none"));
      await ada.page.mouse.move(x + 40, y - 40);
      await ada.page.evaluate(() => (document.querySelector(".viewport").style.display = ""));
    },
  };
  for (const [way, lose] of Object.entries(ways)) {
    const { id: edit } = await latest();
    const at = await grabArrow(1);
    await lose(at);
    await saved();
    const { t } = await ada.node(PISTON);
    assert.notEqual((await latest()).id, edit, `${way}: it is an edit`);
    assert.equal(await ada.page.evaluate(() => window.gizmod.session.people.find(({ me }) => me).locks?.length ?? 0), 0, way);
    await ada.page.mouse.up();
    await ada.page.mouse.move(at[0] + 90, at[1] - 90);
    await ada.drawn();
    assert.deepEqual((await ada.node(PISTON)).t, t, `${way}: later moves are none of its own`);
  }
});

test("input_second_button_and_second_pointer_begin_nothing", async () => {
  await ada.select((await ada.node(PISTON)).id);
  await grabArrow(1);
  await ada.page.evaluate(() => {
    const canvas = document.querySelector("canvas[role=application]"), { left, top } = canvas.getBoundingClientRect();
    const at = { bubbles: true, clientX: left + 20, clientY: top + 20, button: 0, buttons: 1, isPrimary: true };
    for (const pointer of [{ pointerId: 71, pointerType: "touch" }, { pointerId: 72, pointerType: "pen" }])
      for (const type of ["pointerdown", "pointermove", "pointerup"]) canvas.dispatchEvent(new PointerEvent(type, { ...at, ...pointer }));
  });
  await ada.page.mouse.down({ button: "middle" });
  await ada.page.mouse.up({ button: "middle" });
  assert.equal(await ada.page.evaluate(() => window.gizmod.input.dragged.value), "ty");
  await ada.page.mouse.down({ button: "right" });
  await ada.until(() => window.gizmod.input.dragged.value === null);
  await ada.page.mouse.up({ button: "right" });
  await ada.page.mouse.up();
  await saved();
});

test("input_number_that_is_dragged_without_its_button_stays_and_ctrl_z_takes_it_back", async () => {
  await ada.select((await ada.node(PISTON)).id);
  const letter = await ada.page.locator(".cell-letter").nth(1).boundingBox();
  const [x, y] = [letter.x + 8, letter.y + 8];
  const devtools = await ada.page.context().newCDPSession(ada.page);
  const before = await ada.node(PISTON);
  const drag = async () => {
    await ada.page.mouse.move(x, y);
    await ada.page.mouse.down();
    await ada.page.mouse.move(x + 30, y, { steps: 3 });
    await ada.until((was) => window.gizmod.session.scene.get(was.id).t[1] !== was.t[1], before);
  };
  await drag();
  await ada.page.keyboard.press("Control+z");
  await saved();
  assert.deepEqual((await ada.node(PISTON)).t, before.t);
  await ada.page.mouse.up();
  await drag();
  await devtools.send("Input.dispatchMouseEvent", { type: "mouseMoved", x: x + 60, y, buttons: 0, button: "none" });
  await saved();
  const { t } = await ada.node(PISTON);
  assert.notDeepEqual(t, before.t);
  await ada.page.mouse.move(x + 90, y);
  await ada.page.mouse.up();
  await saved();
  assert.deepEqual((await ada.node(PISTON)).t, t);
});

test("input_pin_over_a_handle_lets_it_be_dragged_and_a_click_opens_the_note", async () => {
  const { id } = await ada.node(PISTON);
  await ada.select(id);
  const { origin, axes, size } = await ada.page.evaluate(() => window.gizmod.gizmo.value);
  const point = origin.map((value, i) => value + axes[3 + i] * 0.7 * size);
  await ada.page.evaluate((point) => window.gizmod.session.note({ text: "look here", point }), point);
  await ada.page.locator("[data-pin]").waitFor();
  await ada.drawn();
  const [x, y] = await ada.project(point);
  const place = [x + 2, y - 3]; // within the pin, whose point is at its lower left, and near the arrow
  assert.ok(await ada.page.evaluate(([x, y]) => document.elementFromPoint(x, y).matches("[data-pin]"), place), "the pin is there");
  await ada.page.mouse.move(...place);
  await ada.until(() => window.gizmod.gizmo.value?.hover === "ty");
  await ada.page.mouse.down();
  await ada.until(() => window.gizmod.input.dragged.value === "ty");
  await ada.page.mouse.move(place[0] + 30, place[1] - 40, { steps: 4 });
  await ada.page.keyboard.press("Escape");
  await ada.page.mouse.up();
  await saved();
  assert.equal(await ada.page.evaluate(() => window.gizmod.openNote.value), null);
  await ada.page.mouse.click(...place);
  await ada.until(() => window.gizmod.openNote.value !== null);
  await ada.page.evaluate(() => (window.gizmod.openNote.value = null));
});

test("nobody's console has an error", () => {
  assert.deepEqual(browser.errors, []);
});
