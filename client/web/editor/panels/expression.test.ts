// expression.test.ts - arithmetic and units, and the format of numbers.
import assert from "node:assert/strict";
import { test } from "node:test";

import { compact, evaluate, shown } from "./expression";
import type { Quantity } from "../units";

const DEGREE = Math.PI / 180;

const VALUES: [text: string, quantity: Quantity, value: number | null][] = [
  ["2", "length", 2],
  ["  -2.5 ", "length", -2.5],
  ["\u22122", "length", -2],
  [".5", "length", 0.5],
  ["1,5", "length", 1.5],
  ["1e-3", "length", 0.001],
  ["1.5+0.2", "length", 1.7],
  ["2-3*4", "length", -10],
  ["(2-3)*4", "length", -4],
  ["--2", "length", 2],
  ["30mm", "length", 0.03],
  ["1 + 30mm", "length", 1.03],
  ["30mm + 1", "length", 1.03],
  ["3*10cm", "length", 0.3],
  ["(1+2) cm", "length", 0.03],
  ["1/4 in", "length", 0.00635],
  ["1m/4", "length", 0.25],
  ["90", "angle", 90 * DEGREE],
  ["90°", "angle", 90 * DEGREE],
  ["1/8 turn", "angle", 45 * DEGREE],
  ["1rad + 90", "angle", 1 + 90 * DEGREE],
  ["150%", "factor", 1.5],
  ["1/3", "factor", 1 / 3],
  ["", "length", null],
  ["two", "length", null],
  ["2+", "length", null],
  ["(2", "length", null],
  ["2)", "length", null],
  ["2 3", "length", null],
  ["1/0", "length", null],
  ["2m*3m", "length", null],
  ["1m 2", "length", null],
  ["3m m", "length", null],
  ["3kg", "length", null],
  ["3m", "angle", null],
  ["2;3", "length", null],
];

for (const [text, quantity, value] of VALUES) {
  test(`expression_reads_${quantity}_${text}`, () => {
    const found = evaluate(text, quantity);
    if (value === null || found === null) assert.equal(found, value);
    else assert.ok(Math.abs(found - value) < 1e-12, `${found}`);
  });
}

const SHOWN: [value: number, quantity: Quantity, text: string][] = [
  [0, "length", "0"],
  [-0, "length", "0"],
  [1e-17, "length", "0"],
  [0.1 + 0.2, "length", "0.3"],
  [-12.5, "length", "-12.5"],
  [0.00125, "length", "0.00125"],
  [1234567, "length", "1234567"],
  [2.5e-6, "length", "2.5e-6"],
  [6400000.199, "length", "6400000.199"],
  [1005.99123, "length", "1005.991"],
  [3e12, "length", "3e12"],
  [-126.935463, "length", "-126.935"],
  [Math.PI, "angle", "180"],
  [-6.3e-11, "angle", "0"],
  [-Math.PI / 7, "angle", "-25.714"],
  [100, "factor", "100"],
];

for (const [value, quantity, text] of SHOWN) {
  test(`expression_shows_${quantity}_${value}_as_${text}`, () =>
    assert.equal(shown(value, quantity), text));
}

test("expression_reads_what_it_shows", () => {
  for (const value of [0.123456, 98.7654, -1e-7, 5e10]) {
    const read = evaluate(shown(value, "length"), "length") ?? NaN;
    assert.ok(Math.abs(read - value) <= 1e-4 * Math.abs(value), `${value}: ${read}`);
  }
});

test("expression_shows_a_number_in_as_many_characters_as_there_are", () => {
  const numbers = [
    -205667.123, 1234.56789, 0.000123456, -0.123456789, 123456789, -123456789, 1.2346e-6,
    -1.2346e-6, 12, 0,
  ];
  const said = numbers.map((number) => compact(number, "length", 8));
  assert.deepEqual(said, [
    "-205667",
    "1234.568",
    "0.00012",
    "-0.12346",
    "1.2346e8",
    "-1.235e8",
    "1.235e-6",
    "-1.23e-6",
    "12",
    "0",
  ]);
});
