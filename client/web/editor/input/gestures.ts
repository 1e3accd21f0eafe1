// gestures.ts - what mouse and pen do in the view. The left button drags a handle, selects a node,
// or draws a selection rectangle; with Alt it orbits. The middle button orbits, with Shift it pans,
// with Ctrl it zooms. The right button (and a pen's barrel button) pans, with Alt it zooms. While
// the past is shown, which cannot be edited, the left button orbits. While `navigates` is on and
// the pointer is on no handle, the left button orbits, pans with Shift, and zooms with Ctrl.
// Fingers are in touch.ts.
import type { Id, Modifier, Vec2 } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { Drag } from "./drag";
import { Orbit } from "./orbit";
import { type SelectMode, RectangleSelection, selectModeOf, selectAt } from "./select";

/** A press that moves no further than this is a click. */
const CLICK_PX = 4;

/** The natural logarithm of the zoom factor for each pixel of a drag that zooms. */
const ZOOM_PER_PX = 0.008;

export interface Gesture {
  move(at: Vec2, event: PointerEvent): void;
  end(at: Vec2, event: PointerEvent): void;
  /** The release was lost: what runs ends where it stands, and a press is no click. */
  leave(): void;
  cancel(): void;
}

/** The modifiers of a drag: Ctrl inverts snapping, Shift makes it precise. */
export function dragMods(event: MouseEvent | KeyboardEvent): Modifier[] {
  const mods: Modifier[] = [];
  if (event.ctrlKey || event.metaKey) mods.push("snap");
  if (event.shiftKey) mods.push("fine");
  return mods;
}

export function gestureOf(editor: Editor, at: Vec2, event: PointerEvent): Gesture {
  if ((event.button === 1 && event.ctrlKey) || (event.button === 2 && event.altKey))
    return new ZoomGesture(editor, at);
  if (event.button === 2 || (event.button === 1 && event.shiftKey))
    return new PanGesture(editor, at);
  if (event.button === 1 || event.altKey || editor.past.peek()) return new OrbitGesture(editor, at);
  if (editor.input.navigates.peek() && !isOnHandle(editor, at))
    return new NavigateGesture(editor, at, event);
  return new PressGesture(editor, at, event);
}

/** Without prediction the handle is the one that the server last said is under the pointer. */
export function isOnHandle({ session, gizmo }: Editor, at: Vec2): boolean {
  const handle = session.handleAt({ at });
  return handle === undefined ? gizmo.peek()?.hover !== undefined : handle !== null;
}

class OrbitGesture implements Gesture {
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
  leave(): void {
    this.#orbit.end();
  }
  cancel(): void {
    this.#orbit.end();
  }
}

/** The left button while it navigates: a click still selects. */
class NavigateGesture implements Gesture {
  #gesture: Gesture | null = null;
  constructor(
    readonly editor: Editor,
    readonly from: Vec2,
    readonly down: PointerEvent,
  ) {}
  move(at: Vec2, event: PointerEvent): void {
    if (!this.#gesture && Math.hypot(at[0] - this.from[0], at[1] - this.from[1]) < CLICK_PX) return;
    this.#gesture ??= this.#begin();
    this.#gesture.move(at, event);
  }
  end(at: Vec2, event: PointerEvent): void {
    if (this.#gesture) this.#gesture.end(at, event);
    else void selectAt(this.editor, at, selectModeOf(event));
  }
  leave(): void {
    this.#gesture?.leave();
  }
  cancel(): void {
    this.#gesture?.cancel();
  }
  #begin(): Gesture {
    if (this.down.ctrlKey || this.down.metaKey) return new ZoomGesture(this.editor, this.from);
    return this.down.shiftKey
      ? new PanGesture(this.editor, this.from)
      : new OrbitGesture(this.editor, this.from);
  }
}

class PanGesture implements Gesture {
  constructor(
    readonly editor: Editor,
    private last: Vec2,
  ) {
    editor.following.value = null;
    editor.input.navigate("pan");
  }
  move(at: Vec2): void {
    this.editor.rig.pan(at[0] - this.last[0], at[1] - this.last[1]);
    this.last = at;
  }
  end(): void {
    this.editor.input.navigating.value = null;
  }
  leave(): void {
    this.end();
  }
  cancel(): void {
    this.end();
  }
}

/** Dragging up zooms in, about the point of the press. */
class ZoomGesture extends PanGesture {
  #from: Vec2;
  #last: number;
  constructor(editor: Editor, at: Vec2) {
    super(editor, at);
    this.#from = at;
    this.#last = at[1];
  }
  override move(at: Vec2): void {
    this.editor.rig.zoom(Math.exp((at[1] - this.#last) * ZOOM_PER_PX), this.#from);
    this.#last = at[1];
  }
}

/**
 * The left button: a handle, else a click or a rectangle. What a click selects is the server's
 * answer, and without prediction whether a handle is there as well.
 */
class PressGesture implements Gesture {
  #drag: Drag | null = null;
  #mode: SelectMode;
  #at: Vec2;
  /** The press is known not to be a drag of a handle. */
  #free = false;
  #released = false;
  #rectangle: RectangleSelection | null = null;
  #before: readonly Id[];

  constructor(
    readonly editor: Editor,
    readonly from: Vec2,
    event: PointerEvent,
  ) {
    this.#at = from;
    this.#before = editor.selection.peek();
    this.#mode = selectModeOf(event);
    this.#free = this.#mode === "toggle" && !isOnHandle(editor, from);
    if (!this.#free) this.#press(event);
  }

  move(at: Vec2, event: PointerEvent): void {
    this.#at = at;
    this.#drag?.move(at, dragMods(event));
    this.#show();
  }

  end(at: Vec2): void {
    this.#at = at;
    this.#released = true;
    if (this.#drag) this.#drag.commit();
    else if (this.#free && !this.#isRectangle) void selectAt(this.editor, at, this.#mode);
    this.#finish();
  }

  leave(): void {
    if (this.#rectangle) return this.#finish();
    if (this.#drag?.handle === null) return this.cancel();
    this.#drag?.commit();
    this.#free = false;
  }

  cancel(): void {
    this.#drag?.cancel();
    this.#free = false;
    // A late answer that no handle is there then begins no rectangle.
    this.#at = this.from;
    this.#rectangle?.cancel();
    this.editor.input.marquee.value = null;
  }

  get #isRectangle(): boolean {
    return (
      this.#rectangle !== null ||
      (this.#free && Math.hypot(this.#at[0] - this.from[0], this.#at[1] - this.from[1]) > CLICK_PX)
    );
  }

  #press(event: PointerEvent): void {
    const mods: Modifier[] = this.#mode === "add" ? ["add", ...dragMods(event)] : dragMods(event);
    const missed = (): void => {
      this.#free = true;
      if (this.#released) this.#finish();
      else this.#show();
    };
    this.#drag = Drag.press(this.editor, this.from, mods, missed);
  }

  #finish(): void {
    this.#show();
    this.#free = false;
    this.editor.input.marquee.value = null;
  }

  #show(): void {
    if (!this.#free || !this.#isRectangle) return;
    this.#rectangle ??= new RectangleSelection(this.editor, this.#mode, this.#before);
    this.#rectangle.to(this.from, this.#at);
    this.editor.input.marquee.value = [this.from, this.#at];
  }
}
