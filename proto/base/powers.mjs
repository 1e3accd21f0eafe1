#!/usr/bin/env node
// powers.mjs - writes powers.h, the powers of ten by which number.c prints a double.
//
//   node powers.mjs [--check]
import { readFileSync, writeFileSync } from "node:fs";

const target = new URL("powers.h", import.meta.url);
const isCheck = process.argv.includes("--check");
const [least, most] = [-292, 324];

/** 10^k times the power of two that makes it a number of 128 bits; rounded up. */
function power(k) {
  const shift = 127n - ((BigInt(k) * 1741647n) >> 19n);
  const [above, below] = k >= 0 ? [10n ** BigInt(k), 1n] : [1n, 10n ** BigInt(-k)];
  const [over, under] = shift >= 0n ? [above << shift, below] : [above, below << -shift];
  return (over + under - 1n) / under;
}

const hex = (part) => `0x${part.toString(16).padStart(16, "0")}`;
const rows = Array.from({ length: most - least + 1 }, (_, i) => power(least + i))
  .map((whole) => `    {${hex(whole >> 64n)}, ${hex(whole & 0xffffffffffffffffn)}},`);

const text = `/* powers.h - the powers of ten from 10^${least} to 10^${most}, each times the power of two that makes it a
 * number of 128 bits, rounded up: its upper and its lower half. Written by powers.mjs. */
#ifndef GZ_BASE_POWERS_H
#define GZ_BASE_POWERS_H

#include <stdint.h>

#define POWERS_LEAST (${least})

/* clang-format off */
static const uint64_t powers[${rows.length}][2] = {
${rows.join("\n")}
};
/* clang-format on */

#endif
`;

if (!isCheck) writeFileSync(target, text);
else if (readFileSync(target, "utf8") !== text) {
  console.log("powers.h is not what powers.mjs writes: run it again");
  process.exit(1);
}
