// Drags, orbits and rectangles against a server whose answers come when the test says so.
import assert from "node:assert/strict";
import { test } from "node:test";

import type { Session } from "../../sdk/index.js";
import { Emitter } from "../../sdk/emitter.js";
import type { Editor } from "../editor";
import { Drag } from "./drag";
import { Orbit } from "./orbit";
import { CameraRig } from "./rig";
import { RectangleSelection } from "./select";
import { InputState } from "./inputstate";

Object.assign(globalThis, { requestAnimationFrame: () => 1, cancelAnimationFrame: () => {} });

/** One question to the server. */
interface Asked {
  op: string;
  said: unknown[];
  resolve: (answer: unknown) => void;
  reject: (error: { code: string; message: string }) => void;
}

/**
 * An editor of which the parts under test see enough, and what it asked of its session, in order.
 */
function stand() {
  const asked: Asked[] = [];
  const ask =
    (op: string) =>
    (...said: unknown[]) =>
      new Promise((resolve, reject) => asked.push({ op, said, resolve, reject }));
  const events = new Emitter<Record<string, unknown>>();
  const questions = Object.fromEntries(
    ["down", "grab", "up", "cancel", "pick", "select"].map((op) => [op, ask(op)]),
  );
  const sent: unknown[] = [];
  const session = {
    ...questions,
    status: { phase: "online" },
    move: () => {},
    setCamera: (camera: unknown) => sent.push(camera),
    on: events.on.bind(events),
    scene: { get: () => ({ children: [], bounds: [] }) },
  };
  const editor = {
    session,
    input: new InputState(),
    following: {},
    try: (edit: () => Promise<unknown>) => edit(),
    trackSelection: (choice: Promise<unknown>) => choice,
    fail: () => {},
  };
  const rig = new CameraRig(session as unknown as Session);
  return {
    asked,
    events,
    sent,
    rig,
    editor: Object.assign(editor, { rig }) as unknown as Editor,
    ops: () => asked.map(({ op }) => op),
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("drag_whose_number_was_refused_ends_where_it_was", async () => {
  const { editor, asked, ops } = stand();
  const drag = Drag.grab(editor, "su", [10, 20]);
  asked[0].resolve({ handle: "su" });
  await turn();
  drag.type([0]);
  asked[1].reject({ code: "bad_value", message: "value: su cannot be 0" });
  drag.move([90, 90], []);
  await turn();
  drag.commit();
  assert.deepEqual(ops(), ["grab", "grab", "up"]);
  assert.deepEqual(
    asked[2].said,
    [{ at: [10, 20], mods: [] }],
    "without a place the server would go on with it",
  );
});

test("drag_that_was_given_another_handle_hears_no_answer_of_the_first", async () => {
  const { editor, asked } = stand();
  const drag = Drag.grab(editor, "tv", [0, 0]);
  drag.constrain("tx");
  asked[0].reject({ code: "bad_state", message: "handle: late" });
  await turn();
  assert.equal(drag.state, "asked");
  asked[2].resolve({ handle: "tx" });
  await turn();
  assert.equal(drag.state, "running");
  assert.equal(drag.handle, "tx");
});

test("drag_ends_before_an_orbit_or_another_drag_begins", async () => {
  const { editor, asked, ops } = stand();
  Drag.grab(editor, "tx", [0, 0]);
  asked[0].resolve({ handle: "tx" });
  await turn();
  new Orbit(editor, [0, 0]);
  assert.deepEqual(ops(), ["grab", "up", "down"]);
  Drag.grab(editor, "tx", [0, 0]).commit();
  Drag.grab(editor, "ty", [0, 0]);
  assert.deepEqual(
    ops().slice(3),
    ["grab", "up", "grab"],
    "also where the server has not answered yet",
  );
});

test("rectangle_that_is_cancelled_while_the_server_looks_selects_nothing", async () => {
  const { editor, asked, ops } = stand();
  const rectangle = new RectangleSelection(editor, "set", [7]);
  rectangle.to([0, 0], [50, 50]);
  rectangle.cancel();
  asked[0].resolve([{ id: 1 }]);
  await turn();
  assert.deepEqual(ops(), ["pick", "select"]);
  assert.deepEqual(asked[1].said, [[7]]);
});

test("view_that_comes_after_the_page_moved_on_is_refused_and_the_server_told", async () => {
  const { rig, events, sent } = stand();
  const turned = [0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, -5, 1];
  rig.lend();
  events.emit("view", turned);
  assert.deepEqual(rig.view, turned);
  rig.pan(10, 0);
  const { view } = rig;
  await turn();
  sent.length = 0;
  events.emit("view", turned);
  assert.deepEqual(rig.view, view);
  await turn();
  assert.deepEqual((sent[0] as { view: number[] }).view, view);
});
