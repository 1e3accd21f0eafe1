// labellayout.test.ts - labels are moved apart and stay in the view.
import assert from "node:assert/strict";
import { test } from "node:test";

import { type Label, layOutLabels, topOf } from "./labellayout";

const label = (x: number, y: number, lines = 0): Label => ({
  x,
  y,
  width: 40,
  height: 16,
  lines,
  crowded: false,
});

test("labels_that_are_apart_stay_where_they_are", () => {
  const labels = [label(0, 0), label(100, 0), label(0, 40)];
  layOutLabels(labels);
  assert.deepEqual(
    labels.map(({ lines }) => lines),
    [0, 0, 0],
  );
});

test("labels_on_each_other_the_first_stays_and_none_overlaps_another", () => {
  const labels = [label(0, 0), label(5, 3), label(10, -4), label(15, 1)];
  layOutLabels(labels);
  assert.equal(labels[0].lines, 0);
  const tops = labels.map((one) => topOf(one)).sort((a, b) => a - b);
  for (let i = 1; i < tops.length; i++) assert.ok(tops[i] - tops[i - 1] >= 16, tops.join());
});

test("labels_one_goes_back_only_once_there_is_good_room", () => {
  const place = (y: number) => {
    const labels = [label(0, 0), label(0, y, 1)];
    layOutLabels(labels);
    return labels[1].lines;
  };
  assert.equal(place(10), 1, "on the other one");
  assert.equal(place(19), 1, "free, but only just");
  assert.equal(place(24), 0);
});

test("labels_one_keeps_off_what_is_taken", () => {
  const labels = [label(0, 0)];
  layOutLabels(labels, [{ x: -10, y: -2, width: 26, height: 26 }]);
  assert.ok(topOf(labels[0]) >= 24 || topOf(labels[0]) + 16 <= -2);
});

test("labels_where_there_is_no_room_a_label_is_crowded_and_takes_none_from_others", () => {
  const labels = Array.from({ length: 9 }, () => label(0, 0));
  layOutLabels(labels);
  assert.deepEqual(
    labels.map(({ crowded }) => crowded),
    [...Array(7).fill(false), true, true],
  );
});

test("labels_moves_no_label_beyond_the_view", () => {
  const labels = [label(0, 0), label(5, 0), label(10, 0)];
  layOutLabels(labels, [], 60);
  for (const one of labels)
    assert.ok(topOf(one) >= 0 && topOf(one) + one.height <= 60, `${topOf(one)}`);
});
