// camera.test.ts - poses, views and projections agree with each other.
import assert from "node:assert/strict";
import { test } from "node:test";

import { transformPoint } from "../../sdk/maths.js";
import type { Quat, Vec3 } from "../../sdk/types.js";
import {
  type Pose,
  axesOf,
  between,
  dot,
  eyeOf,
  poseOf,
  projection,
  turnOf,
  turned,
  viewOf,
} from "./camera";

const close = (a: ArrayLike<number>, b: ArrayLike<number>, by = 1e-9): void => {
  assert.equal(a.length, b.length);
  for (let i = 0; i < a.length; i++)
    assert.ok(Math.abs(a[i] - b[i]) <= by, `${Array.from(a)} is not ${Array.from(b)}`);
};

const SIDES: Vec3[] = [
  [0, 0, 1],
  [0, 0, -1],
  [1, 0, 0],
  [-1, 0, 0],
  [0, 1, 0],
  [0, -1, 0],
  [6, 5, 8],
  [-1, -3, -2],
];

test("camera_of_a_side_looks_at_its_target_from_there_and_level", () => {
  for (const side of SIDES) {
    const pose: Pose = { target: [1, 2, 3], turn: turnOf(side), distance: 5 };
    const [right, up, back] = axesOf(pose.turn);
    const length = Math.hypot(...side);
    close(
      back,
      side.map((value) => value / length),
    );
    close(transformPoint(viewOf(pose), pose.target), [0, 0, -5]);
    close([right[1]], [0]);
    assert.ok(up[1] >= -1e-12);
    close(
      eyeOf(pose),
      [0, 1, 2].map((i) => pose.target[i] + back[i] * 5),
    );
  }
});

test("camera_view_and_back_is_the_same_pose", () => {
  for (const side of SIDES) {
    const pose: Pose = { target: [-4, 0.5, 9], turn: turnOf(side), distance: 3 };
    const again = poseOf(viewOf(pose), 3);
    close(again.target, pose.target);
    close([Math.abs(again.turn.reduce((sum, value, i) => sum + value * pose.turn[i], 0))], [1]);
  }
});

test("camera_turntable_keeps_the_horizon_and_stops_at_the_poles", () => {
  let turn: Quat = turnOf([1, 1, 1]);
  for (const [yaw, pitch] of [
    [0.3, 0.2],
    [-2, -0.7],
    [1, 9],
    [0.5, 0],
    [0.1, -9],
    [0, 0.4],
  ]) {
    turn = turned(turn, yaw, pitch);
    const [right, up] = axesOf(turn);
    close([right[1]], [0]);
    assert.ok(up[1] >= -1e-12, "upside down");
  }
});

test("camera_turntable_to_the_right_moves_the_eye_about_plus_y", () => {
  const [, , back] = axesOf(turned(turnOf([0, 0, 1]), Math.PI / 2, 0));
  close(back, [1, 0, 0]);
  const [, , high] = axesOf(turned(turnOf([0, 0, 1]), 0, Math.PI / 4));
  close(high, [0, Math.SQRT1_2, Math.SQRT1_2]);
});

test("camera_turntable_at_a_pole_goes_on_from_where_it_looked", () => {
  for (const yaw of [0, 0.5, 2, -3]) {
    const top = turned(turned(turnOf([0, 0, 1]), yaw, 0), 0, Math.PI);
    const [, , back] = axesOf(turned(top, 0, -Math.PI / 2));
    close(back, [Math.sin(yaw), 0, Math.cos(yaw)], 1e-6);
  }
});

test("camera_both_projections_show_the_target_plane_in_the_same_size", () => {
  for (const distance of [0.01, 1, 500]) {
    const point: Vec3 = [distance * 0.2, distance * 0.1, -distance];
    const perspective = transformPoint(projection(1.5, distance, false), point);
    const parallel = transformPoint(projection(1.5, distance, true), point);
    close(perspective.slice(0, 2), parallel.slice(0, 2));
  }
});

test("camera_a_parallel_view_sees_what_is_behind_the_eye", () => {
  const [, , depth] = transformPoint(projection(1, 2, true), [0, 0, 100]);
  assert.ok(depth > -1 && depth < 1);
});

test("camera_between_two_poses_begins_and_ends_there_the_short_way", () => {
  const a: Pose = { target: [0, 0, 0], turn: turnOf([0, 0, 1]), distance: 1 };
  const b: Pose = { target: [2, 0, 0], turn: turnOf([1, 0, 0]), distance: 100 };
  close(viewOf(between(a, b, 0)), viewOf(a));
  close(viewOf(between(a, b, 1)), viewOf(b));
  const middle = between(a, b, 0.5);
  assert.ok(Math.abs(middle.distance - 10) < 1e-9);
  const [, , back] = axesOf(middle.turn);
  assert.ok(dot(back, [Math.SQRT1_2, 0, Math.SQRT1_2]) > 1 - 1e-9);
});
