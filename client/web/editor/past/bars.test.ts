// What of the timeline is drawn.
import assert from "node:assert/strict";
import { test } from "node:test";

import type { Edit } from "../../sdk/types.js";
import { makeAxis } from "./axis";
import { makeBars, makeLabels } from "./bars";

const many = (count: number, lasts = 0, every = 1): Edit[] =>
  Array.from({ length: count }, (_, i) => ({
    id: i + 1,
    by: 1,
    user: "Ada",
    kind: "set",
    nodes: [1],
    seq: i + 1,
    began: 1000 + i * every,
    ended: 1000 + i * every + lasts,
  }));
const window = (unitPx: number, width: number, left = 0) => ({
  unitPx,
  width,
  xOf: (u: number) => u * unitPx - left,
  placeAt: (x: number) => (x + left) / unitPx,
});

test("bars_no_bar_covers_another_at_any_zoom", () => {
  const axis = makeAxis([
    ...many(60, 0.05, 0.3),
    ...many(40, 2.5, 1).map((edit) => ({
      ...edit,
      id: edit.id + 60,
      seq: edit.seq + 60,
      began: edit.began + 30,
      ended: edit.ended + 30,
    })),
  ]);
  for (const unitPx of [2, 14, 60, 400]) {
    const lanes: number[] = [];
    for (const { x, width, lane } of makeBars(axis, window(unitPx, 1e6))) {
      assert.ok(width > 0 && x >= (lanes[lane] ?? -Infinity), `${unitPx}: ${x}`);
      lanes[lane] = x + width;
    }
  }
});

test("bars_every_edit_is_in_one_bar", () => {
  const axis = makeAxis(many(500, 0, 0.01));
  for (const unitPx of [1, 5, 50])
    assert.equal(
      makeBars(axis, window(unitPx, 1e6, -50)).reduce((sum, { count }) => sum + count, 0),
      500,
    );
});

test("bars_far_out_there_are_no_more_bars_than_have_room", () => {
  assert.ok(makeBars(makeAxis(many(6000)), window(0.2, 1000)).length <= 1000 / 5);
});

test("bars_only_what_is_seen_is_drawn", () => {
  const axis = makeAxis(many(6000));
  const bars = makeBars(axis, window(50, 1000, 10_000));
  assert.ok(bars.length < 60 && bars.length > 5);
  for (const { x, width } of bars) assert.ok(x < 1000 && x + width > 0);
});

test("bars_a_long_drag_that_ends_beyond_the_window_is_seen", () => {
  const [edit] = many(1, 60);
  assert.equal(makeBars(makeAxis([edit]), window(400, 100, 500)).length, 1);
});

test("bars_labels_do_not_run_into_each_other", () => {
  const labels = makeLabels(makeAxis(many(300, 0, 3600)), window(20, 2000), 1e6);
  assert.ok(labels.length > 5);
  for (let i = 1; i < labels.length; i++) assert.ok(labels[i].x - labels[i - 1].x >= 70);
});

test("bars_a_second_is_told_once", () => {
  const texts = makeLabels(makeAxis(many(300, 0, 0.01)), window(20, 4000), 1e6).map(
    ({ text }) => text,
  );
  assert.equal(new Set(texts).size, texts.length);
  assert.ok(texts.length >= 3);
});
