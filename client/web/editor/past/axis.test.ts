// Where edits stand on the timeline, and which moment a place of it is.
import assert from "node:assert/strict";
import { test } from "node:test";

import type { Edit } from "../../sdk/types.js";
import {
  LANES_MAX,
  lastAtMost,
  makeAxis,
  placeOf,
  placeOfTime,
  momentAfter,
  momentAt,
} from "./axis";

/** Edits of [began, ended], with ids and seqs in their order. */
const edits = (...spans: [number, number][]): Edit[] =>
  spans.map(([began, ended], i) => ({
    id: i + 1,
    by: 1,
    user: "Ada",
    kind: "translate",
    nodes: [1],
    seq: 10 * (i + 1),
    began,
    ended,
  }));

test("axis_no_edits_is_now_alone", () => {
  const axis = makeAxis([]);
  assert.equal(axis.marks.length, 0);
  assert.equal(momentAt(axis, 0, 0), null);
});

test("axis_a_drag_takes_room_by_the_logarithm_of_its_seconds", () => {
  for (const [seconds, units] of [
    [1, 1],
    [3, 2],
    [63, 6],
  ]) {
    const [{ from, to }] = makeAxis(edits([100, 100 + seconds])).marks;
    assert.equal(to - from, units);
  }
});

test("axis_gap_of_a_day_takes_little_more_than_of_an_hour", () => {
  const gap = (seconds: number) => {
    const [a, b] = makeAxis(edits([100, 101], [101 + seconds, 102 + seconds])).marks;
    return b.from - a.to;
  };
  assert.ok(gap(86_400) < 1.5 * gap(3600));
  assert.ok(gap(86_400) > gap(3600));
});

test("axis_edits_at_the_same_time_stand_apart_in_their_order", () => {
  const { marks } = makeAxis(edits([100, 100], [100, 100], [100, 100]));
  for (let i = 1; i < marks.length; i++) assert.ok(marks[i].to - marks[i - 1].to >= 0.5);
});

test("axis_overlapping_drags_are_in_lanes_of_their_own", () => {
  const { marks, lanes } = makeAxis(edits([100, 110], [102, 112], [111, 113]));
  assert.deepEqual(
    marks.map(({ lane }) => lane),
    [0, 1, 0],
  );
  assert.equal(lanes, 2);
});

test("axis_more_overlaps_than_lanes_share_them", () => {
  const { lanes } = makeAxis(
    edits(...Array.from({ length: 20 }, (_, i): [number, number] => [100 + i / 10, 200 + i])),
  );
  assert.equal(lanes, LANES_MAX);
});

test("axis_places_and_times_ascend_together", () => {
  const axis = makeAxis(
    edits([100, 104], [101, 103.9], [500, 500], [9000, 9060], [9001, 9100]).sort(
      (a, b) => a.ended - b.ended,
    ),
  );
  let before = -1;
  for (let time = 100; time <= 9100; time += 0.5) {
    const place = placeOfTime(axis, time);
    assert.ok(place >= before, `${time}`);
    before = place;
  }
  assert.ok(before < axis.length);
});

test("axis_spot_inside_of_a_drag_is_its_time", () => {
  const axis = makeAxis(edits([100, 104]));
  assert.deepEqual(momentAt(axis, axis.marks[0].to / 4, 0.1), { time: 101 });
});

test("axis_spot_near_an_end_is_what_the_edit_left", () => {
  const all = edits([100, 104], [200, 201]);
  const axis = makeAxis(all);
  assert.deepEqual(momentAt(axis, axis.marks[0].to - 0.05, 0.1), momentAfter(all[0]));
  assert.deepEqual(momentAt(axis, axis.marks[0].to + 0.05, 0.1), momentAfter(all[0]));
});

test("axis_spot_in_a_gap_is_what_the_edit_before_left", () => {
  const all = edits([100, 101], [9000, 9001]);
  const axis = makeAxis(all);
  const middle = (axis.marks[0].to + axis.marks[1].from) / 2;
  assert.deepEqual(momentAt(axis, middle, 0.01), momentAfter(all[0]));
});

test("axis_spot_at_the_right_end_is_now", () => {
  const axis = makeAxis(edits([100, 101]));
  assert.equal(momentAt(axis, axis.length, 0.1), null);
  assert.equal(momentAt(axis, axis.length + 50, 0.1), null);
});

test("axis_spot_and_place_are_each_other's_way_back", () => {
  const all = edits([100, 104], [104.2, 104.2], [104.2, 104.2], [300, 350]);
  const axis = makeAxis(all);
  for (const { edit, to } of axis.marks) {
    assert.equal(placeOf(axis, momentAfter(edit)), to);
    assert.deepEqual(momentAt(axis, to, 0), momentAfter(edit));
  }
  for (const time of [101, 103.5, 303, 349])
    assert.ok(Math.abs((momentAt(axis, placeOf(axis, { time }), 0)?.time ?? 0) - time) < 1e-6);
});

test("axis_edit_that_is_not_shown_is_placed_by_its_time", () => {
  const all = edits([100, 101], [200, 201], [300, 301]);
  const axis = makeAxis([all[0], all[2]]);
  const place = placeOf(axis, momentAfter(all[1]));
  assert.ok(place > axis.marks[0].to && place < axis.marks[1].from);
});

test("axis_clock_that_went_back_breaks_nothing", () => {
  const axis = makeAxis(edits([100, 104], [90, 103], [110, 109]));
  for (const { from, to } of axis.marks) assert.ok(from <= to && to <= axis.length);
  for (let u = 0; u < axis.length; u += 0.1)
    assert.ok(Number.isFinite(momentAt(axis, u, 0.05)?.time ?? 0));
});

test("axis_last_at_most_finds_the_last_of_equals", () => {
  const list = [1, 2, 2, 5];
  for (const [value, index] of [
    [0, -1],
    [1, 0],
    [2, 2],
    [4, 2],
    [5, 3],
    [9, 3],
  ])
    assert.equal(
      lastAtMost(list, value, (item) => item),
      index,
    );
});
