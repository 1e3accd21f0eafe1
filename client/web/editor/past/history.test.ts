// history.test.ts - the edits that the page keeps, when edits and answers cross.
import assert from "node:assert/strict";
import { test } from "node:test";

import type { Session } from "../../sdk/index.js";
import type { Edit } from "../../sdk/types.js";
import { EditHistory } from "./history";

const edit = (seq: number): Edit =>
  ({
    id: seq,
    seq,
    kind: "set",
    user: "ann",
    nodes: [1],
    began: seq,
    ended: seq,
  }) as unknown as Edit;

/** A session whose answers come when they are data to. */
function session() {
  const handlers = new Map<string, (data: unknown) => void>();
  const waiting: ((page: Edit[]) => void)[] = [];
  const on = (name: string, handler: (data: unknown) => void) => handlers.set(name, handler);
  const history = () => new Promise<Edit[]>((answer) => waiting.push(answer));
  const answer = async (page: Edit[]) => {
    waiting.shift()?.(page);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    session: { on, history } as unknown as Session,
    emit: (name: string, data: unknown) => handlers.get(name)?.(data),
    answer,
  };
}

test("history_edit_that_comes_before_the_answer_stays", async () => {
  const { session: ours, emit, answer } = session();
  const history = new EditHistory(ours);
  emit("status", { phase: "online", resumed: false });
  emit("edit", edit(4));
  await answer([edit(3), edit(2), edit(1)]);
  assert.deepEqual(
    history.edits.value.map(({ seq }) => seq),
    [1, 2, 3, 4],
  );
});

test("history_of_a_scene_that_came_anew_is_not_mixed_with_what_was", async () => {
  const { session: ours, emit, answer } = session();
  const history = new EditHistory(ours);
  emit("status", { phase: "online", resumed: false });
  await answer([edit(12), edit(11)]);
  emit("status", { phase: "online", resumed: false });
  await answer([edit(3)]);
  assert.deepEqual(
    history.edits.value.map(({ seq }) => seq),
    [3],
  );
});
