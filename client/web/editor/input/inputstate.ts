// inputstate.ts - what pointer and keyboard are doing now: gestures write it, the overlay shows it.
import { signal } from "@preact/signals";

import type { Modifier, Vec2 } from "../../sdk/types.js";
import { keep, recall } from "../storage";

/** Which keys the commands have: those of Maya and Unity, or those of Blender. */
export type Keymap = "common" | "blender";

/** A drag of the selection as the code sees it that leads or ends it; drag.ts implements it. */
export interface RunningDrag {
  /** The name of the handle; null while only the server knows which one was pressed. */
  readonly handle: string | null;
  /** Whether the drag still follows pointer and keys. */
  readonly running: boolean;
  move(at: Vec2, mods: Modifier[]): void;
  again(mods: Modifier[]): void;
  constrain(handle: string): void;
  type(value: number[] | null): void;
  commit(): void;
  cancel(): void;
}

const STORED = "gizmod.keymap";
const STORED_HINT = "gizmod.navigated";
const BUBBLE_MS = 2500;

export class InputState {
  /** The pointer in pixels of the view; null while it is outside. */
  readonly pointer = signal<Vec2 | null>(null);
  /** The last pointer was a finger: after it was lifted nothing hovers. */
  readonly finger = signal(false);
  /** Two opposite corners of the selection rectangle. */
  readonly marquee = signal<[Vec2, Vec2] | null>(null);
  /** The name of the handle that is being dragged. */
  readonly dragged = signal<string | null>(null);
  /** The running drag began with a key: it follows the pointer without a button. */
  readonly held = signal(false);
  /** The text that was typed for the running drag. */
  readonly typed = signal("");
  /** What the keys did, for screen readers. */
  readonly said = signal("");
  /** A text at a place in the view, for a moment. */
  readonly bubble = signal<{ at: Vec2; text: string } | null>(null);
  /** The drag of the selection that is running or ran last. */
  drag: RunningDrag | null = null;
  /** Cancels the pointer's gesture; null if there is none. */
  abort: (() => void) | null = null;
  /** The snap distance that the person typed; null if it follows the zoom. */
  readonly snapDistance = signal<number | null>(null);
  readonly navigating = signal<"orbit" | "pan" | null>(null);
  /** The left button orbits and pans whatever is under it, for devices without other buttons. */
  readonly navigates = signal(false);
  /** Whether the hint on navigation is shown: until the person has navigated once. */
  readonly showsHint = signal(recall(STORED_HINT) === null);
  readonly keymap = signal<Keymap>(recall(STORED) === "blender" ? "blender" : "common");

  #bubbleTimer: ReturnType<typeof setTimeout> | undefined;

  /** The drag that is running now. */
  get running(): RunningDrag | null {
    return this.drag?.running ? this.drag : null;
  }

  /** Called before another gesture takes the pointer: the dragged nodes stay where they are. */
  settle(): void {
    this.running?.commit();
  }

  setKeymap(keymap: Keymap): void {
    this.keymap.value = keymap;
    keep(STORED, keymap);
  }

  /** Shows the hint on navigation, or hides it for good. */
  setHint(shown: boolean): void {
    this.showsHint.value = shown;
    if (!shown) keep(STORED_HINT, "yes");
  }

  /** The pointer orbits or pans from now on. */
  navigate(how: "orbit" | "pan"): void {
    this.navigating.value = how;
    if (this.showsHint.peek()) this.setHint(false);
  }

  /** Shows a text at the pointer. */
  hint(text: string, at: Vec2 = this.pointer.peek() ?? [0, 0]): void {
    clearTimeout(this.#bubbleTimer);
    this.bubble.value = { at, text };
    this.#bubbleTimer = setTimeout(() => (this.bubble.value = null), BUBBLE_MS);
  }
}
