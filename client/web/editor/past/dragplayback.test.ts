// What is followed along its path while the past is played, and what is asked for.
import assert from "node:assert/strict";
import { test } from "node:test";

import { SceneModel, type Session } from "../../sdk/index.js";
import type { Edit, Id } from "../../sdk/types.js";
import { DragPlayback, FOLLOWED_MAX, stretchAt } from "./dragplayback";

const edit = (id: number, began: number, ended: number, nodes: Id[]): Edit => ({
  id,
  by: 1,
  user: "Ada",
  kind: "translate",
  nodes,
  seq: 10 * id,
  began,
  ended,
});
/**
 * One drag of node 1 from 10 s to 20 s, within which node 2 is set at 15 s and node 3 is dragged
 * from 18 s on.
 */
const EDITS = [
  edit(1, 1, 1, [1, 2, 3]),
  edit(3, 15, 15, [2]),
  edit(2, 10, 20, [1]),
  edit(4, 18, 24, [3]),
].map((one, i) => ({ ...one, seq: 10 * (i + 1) }));

test("stretch_lasts_until_something_begins_or_ends", () => {
  const of = (time: number) => {
    const { from, to, drags, after } = stretchAt(EDITS, time);
    return [from, to, drags.map(({ id }) => id), after?.id];
  };
  assert.deepEqual(of(10), [10, 15, [2], 1]);
  assert.deepEqual(of(14.9), [10, 15, [2], 1]);
  assert.deepEqual(of(15), [15, 18, [2], 3]);
  assert.deepEqual(of(19), [18, 20, [2, 4], 3]);
  assert.deepEqual(of(20), [20, 24, [4], 2]);
  assert.deepEqual(of(0), [-Infinity, 1, [], undefined]);
});

/** A server that knows where nodes were, and counts what it is asked. */
function server(edits: readonly Edit[]) {
  const asked = { paths: 0, states: 0 };
  const path = async (node: Id, { since = 0, before = 0 }) => {
    asked.paths++;
    const of = edits.filter(
      ({ nodes, ended, began }) => nodes.includes(node) && ended < before && began > since,
    );
    return of.flatMap(({ id, seq, began, ended }) =>
      [0, 0.5, 1].map((part) => ({
        seq: seq - 2 + 2 * part,
        edit: id,
        time: began + part * (ended - began),
        t: [part, node, 0],
        r: [0, 0, 0, 1],
        s: [1, 1, 1],
        parent: null,
      })),
    );
  };
  const stateAfter = async (seq: number) => {
    asked.states++;
    const scene = new SceneModel();
    const nodes = [...new Set(edits.flatMap(({ nodes }) => nodes))].map((id) => ({
      id,
      name: `${id}`,
      parent: null,
      t: [9, 9, 9],
      r: [0, 0, 0, 1],
      s: [1, 1, 1],
    }));
    scene.apply([{ from: 0, seq, nodes }]);
    return scene;
  };
  return {
    asked,
    drags: new DragPlayback({ path } as unknown as Session, () => edits, stateAfter),
  };
}

test("drags_are_followed_with_one_state_a_stretch_and_one_path_a_drag", async () => {
  const { asked, drags } = server(EDITS);
  const first = await drags.at(12.5);
  assert.deepEqual(first?.nodes, [{ id: 1, t: [0.25, 1, 0], r: [0, 0, 0, 1], s: [1, 1, 1] }]);
  assert.deepEqual([first?.base.seq, first?.seq], [10, 28], "the point before is the moment's seq");
  for (let time = 12.5; time < 15; time += 1 / 60)
    assert.equal((await drags.at(time))?.stretch, first?.stretch);
  assert.deepEqual(asked, { paths: 1, states: 1 });
  const both = await drags.at(19);
  assert.deepEqual(
    both?.nodes.map(({ id, t }) => [id, t[0]]),
    [
      [1, 0.9],
      [3, 1 / 6],
    ],
  );
  assert.deepEqual(asked, { paths: 2, states: 2 }, "the path of the first was asked for before");
});

test("drags_of_many_nodes_and_before_what_is_known_are_asked_for", async () => {
  const many = server([
    EDITS[0],
    edit(
      2,
      10,
      20,
      Array.from({ length: FOLLOWED_MAX + 1 }, (_, i) => i + 1),
    ),
  ]);
  assert.equal(await many.drags.at(12), null);
  const first = server([edit(2, 10, 20, [1])]);
  assert.equal(await first.drags.at(12), null);
  assert.deepEqual(
    [many.asked, first.asked],
    [
      { paths: 0, states: 0 },
      { paths: 0, states: 0 },
    ],
  );
});
