// pointers.ts - passes the pointer events of the canvas on: to a gesture of the mouse or pen, to
// the fingers, to the wheel, or to hovering. The pointer that was pressed first leads: while a
// mouse or pen is pressed no finger begins anything, and no mouse or pen while fingers are down.
import { placeOn } from "../../sdk/canvasplace.js";
import { Press } from "../../sdk/press.js";
import type { Vec2 } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { type Gesture, dragMods, gestureOf } from "./gestures";
import { PerFrame } from "./perframe";
import { Touch } from "./touch";
import { type PinchEvent, Wheel } from "./wheel";

/** How far from a handle a press still takes it, in pixels. */
const REACH_PX = { mouse: 8, finger: 22 };
/** The right button. */
const RIGHT = 2;
/** Further buttons go back and forward in the browser, or are a pen's eraser. */
const BUTTONS = [0, 1, RIGHT];

class PointerInput {
  #gesture: Gesture | null = null;
  #press: Press | null = null;
  #fingers = new Map<number, Press>();
  #hover = new PerFrame(() => this.#tellHover());
  #touch: Touch;
  #wheel: Wheel;

  constructor(
    readonly editor: Editor,
    readonly canvas: HTMLCanvasElement,
  ) {
    this.#touch = new Touch(editor);
    this.#wheel = new Wheel(editor);
  }

  down(event: PointerEvent): void {
    this.canvas.dataset.by = "pointer";
    const finger = event.pointerType === "touch";
    if (this.#press || (!finger && this.#fingers.size > 0)) return;
    this.editor.input.finger.value = finger;
    this.#reach(finger ? REACH_PX.finger : REACH_PX.mouse);
    if (finger) return this.#finger(event);
    if (this.#endHeld(event) || !BUTTONS.includes(event.button)) return;
    this.#gesture = gestureOf(this.editor, this.#at(event), event);
    this.editor.input.abort = () => this.cancel();
    this.#follow(event);
  }

  /** A gesture of the mouse or a pen. A press of the right button cancels that of another one. */
  #follow(down: PointerEvent): void {
    const press = new Press(this.canvas, down, {
      move: (event) => {
        const at = this.#at(press);
        this.editor.input.pointer.value = at;
        if (event.button === RIGHT) this.cancel();
        else this.#gesture?.move(at, event);
      },
      up: (event) => {
        this.#gesture?.end(this.#at(press), event);
        this.#forget();
      },
      lost: () => {
        this.#gesture?.leave();
        this.#forget();
      },
      cancel: () => this.cancel(),
    });
    this.#press = press;
    press.capture();
  }

  #finger(down: PointerEvent): void {
    const { pointerId: id } = down;
    const over = (how: "up" | "leave" | "cancel"): void => {
      this.#fingers.delete(id);
      this.#touch[how](id);
    };
    const press = new Press(this.canvas, down, {
      move: () => this.#touch.move(id, this.#at(press)),
      up: () => over("up"),
      lost: () => over("leave"),
      cancel: () => over("cancel"),
    });
    this.#fingers.set(id, press);
    press.capture();
    this.#touch.down(id, this.#at(down));
  }

  /** A pointer that is not pressed. */
  move(event: PointerEvent): void {
    const { input } = this.editor;
    if (this.#press || this.#fingers.size > 0) return;
    input.finger.value = event.pointerType === "touch";
    if (input.finger.peek()) return;
    const at = this.#at(event);
    input.pointer.value = at;
    if (input.held.peek()) input.running?.move(at, dragMods(event));
    else if (event.buttons === 0) this.#hover.request();
  }

  cancel(): void {
    this.#gesture?.cancel();
    this.#forget();
  }

  #forget(): void {
    this.#press?.stop();
    this.#press = null;
    this.#gesture = null;
    this.editor.input.abort = null;
  }

  left(): void {
    if (!this.#gesture) this.editor.input.pointer.value = null;
  }

  /** Who cannot see a drag that began with a key does not lead it: it ends where it stands. */
  hidden(): void {
    if (this.editor.input.held.peek()) this.editor.input.running?.commit();
  }

  wheel(event: WheelEvent): void {
    this.#wheel.turn(event, this.#at(event));
  }

  pinch(event: PinchEvent): void {
    this.#wheel.pinch(event, this.#at(event));
  }

  /** A drag that began with a key continues outside of the view, and a press there ends it. */
  elsewhere(event: PointerEvent): void {
    const { input } = this.editor;
    if (!input.held.peek() || event.target === this.canvas) return;
    if (event.type === "pointerdown") input.running?.commit();
    else input.running?.move(this.#at(event), dragMods(event));
  }

  /**
   * A press ends a drag that began with a key: the left button confirms it, the right button
   * cancels it.
   */
  #endHeld(event: PointerEvent): boolean {
    const { input } = this.editor;
    if (!input.held.peek()) return false;
    if (event.button === RIGHT) input.running?.cancel();
    if (event.button === 0) input.running?.commit();
    return true;
  }

  #tellHover(): void {
    const at = this.editor.input.pointer.peek();
    if (at && !this.#gesture) this.editor.session.hover({ at });
  }

  /** Sets how far from a handle a press still takes it. */
  #reach(tolerance: number): void {
    if ((this.editor.tool.peek().tolerance ?? REACH_PX.mouse) !== tolerance)
      this.editor.setTool({ tolerance });
  }

  #at(pointer: { clientX: number; clientY: number }): Vec2 {
    return placeOn(this.canvas, pointer);
  }
}

/** @returns a function that removes the listeners */
export function startPointers(editor: Editor, canvas: HTMLCanvasElement): () => void {
  const pointer = new PointerInput(editor, canvas);
  const ended = new AbortController();
  const listen = <Name extends keyof HTMLElementEventMap>(
    name: Name,
    listener: (event: HTMLElementEventMap[Name]) => void,
  ): void => canvas.addEventListener(name, listener, { signal: ended.signal, passive: false });
  listen("pointerdown", (event) => pointer.down(event));
  listen("pointermove", (event) => pointer.move(event));
  listen("pointerleave", () => pointer.left());
  listen("wheel", (event) => pointer.wheel(event));
  for (const name of ["gesturestart", "gesturechange", "gestureend"])
    canvas.addEventListener(name, (event) => pointer.pinch(event as PinchEvent), {
      signal: ended.signal,
    });
  listen("blur", () => delete canvas.dataset.by);
  const elsewhere = (event: PointerEvent): void => pointer.elsewhere(event);
  window.addEventListener("pointermove", elsewhere, { signal: ended.signal });
  window.addEventListener("pointerdown", elsewhere, { signal: ended.signal, capture: true });
  document.addEventListener("visibilitychange", () => document.hidden && pointer.hidden(), {
    signal: ended.signal,
  });
  listen("contextmenu", (event) => event.preventDefault());
  return () => ended.abort();
}
