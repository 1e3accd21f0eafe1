#!/usr/bin/env node
// letters.mjs - writes letters.h, the characters that names of users may have, from Unicode's data (Debian: unicode-data).
//
//   node letters.mjs [--check] [FOLDER]
//
// With --check it compares letters.h with what it would write, and fails if they differ. FOLDER is /usr/share/unicode.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const words = process.argv.slice(2);
const isCheck = words.includes("--check");
const folder = words.find((word) => !word.startsWith("--")) ?? "/usr/share/unicode";
const target = new URL("letters.h", import.meta.url);

if (!existsSync(join(folder, "UnicodeData.txt"))) {
  console.log(`${folder} has no UnicodeData.txt: install unicode-data`);
  process.exit(isCheck ? 0 : 1);
}

const lines = (file) =>
  readFileSync(join(folder, file), "utf8").split("\n").map((line) => line.replace(/#.*/, "").trim()).filter(Boolean).map((line) => line.split(";").map((part) => part.trim()));
const version = /-(\d+\.\d+)\.\d+\.txt/.exec(readFileSync(join(folder, "DerivedCoreProperties.txt"), "utf8"))[1];

/** Calls back with each code point of "0041..005A" or "0041". */
function each(range, call) {
  const [first, last = first] = range.split("..").map((digits) => parseInt(digits, 16));
  for (let code = first; code <= last; code++) call(code);
}

// ---- what is read ----

const SHOWN = new Set(["Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So"]);
/** They have no picture of their own, although they are symbols: a pattern of Braille without dots, a note without a head, a place for something else, a place for what could not be read. */
const BLANK = [0x2800, 0x1d159, 0xfffc, 0xfffd];
/** They are drawn with the character before them; most, but not all, have a combining class. */
const MARKS = new Set(["Mn", "Mc", "Me"]);
/** U+0020 and U+3000, the blank of Chinese and Japanese. */
const SPACES = [0x20, 0x3000];

const shown = new Set(SPACES);
const marks = new Set();
const classes = new Map();
const pairs = [];
let first = null;
for (const [digits, name, category, combining, , decomposition] of lines("UnicodeData.txt")) {
  const code = parseInt(digits, 16);
  if (name.endsWith(", First>")) first = code;
  else {
    for (let one = name.endsWith(", Last>") ? first : code; one <= code; one++) if (SHOWN.has(category)) shown.add(one);
    if (MARKS.has(category)) marks.add(code);
    if (combining !== "0") classes.set(code, Number(combining));
    const parts = decomposition.split(" ");
    if (parts.length === 2 && !decomposition.startsWith("<")) pairs.push([...parts.map((part) => parseInt(part, 16)), code]);
  }
}
for (const code of BLANK) shown.delete(code);
for (const [range, property] of lines("DerivedCoreProperties.txt"))
  if (property === "Default_Ignorable_Code_Point") each(range, (code) => shown.delete(code));
// What never is in a text in normal form C: it is written in another way.
const excluded = new Set();
for (const [range, property, value] of lines("DerivedNormalizationProps.txt")) {
  if (property === "NFC_QC" && value === "N") each(range, (code) => shown.delete(code));
  if (property === "Full_Composition_Exclusion") each(range, (code) => excluded.add(code));
}
const composed = pairs.filter(([a, b, code]) => !excluded.has(code) && shown.has(a) && shown.has(b)).sort(([a, b], [c, d]) => b - d || a - c);

// ---- what is written ----

/** Neighbours with the same value become one row. */
function ranges(codes, valueOf) {
  const rows = [];
  for (const code of [...codes].sort((a, b) => a - b)) {
    const last = rows.at(-1);
    if (last && last[1] + 1 === code && last[2] === valueOf(code)) last[1] = code;
    else rows.push([code, code, valueOf(code)]);
  }
  return rows;
}

const hex = (code) => `0x${code.toString(16)}`;

/** Rows of a table, as many on a line as fit into 100 columns. */
function table(rows) {
  const out = [];
  for (const row of rows) {
    const text = `{${row.join(", ")}},`;
    if (out.length > 0 && out.at(-1).length + text.length + 1 <= 100) out[out.length - 1] += ` ${text}`;
    else out.push(`    ${text}`);
  }
  return out.join("\n");
}

const text = `/* letters.h - the characters that names of users may have, and what has to be known of them for
 * Unicode's normal form C. Written by letters.mjs from the data of Unicode ${version}. */
#ifndef GZ_TOKEN_LETTERS_H
#define GZ_TOKEN_LETTERS_H

#include <stdint.h>

#define LETTERS_VERSION "${version}"

/* clang-format off */

/* Characters that are assigned and are seen, in normal form C: no controls, no formats, no private
 * use, nothing that is ignored by default, no blanks but U+0020 and U+3000. In ranges. */
static const uint32_t shown[][2] = {
${table(ranges(shown, () => 0).map(([a, b]) => [hex(a), hex(b)]))}
};

/* Combining marks, in ranges. */
static const uint32_t marks[][2] = {
${table(ranges([...marks].filter((code) => shown.has(code)), () => 0).map(([a, b]) => [hex(a), hex(b)]))}
};

/* Combining classes other than 0, of ranges. */
static const struct {
    uint32_t first, last;
    uint8_t combining;
} classes[] = {
${table(ranges([...classes.keys()].filter((code) => shown.has(code)), (code) => classes.get(code)).map(([a, b, value]) => [hex(a), hex(b), value]))}
};

/* Two characters that normal form C writes as one, and that one, in the order of the second, then of
 * the first; Hangul is computed. */
static const uint32_t pairs[][3] = {
${table(composed.map(([a, b, code]) => [hex(a), hex(b), hex(code)]))}
};

/* clang-format on */

#endif
`;

if (!isCheck) writeFileSync(target, text);
else if (!text.includes(`Unicode ${/data of Unicode (\S+)\./.exec(readFileSync(target, "utf8"))[1]}.`)) console.log(`skipped: this unicode-data has Unicode ${version}`);
else if (readFileSync(target, "utf8") !== text) {
  console.log("letters.h is not what letters.mjs writes: run it again");
  process.exit(1);
}
