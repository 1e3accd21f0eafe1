// What the view draws stands where the server says, near the world's origin and far from it: boxes of nodes without a mesh, meshes of a glTF, what is dragged and where it was.
import assert from "node:assert/strict";
import { before, test } from "node:test";

import { decode } from "./support/pixels.js";
import { browser, daemon, open } from "./support/stage.js";

const BOX_GLB = "/usr/share/assimp/models/glTF2/BoxTextured-glTF-Binary/BoxTextured.glb";
/** Of a colour channel: less is noise. */
const CHANGE_MIN = 20;
const OFF_PX_MAX = 1.5;
/** Farther than this about what a test looks at are words and buttons, which change for their own reasons. */
const REACH_PX = 140;
const SIZE_M = 0.2;
/** Sides of a rectangle: left and right of the ghost is the line of the axis. */
const TOP_AND_BOTTOM = [1, 3];
let ada;

before(async () => {
  await open(["--open", "view"]);
  await daemon.import("mesh", BOX_GLB);
  ada = await browser.person();
  await ada.join(daemon, "view", "Ada");
  await createBox([-50, 0, 0]);   // the first thing in a scene is looked at
  await ada.rested();
});

/** Looks at a point from so far, straight along z: the edges of a box are level and upright, so that there are no points too thin to be seen. */
async function look(point, distance) {
  await ada.page.evaluate(([[x, y, z], d]) => window.gizmod.rig.look([x, y, z + d], [x, y, z]), [point, distance]);
}

async function picture() {
  await ada.rested();
  return decode(await ada.screenshot());
}

/** The rectangle of what is not the same in two pictures about a place: left, top, right, bottom. Null where all is. */
function difference(a, b, [x0, y0]) {
  const rect = [Infinity, Infinity, -Infinity, -Infinity];
  for (let y = Math.round(y0 - REACH_PX); y < y0 + REACH_PX; y++) {
    for (let x = Math.round(x0 - REACH_PX); x < x0 + REACH_PX; x++) {
      const i = 4 * (y * a.width + x);
      if ([0, 1, 2].every((channel) => Math.abs(a.data[i + channel] - b.data[i + channel]) < CHANGE_MIN)) continue;
      rect[0] = Math.min(rect[0], x);
      rect[1] = Math.min(rect[1], y);
      rect[2] = Math.max(rect[2], x + 1);
      rect[3] = Math.max(rect[3], y + 1);
    }
  }
  return rect[2] > rect[0] ? rect : null;
}

/** The rectangle that a box about a point takes on the screen. */
async function projected(middle, size) {
  const corners = await Promise.all(
    Array.from({ length: 8 }, (_, corner) => ada.project(middle.map((value, i) => value + ((corner >> i) & 1 ? 0.5 : -0.5) * size))),
  );
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

async function assertSeen(change, middle, size, sides = [0, 1, 2, 3]) {
  assert.ok(change, "nothing is seen of it");
  const expected = await projected(middle, size);
  for (const i of sides) assert.ok(Math.abs(change[i] - expected[i]) <= OFF_PX_MAX, `seen at ${change}, is at ${expected}`);
}

async function createBox(middle) {
  return ada.page.evaluate(async ([t, half]) => {
    const made = await window.gizmod.session.create([{ name: "box", t, bounds: [-half, -half, -half, half, half, half] }]);
    return made.ids[0];
  }, [middle, SIZE_M / 2]);
}

for (const [where, middle] of [["near_the_origin", [0, 0.1, 0]], ["thirty_thousand_kilometres_away", [2e7, 0.1, -3e7]]]) {
  test(`view_box_${where}_is_where_the_server_says`, async () => {
    await look(middle, 2);
    const without = await picture();
    await createBox(middle);
    await assertSeen(difference(without, await picture(), await ada.project(middle)), middle, SIZE_M);
  });
}

test("view_dragged_node_leaves_a_ghost_until_the_drag_ends", async () => {
  const middle = [5, 0.1, 5];
  await look(middle, 2);
  const empty = await picture();
  const id = await createBox(middle);
  await ada.select(id);
  const [x, y] = await ada.project(middle);
  const before = await picture();
  const [left, top] = await ada.corner();
  await ada.page.evaluate(async ([node, at]) => {
    const { session } = window.gizmod;
    await session.grab("tx", { nodes: [node], at });
    session.move({ at: [at[0] + 300, at[1]] });
  }, [id, [x - left, y - top]]);
  await ada.until((node) => window.gizmod.session.scene.get(node).t[0] !== 5, id);
  const during = await picture();
  assert.ok(difference(before, during, [x, y]), "the node is seen where it no longer is");
  await assertSeen(difference(empty, during, [x, y]), middle, SIZE_M, TOP_AND_BOTTOM);
  await ada.page.evaluate(() => window.gizmod.session.cancel());
  await ada.until((node) => window.gizmod.session.scene.get(node).t[0] === 5, id);
  assert.equal(difference(before, await picture(), [x, y]), null, "something of the drag is left");
});

test("view_node_without_a_shape_is_a_cross_that_follows_it", async () => {
  const middle = [-20, 0.1, 7];
  await look(middle, 2);
  const without = await picture();
  const id = await ada.page.evaluate((t) => window.gizmod.session.create([{ name: "mark", t }]).then(({ ids }) => ids[0]), middle);
  await assertCross(difference(without, await picture(), await ada.project(middle)), middle);
  const moved = [-20.2, 0.2, 7];
  await ada.page.evaluate(([id, t]) => window.gizmod.session.set([{ id, t }]), [id, moved]);
  await assertCross(difference(without, await picture(), await ada.project(moved)), moved);
  await ada.page.evaluate((id) => window.gizmod.session.create([{ name: "child", parent: id, t: [300, 0, 0] }]), id);
  assert.equal(difference(without, await picture(), await ada.project(moved)), null, "what others hang below is seen by those");
});

/** As wide as it is high, about that point. */
async function assertCross(change, point) {
  assert.ok(change, "nothing is seen of it");
  const [x, y] = await ada.project(point);
  assert.ok(Math.abs((change[0] + change[2]) / 2 - x) <= OFF_PX_MAX && Math.abs((change[1] + change[3]) / 2 - y) <= OFF_PX_MAX, `seen at ${change}, is at ${x}, ${y}`);
  for (const side of [change[2] - change[0], change[3] - change[1]]) assert.ok(side > 8 && side < 18, `${change}`);
}

test("view_mesh_of_a_glTF_is_where_the_server_says", async () => {
  await ada.join(daemon, "mesh", "Ada");
  await ada.until(() => window.gizmod.asset.value.phase === "ready");
  await look([0, 0, 0], 9);
  const there = await picture();
  await ada.page.evaluate(async () => {
    const { session } = window.gizmod;
    await session.set([{ id: session.scene.roots[0], t: [0, 0, 500] }]);
  });
  await assertSeen(difference(there, await picture(), await ada.project([0, 0, 0])), [0, 0, 0], 1);
});

test("view_first_mesh_of_a_scene_that_comes_back_is_shown_to_who_joined_without_it", async () => {
  await ada.join(daemon, "mesh", "Ada");
  await ada.page.evaluate(() => window.gizmod.session.delete([...window.gizmod.session.scene.roots]));
  const bob = await browser.person();
  await bob.join(daemon, "mesh", "Bob");
  assert.equal(await bob.page.evaluate(() => window.gizmod.asset.value.phase), "none");
  await ada.page.evaluate(() => window.gizmod.session.undo());
  await bob.until(() => window.gizmod.asset.value.phase === "ready");
  await bob.page.close();
});

/** Three squares beside each other: with a texture in KTX2, with an image that is none, and without. Their plain colours are green, blue and red. */
function textured() {
  const numbers = new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0]);
  const buffer = Buffer.concat([Buffer.from(numbers.buffer), Buffer.from(new Uint16Array([0, 1, 2, 0, 2, 3]).buffer)]).toString("base64");
  const material = (baseColorFactor, index) => ({
    extensions: { KHR_materials_unlit: {} }, pbrMetallicRoughness: { baseColorFactor, ...(index === undefined ? {} : { baseColorTexture: { index } }) },
  });
  return JSON.stringify({
    asset: { version: "2.0" }, scene: 0, scenes: [{ nodes: [0, 1, 2] }], extensionsUsed: ["KHR_texture_basisu", "KHR_materials_unlit"], extensionsRequired: ["KHR_texture_basisu"],
    nodes: [0, 1, 2].map((mesh) => ({ mesh, translation: [3 * mesh, 0, 0], name: ["compressed", "damaged", "plain"][mesh] })),
    meshes: [0, 1, 2].map((material) => ({ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, indices: 2, material }] })),
    materials: [material([0, 1, 0, 1], 0), material([0, 0, 1, 1], 1), material([1, 0, 0, 1])],
    textures: [{ extensions: { KHR_texture_basisu: { source: 0 } } }, { source: 1 }],
    images: ["image/ktx2", "image/png"].map((mimeType) => ({ mimeType, uri: `data:${mimeType};base64,AAAA` })),
    buffers: [{ byteLength: 92, uri: `data:application/octet-stream;base64,${buffer}` }],
    bufferViews: [[0, 48], [48, 32], [80, 12]].map(([byteOffset, byteLength]) => ({ buffer: 0, byteOffset, byteLength })),
    accessors: [
      { bufferView: 0, componentType: 5126, count: 4, type: "VEC3", min: [-1, -1, 0], max: [1, 1, 0] }, { bufferView: 1, componentType: 5126, count: 4, type: "VEC2" },
      { bufferView: 2, componentType: 5123, count: 6, type: "SCALAR" },
    ],
  });
}

test("view_textures_that_cannot_be_read_cost_a_mesh_nothing_else", async () => {
  assert.equal((await fetch(`${daemon.url}/scenes/ktx2`, { method: "PUT", body: textured() })).status, 201);
  const bob = await browser.person({ ignore: [/KTX|texture/i] });
  await bob.join(daemon, "ktx2", "Bob");
  await bob.page.getByText("Some textures cannot be shown; plain colours replace them: KTX2 textures are not supported").waitFor();
  await bob.page.evaluate(() => window.gizmod.rig.look([3, 0, 14], [3, 0, 0]));
  await bob.rested();
  const { data, width } = decode(await bob.screenshot());
  for (const [i, expected] of [[0, 255, 0], [0, 0, 255], [255, 0, 0]].entries()) {
    const [x, y] = (await bob.project([3 * i + 0.5, 0.5, 0])).map(Math.round);
    const seen = [...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 3)];
    assert.ok(seen.every((value, channel) => Math.abs(value - expected[channel]) < 12), `square ${i} is ${seen}, not ${expected}`);
  }
  await bob.page.close();
});

test("view_pages_reported_no_errors", () => assert.deepEqual(browser.errors, []));
