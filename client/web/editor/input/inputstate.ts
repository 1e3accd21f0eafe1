// state.ts - what hand and keyboard are doing just now: written by the gestures, shown by the overlay.
import { signal } from "@preact/signals";

import type { Modifier, Vec2 } from "../../sdk/types.js";
import { keep, recall } from "../storage";

/** What the keys mean: as in Maya and Unity, or as in Blender. */
export type Keymap = "common" | "blender";

/** The drag of the selection, as those see it who lead or end it; drag.ts has the one there is. */
export interface RunningDrag {
  /** The name of the handle; null until the server has said which one was pressed. */
  readonly handle: string | null;
  /** Whether it still follows pointer and keys. */
  readonly running: boolean;
  move(at: Vec2, mods: Modifier[]): void;
  again(mods: Modifier[]): void;
  constrain(handle: string): void;
  type(value: number[] | null): void;
  flush(): void;
  commit(): void;
  cancel(): void;
}

const STORED = "gizmod.keymap";
const STORED_HINT = "gizmod.navigated";
const BUBBLE_MS = 2500;

export class InputState {
  /** Where the pointer is, in pixels of the view; null while it is elsewhere. */
  readonly pointer = signal<Vec2 | null>(null);
  /** The last pointer was a finger: where it left, it does not hover. */
  readonly finger = signal(false);
  /** The rectangle of a selection: two corners. */
  readonly marquee = signal<[Vec2, Vec2] | null>(null);
  /** The handle that is dragged. */
  readonly dragged = signal<string | null>(null);
  /** The drag that runs began with a key: it follows the pointer without a button. */
  readonly held = signal(false);
  /** What was typed for it. */
  readonly typed = signal("");
  /** What the keys did, for who does not see it. */
  readonly said = signal("");
  /** Words at a place in the view, for a moment. */
  readonly bubble = signal<{ at: Vec2; text: string } | null>(null);
  /** The drag of the selection that runs, or that ran last. */
  drag: RunningDrag | null = null;
  /** Breaks off what is done with the pointer; null where nothing is. */
  abort: (() => void) | null = null;
  /** The step of distances that somebody typed; null where it follows the zoom. */
  readonly snapDistance = signal<number | null>(null);
  readonly navigating = signal<"orbit" | "pan" | null>(null);
  /** The left button turns and moves the view, whatever is under it: for those who have no other buttons. */
  readonly navigates = signal(false);
  /** Whether it is said how to turn and move the view: until somebody has done so. */
  readonly showsHint = signal(recall(STORED_HINT) === null);
  readonly keymap = signal<Keymap>(recall(STORED) === "blender" ? "blender" : "common");

  #bubbleTimer: ReturnType<typeof setTimeout> | undefined;

  /** The drag that runs now. */
  get running(): RunningDrag | null {
    return this.drag?.running ? this.drag : null;
  }

  /** Before something else has the pointer: what is dragged stays where it is, also where the server has not answered yet. */
  settle(): void {
    this.running?.commit();
    this.drag?.flush();
  }

  setKeymap(keymap: Keymap): void {
    this.keymap.value = keymap;
    keep(STORED, keymap);
  }

  /** Shows how to turn and move the view, or puts that away for good. */
  setHint(shown: boolean): void {
    this.showsHint.value = shown;
    if (!shown) keep(STORED_HINT, "yes");
  }

  /** The hand turns or moves the view from now on. */
  navigate(how: "orbit" | "pan"): void {
    this.navigating.value = how;
    if (this.showsHint.peek()) this.setHint(false);
  }

  /** Says it where the pointer is. */
  hint(text: string, at: Vec2 = this.pointer.peek() ?? [0, 0]): void {
    clearTimeout(this.#bubbleTimer);
    this.bubble.value = { at, text };
    this.#bubbleTimer = setTimeout(() => (this.bubble.value = null), BUBBLE_MS);
  }
}
