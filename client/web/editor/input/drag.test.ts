// drag.test.ts - drags, orbits and rectangles against a server whose answers come when the test
// says so, with and without prediction.
import assert from "node:assert/strict";
import { test } from "node:test";

import type { Session } from "../../sdk/index.js";
import { signal } from "@preact/signals";

import { Emitter } from "../../sdk/emitter.js";
import type { Vec2 } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { Drag } from "./drag";
import { type Gesture, gestureOf } from "./gestures";
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
 * @param handleAt what the session predicts; undefined if it does not predict
 */
function stand(handleAt?: string | null) {
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
  const moved: unknown[] = [];
  const session = {
    ...questions,
    status: { phase: "online" },
    predicting: handleAt !== undefined,
    handleAt: () => handleAt,
    move: (place: unknown) => moved.push(place),
    setCamera: (camera: unknown) => sent.push(camera),
    on: events.on.bind(events),
    scene: { get: () => ({ children: [], bounds: [] }) },
  };
  const editor = {
    session,
    input: new InputState(),
    following: {},
    past: signal(null),
    gizmo: signal(null),
    selection: signal([7]),
    isSelecting: false,
    try: (edit: () => Promise<unknown>) => edit().catch(() => {}),
    trackSelection: (choice: Promise<unknown>) => choice,
    fail: () => {},
  };
  const rig = new CameraRig(session as unknown as Session);
  return {
    asked,
    events,
    sent,
    moved,
    rig,
    editor: Object.assign(editor, { rig }) as unknown as Editor,
    ops: () => asked.map(({ op }) => op),
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The left button goes down, without keys. */
const press = (editor: Editor, at: Vec2): Gesture =>
  gestureOf(editor, at, { button: 0 } as PointerEvent);
const NO_KEYS = {} as PointerEvent;

test("drag_with_prediction_begins_moves_and_ends_before_any_answer", () => {
  const { editor, asked, moved, ops } = stand("tx");
  const gesture = press(editor, [10, 10]);
  assert.equal(editor.input.dragged.peek(), "tx", "the cursor and the read-out do not wait");
  gesture.move([20, 10], NO_KEYS);
  assert.deepEqual(moved, [{ at: [20, 10], mods: [] }], "in the frame of the event");
  gesture.end([20, 10], NO_KEYS);
  assert.deepEqual(ops(), ["grab", "up"]);
  assert.equal(asked[0].said[0], "tx");
  assert.equal(editor.input.running, null);
});

test("drag_without_prediction_ends_at_once_where_only_the_server_knows_the_handle", async () => {
  const { editor, asked, ops } = stand();
  const gesture = press(editor, [10, 10]);
  gesture.move([20, 10], NO_KEYS);
  gesture.end([20, 10], NO_KEYS);
  assert.deepEqual(ops(), ["down", "up"], "the server takes them in this order");
  asked[0].resolve({ handle: "tx" });
  await turn();
  assert.equal(editor.input.dragged.peek(), null, "a late answer begins nothing");
});

test("drag_without_prediction_shows_its_handle_once_the_server_says_it", async () => {
  const { editor, asked } = stand();
  press(editor, [10, 10]);
  assert.equal(editor.input.dragged.peek(), null);
  asked[0].resolve({ handle: "rz" });
  await turn();
  assert.equal(editor.input.dragged.peek(), "rz");
});

test("drag_goes_on_without_a_connection_with_prediction_and_ends_without_it", async () => {
  for (const predicts of [true, false]) {
    const { editor, asked, events, moved, ops } = stand(predicts ? "tx" : undefined);
    const drag = Drag.grab(editor, "tx", [0, 0]);
    events.emit("status", { phase: "offline" });
    asked[0].reject({ code: "lost", message: "" });
    await turn();
    drag.move([30, 0], []);
    drag.commit();
    assert.equal(moved.length, predicts ? 1 : 0);
    assert.deepEqual(ops(), predicts ? ["grab", "up"] : ["grab"]);
    const next = Drag.grab(editor, "ty", [0, 0]);
    asked.at(-1)?.reject({ code: "lost", message: "" });
    await turn();
    assert.equal(next.running, predicts, "another drag begins without a connection");
  }
});

test("drag_that_the_server_refuses_ends_and_says_who_holds_the_node", async () => {
  for (const released of [false, true]) {
    const { editor, asked, moved } = stand("tx");
    let said = "";
    editor.input.hint = (text) => (said = text);
    const gesture = press(editor, [10, 10]);
    gesture.move([15, 10], NO_KEYS);
    if (released) gesture.end([15, 10], NO_KEYS);
    asked[0].reject({ code: "locked", message: "nodes: node 7 (arm) is held by Bob" });
    await turn();
    assert.equal(said, "arm is held by Bob");
    assert.equal(editor.input.running, null);
    assert.equal(editor.input.dragged.peek(), null);
    gesture.move([90, 90], NO_KEYS);
    assert.equal(moved.length, 1, "nothing moves after the refusal");
  }
});

test("press_on_no_handle_draws_a_rectangle_before_the_server_answers", async () => {
  const { editor, asked, moved, ops } = stand(null);
  const gesture = press(editor, [10, 10]);
  gesture.move([60, 40], NO_KEYS);
  assert.deepEqual(editor.input.marquee.peek(), [
    [10, 10],
    [60, 40],
  ]);
  assert.deepEqual(ops(), ["down", "pick"]);
  asked[0].resolve({ hit: 3 });
  await turn();
  assert.deepEqual(ops(), ["down", "pick"], "the answer begins nothing");
  assert.deepEqual(moved, []);
});

test("press_where_only_the_server_sees_a_handle_moves_nothing", async () => {
  const { editor, asked, ops } = stand(null);
  press(editor, [10, 10]).end([10, 10], NO_KEYS);
  asked[0].resolve({ handle: "tx" });
  await turn();
  assert.deepEqual(ops(), ["down", "cancel"]);
});

test("press_that_is_cancelled_before_the_answer_draws_no_rectangle", async () => {
  const { editor, asked, ops } = stand();
  const gesture = press(editor, [10, 10]);
  gesture.move([60, 40], NO_KEYS);
  gesture.cancel();
  asked[0].resolve({ hit: 3 });
  await turn();
  assert.equal(editor.input.marquee.peek(), null);
  assert.deepEqual(ops(), ["down", "cancel"]);
});

test("handle_that_is_pressed_while_the_server_selects_moves_the_nodes_it_belongs_to", () => {
  const { editor, asked } = stand("tx");
  Object.assign(editor, { isSelecting: true });
  press(editor, [10, 10]);
  assert.deepEqual((asked[0].said[1] as { nodes: unknown }).nodes, [7]);
});

test("drag_sends_one_move_for_each_frame_and_the_last_one_before_its_end", () => {
  const { editor, moved } = stand("tx");
  const drag = Drag.grab(editor, "tx", [0, 0]);
  for (const x of [1, 2, 3]) drag.move([x, 0], []);
  assert.deepEqual(
    moved.map((place) => (place as { at: Vec2 }).at),
    [[1, 0]],
  );
  drag.move([4, 0], ["fine"]);
  assert.deepEqual(moved.at(-1), { at: [3, 0], mods: [] }, "with the keys of its time");
  drag.commit();
  assert.deepEqual(moved.at(-1), { at: [4, 0], mods: ["fine"] });
});

test("drag_whose_number_was_refused_ends_where_it_was", async () => {
  const { editor, asked, ops } = stand();
  const drag = Drag.grab(editor, "su", [10, 20]);
  drag.type([0]);
  asked[1].reject({ code: "bad_value", message: "value: su cannot take the value 0" });
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
  assert.equal(drag.running, true);
  assert.equal(drag.handle, "tx");
});

test("drag_ends_before_an_orbit_or_another_drag_begins", () => {
  const { editor, ops } = stand(null);
  Drag.grab(editor, "tx", [0, 0]);
  new Orbit(editor, [0, 0]);
  assert.deepEqual(ops(), ["grab", "up", "down"]);
  Drag.grab(editor, "tx", [0, 0]).commit();
  Drag.grab(editor, "ty", [0, 0]);
  assert.deepEqual(ops().slice(3), ["grab", "up", "grab"]);
});

test("orbit_without_prediction_turns_the_view_in_the_page", () => {
  const { editor, rig, ops } = stand();
  const { view, target } = rig;
  const orbit = new Orbit(editor, [0, 0]);
  orbit.move([40, 10]);
  orbit.end();
  assert.notDeepEqual(rig.view, view);
  assert.deepEqual(rig.target, target);
  assert.deepEqual(ops(), []);
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
