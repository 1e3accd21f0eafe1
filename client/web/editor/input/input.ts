// input.ts - what mouse, touch, pen and keys do in the view.
import { effect } from "@preact/signals";

import type { Vec2 } from "../../sdk/types.js";
import type { Editor } from "../editor";
import type { View } from "../view/view";
import { startFollowing } from "./follow";
import { startKeys } from "./keys";
import { type Gesture, dragMods, gestureOf } from "./pointer";
import { Touch } from "./touch";
import { frameAll } from "./views";
import { Wheel } from "./wheel";

/** @returns what ends it */
export function startInput(view: View): () => void {
  const { editor, canvas } = view;
  editor.session.setTool({ orbit: "turntable" });
  const stops = [startPointer(editor, canvas), startKeys(editor), startCursor(editor, canvas), startCamera(editor), startFollowing(editor)];
  return () => stops.forEach((stop) => stop());
}

class PointerInput {
  #gesture: Gesture | null = null;
  #hovered = 0;
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
    this.editor.following.value = null;
    if (event.pointerType === "touch") return this.#touch.down(event.pointerId, at);
    if (this.#endHeld(event) || this.#gesture) return;
    this.editor.input.running?.commit();
    this.editor.input.drag?.flush();
    this.#gesture = gestureOf(this.editor, at, event);
    this.editor.input.abort = () => this.cancel();
  }

  move(event: PointerEvent): void {
    const at = this.#at(event);
    const { input } = this.editor;
    input.pointer.value = at;
    if (event.pointerType === "touch") return this.#touch.move(event.pointerId, at);
    if (input.held.peek()) input.running?.move(at, dragMods(event));
    else if (!this.#gesture) this.#hover();
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
    this.editor.following.value = null;
    this.#wheel.turn(event, this.#at(event));
  }

  /** A drag that began with a key ends with a press: left leaves it, right takes it back. */
  #endHeld(event: PointerEvent): boolean {
    const { input } = this.editor;
    if (!input.held.peek()) return false;
    if (event.button === 2) input.running?.cancel();
    else input.running?.commit();
    return true;
  }

  /** Tells the server where the pointer is, once for each picture. */
  #hover(): void {
    this.#hovered ||= requestAnimationFrame(() => {
      this.#hovered = 0;
      const at = this.editor.input.pointer.peek();
      if (at && !this.#gesture) this.editor.session.hover({ at });
    });
  }

  #at(event: MouseEvent): Vec2 {
    const { left, top } = this.canvas.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  }
}

function startPointer(editor: Editor, canvas: HTMLCanvasElement): () => void {
  const pointer = new PointerInput(editor, canvas);
  const ended = new AbortController();
  const listen = <Name extends keyof HTMLElementEventMap>(name: Name, listener: (event: HTMLElementEventMap[Name]) => void): void =>
    canvas.addEventListener(name, listener, { signal: ended.signal, passive: false });
  listen("pointerdown", (event) => pointer.down(event));
  listen("pointermove", (event) => pointer.move(event));
  listen("pointerup", (event) => pointer.up(event));
  listen("pointercancel", (event) => pointer.cancelled(event));
  listen("pointerleave", () => pointer.left());
  listen("wheel", (event) => pointer.wheel(event));
  listen("contextmenu", (event) => event.preventDefault());
  return () => ended.abort();
}

/** What a press would do, as the shape of the cursor. */
function startCursor(editor: Editor, canvas: HTMLCanvasElement): () => void {
  return effect(() => {
    const { input } = editor;
    const handle = input.dragged.value ?? editor.gizmo.value?.hover;
    const doing = input.navigating.value;
    canvas.style.cursor = doing ? "grabbing" : input.dragged.value ? "grabbing" : handle ? "grab" : input.marquee.value ? "crosshair" : "default";
  });
}

/** The view of the last time in this scene, or all of it. */
function startCamera(editor: Editor): () => void {
  const { rig, session } = editor;
  const stored = `gizmod.camera.${session.sceneName}`;
  const saved = sessionStorage.getItem(stored);
  if (saved) {
    const { pose, parallel } = JSON.parse(saved);
    rig.place(pose);
    rig.setParallel(parallel);
  } else void session.ready.then(() => frameAll(editor, { fly: false }), () => {});
  const save = (): void => sessionStorage.setItem(stored, JSON.stringify({ pose: rig.pose, parallel: rig.parallel.peek() }));
  window.addEventListener("pagehide", save);
  return () => window.removeEventListener("pagehide", save);
}
