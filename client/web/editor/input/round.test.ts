// round.test.ts - round numbers above and below.
import assert from "node:assert/strict";
import { test } from "node:test";

import { roundAbove, roundBelow } from "./round";

test("a round number is 1, 2 or 5 times a power of ten, and not below what it rounds", () => {
  const cases = [
    [1, 1],
    [1.01, 2],
    [2, 2],
    [3, 5],
    [5.5, 10],
    [10, 10],
    [17, 20],
    [0.1, 0.1],
    [0.3, 0.5],
    [0.07, 0.1],
    [6e-7, 1e-6],
    [1.2e8, 2e8],
  ];
  for (const [least, round] of cases) assert.equal(roundAbove(least), round);
});

test("a round number below another is the largest that is not above it", () => {
  const cases = [
    [1, 1],
    [0.999, 0.5],
    [2.5, 2],
    [7, 5],
    [10, 10],
    [19.98, 10],
    [0.0999, 0.05],
    [3e-6, 2e-6],
  ];
  for (const [most, round] of cases) assert.equal(roundBelow(most), round);
});
