// wheel.test.ts - the wheel zooms before the server has said what is under the pointer.
import assert from "node:assert/strict";
import { test } from "node:test";

import { signal } from "@preact/signals";

import { SceneModel, type Session } from "../../sdk/index.js";
import type { Vec2, Vec3 } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { InputState } from "./inputstate";
import { CameraRig } from "./rig";
import { Wheel } from "./wheel";

Object.assign(globalThis, { requestAnimationFrame: () => 1, cancelAnimationFrame: () => {} });

const MIDDLE: Vec2 = [400, 300];

/** A view from 100 m, of a box of 2 m in its middle. */
function stand() {
  const asked: ((hits: { id: number; point: Vec3 }[]) => void)[] = [];
  const scene = new SceneModel();
  scene.apply([{ from: 0, seq: 1, nodes: [{ id: 1, bounds: [-1, -1, -1, 1, 1, 1] }] }]);
  const session = {
    scene,
    status: { phase: "online" },
    on: () => () => {},
    setCamera: () => {},
    pick: () => new Promise((resolve) => asked.push(resolve)),
  };
  const rig = new CameraRig(session as unknown as Session);
  rig.resize(800, 600);
  rig.look([0, 0, 100], [0, 0, -900]);
  const editor = { session, rig, input: new InputState(), following: {} };
  const signals = { scene: signal(scene), past: signal(null) };
  return { asked, rig, session, editor: Object.assign(editor, signals) as unknown as Editor };
}

const notch = (timeStamp: number): WheelEvent =>
  ({ deltaY: -100, deltaX: 0, deltaMode: 0, timeStamp, preventDefault: () => {} }) as WheelEvent;
const near = (a: number, b: number): void => assert.ok(Math.abs(a - b) < 1e-6, `${a} is not ${b}`);

test("wheel_zooms_at_once_to_the_box_and_then_to_the_surface", async () => {
  const { asked, rig, editor } = stand();
  const wheel = new Wheel(editor);
  wheel.turn(notch(1000), MIDDLE);
  const first = 99 * Math.exp(-0.15);
  near(rig.distance, first);
  near(rig.eye[2], 1 + first);
  wheel.turn(notch(1010), MIDDLE);
  assert.equal(asked.length, 1, "one question for turns that follow each other");
  const { eye } = rig;
  asked[0]([{ id: 1, point: [0, 0, -0.5] }]);
  await new Promise((resolve) => setImmediate(resolve));
  near(rig.distance, eye[2] + 0.5);
  assert.deepEqual(rig.eye, eye, "the picture is the same");
});

test("wheel_without_a_connection_leads_to_the_box", () => {
  const { asked, rig, session, editor } = stand();
  session.status.phase = "offline";
  new Wheel(editor).turn(notch(1000), MIDDLE);
  near(rig.distance, 99 * Math.exp(-0.15));
  assert.equal(asked.length, 0);
});

test("wheel_leaves_the_target_of_an_orbit_that_began_since", async () => {
  const { asked, rig, editor } = stand();
  new Wheel(editor).turn(notch(1000), MIDDLE);
  editor.input.navigate("orbit");
  const { distance } = rig;
  asked[0]([{ id: 1, point: [0, 0, -50] }]);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(rig.distance, distance);
});
