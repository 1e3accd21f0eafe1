// typedvalue.test.ts - numbers that are typed during a drag, with units, for each handle.
import assert from "node:assert/strict";
import { test } from "node:test";

import { isTyped, measureOf, valueOf } from "./typedvalue";

const VALUES: [text: string, handle: string, value: number[] | null][] = [
  ["12", "tx", [12]],
  ["-.5", "ty", [-0.5]],
  ["1.", "tz", [1]],
  ["30mm", "tx", [0.03]],
  ["30 mm", "tx", [0.03]],
  ["2.5cm", "tx", [0.025]],
  ["1in", "tx", [0.0254]],
  ["90", "rx", [Math.PI / 2]],
  ["0.5rad", "rv", [0.5]],
  ["0.25turn", "ry", [Math.PI / 2]],
  ["2", "su", [2]],
  ["50%", "sx", [0.5]],
  ["1.5", "bxp", [1.5]],
  ["1,2", "txy", [1, 2]],
  ["1", "tv", [1, 0]],
  ["10mm, -5mm", "tzx", [0.01, -0.005]],
  ["", "tx", null],
  ["-", "tx", null],
  [".", "tx", null],
  ["1m", "rx", null],
  ["90deg", "tx", null],
  ["1,2", "tx", [1.2]],
  ["1,2,3", "tx", null],
  ["1,2,3", "txy", null],
  ["1.2.3", "tx", null],
  ["12k", "tx", null],
  ["5", "rb", null],
];

test("typed_text_is_the_value_that_the_handle_takes", () => {
  for (const [text, handle, value] of VALUES) {
    const read = valueOf(text, handle);
    if (value === null || read === null) assert.equal(read, value, `${text} on ${handle}`);
    else
      for (let i = 0; i < value.length; i++)
        assert.ok(Math.abs(read[i] - value[i]) < 1e-12, `${text} on ${handle}: ${read}`);
  }
});

test("typed_handles_take_as_many_numbers_as_the_server_says", () => {
  for (const handle of ["tx", "rv", "sx", "sxy", "su", "bxn", "bnnp"])
    assert.equal(measureOf(handle).count, 1, handle);
  for (const handle of ["txy", "tyz", "tzx", "tv"])
    assert.equal(measureOf(handle).count, 2, handle);
  assert.equal(measureOf("rb").count, 0);
});

test("typed_keys_begin_with_a_number_so_that_letters_stay_axes", () => {
  for (const key of ["0", "9", ".", "-"]) assert.ok(isTyped(key, ""), key);
  for (const key of ["x", "m", " ", ",", "Enter", "F1"]) assert.ok(!isTyped(key, ""), key);
  for (const key of ["m", ",", " ", "5"]) assert.ok(isTyped(key, "1"), key);
  for (const key of ["Enter", "Backspace", "Shift"]) assert.ok(!isTyped(key, "1"), key);
});
