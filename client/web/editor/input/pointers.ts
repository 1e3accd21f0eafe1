// pointers.ts - passes the pointer events of the canvas on: to a gesture of the mouse or pen, to
// the fingers, to the wheel, or to hovering.
import type { Vec2 } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { type Gesture, dragMods, gestureOf } from "./gestures";
import { PerFrame } from "./perframe";
import { Touch } from "./touch";
import { type PinchEvent, Wheel } from "./wheel";

/** How far from a handle a press still takes it, in pixels. */
const REACH_PX = { mouse: 8, finger: 22 };

class PointerInput {
  #gesture: Gesture | null = null;
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
    const at = this.#at(event);
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.dataset.by = "pointer";
    const finger = event.pointerType === "touch";
    this.editor.input.finger.value = finger;
    this.#reach(finger ? REACH_PX.finger : REACH_PX.mouse);
    if (finger) return this.#touch.down(event.pointerId, at);
    if (this.#endHeld(event) || this.#gesture) return;
    this.#gesture = gestureOf(this.editor, at, event);
    this.editor.input.abort = () => this.cancel();
  }

  move(event: PointerEvent): void {
    const at = this.#at(event);
    const { input } = this.editor;
    input.finger.value = event.pointerType === "touch";
    if (input.finger.peek()) return this.#touch.move(event.pointerId, at);
    input.pointer.value = at;
    if (input.held.peek()) input.running?.move(at, dragMods(event));
    else if (!this.#gesture) this.#hover.request();
    else if (event.button === 2) this.cancel();
    else this.#gesture.move(at, event);
  }

  up(event: PointerEvent): void {
    if (event.pointerType === "touch") return this.#touch.up(event.pointerId);
    this.#gesture?.end(this.#at(event), event);
    this.#forget();
  }

  cancelled(event: PointerEvent): void {
    if (event.pointerType === "touch") this.#touch.cancel(event.pointerId);
    else this.cancel();
  }

  cancel(): void {
    this.#gesture?.cancel();
    this.#forget();
  }

  #forget(): void {
    this.#gesture = null;
    this.editor.input.abort = null;
  }

  left(): void {
    if (!this.#gesture) this.editor.input.pointer.value = null;
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
    if (event.button === 2) input.running?.cancel();
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

  #at(event: MouseEvent): Vec2 {
    const { left, top } = this.canvas.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
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
  listen("pointerup", (event) => pointer.up(event));
  listen("pointercancel", (event) => pointer.cancelled(event));
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
  listen("contextmenu", (event) => event.preventDefault());
  return () => ended.abort();
}
