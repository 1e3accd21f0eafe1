// nodewords.test.ts - a word means the same nodes as for gizmoctl.
import assert from "node:assert/strict";
import test from "node:test";

import cases from "../../../../tests/data/words/cases.json";
import { type Named, nodesOf } from "./nodewords";

const nodes = new Map<number, Named>();
(cases.nodes as [string, number | null][]).forEach(([name, parent], i) =>
  nodes.set(i + 1, { id: i + 1, name, parent }),
);

for (const [word, ids] of cases.words as [string, number[]][])
  test(`the word ${JSON.stringify(word)} means ${ids.join(" and ") || "nothing"}`, () =>
    assert.deepEqual(nodesOf(nodes, word), ids));
