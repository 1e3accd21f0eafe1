// What is drawn of a gizmo and where: the geometry is read back, as the graphics card would have
// it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { OrthographicCamera, PerspectiveCamera, Vector3 } from "three";

import { GizmoView, pixelAt } from "./gizmo.js";
import { axisOf, columns, normalOf, ringSpan, sideOf } from "./shapes.js";

const WIDTH = 800,
  HEIGHT = 600;
const WORLD = [1, 0, 0, 0, 1, 0, 0, 0, 1];
const FILL = 0,
  LINE = 1,
  DISC = 3;

function cameraAt(distance, about = [0, 0, 0]) {
  const camera = new PerspectiveCamera(45, WIDTH / HEIGHT, 0.01, 1e6);
  camera.position.set(about[0], about[1], about[2] + distance);
  camera.updateWorldMatrix(true, false);
  return camera;
}

function draw(gizmo, camera = cameraAt(10)) {
  const view = new GizmoView();
  view.picture = { width: WIDTH, height: HEIGHT };
  view.show(
    gizmo && {
      mode: "translate",
      space: "world",
      origin: [0, 0, 0],
      axes: WORLD,
      size: 1,
      handles: [],
      ...gizmo,
    },
  );
  view.update(camera);
  return view;
}

/** What was drawn: kind, and both ends in parts of an axis. */
function strokes(view) {
  const [ink] = view.children;
  const { position, other, shape } = ink.geometry.attributes;
  const list = [];
  for (let i = 0; ink.visible && i < 4 * (ink.geometry.drawRange.count / 6); i++) {
    const at = (attribute) => [attribute.getX(i), attribute.getY(i), attribute.getZ(i)];
    list.push({ kind: shape.getX(i), from: at(position), to: at(other) });
  }
  return list;
}

const ends = (view, kind) =>
  strokes(view)
    .filter((stroke) => stroke.kind === kind)
    .map(({ to }) => to);
const farthest = (view, axis) => Math.max(...strokes(view).map(({ from }) => from[axis]));
const near = (a, b, within = 1e-5) => a.every((value, i) => Math.abs(value - b[i]) <= within);

/** Where a place of the gizmo is on the screen, in pixels. */
function pixelOf(view, camera, place) {
  const { x, y } = new Vector3(...place).applyMatrix4(view.matrixWorld).project(camera);
  return [((x + 1) / 2) * WIDTH, ((1 - y) / 2) * HEIGHT];
}

for (const distance of [0.05, 3, 40, 5000]) {
  test(`gizmo_axis_has_96_px_from_${distance}_m`, () => {
    const camera = cameraAt(distance);
    const view = draw({ handles: ["tx"] }, camera);
    assert.ok(Math.abs(farthest(view, 0) - 1) < 1e-6);
    const [from, to] = [
      [0, 0, 0],
      [1, 0, 0],
    ].map((place) => pixelOf(view, camera, place));
    assert.ok(Math.abs(to[0] - from[0] - 96) < 1e-6);
  });
}

test("gizmo_axis_has_96_px_where_lines_of_sight_are_parallel", () => {
  const camera = new OrthographicCamera(-4, 4, 3, -3, 0.1, 100);
  camera.position.set(1, 2, 10);
  camera.updateWorldMatrix(true, false);
  const view = draw({ handles: ["ty"] }, camera);
  assert.ok(Math.abs(view.scale.x - (96 * 6) / HEIGHT) < 1e-12);
});

test("gizmo_far_from_the_origin_of_the_world_has_the_same_strokes", () => {
  const about = [3e7, -2e7, 1e7];
  const here = draw({ handles: ["tx", "ry", "sz"] });
  const there = draw({ handles: ["tx", "ry", "sz"], origin: about }, cameraAt(10, about));
  strokes(there).forEach(({ from, to }, i) => {
    assert.ok(near(from, strokes(here)[i].from) && near(to, strokes(here)[i].to));
  });
});

test("gizmo_is_not_drawn_behind_the_eye_nor_where_there_is_none", () => {
  assert.deepEqual(strokes(draw({ handles: ["tx"], origin: [0, 0, 20] })), []);
  assert.deepEqual(strokes(draw(null)), []);
});

test("gizmo_size_can_be_what_the_server_told", () => {
  const view = new GizmoView();
  view.sizePx = 0;
  view.show({
    mode: "translate",
    space: "world",
    origin: [0, 0, 0],
    axes: WORLD,
    size: 0.37,
    handles: ["tx"],
  });
  view.update(cameraAt(10));
  assert.equal(view.scale.x, 0.37);
});

test("gizmo_draws_the_handles_that_are_told_and_no_others", () => {
  const one = draw({ handles: ["ty"] });
  assert.ok(farthest(one, 1) > 0.99 && farthest(one, 0) < 0.1);
});

test("gizmo_draws_the_dragged_handle_though_the_mode_has_another", () => {
  const view = draw({
    mode: "rotate",
    handles: ["rx"],
    active: "ty",
    value: [0],
    start: [0, 0, 0],
  });
  assert.ok(ends(view, FILL).some((place) => near(place, [0, 1, 0])));
});

test("gizmo_handles_have_the_axes_of_their_kind", () => {
  const turned = {
    turn_axes: [0, 1, 0, 0, 0, 1, 1, 0, 0],
    scale_axes: [0, 0, 1, 1, 0, 0, 0, 1, 0],
  };
  const boxes = draw({ mode: "universal", handles: ["sx"], ...turned });
  assert.ok(
    farthest(boxes, 2) > 1.1 && farthest(boxes, 0) < 0.1,
    "the box of sx is on its own x, which is the world's z",
  );
  const arrow = draw({ mode: "universal", handles: ["tx"], ...turned });
  assert.ok(farthest(arrow, 0) > 0.99);
  const ring = draw({ mode: "universal", handles: ["rx"], ...turned });
  assert.ok(
    strokes(ring).every(({ from }) => Math.abs(from[1]) < 1e-6),
    "the ring rx is about the world's y",
  );
});

test("gizmo_ring_shows_the_half_that_faces_the_viewer", () => {
  const camera = cameraAt(10);
  camera.position.set(10, 0, 0);
  camera.lookAt(0, 0, 0);
  camera.updateWorldMatrix(true, false);
  const places = ends(draw({ mode: "rotate", handles: ["ry"] }, camera), LINE);
  assert.ok(places.every(([x]) => x > -0.03) && places.some(([x]) => x > 0.99));
  const whole = ends(draw({ mode: "rotate", handles: ["rx"] }, camera), LINE);
  assert.ok(
    whole.some(([, y]) => y > 0.99) && whole.some(([, y]) => y < -0.99),
    "seen along its axis it is whole",
  );
});

test("gizmo_box_of_a_dragged_scale_goes_with_the_factor", () => {
  const still = draw({ mode: "scale", handles: ["sx"] });
  const dragged = draw({ mode: "scale", handles: ["sx"], active: "sx", value: [-2] });
  assert.ok(Math.abs(farthest(still, 0) - 1) < 0.01);
  const solid = ends(dragged, FILL).map(([x]) => x);
  assert.ok(Math.min(...solid) < -1.9 && Math.max(...solid) < -1.8);
});

test("gizmo_bounds_are_where_they_are_told", () => {
  const camera = cameraAt(10);
  const view = draw(
    {
      mode: "bounds",
      handles: ["bxp", "bnpp"],
      origin: [1, 1, 1],
      box: [1, 1, 1, 0.5, 0, 0, 0, 0.25, 0, 0, 0, 2],
    },
    camera,
  );
  const size = 96 * pixelAt(camera, [1, 1, 1], HEIGHT);
  const squares = strokes(view)
    .filter(({ kind }) => kind === 2)
    .map(({ from }) => from);
  assert.ok(squares.some((place) => near(place, [0.5 / size, 0, 0])));
  assert.ok(squares.some((place) => near(place, [-0.5 / size, 0.25 / size, 2 / size])));
  assert.equal(ends(view, LINE).length / 4, 12, "the edges of the box");
});

test("gizmo_guides_go_from_the_start_of_the_drag_to_where_it_is", () => {
  const view = draw({
    handles: ["tx"],
    active: "tx",
    origin: [3, 0, 0],
    start: [1, 0, 0],
    value: [2],
  });
  const start = [-2 / view.scale.x, 0, 0];
  assert.ok(
    strokes(view).some(
      ({ kind, from, to }) => kind === LINE && near(from, start) && near(to, [0, 0, 0]),
    ),
  );
  assert.ok(
    ends(view, DISC).some((place) => near(place, start)),
    "a ghost where it was",
  );
});

test("gizmo_guides_turn_the_arm_by_the_value", () => {
  for (const [value, end] of [
    [Math.PI / 2, [0, 0, -1]],
    [-Math.PI / 2, [0, 0, 1]],
    [4.5 * Math.PI, [0, 0, -1]],
  ]) {
    const view = draw({
      mode: "rotate",
      handles: ["ry"],
      active: "ry",
      value: [value],
      start: [0, 0, 0],
      arm: [1, 0, 0],
      axis: [0, 1, 0],
    });
    assert.ok(
      ends(view, DISC).some((place) => near(place, end)),
      `a turn by ${value} ends at ${end}`,
    );
  }
});

test("gizmo_grows_with_what_is_to_be_drawn", () => {
  const handles = [
    "rx",
    "ry",
    "rz",
    "rv",
    "rb",
    "tx",
    "ty",
    "tz",
    "txy",
    "tyz",
    "tzx",
    "tv",
    "sx",
    "sy",
    "sz",
    "su",
  ];
  const all = draw({ mode: "universal", handles });
  const count = strokes(all).length;
  assert.ok(count > 4 * 512, "more than it begins with");
  assert.ok(strokes(all).every(({ from }) => from.every(Number.isFinite)));
  all.update(cameraAt(10));
  assert.equal(strokes(all).length, count);
});

test("gizmo_colours_can_be_others_and_what_is_dragged_leaves_the_rest_pale", () => {
  const view = draw({ handles: ["tx", "ty"], active: "ty", value: [0] });
  view.setColours({ x: "#ff0000", highlight: "#0000ff" });
  view.update(cameraAt(10));
  const { position, tint } = view.children[0].geometry.attributes;
  const tipOf = (axis) => {
    const count = 4 * (view.children[0].geometry.drawRange.count / 6);
    for (let i = 0; i < count; i++) {
      if (Math.abs(position.getComponent(i, axis) - 1) < 1e-6)
        return [tint.getX(i), tint.getY(i), tint.getZ(i), tint.getW(i)];
    }
  };
  const [red, , blueOfX, pale] = tipOf(0),
    [redOfY, , blue, whole] = tipOf(1);
  assert.ok(red > 0.5 && blueOfX === 0 && pale < 0.3);
  assert.ok(blue > 0.5 && redOfY === 0 && whole === 1);
});

test("gizmo_is_not_hit_by_the_rays_of_an_application", () => {
  const hits = [];
  draw({ handles: ["tx"] }).children[0].raycast({}, hits);
  assert.deepEqual(hits, []);
});

test("shapes_handles_are_taken_apart", () => {
  const cases = [
    ["tx", 0, [0, 0, 0]],
    ["tzx", 2, [0, 0, 0]],
    ["ry", 1, [0, 0, 0]],
    ["rv", -1, [0, 0, 0]],
    ["su", -1, [0, 0, 0]],
    ["bxn", 0, [-1, 0, 0]],
    ["bzp", 2, [0, 0, 1]],
    ["bnpp", -1, [-1, 1, 1]],
  ];
  for (const [handle, axis, side] of cases) {
    assert.equal(axisOf(handle), axis, handle);
    if (handle[0] === "b")
      assert.deepEqual(
        sideOf(handle).map((value) => value + 0),
        side,
        handle,
      );
  }
  assert.deepEqual(["txy", "tyz", "tzx"].map(normalOf), [2, 0, 1]);
  assert.deepEqual(columns(WORLD), [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ]);
});

test("shapes_ring_seen_at_an_angle_shows_a_little_more_than_half", () => {
  const [from, to] = ringSpan([0, 0.6, 0.8], [1, 0, 0], [0, 1, 0]);
  assert.ok(Math.abs((from + to) / 2 - Math.PI / 2) < 1e-12);
  assert.ok(to - from > Math.PI && to - from < 1.05 * Math.PI);
});
