// What is under a pointer, by the triangles of the file: a real daemon against three.js, which
// reads the file and meets its meshes by itself.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { Raycaster, Vector3 } from "three";
import WebSocket from "ws";

import { Daemon, ENGINE } from "../../../tests/browser/support/daemon.js";
import { loadGltf } from "../../../tests/browser/support/gltf.js";
import { connect } from "./index.js";

const RAYS = 300;
let daemon;
const sessions = [];

before(async () => {
  daemon = await Daemon.start([]);
});

after(async () => {
  for (const session of sessions) session.close();
  await daemon?.stop();
});

/** Numbers from 0 to 1 that are the same each time. */
function chance(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * The middle of a triangle of one of the meshes; of one that has an area, or it would be on the
 * edge of others.
 */
function somePlace({ meshes }, next) {
  for (;;) {
    const mesh = meshes[Math.floor(next() * meshes.length)];
    const {
      index,
      attributes: { position },
    } = mesh.geometry;
    const first = 3 * Math.floor((next() * (index ?? position).count) / 3);
    const [a, b, c] = [first, first + 1, first + 2].map((i) =>
      new Vector3()
        .fromBufferAttribute(position, index ? index.getX(i) : i)
        .applyMatrix4(mesh.matrixWorld),
    );
    const sides = [b.clone().sub(a), c.clone().sub(a)];
    if (sides[0].clone().cross(sides[1]).length() > 1e-6 * sides[0].length() * sides[1].length())
      return a.add(b).add(c).divideScalar(3);
  }
}

/** Rays from around at places of the meshes, and some that pass them by. */
function* someRays(model, size, next) {
  for (let i = 0; i < RAYS; i++) {
    const to = somePlace(model, next),
      along = () => (next() - 0.5) * size;
    if (i % 3 === 0) to.add(new Vector3(along(), along(), along()).multiplyScalar(0.3));
    const from = to
      .clone()
      .add(
        new Vector3(along(), along(), along())
          .normalize()
          .multiplyScalar(i % 4 === 0 ? 0.2 * size : 3 * size),
      );
    yield { from, direction: to.sub(from).normalize() };
  }
}

/**
 * Compares the first node that both meet, ray by ray.
 * @returns how many met something, how many nothing
 */
async function compare(session, model, size) {
  const next = chance(20);
  const counts = { met: 0, missed: 0 };
  for (const { from, direction } of someRays(model, size, next)) {
    const [first, second] = new Raycaster(from, direction).intersectObjects(model.meshes, false);
    const [hit] = await session.pick({
      ray: [...from.toArray(), ...direction.toArray()],
      surface: true,
    });
    if (!first) {
      assert.equal(hit, undefined, `nothing is at ${from.toArray()} along ${direction.toArray()}`);
      counts.missed++;
      continue;
    }
    counts.met++;
    assert.ok(hit, `nothing is met at ${from.toArray()} along ${direction.toArray()}`);
    assert.ok(
      Math.abs(hit.distance - first.distance) < 1e-4 * first.distance,
      `met at ${hit.distance}, not ${first.distance}`,
    );
    const isTie = second && second.distance - first.distance < 1e-6 * first.distance;
    if (!isTie) assert.equal(session.scene.get(hit.id).asset, model.nodeOf(first.object));
    const place = first.point.toArray();
    hit.point.forEach((x, i) => assert.ok(Math.abs(x - place[i]) < 1e-4 * first.distance));
  }
  return counts;
}

/**
 * A session that presses where no handle is in its way, and takes no notice of what the pointer
 * passes by.
 */
async function join(scene) {
  const session = await connect({ url: daemon.socket, scene, user: "Ada", WebSocket });
  sessions.push(session);
  session.setTool({ mode: "none", tolerance: 0 });
  return session;
}

test("the engine is met where three.js meets it", async () => {
  await daemon.import("engine", ENGINE);
  const counts = await compare(await join("engine"), await loadGltf(await readFile(ENGINE)), 700);
  assert.ok(counts.met > 150 && counts.missed > 20, JSON.stringify(counts));
});

// ---- every way to write triangles down ----

/** A glTF that grows: bytes, views, accessors. */
class File {
  #parts = [];
  #size = 0;
  json = {
    asset: { version: "2.0" },
    scene: 0,
    scenes: [{ nodes: [] }],
    nodes: [],
    meshes: [],
    accessors: [],
    bufferViews: [],
    materials: [{}, { doubleSided: true }],
  };

  view(array, more = {}) {
    const bytes = Buffer.from(array.buffer);
    this.#parts.push(bytes, Buffer.alloc(-bytes.length & 3));
    this.json.bufferViews.push({
      buffer: 0,
      byteOffset: this.#size,
      byteLength: bytes.length,
      ...more,
    });
    this.#size += bytes.length + (-bytes.length & 3);
    return this.json.bufferViews.length - 1;
  }

  accessor(accessor) {
    this.json.accessors.push(accessor);
    return this.json.accessors.length - 1;
  }

  indices(array) {
    const componentType = { Uint8Array: 5121, Uint16Array: 5123, Uint32Array: 5125 }[
      array.constructor.name
    ];
    return this.accessor({
      bufferView: this.view(array),
      componentType,
      count: array.length,
      type: "SCALAR",
    });
  }

  /** As a .glb. */
  finish() {
    const bin = Buffer.concat(this.#parts);
    this.json.buffers = [{ byteLength: bin.length }];
    const text = JSON.stringify(this.json),
      json = Buffer.from(text.padEnd(Math.ceil(text.length / 4) * 4));
    const head = Buffer.alloc(20),
      between = Buffer.alloc(8);
    [0x46546c67, 2, 28 + json.length + bin.length, json.length, 0x4e4f534a].forEach((word, i) =>
      head.writeUInt32LE(word, 4 * i),
    );
    [bin.length, 0x004e4942].forEach((word, i) => between.writeUInt32LE(word, 4 * i));
    return Buffer.concat([head, json, between, bin]);
  }
}

/** The least and the largest of each coordinate. */
function extent(places) {
  const along = (axis) => places.map((place) => place[axis]);
  return {
    min: [0, 1, 2].map((axis) => Math.min(...along(axis))),
    max: [0, 1, 2].map((axis) => Math.max(...along(axis))),
  };
}

const COUNT = 24;
const range = (count, make = (i) => i) => Array.from({ length: count }, (_, i) => make(i));

/** Places as floats, one after the other. */
function floats(file, next) {
  const places = range(COUNT, () => [0, 1, 2].map(() => Math.fround(2 * next() - 1)));
  return {
    position: file.accessor({
      bufferView: file.view(new Float32Array(places.flat())),
      componentType: 5126,
      count: COUNT,
      type: "VEC3",
      ...extent(places),
    }),
  };
}

/** With something else between them. */
function apart(file, next) {
  const places = range(COUNT, () => [0, 1, 2].map(() => Math.fround(2 * next() - 1)));
  const bufferView = file.view(new Float32Array(places.flatMap((place) => [...place, 7, 8, 9])), {
    byteStride: 24,
  });
  return {
    position: file.accessor({
      bufferView,
      componentType: 5126,
      count: COUNT,
      type: "VEC3",
      ...extent(places),
    }),
  };
}

/** As integers of two bytes, or of one, that stand for -1 to 1. */
function quantised(type, componentType, largest) {
  return (file, next) => {
    const places = range(COUNT, () => [0, 1, 2].map(() => Math.round((2 * next() - 1) * largest)));
    const byteStride = 4 * type.BYTES_PER_ELEMENT;
    const bufferView = file.view(new type(places.flatMap((place) => [...place, 0])), {
      byteStride,
    });
    return {
      position: file.accessor({
        bufferView,
        componentType,
        normalized: true,
        count: COUNT,
        type: "VEC3",
        ...extent(places),
      }),
    };
  };
}

/** A third of them replaced. */
function sparse(file, next) {
  const { position } = floats(file, next);
  const others = range(COUNT / 3, () => [0, 1, 2].map(() => Math.fround(2 * next() - 1)));
  const count = others.length;
  const indices = {
    bufferView: file.view(new Uint16Array(range(count, (i) => 3 * i + 1))),
    componentType: 5123,
  };
  Object.assign(file.json.accessors[position], {
    sparse: { count, indices, values: { bufferView: file.view(new Float32Array(others.flat())) } },
    min: [-1, -1, -1],
    max: [1, 1, 1],
  });
  return { position };
}

const PLACES = [
  floats,
  apart,
  quantised(Int16Array, 5122, 32767),
  quantised(Int8Array, 5120, 127),
  sparse,
];
const MODES = [4, 5, 6];

function everyWay(next) {
  const file = new File();
  for (const [i, places] of PLACES.entries()) {
    for (const mode of MODES) {
      for (const type of [null, Uint8Array, Uint16Array, Uint32Array]) {
        const attributes = { POSITION: places(file, next).position };
        const primitive = { attributes, mode, material: next() < 0.5 ? 0 : 1 };
        if (type)
          primitive.indices = file.indices(
            new type(range(COUNT, () => Math.floor(next() * COUNT))),
          );
        const mesh = file.json.meshes.push({ primitives: [primitive] }) - 1;
        const some = (from, to) => [0, 1, 2].map(() => from + (to - from) * next());
        const scale = some(0.6, 1.6).map((factor) => (next() < 0.3 ? -factor : factor));
        const rotation = [...some(-1, 1), 1],
          length = Math.hypot(...rotation);
        const node =
          file.json.nodes.push({
            mesh,
            translation: [5 * i, 5 * mode, 5 * next()],
            rotation: rotation.map((x) => x / length),
            scale,
          }) - 1;
        if (next() < 0.3 && node > 0) (file.json.nodes[node - 1].children ??= []).push(node);
        else file.json.scenes[0].nodes.push(node);
      }
    }
  }
  Object.assign(file.json, {
    extensionsUsed: ["KHR_mesh_quantization"],
    extensionsRequired: ["KHR_mesh_quantization"],
  });
  return file.finish();
}

async function importBytes(scene, body, more = "") {
  const response = await fetch(`${daemon.url}/scenes/${scene}?user=test${more}`, {
    method: "PUT",
    body,
  });
  assert.ok(response.ok, await response.text());
}

test("triangles are met however they are written down", async () => {
  const file = everyWay(chance(3));
  await importBytes("ways", file);
  const counts = await compare(await join("ways"), await loadGltf(file), 30);
  assert.ok(counts.met > 150 && counts.missed > 5, JSON.stringify(counts));
});

// ---- what a press takes, and when ----

/** Rays at which the bounds say one node, and three.js another or nothing. */
async function tellingRays(session, model, count) {
  const next = chance(5),
    rays = { behind: [], empty: [] };
  while (rays.behind.length < count || rays.empty.length < count) {
    for (const { from, direction } of someRays(model, 700, next)) {
      const [first] = new Raycaster(from, direction).intersectObjects(model.meshes, false);
      const ray = [...from.toArray(), ...direction.toArray()];
      const [hit] = await session.pick({ ray });
      const asset = first && model.nodeOf(first.object);
      if (hit && session.scene.get(hit.id).asset !== asset)
        (first ? rays.behind : rays.empty).push({ ray, asset, byBounds: hit.id });
    }
  }
  return rays;
}

async function assertPresses(session, rays) {
  for (const { ray, asset } of rays.behind) {
    const { hit } = await session.down({ ray });
    assert.equal(session.scene.get(hit)?.asset, asset);
    await session.up({ ray });
  }
  for (const { ray } of rays.empty) {
    await session.select([session.scene.roots[0]]);
    assert.equal((await session.down({ ray })).hit, undefined);
    await session.up({ ray });
    assert.deepEqual([...session.selection], []);
  }
}

/** Until the triangles of a scene that was opened are there. */
async function surfaces(scene) {
  for (;;) {
    const metrics = await (await fetch(`${daemon.url}/metrics`)).text();
    const count = Number(
      new RegExp(`gizmod_scene_triangles\\{scene="${scene}"\\} (\\d+)`).exec(metrics)?.[1] ?? 0,
    );
    if (count > 0) return count;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("a press through a hole takes what is behind: now, after undo, after a crash", async () => {
  let session = await join("engine");
  const rays = await tellingRays(session, await loadGltf(await readFile(ENGINE)), 12);
  await assertPresses(session, rays);

  session.setTool({ surface: false });
  for (const { ray, byBounds } of [...rays.behind, ...rays.empty]) {
    const { hit } = await session.down({ ray });
    assert.ok(session.scene.get(hit).bounds && session.scene.get(byBounds).bounds);
    assert.equal(hit, byBounds);
    await session.up({ ray });
  }
  session.setTool({ surface: true });

  await session.delete([...session.scene.roots]);
  assert.equal((await session.down({ ray: rays.behind[0].ray })).hit, undefined);
  await session.up({ ray: rays.behind[0].ray });
  await session.undo();
  await assertPresses(session, rays);

  const count = await surfaces("engine");
  await daemon.kill();
  session.close();
  await daemon.run();
  session = await join("engine");
  assert.equal(await surfaces("engine"), count);
  await assertPresses(session, rays);

  await importBytes("engine", everyWay(chance(3)), "&replace");
  assert.notEqual(await surfaces("engine"), count);
  await daemon.import("engine", ENGINE, { replace: true });
  await session.pick({ at: [0, 0] }).catch(() => []); // by now it was told of the nodes
  await assertPresses(session, rays);
});
