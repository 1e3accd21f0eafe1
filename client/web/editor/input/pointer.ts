// pointer.ts - what mouse, pen and wheel do in the view. Left: drags a handle, selects a node, or draws a rectangle that selects; with Alt it orbits. Middle
// orbits, with Shift it pans; right (and a pen's barrel button) pans. The wheel zooms to the pointer. Fingers are in touch.ts.
import type { Modifier, Vec2 } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { Drag } from "./drag";
import { Orbit } from "./orbit";
import { type Choice, choiceOf, select, selectIn } from "./select";

/** How far a press may wander and still is a click. */
const CLICK_PX = 4;

export interface Gesture {
  move(at: Vec2, event: PointerEvent): void;
  end(at: Vec2, event: PointerEvent): void;
  cancel(): void;
}

/** During a drag: Ctrl turns snapping round, Shift makes it fine. */
export function dragMods(event: MouseEvent | KeyboardEvent): Modifier[] {
  const mods: Modifier[] = [];
  if (event.ctrlKey || event.metaKey) mods.push("snap");
  if (event.shiftKey) mods.push("fine");
  return mods;
}

export function gestureOf(editor: Editor, at: Vec2, event: PointerEvent): Gesture {
  if (event.button === 1) return event.shiftKey ? new PanGesture(editor, at) : new OrbitGesture(editor, at);
  if (event.button === 2) return new PanGesture(editor, at);
  if (event.altKey) return new OrbitGesture(editor, at);
  return new PressGesture(editor, at, event);
}

export class OrbitGesture implements Gesture {
  #orbit: Orbit;
  constructor(editor: Editor, at: Vec2) {
    this.#orbit = new Orbit(editor, at);
  }
  move(at: Vec2): void {
    this.#orbit.move(at);
  }
  end(): void {
    this.#orbit.end();
  }
  cancel(): void {
    this.#orbit.end();
  }
}

export class PanGesture implements Gesture {
  constructor(
    readonly editor: Editor,
    private last: Vec2,
  ) {
    editor.input.navigating.value = "pan";
  }
  move(at: Vec2): void {
    this.editor.rig.pan(at[0] - this.last[0], at[1] - this.last[1]);
    this.last = at;
  }
  end(): void {
    this.editor.input.navigating.value = null;
  }
  cancel(): void {
    this.end();
  }
}

/** The left button: a handle, else a click or a rectangle. The server says which. */
class PressGesture implements Gesture {
  #drag: Drag | null = null;
  #choice: Choice;
  /** It is known to be no drag, and what was pressed is selected already where `chosen`. */
  #free = false;
  #chosen = false;

  constructor(
    readonly editor: Editor,
    readonly from: Vec2,
    event: PointerEvent,
  ) {
    this.#choice = choiceOf(event);
    const onHandle = editor.gizmo.peek()?.hover !== undefined;
    if (editor.past.peek()) return;
    if (this.#choice === "toggle" && !onHandle) {
      this.#free = true;
      return;
    }
    const mods: Modifier[] = this.#choice === "add" ? ["add", ...dragMods(event)] : dragMods(event);
    this.#drag = Drag.press(editor, from, mods, () => (this.#free = this.#chosen = true));
    editor.input.drag = this.#drag;
  }

  move(at: Vec2, event: PointerEvent): void {
    this.#drag?.move(at, dragMods(event));
    if (!this.#free) return;
    const { marquee } = this.editor.input;
    if (marquee.peek() || Math.hypot(at[0] - this.from[0], at[1] - this.from[1]) > CLICK_PX) marquee.value = [this.from, at];
  }

  end(at: Vec2): void {
    this.#drag?.commit();
    const rectangle = this.editor.input.marquee.peek();
    this.editor.input.marquee.value = null;
    if (rectangle) void selectIn(this.editor, this.from, at, this.#choice);
    else if (this.#free && !this.#chosen) void select(this.editor, at, this.#choice);
  }

  cancel(): void {
    this.#drag?.cancel();
    this.editor.input.marquee.value = null;
    this.#free = false;
  }
}

/** Zooms to the pointer; two fingers on a trackpad that pinch come as a wheel with Ctrl. */
export function handleWheel(editor: Editor, event: WheelEvent, at: Vec2): void {
  event.preventDefault();
  if (editor.input.navigating.peek()) return;
  const px = event.deltaMode === 0 ? 1 : event.deltaMode === 1 ? 33 : 300;
  if (event.shiftKey && !event.ctrlKey) return editor.rig.pan(-(event.deltaX || event.deltaY) * px, 0);
  const step = event.ctrlKey ? 0.01 : 0.0015;
  editor.rig.zoom(Math.exp(Math.max(-240, Math.min(240, event.deltaY * px)) * step), at);
}
