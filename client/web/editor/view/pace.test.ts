// How finely the view is drawn.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Pace } from "./pace";

const draw = (pace: Pace, pictures: number, ms: number): void => {
  for (let i = 0; i < pictures; i++) pace.drawn(ms);
};

test("pace_begins_with_all", () => assert.equal(new Pace(2, 2).moving, 2));

test("pace_one_slow_picture_changes_nothing", () => {
  const pace = new Pace(2, 2);
  draw(pace, 1, 400);
  draw(pace, 1, 10);
  draw(pace, 2, 400);
  assert.equal(pace.moving, 2);
});

test("pace_slow_pictures_become_coarser_down_to_half", () => {
  const pace = new Pace(2, 2);
  draw(pace, 3, 100);
  assert.equal(pace.moving, 1.5);
  draw(pace, 300, 100);
  assert.equal(pace.moving, 1);
});

test("pace_fast_pictures_become_finer_again", () => {
  const pace = new Pace(2, 2);
  draw(pace, 6, 100);
  draw(pace, 120, 10);
  assert.equal(pace.moving, 2);
});

test("pace_neither_slow_nor_fast_stays", () => {
  const pace = new Pace(2, 2);
  draw(pace, 3, 100);
  draw(pace, 500, 30);
  assert.equal(pace.moving, 1.5);
});
