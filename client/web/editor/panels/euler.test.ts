// euler.test.ts - Euler angles of every order, at the poles and beyond whole turns.
import assert from "node:assert/strict";
import { test } from "node:test";

import type { EulerOrder, Quat, Vec3 } from "../../sdk/types.js";
import { EulerMemory } from "./eulermemory";
import { axesOf, eulerFromQuat, quatFromEuler } from "./euler";

const ORDERS: EulerOrder[] = ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"];
const close = (a: readonly number[], b: readonly number[], within = 1e-9) =>
  a.every((value, i) => Math.abs(value - b[i]) < within);

for (const order of ORDERS) {
  test(`euler_${order}_there_and_back`, () => {
    for (const angles of [
      [0.3, -0.7, 1.1],
      [-1.2, 0.4, -0.2],
      [0, 0, 0],
      [2.5, 0.1, -3],
    ] as Vec3[]) {
      const back = eulerFromQuat(quatFromEuler(angles, order), order);
      const [there, here] = [back, angles].map((turn) =>
        rotate(quatFromEuler(turn, order), [1, 2, 3]),
      );
      assert.ok(close(there, here), `${angles}: ${back}`);
      if (Math.abs(angles["XYZ".indexOf(order[1])]) < Math.PI / 2)
        assert.ok(close(back, angles), `${angles}: ${back}`);
    }
  });

  test(`euler_${order}_at_the_pole_is_the_same_turn`, () => {
    for (const middle of [Math.PI / 2, -Math.PI / 2]) {
      const angles: Vec3 = [0.4, 0.4, 0.4];
      angles["XYZ".indexOf(order[1])] = middle;
      const q = quatFromEuler(angles, order);
      const back = eulerFromQuat(q, order);
      assert.ok(
        close(rotate(quatFromEuler(back, order), [1, 2, 3]), rotate(q, [1, 2, 3]), 1e-6),
        `${back}`,
      );
    }
  });
}

test("angles_typed_past_a_quarter_and_a_whole_turn_are_shown_as_typed", () => {
  for (const order of ORDERS) {
    const angles = new EulerMemory(order);
    for (const typed of [
      [0.2, 2, 0.4],
      [2, 0.2, 7],
      [-4, -2.5, 2],
      [0, Math.PI / 2 + 0.01, 0],
    ] as Vec3[]) {
      angles.say(1, typed);
      const shown = angles.of({ id: 1, r: quatFromEuler(typed, order) });
      assert.ok(close(shown, typed), `${order} ${typed}: ${shown}`);
    }
  }
});

test("angles_of_a_turn_that_goes_on_go_on", () => {
  const angles = new EulerMemory("XYZ");
  for (let y = 0; y < 7; y += 0.1)
    assert.ok(
      Math.abs(angles.of({ id: 1, r: quatFromEuler([0, y, 0], "XYZ") })[1] - y) < 1e-6,
      `${y}`,
    );
});

test("angles_that_were_typed_are_shown_at_the_poles_too", () => {
  const quarter = Math.PI / 2;
  for (const order of ORDERS) {
    for (const middle of [quarter, -quarter, 3 * quarter, quarter - 1e-8, quarter + 3e-9]) {
      const angles = new EulerMemory(order);
      const typed: Vec3 = [0, 0, 0];
      for (const [axis, value] of [quarter, middle, -0.3].entries()) {
        typed[axesOf(order)[axis]] = value;
        angles.say(1, typed);
        const shown = angles.of({ id: 1, r: quatFromEuler(typed, order) });
        assert.deepEqual(shown, typed, `${order} ${typed}`);
        assert.deepEqual(angles.of({ id: 1, r: quatFromEuler(typed, order) }), typed, "and stay");
        const [x, y, z, w] = quatFromEuler(typed, order);
        assert.deepEqual(angles.of({ id: 1, r: [-x, -y, -z, -w] }), typed, "the same rotation");
      }
      typed[axesOf(order)[2]] = 1.5;
      angles.say(1, typed);
      angles.of({ id: 1, r: quatFromEuler(typed, order) });
      typed[axesOf(order)[2]] = -0.3;
      assert.deepEqual(
        angles.of({ id: 1, r: quatFromEuler(typed, order) }),
        typed,
        "after an undo",
      );
    }
  }
});

test("angles_after_a_turn_by_other_means_are_the_nearest_to_those_before", () => {
  for (const order of ORDERS) {
    const [i, j, k] = axesOf(order);
    for (const middle of [0.2, Math.PI / 2, -Math.PI / 2, 2.5]) {
      const angles = new EulerMemory(order);
      const before: Vec3 = [0, 0, 0];
      [before[i], before[j], before[k]] = [7, middle, -0.4];
      angles.say(1, before);
      angles.of({ id: 1, r: quatFromEuler(before, order) });
      const turned: Vec3 = [...before];
      turned[i] += 0.2;
      const shown = angles.of({ id: 1, r: quatFromEuler(turned, order) });
      assert.ok(
        close(
          rotate(quatFromEuler(shown, order), [1, 2, 3]),
          rotate(quatFromEuler(turned, order), [1, 2, 3]),
          1e-7,
        ),
        `${order} ${shown} is the rotation`,
      );
      const apart = (one: Vec3) => Math.hypot(...one.map((angle, axis) => angle - before[axis]));
      assert.ok(apart(shown) <= apart(turned) + 1e-7, `${order} ${turned}: ${shown}`);
    }
  }
});

test("angles_of_a_refused_edit_change_nothing", () => {
  const angles = new EulerMemory("XYZ");
  assert.deepEqual(angles.of({ id: 1, r: [0, 0, 0, 1] }), [0, 0, 0]);
  angles.say(1, [7, 0, 0]);
  assert.deepEqual(angles.of({ id: 1, r: [0, 0, 0, 1] }), [0, 0, 0]);
});

test("angles_that_a_ring_turns_past_typed_ones_go_on", () => {
  const angles = new EulerMemory("XYZ");
  angles.say(1, [1, 0, 0]);
  for (let step = 0; step <= 20; step++) {
    const x = 1 + (step * Math.PI) / 10;
    const shown = angles.of({ id: 1, r: quatFromEuler([x, 0, 0], "XYZ") });
    assert.ok(Math.abs(shown[0] - x) < 1e-9, `${x}: ${shown}`);
  }
});

test("angles_of_many_nodes_are_remembered_and_the_oldest_forgotten", () => {
  const angles = new EulerMemory("XYZ");
  const at = (id: number) => angles.of({ id, r: quatFromEuler([0, 2, 0], "XYZ") })[1];
  angles.say(1, [0, 2, 0]);
  assert.equal(at(1), 2);
  for (let id = 2; id < 1000; id++) angles.say(id, [0, 0, 0]);
  assert.equal(at(1), 2);
  for (let id = 2; id < 17_000; id++) angles.say(id, [0, 0, 0]);
  assert.ok(at(1) < Math.PI / 2);
});

// The server's word for XYZ: about x, then about the new y, then about the new z.
test("euler_XYZ_turns_about_new_axes", () => {
  const quarter = Math.PI / 2;
  assert.ok(close(rotate(quatFromEuler([quarter, quarter, 0], "XYZ"), [1, 0, 0]), [0, 1, 0]));
});

function rotate([x, y, z, w]: Quat, v: Vec3): Vec3 {
  const t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])];
  return [
    v[0] + w * t[0] + y * t[2] - z * t[1],
    v[1] + w * t[1] + z * t[0] - x * t[2],
    v[2] + w * t[2] + x * t[1] - y * t[0],
  ];
}

test("euler_angles_are_read_as_the_server_reads_them", () => {
  for (const order of ORDERS) {
    const angles: Vec3 = [0.3, -0.7, 1.1];
    const turns = axesOf(order).map((axis) => turnAbout(axis, angles[axis]));
    const asServer = multiplyQuats(multiplyQuats(turns[0], turns[1]), turns[2]);
    assert.ok(close(quatFromEuler(angles, order), asServer, 1e-15), order);
  }
});

function turnAbout(axis: number, angle: number): Quat {
  const q: Quat = [0, 0, 0, Math.cos(angle / 2)];
  q[axis] = Math.sin(angle / 2);
  return q;
}

function multiplyQuats([ax, ay, az, aw]: Quat, [bx, by, bz, bw]: Quat): Quat {
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}
