// Which part of the timeline is seen.
import assert from "node:assert/strict";
import { test } from "node:test";

import { makeAxis } from "./axis";
import { makeBars } from "./bars";
import { PAD_PX, Zoom } from "./zoom";

function zoomOf(length: number, width = 1000, longest = 0): Zoom {
  const zoom = new Zoom(() => ({ length, longest }));
  zoom.width.value = width;
  return zoom;
}

test("zoom_begins_with_all_where_there_is_room", () => {
  const zoom = zoomOf(10);
  assert.equal(zoom.xOf(0), PAD_PX);
  assert.equal(zoom.xOf(10), 1000 - PAD_PX);
});

test("zoom_no_bar_takes_more_than_an_eighth_of_the_track_until_somebody_zooms", () => {
  for (const seconds of [[0.4], [4], [0.5, 0.7, 0.6], [3600], [60, 0.2]]) {
    const ends = seconds.map((_, i) => 100 + 5000 * i);
    const axis = makeAxis(
      seconds.map((lasts, i) => ({
        id: i + 1,
        by: 1,
        user: "Ada",
        kind: "translate",
        nodes: [1],
        seq: i + 1,
        began: ends[i] - lasts,
        ended: ends[i],
      })),
    );
    for (const width of [300, 1000]) {
      const zoom = zoomOf(axis.length, width, axis.longest);
      const window = () => ({
        unitPx: zoom.unitPx.value,
        width,
        xOf: (u: number) => zoom.xOf(u),
        placeAt: (x: number) => zoom.placeAt(x),
      });
      for (const fit of [false, true]) {
        if (fit) zoom.fitAll();
        const bars = makeBars(axis, window());
        assert.equal(bars.length, seconds.length);
        for (const bar of bars)
          assert.ok(
            bar.width <= width / 8 + 1e-9 && bar.x >= 0,
            `${seconds} on ${width}: ${bar.width}`,
          );
        assert.ok(
          Math.abs(zoom.xOf(axis.length) - (width - PAD_PX)) < 1e-6,
          "now is at the right end",
        );
      }
      zoom.zoomBy(2);
      assert.ok(Math.max(...makeBars(axis, window()).map((bar) => bar.width)) > width / 8);
    }
  }
});

test("zoom_begins_with_the_newest_where_there_is_not", () => {
  const zoom = zoomOf(5000);
  assert.equal(zoom.xOf(5000), 1000 - PAD_PX);
  assert.ok(zoom.xOf(0) < 0);
});

test("zoom_keeps_what_is_under_the_pointer", () => {
  const zoom = zoomOf(500);
  zoom.scrollBy(-3000);
  const place = zoom.placeAt(300);
  for (const factor of [1.5, 3, 0.8]) {
    zoom.zoomBy(factor, 300);
    assert.ok(Math.abs(zoom.placeAt(300) - place) < 1e-9);
  }
});

test("zoom_never_leaves_the_axis", () => {
  const zoom = zoomOf(500);
  zoom.scrollBy(1e9);
  assert.equal(zoom.left.value, zoom.leftMax());
  zoom.scrollBy(-1e9);
  assert.equal(zoom.left.value, 0);
  for (let i = 0; i < 100; i++) zoom.zoomBy(0.5);
  assert.ok(Math.abs(zoom.xOf(500) - (1000 - PAD_PX)) < 1e-6);
});

test("zoom_at_the_end_stays_there_as_edits_come", () => {
  let length = 500;
  const zoom = new Zoom(() => ({ length, longest: 0 }));
  zoom.width.value = 1000;
  zoom.zoomBy(2, 990);
  zoom.scrollBy(1e9);
  length = 501;
  zoom.width.value = 1000.5;
  assert.ok(Math.abs(zoom.xOf(501) - (1000.5 - PAD_PX)) < 1e-6);
});

test("zoom_reveals_a_place_with_some_room_beside_it", () => {
  const zoom = zoomOf(500);
  for (const place of [3, 480, 120]) {
    zoom.reveal(place);
    assert.ok(zoom.xOf(place) >= 0 && zoom.xOf(place) <= 1000);
  }
});
