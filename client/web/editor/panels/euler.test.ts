import assert from "node:assert/strict";
import { test } from "node:test";

import type { EulerOrder, Quat, Vec3 } from "../../sdk/types.js";
import { eulerFromQuat, quatFromEuler, sameTurn } from "./euler";

const ORDERS: EulerOrder[] = ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"];
const close = (a: readonly number[], b: readonly number[], within = 1e-9) => a.every((value, i) => Math.abs(value - b[i]) < within);

for (const order of ORDERS) {
  test(`euler_${order}_there_and_back`, () => {
    for (const angles of [[0.3, -0.7, 1.1], [-1.2, 0.4, -0.2], [0, 0, 0], [2.5, 0.1, -3]] as Vec3[]) {
      const back = eulerFromQuat(quatFromEuler(angles, order), order);
      assert.ok(sameTurn(quatFromEuler(back, order), quatFromEuler(angles, order)), `${angles}: ${back}`);
      if (Math.abs(angles["XYZ".indexOf(order[1])]) < Math.PI / 2) assert.ok(close(back, angles), `${angles}: ${back}`);
    }
  });

  test(`euler_${order}_at_the_pole_is_the_same_turn`, () => {
    for (const middle of [Math.PI / 2, -Math.PI / 2]) {
      const angles: Vec3 = [0.4, 0.4, 0.4];
      angles["XYZ".indexOf(order[1])] = middle;
      const q = quatFromEuler(angles, order);
      const back = eulerFromQuat(q, order);
      assert.ok(close(rotate(quatFromEuler(back, order), [1, 2, 3]), rotate(q, [1, 2, 3]), 1e-6), `${back}`);
    }
  });
}

// The server's word for XYZ: about x, then about the new y, then about the new z.
test("euler_XYZ_turns_about_new_axes", () => {
  const quarter = Math.PI / 2;
  assert.ok(close(rotate(quatFromEuler([quarter, quarter, 0], "XYZ"), [1, 0, 0]), [0, 1, 0]));
});

function rotate([x, y, z, w]: Quat, v: Vec3): Vec3 {
  const t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])];
  return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]];
}
