// touch.ts - fingers in the view. One: drags a handle, selects by a tap, else orbits. Two: pan, and zoom as they part. A finger hides what is under it, so the
// server is asked what is there before anything begins.
import type { Vec2 } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { Drag } from "./drag";
import { Orbit } from "./orbit";
import { select } from "./select";

/** A finger is less steady than a mouse. */
const TAP_PX = 10;
/** What a finger hides. */
const FINGER_PX = 70;

export class Touch {
  #fingers = new Map<number, Vec2>();
  #from: Vec2 = [0, 0];
  #drag: Drag | null = null;
  #orbit: Orbit | null = null;
  /** One finger is down, and what it does is not known yet. */
  #open = false;
  /** The server was asked whether there is a handle. */
  #probe: Promise<boolean> = Promise.resolve(false);

  constructor(readonly editor: Editor) {}

  down(id: number, at: Vec2): void {
    this.#fingers.set(id, at);
    this.#say(at);
    if (this.#fingers.size > 1) return this.#leaveOne();
    this.#from = at;
    this.#open = true;
    this.#probe = this.#ask(id, at);
  }

  move(id: number, at: Vec2): void {
    const before = this.#fingers.get(id);
    if (!before) return;
    if (this.#fingers.size === 2) return this.#both(id, before, at);
    this.#fingers.set(id, at);
    this.#say(at);
    this.#drag?.move(at, []);
    this.#orbit?.move(at);
  }

  up(id: number): void {
    const at = this.#fingers.get(id);
    if (!at) return;
    this.#fingers.delete(id);
    if (this.#open) void this.#tap(at);
    this.#drag?.commit();
    this.#finish();
  }

  cancel(id: number): void {
    this.#fingers.delete(id);
    this.#drag?.cancel();
    this.#finish();
  }

  /** Words for the finger stand above it, not below. */
  #say([x, y]: Vec2): void {
    this.editor.input.pointer.value = [x, y - FINGER_PX];
  }

  /** Whether a handle is under the finger; then it is dragged, as long as the finger is still down. */
  async #ask(id: number, at: Vec2): Promise<boolean> {
    const { editor } = this;
    if (editor.past.peek() || !editor.gizmo.peek()) {
      this.#watch(id);
      return false;
    }
    await editor.session.probe({ at }).catch(() => {});
    const found = editor.gizmo.peek()?.hover !== undefined;
    const last = this.#fingers.get(id);
    if (!this.#open || !last) return found;
    if (found) {
      this.#open = false;
      this.#drag = editor.input.drag = Drag.press(editor, at, [], () => {});
      this.#drag.move(last, []);
    } else this.#watch(id);
    return found;
  }

  /** No handle: from where the finger has left its place on, the view turns. */
  #watch(id: number): void {
    const at = this.#fingers.get(id);
    if (!this.#open || !at) return;
    if (Math.hypot(at[0] - this.#from[0], at[1] - this.#from[1]) <= TAP_PX) requestAnimationFrame(() => this.#watch(id));
    else {
      this.#open = false;
      this.#orbit = new Orbit(this.editor, this.#from);
      this.#orbit.move(at);
    }
  }

  async #tap(at: Vec2): Promise<void> {
    this.#open = false;
    if (!(await this.#probe) && !this.editor.past.peek()) await select(this.editor, at, "set");
  }

  /** A second finger came: what the first one did is over. */
  #leaveOne(): void {
    this.#drag?.cancel();
    this.#finish();
    this.editor.following.value = null;
    this.editor.input.navigating.value = "pan";
  }

  #finish(): void {
    this.#open = false;
    this.#drag = null;
    this.#orbit?.end();
    this.#orbit = null;
    this.editor.input.navigating.value = null;
  }

  #both(id: number, before: Vec2, at: Vec2): void {
    const other = [...this.#fingers].find(([finger]) => finger !== id)?.[1] as Vec2;
    const { rig } = this.editor;
    this.#fingers.set(id, at);
    rig.pan((at[0] - before[0]) / 2, (at[1] - before[1]) / 2);
    const apart = (p: Vec2): number => Math.max(1, Math.hypot(p[0] - other[0], p[1] - other[1]));
    rig.zoom(apart(before) / apart(at), [(at[0] + other[0]) / 2, (at[1] + other[1]) / 2]);
  }
}
