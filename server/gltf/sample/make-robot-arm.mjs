// Writes robot-arm.glb, the scene that the daemon carries: a small robot arm with a gripper. Metres, +Y up.
//
//   node make-robot-arm.mjs FILE           writes it
//   node make-robot-arm.mjs --check FILE   exits 1 unless FILE holds exactly what would be written
import { readFileSync, writeFileSync } from "node:fs";

const SEGMENTS = 32; // around a cylinder
const BEVEL = 0.006; // metres cut off a box's edges, so that they catch light

// ---- Shapes: lists of triangles with one normal per vertex ----

function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
function unit(a) {
  const length = Math.hypot(...a);
  return a.map((x) => x / length);
}

class Shape {
  positions = [];
  normals = [];
  indices = [];

  vertex(position, normal) {
    this.positions.push(position);
    this.normals.push(normal);
    return this.positions.length - 1;
  }
  // A flat convex polygon, counter-clockwise seen from outside.
  face(corners) {
    const sides = [1, 2].map((k) => corners[k].map((x, i) => x - corners[0][i]));
    const normal = unit(cross(sides[0], sides[1]));
    const first = corners.map((corner) => this.vertex(corner, normal))[0];
    for (let i = 2; i < corners.length; i++) this.indices.push(first, first + i - 1, first + i);
  }
}

// A box about `centre` with its twelve edges and eight corners cut.
function box(shape, centre, size) {
  const half = size.map((x) => x / 2);
  const cut = Math.min(BEVEL, ...half.map((x) => x / 3));
  const at = (signs, flat) => signs.map((sign, i) => centre[i] + sign * (i === flat ? half[i] : half[i] - cut));
  const turn = (signs, flat) => {
    const next = (flat + 1) % 3, last = (flat + 2) % 3;
    return [[1, 1], [-1, 1], [-1, -1], [1, -1]].map(([u, v]) => {
      const s = [...signs];
      s[next] = u;
      s[last] = v;
      return s;
    });
  };
  const outward = (corners) => {
    const sides = [1, 2].map((k) => corners[k].map((x, i) => x - corners[0][i]));
    const normal = cross(sides[0], sides[1]);
    const out = corners[0].reduce((sum, x, i) => sum + (x - centre[i]) * normal[i], 0);
    shape.face(out > 0 ? corners : [...corners].reverse());
  };
  for (let flat = 0; flat < 3; flat++) {
    for (const sign of [1, -1]) {
      const signs = [0, 0, 0];
      signs[flat] = sign;
      outward(turn(signs, flat).map((s) => at(s, flat)));
    }
    const along = flat, a = (flat + 1) % 3, b = (flat + 2) % 3;
    for (const [u, v] of [[1, 1], [1, -1], [-1, 1], [-1, -1]]) {
      const corner = (end, face) => {
        const signs = [0, 0, 0];
        signs[along] = end;
        signs[a] = u;
        signs[b] = v;
        return at(signs, face);
      };
      outward([corner(1, a), corner(-1, a), corner(-1, b), corner(1, b)]);
    }
  }
  for (const x of [1, -1]) for (const y of [1, -1]) for (const z of [1, -1]) {
    outward([0, 1, 2].map((flat) => at([x, y, z], flat)));
  }
}

// A cylinder or cone frustum about an axis (0, 1, 2 for x, y, z) through `centre`.
function cylinder(shape, centre, axis, length, bottom, top = bottom) {
  const place = (along, radius, turn) => {
    const p = [0, 0, 0];
    p[axis] = along;
    p[(axis + 1) % 3] = radius * Math.cos(turn);
    p[(axis + 2) % 3] = radius * Math.sin(turn);
    return p;
  };
  const moved = (p) => p.map((x, i) => x + centre[i]);
  const angle = (k) => (2 * Math.PI * k) / SEGMENTS;
  const low = -length / 2, high = length / 2;
  for (let k = 0; k <= SEGMENTS; k++) {
    const normal = unit(place((bottom - top) / length, 1, angle(k)));
    const first = shape.vertex(moved(place(low, bottom, angle(k))), normal);
    shape.vertex(moved(place(high, top, angle(k))), normal);
    if (k < SEGMENTS) shape.indices.push(first, first + 2, first + 1, first + 1, first + 2, first + 3);
  }
  const ring = [...Array(SEGMENTS).keys()];
  shape.face(ring.map((k) => moved(place(high, top, angle(k)))));
  shape.face(ring.reverse().map((k) => moved(place(low, bottom, angle(k)))));
}

// ---- The arm ----

const materials = {
  graphite: { color: [0.035, 0.04, 0.05], metallic: 0.6, roughness: 0.45 },
  orange: { color: [0.82, 0.21, 0.025], metallic: 0.05, roughness: 0.38 },
  steel: { color: [0.56, 0.58, 0.61], metallic: 1, roughness: 0.3 },
  rubber: { color: [0.012, 0.012, 0.014], metallic: 0, roughness: 0.85 },
};

// Each mesh: [material, shape, arguments...]. A joint's mesh is drawn about the joint, so that a node turns where it should.
const meshes = {
  plate: [
    ["graphite", box, [0, 0.02, 0], [0.44, 0.04, 0.44]],
    ["steel", cylinder, [0.18, 0.043, 0.18], 1, 0.012, 0.014],
    ["steel", cylinder, [-0.18, 0.043, 0.18], 1, 0.012, 0.014],
    ["steel", cylinder, [0.18, 0.043, -0.18], 1, 0.012, 0.014],
    ["steel", cylinder, [-0.18, 0.043, -0.18], 1, 0.012, 0.014],
  ],
  pedestal: [
    ["orange", cylinder, [0, 0.06, 0], 1, 0.12, 0.15, 0.115],
    ["graphite", cylinder, [0, 0.125, 0], 1, 0.01, 0.12],
  ],
  turntable: [
    ["orange", cylinder, [0, 0.025, 0], 1, 0.05, 0.125],
    ["orange", box, [0, 0.11, 0.085], [0.13, 0.19, 0.04]],
    ["orange", box, [0, 0.11, -0.085], [0.13, 0.19, 0.04]],
  ],
  joint: [
    ["graphite", cylinder, [0, 0, 0], 2, 0.13, 0.058],
    ["steel", cylinder, [0, 0, 0], 2, 0.23, 0.034],
  ],
  upper: [
    ["orange", box, [0, 0.21, 0], [0.085, 0.36, 0.085]],
    ["graphite", box, [0, 0.21, 0], [0.045, 0.26, 0.092]],
  ],
  elbow: [
    ["graphite", cylinder, [0, 0, 0], 2, 0.11, 0.052],
    ["steel", cylinder, [0, 0, 0], 2, 0.13, 0.03],
  ],
  forearm: [
    ["orange", cylinder, [0, 0.165, 0], 1, 0.27, 0.046, 0.034],
    ["graphite", cylinder, [0, 0.305, 0], 1, 0.014, 0.038],
    ["rubber", box, [0.044, 0.13, 0], [0.018, 0.2, 0.022]],
  ],
  pitch: [
    ["graphite", cylinder, [0, 0, 0], 2, 0.082, 0.034],
    ["steel", cylinder, [0, 0, 0], 2, 0.09, 0.018],
    ["orange", cylinder, [0, 0.05, 0], 1, 0.05, 0.03],
  ],
  roll: [
    ["steel", cylinder, [0, 0.008, 0], 1, 0.016, 0.034],
    ["graphite", cylinder, [0, 0.026, 0], 1, 0.02, 0.026],
  ],
  palm: [
    ["graphite", box, [0, 0.018, 0], [0.15, 0.036, 0.05]],
    ["steel", box, [0, 0.038, 0], [0.13, 0.006, 0.018]],
  ],
  finger: [
    ["steel", box, [0, 0.02, 0], [0.02, 0.04, 0.034]],
    ["steel", box, [0.006, 0.065, 0], [0.014, 0.07, 0.026]],
  ],
  pad: [["rubber", box, [0, 0, 0], [0.006, 0.044, 0.024]]],
  lamp: [["orange", cylinder, [0, 0.012, 0], 1, 0.024, 0.012]],
};

const radians = (degrees) => (degrees * Math.PI) / 180;
// A turn about an axis as a quaternion, in nine digits: the rest is under a nanometre here.
function turn(axis, degrees) {
  const q = [0, 0, 0, Math.cos(radians(degrees) / 2)];
  q["xyz".indexOf(axis)] = Math.sin(radians(degrees) / 2);
  return q.map((x) => Number(x.toFixed(9)));
}

const arm = {
  name: "robot arm", children: [
    { name: "base plate", mesh: "plate" },
    { name: "pedestal", mesh: "pedestal", translation: [0, 0.04, 0], children: [
      { name: "turntable", mesh: "turntable", translation: [0, 0.13, 0], rotation: turn("y", 35), children: [
        { name: "status lamp", mesh: "lamp", translation: [-0.09, 0.05, 0] },
        { name: "shoulder", mesh: "joint", translation: [0, 0.17, 0], rotation: turn("z", 28), children: [
          { name: "upper arm", mesh: "upper", children: [
            { name: "elbow", mesh: "elbow", translation: [0, 0.42, 0], rotation: turn("z", -104), children: [
              { name: "forearm", mesh: "forearm", children: [
                { name: "wrist pitch", mesh: "pitch", translation: [0, 0.345, 0], rotation: turn("z", -62), children: [
                  { name: "wrist roll", mesh: "roll", translation: [0, 0.075, 0], rotation: turn("y", 25), children: [
                    { name: "gripper", mesh: "palm", translation: [0, 0.036, 0], children: [
                      { name: "left finger", mesh: "finger", translation: [-0.045, 0.041, 0], children: [
                        { name: "left pad", mesh: "pad", translation: [0.016, 0.076, 0] },
                      ] },
                      { name: "right finger", mesh: "finger", translation: [0.045, 0.041, 0], rotation: turn("y", 180), children: [
                        { name: "right pad", mesh: "pad", translation: [0.016, 0.076, 0] },
                      ] },
                    ] },
                  ] },
                ] },
              ] },
            ] },
          ] },
        ] },
      ] },
    ] },
  ],
};

// ---- glTF ----

const FLOAT = 5126, USHORT = 5123, VERTICES = 34962, ELEMENTS = 34963;
const gltf = {
  asset: { version: "2.0", generator: "gizmod make-robot-arm.mjs" },
  scene: 0,
  scenes: [{ name: "robot arm", nodes: [0] }],
  nodes: [],
  meshes: [],
  materials: Object.entries(materials).map(([name, m]) => ({
    name,
    pbrMetallicRoughness: { baseColorFactor: [...m.color, 1], metallicFactor: m.metallic, roughnessFactor: m.roughness },
  })),
  accessors: [],
  bufferViews: [],
  buffers: [{ byteLength: 0 }],
};
const pieces = [];

function addView(bytes, target) {
  gltf.bufferViews.push({ buffer: 0, byteOffset: gltf.buffers[0].byteLength, byteLength: bytes.length, target });
  const padded = Buffer.alloc((bytes.length + 3) & ~3);
  bytes.copy(padded);
  pieces.push(padded);
  gltf.buffers[0].byteLength += padded.length;
  return gltf.bufferViews.length - 1;
}

function addVectors(vectors, withBounds) {
  const bytes = Buffer.alloc(vectors.length * 12);
  vectors.flat().forEach((x, i) => bytes.writeFloatLE(x, i * 4));
  const accessor = { bufferView: addView(bytes, VERTICES), componentType: FLOAT, count: vectors.length, type: "VEC3" };
  if (withBounds) {
    const columns = [0, 1, 2].map((i) => vectors.map((v) => Math.fround(v[i])));
    accessor.min = columns.map((c) => Math.min(...c));
    accessor.max = columns.map((c) => Math.max(...c));
  }
  return gltf.accessors.push(accessor) - 1;
}

function addIndices(indices) {
  const bytes = Buffer.alloc(indices.length * 2);
  indices.forEach((x, i) => bytes.writeUInt16LE(x, i * 2));
  const view = addView(bytes, ELEMENTS);
  return gltf.accessors.push({ bufferView: view, componentType: USHORT, count: indices.length, type: "SCALAR" }) - 1;
}

// One primitive per material, whatever the number of shapes.
function addMesh(name, parts) {
  const primitives = Object.keys(materials).flatMap((material, index) => {
    const shape = new Shape();
    for (const [partMaterial, draw, ...args] of parts) if (partMaterial === material) draw(shape, ...args);
    if (shape.indices.length === 0) return [];
    const attributes = { POSITION: addVectors(shape.positions, true), NORMAL: addVectors(shape.normals, false) };
    return [{ attributes, indices: addIndices(shape.indices), material: index }];
  });
  gltf.meshes.push({ name, primitives });
}

function addNode({ mesh, children, ...rest }) {
  const index = gltf.nodes.push({ ...rest }) - 1;
  if (mesh !== undefined) gltf.nodes[index].mesh = Object.keys(meshes).indexOf(mesh);
  if (children !== undefined) gltf.nodes[index].children = children.map(addNode);
  return index;
}

function chunk(type, bytes, filler) {
  const padding = Buffer.alloc(-bytes.length & 3, filler);
  const header = Buffer.alloc(8);
  header.writeUInt32LE(bytes.length + padding.length, 0);
  header.write(type, 4, "latin1");
  return Buffer.concat([header, bytes, padding]);
}

function makeGlb() {
  Object.entries(meshes).forEach(([name, parts]) => addMesh(name, parts));
  addNode(arm);
  const chunks = [chunk("JSON", Buffer.from(JSON.stringify(gltf)), " "), chunk("BIN\0", Buffer.concat(pieces), "\0")];
  const header = Buffer.from("glTF\x02\0\0\0\0\0\0\0", "latin1");
  header.writeUInt32LE(12 + chunks[0].length + chunks[1].length, 8);
  return Buffer.concat([header, ...chunks]);
}

const checking = process.argv[2] === "--check";
const file = process.argv[checking ? 3 : 2];
if (file === undefined) {
  console.error("make-robot-arm.mjs: which file?");
  process.exit(2);
}
const glb = makeGlb();
if (!checking) {
  writeFileSync(file, glb);
} else if (!glb.equals(readFileSync(file))) {
  console.error(`${file} is not what make-robot-arm.mjs writes: run it again and commit both`);
  process.exit(1);
}
