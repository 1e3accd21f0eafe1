// How finely the view is drawn.
import assert from "node:assert/strict";
import { test } from "node:test";

import { AdaptiveResolution } from "./resolution";

const draw = (pace: AdaptiveResolution, pictures: number, ms: number): void => {
  for (let i = 0; i < pictures; i++) pace.drawn(ms);
};

test("resolution_begins_with_all", () => assert.equal(new AdaptiveResolution(2, 2).moving, 2));

test("resolution_one_slow_picture_changes_nothing", () => {
  const pace = new AdaptiveResolution(2, 2);
  draw(pace, 1, 400);
  draw(pace, 1, 10);
  draw(pace, 2, 400);
  assert.equal(pace.moving, 2);
});

test("resolution_slow_pictures_become_coarser_down_to_half", () => {
  const pace = new AdaptiveResolution(2, 2);
  draw(pace, 3, 100);
  assert.equal(pace.moving, 1.5);
  draw(pace, 300, 100);
  assert.equal(pace.moving, 1);
});

test("resolution_fast_pictures_become_finer_again", () => {
  const pace = new AdaptiveResolution(2, 2);
  draw(pace, 6, 100);
  draw(pace, 120, 10);
  assert.equal(pace.moving, 2);
});

test("resolution_neither_slow_nor_fast_stays", () => {
  const pace = new AdaptiveResolution(2, 2);
  draw(pace, 3, 100);
  draw(pace, 500, 30);
  assert.equal(pace.moving, 1.5);
});
