// euler.test.ts - Euler angles of every order, at the poles and beyond whole turns.
import assert from "node:assert/strict";
import { test } from "node:test";

import type { EulerOrder, Quat, Vec3 } from "../../sdk/types.js";
import { EulerMemory } from "./eulermemory";
import { axesOf, eulerFromQuat } from "./euler";

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

test("angles_forget_the_oldest", () => {
  const angles = new EulerMemory("XYZ");
  angles.say(1, [0, 2, 0]);
  for (let id = 2; id < 100; id++) angles.say(id, [0, 0, 0]);
  assert.ok(angles.of({ id: 1, r: quatFromEuler([0, 2, 0], "XYZ") })[1] < Math.PI / 2);
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

/** As the server reads `euler` and `order`. */
function quatFromEuler(angles: Vec3, order: EulerOrder): Quat {
  const turns = axesOf(order).map((axis) => turnAbout(axis, angles[axis]));
  return multiplyQuats(multiplyQuats(turns[0], turns[1]), turns[2]);
}

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
