// Which part of the timeline is seen.
import assert from "node:assert/strict";
import { test } from "node:test";

import { PAD_PX, Zoom } from "./zoom";

function zoomOf(length: number, width = 1000): Zoom {
  const zoom = new Zoom(() => length);
  zoom.width.value = width;
  return zoom;
}

test("zoom_begins_with_all_where_there_is_room", () => {
  const zoom = zoomOf(10);
  assert.equal(zoom.xOf(0), PAD_PX);
  assert.equal(zoom.xOf(10), 1000 - PAD_PX);
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
  const zoom = new Zoom(() => length);
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
