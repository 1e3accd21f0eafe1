// touch.ts - fingers in the view. One finger drags a handle, selects by a tap, toggles by a long
// press, else orbits. Two fingers pan, and zoom as they move apart.
import type { Vec2 } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { Drag } from "./drag";
import { Orbit } from "./orbit";
import { selectAt } from "./select";

/** A finger is less steady than a mouse. */
const TAP_PX = 10;
/** A press of this length toggles the selection. */
const LONG_MS = 450;
/** The height of what a finger hides. */
const FINGER_PX = 70;

export class Touch {
  #fingers = new Map<number, Vec2>();
  #one: OneFinger | null = null;

  constructor(readonly editor: Editor) {}

  down(id: number, at: Vec2): void {
    this.#fingers.set(id, at);
    this.#say(at);
    if (this.#fingers.size === 1) this.#one = new OneFinger(this.editor, at);
    else this.#leaveOne();
  }

  move(id: number, at: Vec2): void {
    const before = this.#fingers.get(id);
    if (!before) return;
    if (this.#fingers.size === 2) this.#both(id, before, at);
    this.#fingers.set(id, at);
    this.#say(at);
    this.#one?.move(at);
  }

  up(id: number): void {
    this.#fingers.delete(id);
    this.#one?.end();
    this.#finish();
  }

  /** Nobody heard how the finger was lifted: what it did ends where it stands. */
  leave(id: number): void {
    this.#fingers.delete(id);
    this.#one?.leave();
    this.#finish();
  }

  cancel(id: number): void {
    this.#fingers.delete(id);
    this.#one?.cancel();
    this.#finish();
  }

  /** The read-out appears above the finger, which would hide it. */
  #say([x, y]: Vec2): void {
    this.editor.input.pointer.value = [x, y - FINGER_PX];
  }

  /** A second finger cancels what the first one did. */
  #leaveOne(): void {
    this.#one?.cancel();
    this.#one = null;
    this.editor.following.value = null;
    this.editor.input.navigate("pan");
  }

  #finish(): void {
    this.#one = null;
    if (this.#fingers.size === 0) this.editor.input.navigating.value = null;
  }

  #both(id: number, before: Vec2, at: Vec2): void {
    const other = [...this.#fingers].find(([finger]) => finger !== id)?.[1] as Vec2;
    const { rig } = this.editor;
    rig.pan((at[0] - before[0]) / 2, (at[1] - before[1]) / 2);
    const apart = (p: Vec2): number => Math.max(1, Math.hypot(p[0] - other[0], p[1] - other[1]));
    rig.zoom(apart(before) / apart(at), [(at[0] + other[0]) / 2, (at[1] + other[1]) / 2]);
  }
}

/**
 * The gesture of one finger depends on whether a handle is below it. Without prediction the server
 * says that, and by then the finger may have moved or be gone.
 */
class OneFinger {
  #at: Vec2;
  #began = performance.now();
  #long = false;
  #drag: Drag | null = null;
  #orbit: Orbit | null = null;
  #noHandle = false;
  #over = false;
  #cancelled = false;

  constructor(
    readonly editor: Editor,
    readonly from: Vec2,
  ) {
    this.#at = from;
    const { session, gizmo, past } = editor;
    const mayGrab = !past.peek() && gizmo.peek() !== null;
    const handle = mayGrab ? session.handleAt({ at: from }) : null;
    if (handle === undefined) void this.#ask();
    else this.#decide(handle);
  }

  move(at: Vec2): void {
    this.#at = at;
    this.#drag?.move(at, []);
    this.#turn();
  }

  end(): void {
    this.#over = true;
    this.#long = performance.now() - this.#began > LONG_MS;
    this.#lift();
  }

  leave(): void {
    this.#cancelled = true;
    this.#drag?.commit();
    this.#orbit?.end();
  }

  cancel(): void {
    this.#cancelled = true;
    this.#drag?.cancel();
    this.#orbit?.end();
  }

  async #ask(): Promise<void> {
    const { session, gizmo } = this.editor;
    await session.probe({ at: this.from }).catch(() => {});
    this.#decide(gizmo.peek()?.hover ?? null);
  }

  #decide(handle: string | null): void {
    if (this.#cancelled) return;
    this.#noHandle = handle === null;
    if (handle !== null) {
      this.#drag = Drag.grab(this.editor, handle, this.from);
      this.#drag.move(this.#at, []);
    } else this.#turn();
    this.#lift();
  }

  get #strayed(): boolean {
    return Math.hypot(this.#at[0] - this.from[0], this.#at[1] - this.from[1]) > TAP_PX;
  }

  /** The view orbits once the finger has moved. */
  #turn(): void {
    if (!this.#noHandle || (!this.#orbit && !this.#strayed)) return;
    this.#orbit ??= new Orbit(this.editor, this.from);
    this.#orbit.move(this.#at);
  }

  #lift(): void {
    if (!this.#over) return;
    this.#drag?.commit();
    this.#orbit?.end();
    if (this.#noHandle && !this.#orbit && !this.editor.past.peek())
      void selectAt(this.editor, this.#at, this.#long ? "toggle" : "set");
  }
}
