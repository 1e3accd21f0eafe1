// press.test.js - how presses end: with their release, however it is told of, or without one.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Press } from "./press.js";

/** A window with a document and an element, and a press on it that says what it hears. */
function stand(down = {}) {
  const window = new EventTarget();
  const page = Object.assign(new EventTarget(), {
    defaultView: window,
    hidden: false,
    pointerLockElement: null,
  });
  const element = Object.assign(new EventTarget(), {
    ownerDocument: page,
    isConnected: true,
    box: { left: 0, top: 0, width: 100, height: 100 },
    getBoundingClientRect: () => element.box,
    setPointerCapture: () => {},
  });
  const heard = [];
  const say = (/** @type {string} */ what) => (/** @type {any} */ event) =>
    heard.push(event ? `${what} ${press.clientX}` : what);
  const press = new Press(
    element,
    { ...HELD, ...down },
    {
      move: say("move"),
      up: say("up"),
      lost: say("lost"),
      cancel: say("cancel"),
    },
  );
  const tell = (type, { target: about, ...more } = {}, target = window) => {
    const event = Object.assign(new Event(type, { cancelable: true }), HELD, more);
    if (about) Object.defineProperty(event, "target", { value: about });
    target.dispatchEvent(event);
    return event;
  };
  return { window, page, element, press, heard, tell };
}

const HELD = { pointerId: 1, button: 0, buttons: 1, clientX: 10, clientY: 10 };
const MOVE = { button: -1 };

test("press_moves_and_ends_with_its_release", () => {
  const { tell, heard, press } = stand();
  tell("pointermove", { ...MOVE, clientX: 20 });
  tell("pointerup", { buttons: 0, clientX: 30 });
  tell("pointermove", { ...MOVE, buttons: 0 });
  assert.deepEqual(heard, ["move 20", "up 30"]);
  assert.equal(press.running, false);
});

test("press_whose_release_was_not_heard_is_lost_with_the_next_move", () => {
  const { tell, heard, press } = stand();
  tell("pointermove", { ...MOVE, buttons: 0, clientX: 90 });
  tell("pointermove", { ...MOVE, buttons: 0 });
  assert.deepEqual(heard, ["lost"]);
  assert.equal(press.clientX, 10, "it is where it was");
});

test("press_goes_on_while_its_own_button_is_down_among_others", () => {
  for (const [button, own, other] of [
    [0, 1, 2],
    [1, 4, 1],
    [2, 2, 1],
    [5, 32, 1],
  ]) {
    const { tell, heard } = stand({ button, buttons: own });
    tell("pointermove", { button: 1, buttons: own | other });
    tell("pointermove", { button: 1, buttons: own });
    tell("pointermove", { button: 3, buttons: own | other });
    tell("pointermove", { button, buttons: other, clientX: 40 });
    assert.deepEqual(heard, ["move 10", "move 10", "move 10", "up 40"], `button ${button}`);
  }
});

test("press_is_lost_where_another_button_is_all_that_is_down", () => {
  const { tell, heard } = stand();
  tell("pointermove", { button: -1, buttons: 2 });
  assert.deepEqual(heard, ["lost"]);
});

test("press_hears_of_no_other_pointer", () => {
  const { tell, heard } = stand();
  for (const type of ["pointermove", "pointerup", "pointercancel", "lostpointercapture"])
    tell(type, { pointerId: 2, buttons: 0 });
  assert.deepEqual(heard, []);
});

test("press_is_cancelled_by_the_browser", () => {
  const { tell, heard } = stand();
  tell("pointercancel", { buttons: 0 });
  assert.deepEqual(heard, ["cancel"]);
});

test("press_is_lost_with_the_window_or_the_page", () => {
  for (const type of ["blur", "pagehide"]) {
    const { tell, heard } = stand();
    tell(type);
    assert.deepEqual(heard, ["lost"], type);
  }
  const { tell, heard, page } = stand();
  tell("visibilitychange", {}, page);
  assert.deepEqual(heard, [], "it came to the front");
  page.hidden = true;
  tell("visibilitychange", {}, page);
  assert.deepEqual(heard, ["lost"]);
});

test("press_goes_on_where_something_in_the_page_loses_the_focus", () => {
  const { tell, heard, element } = stand();
  tell("blur", { target: element });
  assert.deepEqual(heard, []);
});

test("press_on_an_element_that_is_gone_or_hidden_is_lost", () => {
  for (const type of ["pointermove", "pointerup"]) {
    const hidden = stand();
    hidden.element.box = { left: 0, top: 0, width: 0, height: 0 };
    hidden.tell(type);
    assert.deepEqual(hidden.heard, ["lost"], type);
    const gone = stand();
    gone.element.isConnected = false;
    gone.tell(type);
    assert.deepEqual(gone.heard, ["lost"], type);
  }
});

test("press_that_is_no_longer_captured_is_lost", () => {
  const { tell, heard, element, press } = stand();
  tell("lostpointercapture", { target: element });
  assert.deepEqual(heard, [], "it was not captured");
  press.capture();
  tell("lostpointercapture", { target: element });
  assert.deepEqual(heard, ["lost"]);
});

test("press_needs_no_capture", () => {
  for (const name of ["InvalidStateError", "NotFoundError"]) {
    const { tell, heard, element, press } = stand();
    element.setPointerCapture = () => {
      throw new DOMException("no", name);
    };
    press.capture();
    tell("pointermove", { ...MOVE, clientX: 20 });
    assert.deepEqual(heard, ["move 20"], name);
  }
});

test("press_of_a_locked_pointer_goes_by_its_movement_and_does_not_jump_back", () => {
  const { tell, heard, element, page, press } = stand();
  press.capture();
  page.pointerLockElement = element;
  tell("lostpointercapture", { target: element });
  tell("pointermove", { ...MOVE, movementX: 5, movementY: 0 });
  tell("pointermove", { ...MOVE, movementX: 7, movementY: 0 });
  page.pointerLockElement = null;
  tell("pointermove", { ...MOVE, clientX: 11 });
  assert.deepEqual(heard, ["move 15", "move 22", "move 23"]);
});

test("press_keeps_menus_away_and_only_while_it_runs", () => {
  const { tell } = stand();
  assert.ok(tell("contextmenu").defaultPrevented);
  tell("pointerup", { buttons: 0 });
  assert.ok(!tell("contextmenu").defaultPrevented);
});

test("press_without_a_listener_for_a_loss_is_cancelled", () => {
  const { press, tell } = stand();
  const heard = [];
  press.listener = { up: () => heard.push("up"), cancel: () => heard.push("cancel") };
  tell("blur");
  assert.deepEqual(heard, ["cancel"]);
});

test("press_that_was_stopped_says_nothing", () => {
  const { press, tell, heard } = stand();
  press.stop();
  tell("pointermove");
  tell("pointerup", { buttons: 0 });
  assert.deepEqual(heard, []);
});
