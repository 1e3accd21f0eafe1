// The drop-in controls and bindings against a real daemon, with an element that is none and
// pointers that nobody moved.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { BoxGeometry, Group, Mesh, PerspectiveCamera, Scene, Vector3 } from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import WebSocket from "ws";

import { Daemon } from "../../../../tests/browser/support/daemon.js";
import { Delay } from "../../../../tests/browser/support/delay.js";
import { addToScene, connect, listAssets } from "../index.js";
import { RemoteTransformControls, bind, bindGltf, share } from "./index.js";
import { axisName, isShown } from "./names.js";

const WIDTH = 800,
  HEIGHT = 600;
let daemon,
  count = 0;
const sessions = [];

before(async () => {
  daemon = await Daemon.start();
});

after(async () => {
  for (const session of sessions) session.close();
  await daemon?.stop();
});

async function join(scene, user, more = {}) {
  const session = await connect({
    url: daemon.socket,
    scene,
    user,
    create: true,
    WebSocket,
    ...more,
  });
  sessions.push(session);
  return session;
}

class Canvas extends EventTarget {
  style = {};
  clientWidth = WIDTH;
  clientHeight = HEIGHT;

  getBoundingClientRect() {
    return { left: 10, top: 20, width: WIDTH, height: HEIGHT };
  }

  /** A pointer event at a pixel of the view. */
  point(type, [x, y], more = {}) {
    const event = Object.assign(new Event(type), {
      clientX: x + 10,
      clientY: y + 20,
      button: 0,
      buttons: 0,
      pointerId: 1,
      pointerType: "mouse",
      ...more,
    });
    this.dispatchEvent(event);
  }
}

function block(name) {
  const mesh = new Mesh(new BoxGeometry(1, 1, 1));
  mesh.name = name;
  return mesh;
}

/** An application with one block, its camera 10 m before it. */
async function application(scene, user, more) {
  const session = await join(scene, user, more);
  const stage = new Scene(),
    mesh = block("block"),
    canvas = new Canvas();
  const camera = new PerspectiveCamera(45, WIDTH / HEIGHT, 0.1, 100);
  camera.position.set(0, 0, 10);
  stage.add(mesh);
  const binding = await share(session, [mesh]);
  const controls = new RemoteTransformControls(camera, canvas, session, binding);
  stage.add(controls.getHelper());
  const events = [];
  for (const type of [
    "mouseDown",
    "mouseUp",
    "objectChange",
    "dragging-changed",
    "mode-changed",
    "saved",
    "error",
  ]) {
    controls.addEventListener(type, (event) => events.push(event));
  }
  const types = () => events.map(({ type }) => type);
  return { session, stage, mesh, canvas, camera, binding, controls, events, types };
}

/**
 * Resolves once this is true; looks again whenever the controls or the session tell of something.
 */
async function until(condition, what = String(condition)) {
  for (let i = 0; i < 400; i++) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.fail(`never: ${what}`);
}

/** Where a place of the world is in the view. */
function pixel({ camera }, place) {
  const { x, y } = new Vector3(...place).project(camera);
  return [((x + 1) / 2) * WIDTH, ((1 - y) / 2) * HEIGHT];
}

/** Attaches the block and hovers over the arrow of its x axis. */
async function reachArrow(app) {
  app.controls.attach(app.mesh);
  app.stage.updateMatrixWorld();
  await until(() => app.controls.gizmo?.handles.includes("tx"));
  const { origin, size } = app.controls.gizmo;
  const at = pixel(app, [origin[0] + 0.8 * size, origin[1], origin[2]]);
  app.canvas.point("pointermove", at);
  await until(() => app.controls.axis === "X", "the arrow is under the pointer");
  await app.session.probe({ at });
  return at;
}

/** What is under the pointer is asked of the server. */
const ASKING = { predict: false };

const sceneName = () => `controls-${++count}`;

test("controls_a_drag_moves_the_object_for_all_and_is_one_edit", async () => {
  const scene = sceneName();
  const ada = await application(scene, "Ada"),
    bob = await application(scene, "Bob");
  const [x, y] = await reachArrow(ada);
  ada.canvas.point("pointerdown", [x, y]);
  assert.equal(ada.controls.dragging, true, "at once, so that an orbit can be switched off");
  ada.canvas.point("pointermove", [x + 60, y], { buttons: 1 });
  await until(() => ada.mesh.position.x > 0.5);
  ada.canvas.point("pointerup", [x + 90, y]);
  assert.equal(ada.controls.dragging, false);
  await until(() => ada.types().includes("saved"));
  const moved = 90 * ((2 * 10 * Math.tan(Math.PI / 8)) / HEIGHT);
  assert.ok(Math.abs(ada.mesh.position.x - moved) < 1e-3, "as far as the pointer went");
  assert.equal(ada.mesh.position.y, 0);
  await until(() => bob.mesh.position.x === ada.mesh.position.x, "the other application shows it");
  const [latest] = await bob.session.history({ limit: 1 });
  assert.equal(latest.id, ada.events.find(({ type }) => type === "saved").edit);
  assert.equal(latest.handle, "tx");
  const order = ada.types().filter((type, i, all) => type !== all[i - 1]);
  assert.deepEqual(order.slice(0, 3), ["dragging-changed", "mouseDown", "objectChange"]);
  assert.deepEqual(order.slice(3), ["dragging-changed", "mouseUp", "saved"]);
});

test("controls_escape_takes_a_drag_back", async () => {
  const app = await application(sceneName(), "Ada");
  const [x, y] = await reachArrow(app);
  app.canvas.point("pointerdown", [x, y]);
  app.canvas.point("pointermove", [x + 60, y], { buttons: 1 });
  await until(() => app.mesh.position.x > 0.5);
  app.canvas.dispatchEvent(Object.assign(new Event("keydown"), { key: "Escape" }));
  assert.equal(app.controls.dragging, false);
  await until(() => app.mesh.position.x === 0);
  assert.equal((await app.session.history({ limit: 1 }))[0].kind, "create");
});

test("controls_what_another_holds_is_said_and_not_dragged", async () => {
  const scene = sceneName();
  const ada = await application(scene, "Ada"),
    bob = await application(scene, "Bob");
  await reachArrow(bob);
  await ada.session.select([ada.binding.nodeOf(ada.mesh)]);
  await ada.session.grab("tx", { value: [1] });
  await until(() => bob.controls.gizmo.origin[0] === 1, "the gizmo goes with what another drags");
  const tip = pixel(bob, [1 + 0.8 * bob.controls.gizmo.size, 0, 0]);
  bob.canvas.point("pointermove", tip);
  await until(() => bob.controls.axis === "X");
  bob.canvas.point("pointerdown", tip);
  await until(() => bob.types().includes("error"));
  const { error } = bob.events.find(({ type }) => type === "error");
  assert.equal(error.code, "locked");
  assert.match(error.message, /Ada/);
  assert.equal(bob.controls.dragging, false);
  assert.equal(bob.types().filter((type) => type === "mouseUp").length, 1);
  await ada.session.cancel();
});

test("controls_a_drag_that_is_refused_after_its_end_is_said_once", async () => {
  const scene = sceneName();
  const ada = await application(scene, "Ada", ASKING),
    bob = await application(scene, "Bob", ASKING);
  const at = await reachArrow(bob);
  await ada.session.grab("ty", { nodes: [ada.binding.nodeOf(ada.mesh)], value: [0] });
  bob.canvas.point("pointerdown", at);
  bob.canvas.point("pointerup", at);
  await bob.session.probe({ at });
  await bob.session.probe({ at });
  assert.deepEqual(
    bob.events.filter(({ type }) => type === "error").map(({ error }) => error.code),
    ["locked"],
  );
  await ada.session.cancel();
});

test("controls_that_are_disposed_while_the_server_looks_drag_nothing", async () => {
  const app = await application(sceneName(), "Ada", ASKING);
  const [x, y] = await reachArrow(app);
  app.canvas.point("pointerdown", [x + 1, y]);
  app.controls.dispose();
  await app.session.probe({ at: [x, y] });
  await app.session.probe({ at: [x, y] });
  assert.deepEqual(app.types(), []);
  assert.equal(app.session.gizmo.active, undefined);
});

test("controls_a_finger_that_never_hovered_grabs_what_is_under_it", async () => {
  const app = await application(sceneName(), "Ada");
  app.controls.attach(app.mesh);
  app.stage.updateMatrixWorld();
  await until(() => app.controls.gizmo?.handles.includes("ty"));
  const [x, y] = pixel(app, [0, 0.8 * app.controls.gizmo.size, 0]);
  app.canvas.point("pointerdown", [x, y], { pointerType: "touch" });
  await until(() => app.controls.dragging);
  app.canvas.point("pointermove", [x, y - 40], { pointerType: "touch", buttons: 1 });
  await until(() => app.mesh.position.y > 0.1);
  app.canvas.point("pointerup", [x, y - 40], { pointerType: "touch" });
  await until(() => app.types().includes("saved"));
});

test("controls_a_press_that_is_faster_than_the_answer_grabs_what_is_under_it", async () => {
  const app = await application(sceneName(), "Ada");
  const arrow = await reachArrow(app);
  app.canvas.point("pointermove", [30, 30]);
  app.canvas.point("pointerdown", [30, 30]);
  await until(() => app.controls.axis === null);
  app.canvas.point("pointerup", [30, 30]);
  assert.deepEqual(app.types(), [], "the arrow that was there before is not grabbed");
  app.canvas.point("pointermove", arrow);
  app.canvas.point("pointerdown", arrow);
  await until(() => app.controls.dragging);
  app.controls.reset();
});

test("controls_a_tap_that_ends_before_the_answer_drags_nothing", async () => {
  const app = await application(sceneName(), "Ada", ASKING);
  const arrow = await reachArrow(app);
  app.canvas.point("pointerdown", arrow, {
    pointerType: "touch",
    pointerId: 7,
    clientX: arrow[0] + 11,
  });
  app.canvas.point("pointerup", arrow, { pointerType: "touch", pointerId: 7 });
  await app.session.probe({ at: arrow });
  await app.session.probe({ at: arrow });
  assert.deepEqual(app.types(), []);
  assert.equal(app.controls.gizmo.active, undefined);
});

test("controls_a_press_beside_the_handles_is_left_to_the_application", async () => {
  const app = await application(sceneName(), "Ada");
  await reachArrow(app);
  app.canvas.point("pointermove", [30, 30]);
  await until(() => app.controls.axis === null);
  app.canvas.point("pointerdown", [30, 30]);
  app.canvas.point("pointerup", [30, 30]);
  await app.session.probe({ at: [30, 30] });
  assert.equal(app.controls.dragging, false);
  assert.equal(app.controls.object, app.mesh, "what is attached stays so");
  assert.equal(app.session.selection.length, 1);
});

test("controls_properties_are_those_of_three_and_tell_of_their_changes", async () => {
  const { controls, session, types } = await application(sceneName(), "Ada");
  let changes = 0;
  controls.addEventListener("change", () => changes++);
  controls.setMode("rotate");
  controls.mode = "rotate";
  assert.deepEqual(types(), ["mode-changed"]);
  assert.equal(changes, 1);
  assert.equal(session.tool.mode, "rotate");
  controls.setRotationSnap(0.5);
  controls.setSpace("local");
  controls.setSize(2);
  assert.deepEqual(
    [session.tool.snap.on, session.tool.snap.r, session.tool.space, session.tool.size],
    [true, 0.5, "local", 192],
  );
  controls.setMode("translate");
  assert.equal(session.tool.snap.on, false, "what has no step is not snapped");
});

test("controls_handles_that_are_not_shown_cannot_be_grabbed", async () => {
  const app = await application(sceneName(), "Ada");
  const at = await reachArrow(app);
  app.controls.showX = false;
  assert.equal(app.controls.axis, null);
  assert.deepEqual(
    app.controls.view.gizmo.handles.filter((handle) => handle.includes("x")),
    [],
  );
  app.canvas.point("pointerdown", at);
  assert.equal(app.controls.dragging, false);
});

test("controls_follow_a_selection_that_was_made_elsewhere", async () => {
  const app = await application(sceneName(), "Ada");
  await app.session.select([app.binding.nodeOf(app.mesh)]);
  assert.equal(app.controls.object, app.mesh);
  app.controls.detach();
  assert.equal(app.controls.object, undefined);
  await until(() => app.session.selection.length === 0);
});

test("controls_attach_what_a_part_belongs_to", async () => {
  const app = await application(sceneName(), "Ada"),
    part = block("part");
  app.mesh.add(part);
  app.controls.attach(part);
  assert.equal(app.controls.object, app.mesh);
  await until(() => app.session.selection.length === 1);
});

test("controls_refuse_what_is_bound_to_no_node", async () => {
  const { controls } = await application(sceneName(), "Ada");
  assert.throws(() => controls.attach(block("stranger")), /stranger.*not bound/);
});

test("controls_after_dispose_hear_no_pointer", async () => {
  const app = await application(sceneName(), "Ada");
  const at = await reachArrow(app);
  app.controls.dispose();
  app.canvas.point("pointerdown", at);
  assert.equal(app.controls.dragging, false);
  assert.equal(app.controls.getHelper().parent, null);
});

test("bind_objects_go_where_nodes_are_and_hang_where_they_hang", async () => {
  const scene = sceneName();
  const session = await join(scene, "Ada");
  const {
    ids: [low, high],
  } = await session.create([
    { name: "low", t: [1, 2, 3] },
    { name: "high", s: [2, 2, 2] },
  ]);
  const stage = new Scene(),
    objects = new Map([
      ["low", block("a")],
      ["high", block("b")],
    ]);
  for (const object of objects.values()) stage.add(object);
  const binding = bind(session.scene, ({ name }) => objects.get(name));
  assert.deepEqual(objects.get("low").position.toArray(), [1, 2, 3]);
  assert.deepEqual(objects.get("high").scale.toArray(), [2, 2, 2]);
  await session.set([{ id: low, parent: high }]);
  assert.equal(objects.get("low").parent, objects.get("high"));
  await session.set([{ id: low, parent: null }]);
  assert.equal(objects.get("low").parent, stage);
  const gone = [];
  binding.on("gone", (object) => gone.push(object));
  await session.delete([low]);
  assert.deepEqual(gone, [objects.get("low")]);
  assert.equal(binding.nodeOf(objects.get("low")), undefined);
  binding.dispose();
  await session.set([{ id: high, t: [9, 9, 9] }]);
  assert.deepEqual(objects.get("high").position.toArray(), [0, 0, 0]);
});

test("bind_gltf_goes_by_the_index_in_the_asset", async () => {
  const session = await join("robot-arm", "Ada");
  const node = [...session.scene.nodes.values()].find(({ asset }) => asset !== undefined);
  assert.ok(node, "the sample is made of a glTF");
  const object = new Group();
  const binding = bindGltf(session.scene, {
    parser: { associations: new Map([[object, { nodes: node.asset }]]) },
  });
  assert.equal(binding.objectOf(node.id), object);
});

test("bind_gltf_of_each_file_has_its_own_nodes", async () => {
  const session = await join("robot-arm", "Ada");
  const base = daemon.url;
  const file = new Blob([
    JSON.stringify({ asset: { version: "2.0" }, nodes: [{ name: "added" }] }),
  ]);
  const parent = session.scene.nodes.keys().next().value;
  const { roots } = await addToScene("robot-arm", await file.arrayBuffer(), { base, parent });
  while (!session.scene.get(roots[0]))
    await new Promise((resolve) => session.scene.on("change", resolve));
  assert.equal(session.scene.get(roots[0]).parent, parent);
  const { first } = (await listAssets("robot-arm", { base })).at(-1);
  assert.equal(session.scene.get(roots[0]).asset, first);
  const object = new Group();
  const gltf = { parser: { associations: new Map([[object, { nodes: 0 }]]) } };
  assert.equal(bindGltf(session.scene, gltf, { first }).objectOf(roots[0]), object);
  assert.notEqual(bindGltf(session.scene, gltf).objectOf(roots[0]), object);
});

test("bind_gltf_gives_clones_to_copies", async () => {
  const session = await join("robot-arm", "Ada");
  const node = [...session.scene.nodes.values()].find(
    ({ asset, children }) => asset !== undefined && children.length > 0,
  );
  const part = session.scene.get(node.children[0]);
  const stage = new Scene(),
    object = new Group(),
    skin = block("skin"),
    child = block("child");
  stage.add(object.add(skin, child));
  const associations = new Map([
    [object, { nodes: node.asset }],
    [skin, { meshes: 0 }],
    [child, { nodes: part.asset }],
  ]);
  const binding = bindGltf(session.scene, { parser: { associations } });
  const {
    ids: [id, below],
  } = await session.create([
    { ref: "a", copy: node.id, t: [1, 2, 3] },
    { parent: "a", copy: part.id },
  ]);
  const clone = binding.objectOf(id),
    cloneBelow = binding.objectOf(below);
  assert.notEqual(clone, object);
  assert.equal(clone.parent, stage);
  assert.deepEqual(clone.position.toArray(), [1, 2, 3]);
  assert.deepEqual(
    clone.children.map(({ name }) => name),
    ["skin", "child"],
    "what is no node came along, what is one of its own is the copy's",
  );
  assert.equal(clone.children[0].geometry, skin.geometry);
  assert.equal(clone.children[1], cloneBelow);
  assert.equal(binding.objectOf(node.id), object);
  assert.equal(binding.nodeOf(cloneBelow), below);
  await session.delete([id]);
  assert.equal(binding.objectOf(id), undefined);
  await session.undo();
  assert.equal(binding.objectOf(id), clone);
  await session.delete([id]);
});

test("export_has_copies_that_three_shows_with_their_mesh", async () => {
  const session = await join("robot-arm", "Ada");
  const node = [...session.scene.nodes.values()].find(
    ({ asset, bounds, children }) => asset !== undefined && bounds && children.length > 0,
  );
  const { ids } = await session.create([{ copy: node.id, t: [1, 2, 3] }]);
  const bytes = await (await fetch(`${daemon.url}/scenes/robot-arm/export`)).arrayBuffer();
  await session.delete(ids);
  globalThis.self ??= globalThis;
  const { parser, scene } = await new GLTFLoader().parseAsync(bytes, "");
  const objects = [];
  scene.traverse(
    (object) => parser.associations.get(object)?.nodes !== undefined && objects.push(object),
  );
  const geometryOf = (object) =>
    (object.isMesh ? object : object.children.find((child) => child.isMesh))?.geometry;
  const original = objects.find((object) => parser.associations.get(object).nodes === node.asset);
  const copies = objects.filter(
    (object) =>
      object !== original &&
      object.parent === original.parent &&
      object.position.equals({ x: 1, y: 2, z: 3 }),
  );
  assert.equal(copies.length, 1);
  assert.ok(geometryOf(original));
  assert.equal(geometryOf(copies[0]), geometryOf(original));
  assert.deepEqual(copies[0].scale, original.scale);
});

test("share_makes_what_is_missing_once_though_two_come_together", async () => {
  const scene = sceneName();
  const sessionsHere = await Promise.all(["Ada", "Bob", "Cy"].map((user) => join(scene, user)));
  const parts = sessionsHere.map(() => {
    const base = block("base"),
      lamp = block("lamp");
    lamp.position.set(0, 2, 0);
    base.add(lamp);
    return [base, lamp];
  });
  const bindings = await Promise.all(sessionsHere.map((session, i) => share(session, parts[i])));
  await until(() => sessionsHere.every(({ scene: { nodes } }) => nodes.size === 2), "two nodes");
  const [session] = sessionsHere;
  const lamp = [...session.scene.nodes.values()].find(({ name }) => name === "lamp");
  assert.equal(session.scene.get(lamp.parent).name, "base");
  assert.deepEqual(lamp.bounds, [-0.5, -0.5, -0.5, 0.5, 0.5, 0.5]);
  await session.set([{ id: lamp.id, t: [5, 0, 0] }]);
  await until(() => parts.every(([, object]) => object.position.x === 5));
  assert.ok(bindings.every((binding, i) => binding.nodeOf(parts[i][1]) === lamp.id));
});

test("share_says_what_cannot_be_shared", async () => {
  const session = await join(sceneName(), "Ada");
  await assert.rejects(share(session, [block("a"), block("a")]), /a unique name/);
  await assert.rejects(share(session, [block("")]), /a unique name/);
  const moved = new Group(),
    inside = block("inside");
  moved.position.set(1, 0, 0);
  moved.add(inside);
  await assert.rejects(share(session, [inside]), /inside.*not shared/);
  assert.equal(session.scene.nodes.size, 0);
});

test("share_puts_nodes_where_objects_are_seen", async () => {
  const session = await join(sceneName(), "Ada");
  const [manual, world, bent] = ["manual", "world", "bent"].map(block);
  for (const object of [manual, bent]) object.matrixAutoUpdate = false;
  manual.matrix.makeTranslation(5, 6, 7);
  world.matrixWorldAutoUpdate = false;
  world.matrixWorld.makeTranslation(0, 0, 9);
  bent.matrix.elements[4] = 0.5;
  await assert.rejects(share(session, [manual, world, bent]), /the matrix of "bent" shears/);
  assert.equal(session.scene.nodes.size, 0);
  const binding = await share(session, [manual, world]);
  const node = (object) => session.scene.get(binding.nodeOf(object));
  assert.deepEqual([...node(manual).t], [5, 6, 7]);
  assert.deepEqual([...node(world).t], [0, 0, 9]);
  assert.deepEqual(manual.matrix.elements.slice(12, 15), [5, 6, 7]);
  assert.deepEqual(world.matrixWorld.elements.slice(12, 15), [0, 0, 9]);
  await session.set([{ id: node(world).id, t: [1, 2, 3] }]);
  await until(() => world.matrixWorld.elements[12] === 1, "its world matrix follows");
});

test("share_lets_a_viewer_see_what_others_make", async () => {
  const scene = sceneName();
  await join(scene, "Ada");
  const viewer = await join(scene, "Bob", { role: "viewer" }),
    seen = block("late");
  await share(viewer, [seen]);
  const editor = await join(scene, "Cy");
  await editor.create([{ name: "late", t: [0, 7, 0] }]);
  await until(() => seen.position.y === 7);
});

test("names_are_those_of_three", () => {
  const cases = { tx: "X", tzx: "XZ", tv: "XYZ", rv: "E", rb: "XYZE", su: "XYZ", bppp: "bppp" };
  for (const [handle, name] of Object.entries(cases)) assert.equal(axisName(handle), name);
  const noY = { showX: true, showY: false, showZ: true };
  const shown = [
    "tx",
    "ty",
    "tz",
    "txy",
    "tzx",
    "tv",
    "rv",
    "rb",
    "su",
    "bxn",
    "byp",
    "bppp",
  ].filter((handle) => isShown(handle, noY));
  assert.deepEqual(shown, ["tx", "tz", "tzx", "bxn"]);
});

test("controls_that_predict_press_and_move_at_once_and_go_on_without_a_connection", async (t) => {
  const scene = sceneName();
  const net = await Delay.start(daemon.port, { ms: 200 });
  t.after(() => net.stop());
  const app = await application(scene, "Ada", { url: net.socket });
  const { session, canvas, controls, mesh, types } = app;
  t.after(() => session.close());
  await until(() => session.predicting && session.scene.get(app.binding.nodeOf(mesh)));
  controls.attach(mesh);
  app.stage.updateMatrixWorld();
  assert.ok(controls.gizmo.handles.includes("tx"), "the gizmo is there at once");
  const { origin, size } = controls.gizmo;
  const [x, y] = pixel(app, [origin[0] + 0.8 * size, origin[1], origin[2]]);
  canvas.point("pointermove", [x, y]);
  assert.equal(controls.axis, "X", "within the same event");
  canvas.point("pointermove", [0, 0]);
  assert.equal(controls.axis, null);
  canvas.point("pointerdown", [x, y], { pointerType: "touch" });
  assert.equal(controls.dragging, true, "a finger that did not hover");
  canvas.point("pointermove", [x + 40, y], { buttons: 1 });
  const there = mesh.position.x;
  assert.ok(there > 0.1);
  assert.deepEqual(types(), ["dragging-changed", "mouseDown", "objectChange"]);
  await until(() => session.scene.told(app.binding.nodeOf(mesh)).t[0] === there, "the server too");
  net.close();
  await until(() => session.status.phase === "offline");
  assert.equal(controls.dragging, true);
  canvas.point("pointermove", [x + 80, y], { buttons: 1 });
  assert.ok(mesh.position.x > 1.9 * there);
  canvas.point("pointerup", [x + 80, y]);
  assert.equal(controls.dragging, false);
  assert.equal(session.unsaved, 1);
  net.close(false);
  session.retry();
  await until(() => types().includes("saved"));
  assert.ok(mesh.position.x > 1.9 * there);
  assert.ok(!types().includes("error"));
});
