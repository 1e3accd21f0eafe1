// main.js - a three.js application that was made multi-user. Lines that use the package
// gizmod-client are marked with "shared". Without them, and with three's TransformControls in place
// of RemoteTransformControls, the application runs for one person.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { connect, placeOn, sizeOf } from "gizmod-client"; // shared
import { RemoteTransformControls, share } from "gizmod-client/three"; // shared

import { makeBlocks, makeStage } from "./blocks.js";
import { showPeople, showStatus, startTools } from "./page.js";
import "./example.css";

const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector("canvas"));
const renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
renderer.shadowMap.enabled = true;
const camera = new THREE.PerspectiveCamera(45, 1, 0.1, 100);
camera.position.set(4.5, 4, 7);
const stage = makeStage();
const blocks = makeBlocks();
for (const block of blocks) if (!block.parent) stage.add(block);

const asked = new URLSearchParams(location.search);
const user = asked.get("user") ?? `Guest ${1 + Math.floor(99 * Math.random())}`;
const scene = asked.get("scene") ?? "blocks";
const url = new URL("..", location.href).href; // shared: the daemon's address, one folder up
const session = await connect({ url, scene, user, create: true }); // shared
const binding = await share(session, blocks); // shared

const orbit = new OrbitControls(camera, canvas);
orbit.target.set(0, 0.5, 0);
orbit.maxPolarAngle = 0.48 * Math.PI;
orbit.addEventListener("change", draw);

// shared; for one person: new TransformControls(camera, canvas)
const controls = new RemoteTransformControls(camera, canvas, session, binding);
stage.add(controls.getHelper());
controls.addEventListener("change", draw);
controls.addEventListener("dragging-changed", ({ value }) => (orbit.enabled = !value));
// shared: such as "node 3 (cube) is held by Ada"
controls.addEventListener("error", ({ error }) => showStatus(error.message));

const caster = new THREE.Raycaster();
let press = [0, 0];
canvas.addEventListener("pointerdown", (event) => (press = placeOn(canvas, event)));
canvas.addEventListener("click", (event) => {
  const [x, y] = placeOn(canvas, event);
  // Neither a press on the controls nor the end of an orbit.
  if (controls.axis !== null || Math.hypot(x - press[0], y - press[1]) > 4) return;
  const { width, height } = sizeOf(canvas);
  caster.setFromCamera(new THREE.Vector2((2 * x) / width - 1, 1 - (2 * y) / height), camera);
  const [hit] = caster.intersectObjects(blocks, false);
  if (hit) controls.attach(hit.object);
  else controls.detach();
});

startTools(controls);
showPeople(session); // shared
session.on("status", ({ phase, reason }) =>
  showStatus(phase === "online" ? "" : (reason ?? "Connecting")),
); // shared

new ResizeObserver(resize).observe(canvas);
orbit.update();

function resize() {
  const { width, height } = sizeOf(canvas);
  if (width === 0 || height === 0) return;
  renderer.setPixelRatio(Math.min(2, devicePixelRatio));
  renderer.setSize(width, height, false);
  camera.aspect = width / height;
  camera.updateProjectionMatrix();
  draw();
}

let due = 0;
function draw() {
  cancelAnimationFrame(due);
  due = requestAnimationFrame(() => renderer.render(stage, camera));
}
