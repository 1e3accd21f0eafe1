// What people read about edits.
import assert from "node:assert/strict";
import { test } from "node:test";

import type { Edit } from "../../sdk/types.js";
import { ago, angleText, changeLines, dayText, describe, durationText, timeText } from "./edittext";

const nameOf = (id: number): string => ["", "piston", "rod", "crank"][id];
const edit = (more: Partial<Edit>): Edit => ({
  id: 1,
  by: 1,
  user: "Ada",
  kind: "translate",
  nodes: [1],
  seq: 1,
  began: 1,
  ended: 2,
  ...more,
});
const half = Math.SQRT1_2;

const cases: [string, Partial<Edit>][] = [
  ["Ada moved piston", {}],
  ["Ada moved 2 nodes", { nodes: [1, 2] }],
  ["Ada moved 2 nodes", { kind: "pose", nodes: [1, 2] }],
  [
    "Ada moved piston 0.012 m",
    { changes: [{ id: 1, before: { t: [0, 0, 0] }, after: { t: [0, 0.012, 0] } }] },
  ],
  [
    "Ada rotated piston 90°",
    {
      kind: "rotate",
      changes: [{ id: 1, before: { r: [0, 0, 0, 1] }, after: { r: [0, half, 0, half] } }],
    },
  ],
  [
    "Ada rotated piston 90°",
    {
      kind: "rotate",
      changes: [{ id: 1, before: { r: [0, 0, 0, 1] }, after: { r: [0, -half, 0, -half] } }],
    },
  ],
  [
    "Ada scaled piston by 1.5",
    {
      kind: "scale",
      changes: [{ id: 1, before: { s: [1, 1, 1] }, after: { s: [1.5, 1.5, 1.5] } }],
    },
  ],
  [
    "Ada scaled piston by 2, 1, 1",
    { kind: "scale", changes: [{ id: 1, before: { s: [1, 1, 1] }, after: { s: [2, 1, 1] } }] },
  ],
  [
    "Ada renamed rod to left rod",
    {
      kind: "set",
      nodes: [2],
      changes: [{ id: 2, before: { name: "rod" }, after: { name: "left rod" } }],
    },
  ],
  [
    "Ada moved piston into crank",
    { kind: "set", changes: [{ id: 1, before: { parent: 2 }, after: { parent: 3 } }] },
  ],
  [
    "Ada moved piston to the top level",
    { kind: "set", changes: [{ id: 1, before: { parent: 2 }, after: { parent: null } }] },
  ],
  ["Ada changed piston", { kind: "set" }],
  ["Ada moved old rod", { name: "old rod" }],
  [
    "Ada deleted old rod",
    { kind: "delete", name: "old rod", changes: [{ id: 1, name: "old rod", before: {} }] },
  ],
  [
    "Ada moved old rod into crank",
    {
      kind: "set",
      name: "old rod",
      changes: [{ id: 1, name: "old rod", before: { parent: 2 }, after: { parent: 3 } }],
    },
  ],
  ["Ada created rod", { kind: "create", nodes: [2], changes: [{ id: 2, after: { name: "rod" } }] }],
  ["Ada deleted 3 nodes", { kind: "delete", nodes: [1, 2, 3] }],
  ["Ada imported 82 nodes", { kind: "import", nodes: Array.from({ length: 82 }, (_, i) => i) }],
  ["Ada restored an earlier state", { kind: "restore" }],
  ["Ada undid an edit of piston", { kind: "undo" }],
];
for (const [words, more] of cases)
  test(`words_say_${words}`, () => assert.equal(describe(edit(more), nameOf), words));

test("words_angles_and_durations_are_short", () => {
  assert.deepEqual([Math.PI / 7, 2].map(angleText), ["25.7°", "115°"]);
  assert.deepEqual([0.44, 12.4, 200].map(durationText), ["0.4 s", "12 s", "3 min"]);
});

test("words_changes_tell_both_sides_of_each_part", () => {
  const lines = changeLines(
    { id: 1, before: { t: [0, 0, 0], parent: null }, after: { t: [0, -1.5, 0], parent: 3 } },
    nameOf,
  );
  assert.deepEqual(lines, [
    { label: "Parent", before: "none", after: "crank" },
    { label: "Translation", before: "0, 0, 0 m", after: "0, \u22121.5, 0 m" },
  ]);
});

test("words_a_time_has_its_day_where_that_is_another_one", () => {
  const now = new Date(2026, 10, 20, 9, 0, 0).getTime() / 1000;
  const at = (...date: [number, number, number, number, number]) =>
    new Date(...date).getTime() / 1000;
  assert.equal(timeText(at(2026, 10, 20, 8, 5), now), "08:05:00");
  assert.equal(timeText(at(2026, 10, 19, 23, 59), now), "yesterday 23:59:00");
  assert.equal(timeText(at(2026, 10, 3, 14, 30), now, false), "3 Nov 14:30");
  assert.equal(dayText(at(2025, 11, 24, 14, 30), now), "24 Dec 2025");
});

test("words_how_long_ago_is_short_and_past_a_week_the_day", () => {
  const now = new Date(2026, 10, 20, 9, 0, 0).getTime() / 1000;
  const said = [-5, 30, 90, 3600, 26 * 3600, 10 * 86_400].map((seconds) => ago(now - seconds, now));
  assert.deepEqual(said, ["just now", "just now", "1 min ago", "1 h ago", "1 d ago", "10 Nov"]);
});
