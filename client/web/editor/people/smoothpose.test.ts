// smoothpose.test.ts - another person's pose approaches the latest one and rests there.
import assert from "node:assert/strict";
import { test } from "node:test";

import type { Person } from "../../sdk/types.js";
import { SmoothPose } from "./smoothpose";

const TENTH_S = 0.1;
const at = (x: number, more: Partial<Person> = {}): Person => ({
  session: 1,
  user: "Bob",
  colour: "#05893e",
  role: "editor",
  me: false,
  view: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -x, 0, 0, 1],
  ...more,
});

test("smoothpose_begins_at_the_first_pose_then_glides_and_rests_exactly_at_the_last", () => {
  const track = new SmoothPose(at(1));
  assert.equal(track.eye.at.x, 1);
  track.aim(at(2), 0);
  assert.ok(track.advance(0.016));
  assert.ok(track.eye.at.x > 1 && track.eye.at.x < 2);
  let frames = 0;
  while (track.advance(TENTH_S)) assert.ok(++frames < 20, "it does not come to rest");
  assert.equal(track.eye.at.x, 2);
  assert.equal(track.advance(TENTH_S), false);
});

test("smoothpose_a_ray_that_ends_where_it_ended_lets_the_view_rest", () => {
  const track = new SmoothPose(at(0, { ray: [0, 0, 0, 0, 0, -1] }));
  for (let i = 0; i < 20; i++) {
    track.point(5);
    track.advance(TENTH_S);
  }
  track.point(5);
  assert.equal(track.advance(TENTH_S), false);
  assert.equal(track.tip.at.z, -5);
});

test("smoothpose_a_ray_ends_where_the_server_said_once_it_did", () => {
  const track = new SmoothPose(at(0, { ray: [0, 0, 0, 0, 0, -1] }));
  assert.ok(track.asks);
  track.reach = 2;
  track.point(5);
  assert.equal(track.tip.goal.z, -2);
});

test("smoothpose_a_pointer_that_is_told_again_as_it_was_has_not_moved", () => {
  const track = new SmoothPose(at(0, { ray: [0, 0, 0, 0, 0, -1] }));
  track.asks = false;
  track.aim(at(3, { ray: [0, 0, 0, 0, 0, -1] }), 1000);
  assert.deepEqual([track.asks, track.pointedAt], [false, -Infinity]);
  track.aim(at(3, { ray: [1, 0, 0, 0, 0, -1] }), 1000);
  assert.deepEqual([track.asks, track.pointedAt], [true, 1000]);
});
