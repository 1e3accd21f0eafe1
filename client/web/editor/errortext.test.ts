// errortext.test.ts - errors of the server reworded for people.
import assert from "node:assert/strict";
import { test } from "node:test";

import { errorText } from "./errortext";

test("what the server says is said without fields, ids and numbers of edits", () => {
  const cases: [string, string][] = [
    ["node 7 (piston) is held by Ada", "piston is held by Ada"],
    ["node 7 is held by Ada", "Node 7 is held by Ada"],
    ["undo: Eve changed node 7 (rod (left)) since (edit 17)", "Eve changed rod (left) since then"],
    [
      "undo: Eve moved node 7 (rod) and 3 more since (edit 17)",
      "Eve moved rod and 3 more since then",
    ],
    ["set.nodes[2].parent: there is no node 77", "There is no node 77"],
    ["seq: the scene's glTF was replaced at seq 9", "The scene's glTF was replaced at seq 9"],
    ["the connection was lost", "The connection was lost"],
    ["It was: just words", "It was: just words"],
  ];
  for (const [said, words] of cases) assert.equal(errorText(said), words);
});
