// numberentry.ts - edits one number of the selection: by typing, by steps, and by dragging its
// letter.
import { type ReadonlySignal, signal } from "@preact/signals";

import { placeOn } from "../../sdk/canvasplace.js";
import { Press } from "../../sdk/press.js";
import type { Id } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { takesBack } from "../input/commands";
import { frameSelected } from "../input/views";
import { inBare } from "../units";
import type { EulerMemory } from "./eulermemory";
import { compact } from "./expression";
import { Scrub, type Scrubbed, whyLate } from "./scrub";
import {
  type Field,
  QUANTITY,
  changeNumber,
  changeScale,
  commonNumber,
  faultOf,
  parseEntry,
} from "./transform";

/**
 * The change for each pixel of a drag: half a degree, or a hundredth; for lengths it depends on the
 * zoom. Ten of these are one step of an arrow key.
 */
const STEPS = { r: Math.PI / 360, s: 0.01 };

/** How long a field that was left says what was wrong. */
const FAULT_MS = 4000;

export class NumberEntry {
  /** The typed text, until the scene shows its value. */
  readonly typed = signal<string | null>(null);
  /** What is wrong with the typed text; empty if nothing is. */
  readonly fault = signal("");
  /** The value while the letter is dragged. */
  readonly dragged = signal<number | null>(null);
  /** For a scale: the other two factors keep their proportion. */
  uniform = false;
  #accepting = false;

  constructor(
    readonly editor: Editor,
    readonly field: Field,
    readonly axis: number,
    readonly angles: ReadonlySignal<EulerMemory>,
  ) {}

  /** The text of the field in at most so many characters; "mixed" if the selected nodes differ. */
  text(chars = Infinity): string {
    const value = commonNumber(
      this.editor.scene.value,
      this.editor.selection.value,
      this.field,
      this.axis,
      this.angles.value,
    );
    return value === null ? "mixed" : value === undefined ? "" : this.shown(value, chars);
  }

  /** A value as a field shows it, in the unit of the field. */
  shown(value: number, chars: number): string {
    return compact(value, QUANTITY[this.field], chars);
  }

  /** All digits, without the rounding noise of the conversion from radians to degrees. */
  exact(): string | undefined {
    const { editor, field, axis, angles } = this;
    const value = commonNumber(
      editor.scene.peek(),
      editor.selection.peek(),
      field,
      axis,
      angles.peek(),
    );
    if (value === null || value === undefined) return undefined;
    const number = inBare(value, QUANTITY[field]);
    return String(number === value ? value : Number(number.toPrecision(15)));
  }

  /**
   * Why others see a drag of the letter only when it ends; undefined if they see it while it runs.
   */
  late(): string | undefined {
    this.editor.structure.value; // the parents may have changed
    return whyLate(this.editor, this.#scrubbed(this.editor.selection.value, this.angles.value));
  }

  #scrubbed(ids: readonly Id[], angles: EulerMemory): Scrubbed {
    const { field, axis, uniform } = this;
    return { ids, field, axis, angles, uniform };
  }

  get step(): number {
    if (this.field !== "t") return STEPS[this.field];
    // The length of a pixel in the view, rounded up to 1, 2 or 5 times a power of ten.
    const metres = this.editor.rig.metresPerPx;
    const power = 10 ** Math.floor(Math.log10(metres));
    return power * ([1, 2, 5].find((step) => step * power >= metres) ?? 10);
  }

  async set(to: (before: number) => number): Promise<void> {
    const { editor, field, axis, angles } = this;
    const { scene } = editor.session;
    const ids = editor.selection.peek();
    const changes = this.uniform
      ? changeScale(scene, ids, axis, to)
      : changeNumber(scene, ids, field, axis, angles.peek(), to);
    for (const { id, euler } of changes) if (euler) angles.peek().say(id, euler);
    if (changes.length > 0) await editor.try(() => editor.session.set(changes));
  }

  type(text: string | null): void {
    this.typed.value = text;
    this.fault.value = "";
  }

  /** The field is left: it shows the number again, and for a while what was wrong with the text. */
  async leave(): Promise<void> {
    await this.accept();
    const fault = this.fault.peek();
    if (fault === "") return;
    this.typed.value = null;
    setTimeout(() => this.fault.peek() === fault && (this.fault.value = ""), FAULT_MS);
  }

  /**
   * Applies what was typed. Leaving the field while that is under way does not apply it twice. What
   * is no number stays in the field, which says so, until it is changed or given up.
   */
  async accept(): Promise<void> {
    const text = this.typed.peek();
    if (text === null || this.#accepting) return;
    this.fault.value = text.trim() === "" ? "" : faultOf(text, this.field);
    if (this.fault.peek() !== "") return;
    const to = parseEntry(text, this.field);
    if (to) {
      this.#accepting = true;
      await Promise.race([this.set(to), nextChange(this.editor)]);
      this.#accepting = false;
      if (this.field === "t") offerToFrame(this.editor);
    }
    if (this.typed.peek() === text) this.typed.value = null;
  }

  /** Changes the number by so many steps. */
  async nudge(steps: number): Promise<void> {
    const by = 10 * steps * this.step;
    await this.set((before) => round(before + by));
  }

  /** Follows a press on the letter; without a movement it is a click. */
  scrub(down: PointerEvent, click: () => void): void {
    const ids = this.editor.selection.peek();
    if (down.button !== 0 || ids.length === 0) return;
    down.preventDefault();
    const scrub = new Scrub(this.editor, this.#scrubbed(ids, this.angles.peek()));
    followLetter(down, {
      from: scrub.from,
      step: this.step,
      show: (number) => (this.dragged.value = number),
      tell: (number) => scrub.to(number),
      end: async (keep, moved) => {
        if (keep && !moved) click();
        await scrub.end(keep);
        this.dragged.value = null;
      },
    });
  }
}

interface Letter {
  from: number;
  /** The change for each pixel. */
  step: number;
  show: (number: number) => void;
  /** Called once for each frame. */
  tell: (number: number) => void;
  end: (keep: boolean, moved: boolean) => void;
}

/**
 * A pointer that drags a number sideways: Shift is precise, Ctrl snaps to steps, Escape and Ctrl Z
 * cancel.
 */
function followLetter(down: PointerEvent, { from, step, show, tell, end }: Letter): void {
  const letter = down.currentTarget as HTMLElement;
  const stop = new AbortController();
  let [way, moved, frame, wanted] = [from, 0, 0, from];
  let last = placeOn(letter, down)[0];
  const pass = () => {
    frame = 0;
    tell(wanted);
  };
  const finish = (keep: boolean) => {
    press.stop();
    stop.abort();
    cancelAnimationFrame(frame);
    if (frame !== 0 && keep) pass();
    end(keep, moved > 0);
  };
  const move = (event: PointerEvent) => {
    const x = placeOn(letter, press)[0];
    const by = x - last;
    last = x;
    moved += Math.abs(by);
    if (moved === 0) return;
    way += by * step * (event.shiftKey ? 0.1 : 1);
    wanted = event.ctrlKey ? Math.round(way / (10 * step)) * 10 * step : round(way);
    show(wanted);
    if (frame === 0) frame = requestAnimationFrame(pass);
  };
  const key = (event: KeyboardEvent) => {
    if (!takesBack(event)) return;
    event.preventDefault();
    event.stopPropagation();
    finish(false);
  };
  const press = new Press(letter, down, {
    move,
    up: () => finish(true),
    lost: () => finish(moved > 0),
    cancel: () => finish(false),
  });
  press.capture();
  addEventListener("keydown", key, { signal: stop.signal, capture: true });
}

/** What was typed may have moved everything that is selected to where nobody sees it. */
function offerToFrame(editor: Editor): void {
  const { rig, selection, session } = editor;
  const box = session.scene.box(selection.peek());
  if (!box) return;
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((corner) =>
    rig.project([0, 1, 2].map((axis) => box[axis + 3 * ((corner >> axis) & 1)])),
  );
  const [xs, ys] = [0, 1].map((axis) => corners.map((at) => at?.[axis] ?? NaN));
  const beyond = (places: number[], room: number): boolean =>
    Math.max(...places) < 0 || Math.min(...places) > room;
  if (corners.some(Boolean) && !beyond(xs, rig.width) && !beyond(ys, rig.height)) return;
  const run = () => frameSelected(editor);
  editor.say("info", "It is out of the view now.", { label: "Frame it", run });
}

/** Resolves when the scene changes. */
function nextChange(editor: Editor): Promise<void> {
  return new Promise((resolve) => {
    const off = editor.session.scene.on("change", () => {
      off();
      resolve();
    });
  });
}

const round = (value: number): number => Math.round(value * 1e9) / 1e9;
