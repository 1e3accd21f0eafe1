// numbercell.tsx - one number of what is selected: typed, with arithmetic and units; stepped by the arrow keys; dragged by its letter.
import { type ReadonlySignal, type Signal, useComputed, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";

import { useEditor } from "../context";
import type { Editor } from "../editor";
import type { Angles } from "./angles";
import { shown } from "./expression";
import { Scrub } from "./scrub";
import { type Field, QUANTITY, changeNumber, changeScale, commonNumber, parseEntry } from "./transform";

const NAMES: Record<Field, string> = { t: "Translation", r: "Rotation", s: "Scale" };
/** What a pixel of a drag and an arrow key stand for: half a degree and a hundredth; of lengths the view says it. */
const STEPS = { r: Math.PI / 360, s: 0.01 };

interface Props {
  field: Field;
  axis: number;
  angles: ReadonlySignal<Angles>;
  /** Of a scale: the other two follow. */
  uniform: boolean;
  locked: boolean;
}

export function NumberCell({ field, axis, angles, uniform, locked }: Props) {
  const editor = useEditor();
  const typed = useSignal<string | null>(null);
  const dragged = useSignal<number | null>(null);
  const input = useRef<HTMLInputElement>(null);
  // Only a change of this very text draws the cell anew, however much else moves.
  const text = useComputed(() => {
    editor.revision.value;
    const value = commonNumber(editor.scene.value, editor.selection.value, field, axis, angles.value);
    return value === null ? "mixed" : value === undefined ? "" : shown(value, QUANTITY[field]);
  });

  const set = (to: (before: number) => number) => {
    const { scene } = editor.session;
    const ids = editor.selection.peek();
    const changes = uniform ? changeScale(scene, ids, axis, to) : changeNumber(scene, ids, field, axis, angles.peek(), to);
    for (const { id, euler } of changes) if (euler) angles.peek().say(id, euler);
    return changes.length === 0 ? undefined : editor.try(() => editor.session.set(changes));
  };
  const accept = async () => {
    const entry = typed.peek();
    if (entry === null) return;
    const to = parseEntry(entry, field);
    if (!to) {
      typed.value = null;
      if (entry.trim() !== "") editor.say("warn", `"${entry}" is not a number.`);
      return;
    }
    // Until the scene shows it, the field says what was typed.
    await Promise.race([set(to), nextChange(editor)]);
    if (typed.peek() === entry) typed.value = null;
  };
  const handleKey = (event: KeyboardEvent) => {
    const way = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    event.stopPropagation();
    if (event.key === "Enter") {
      void accept();
      input.current?.select();
    } else if (event.key === "Escape") {
      typed.value = null;
      input.current?.blur();
    } else if (way !== undefined) {
      event.preventDefault();
      const step = 10 * way * stepOf(editor, field) * (event.shiftKey ? 0.1 : 1);
      void set((before) => round(before + step));
    }
  };
  const scrub = (event: PointerEvent) => {
    const ids = editor.selection.peek();
    if (event.button !== 0 || locked || ids.length === 0) return;
    startScrub(event, new Scrub(editor, { ids, field, axis, angles: angles.peek(), uniform }), stepOf(editor, field), dragged, () => input.current?.focus());
  };

  /** All digits, for who wants to know. */
  const exact = () => {
    const value = commonNumber(editor.scene.peek(), editor.selection.peek(), field, axis, angles.peek());
    return value === null || value === undefined ? undefined : String(field === "r" ? (value * 180) / Math.PI : value);
  };
  const mixed = text.value === "mixed";
  const value = typed.value ?? (dragged.value !== null ? shown(dragged.value, QUANTITY[field]) : mixed ? "" : text.value);
  return (
    <label class="cell" data-axis={axis} data-scrubbing={dragged.value !== null ? "" : undefined}>
      <span class="cell-letter" aria-hidden="true" onPointerDown={scrub}>
        {"XYZ"[axis]}
      </span>
      <input
        ref={input} class="input" inputMode="decimal" autocomplete="off" spellcheck={false} aria-label={`${NAMES[field]} ${"XYZ"[axis]}`} placeholder={mixed ? "mixed" : undefined} readOnly={locked} title={mixed ? undefined : exact()}
        value={value} onInput={(event) => (typed.value = event.currentTarget.value)} onFocus={(event) => event.currentTarget.select()} onBlur={() => void accept()} onKeyDown={handleKey}
      />
    </label>
  );
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

function stepOf(editor: Editor, field: Field): number {
  if (field !== "t") return STEPS[field];
  // The next of 1, 2, 5, 10 ... to what a pixel is in the view.
  const metres = editor.rig.metresPerPx;
  const power = 10 ** Math.floor(Math.log10(metres));
  return power * ([1, 2, 5].find((step) => step * power >= metres) ?? 10);
}

function startScrub(down: PointerEvent, scrub: Scrub, step: number, dragged: Signal<number | null>, focus: () => void): void {
  const letter = down.currentTarget as HTMLElement;
  const stop = new AbortController();
  const { signal } = stop;
  let number = scrub.from;
  let moved = 0;
  let frame = 0;
  down.preventDefault();
  letter.setPointerCapture(down.pointerId);
  const tell = () => {
    frame = 0;
    scrub.to(dragged.peek() as number);
  };
  const end = (keep: boolean) => {
    stop.abort();
    cancelAnimationFrame(frame);
    if (moved === 0) focus();
    if (frame !== 0 && keep) tell();
    void scrub.end(keep).then(() => (dragged.value = null));
  };
  letter.addEventListener("pointermove", (event) => {
    moved += Math.abs(event.movementX);
    if (moved === 0) return;
    number += event.movementX * step * (event.shiftKey ? 0.1 : 1);
    dragged.value = event.ctrlKey ? Math.round(number / (10 * step)) * 10 * step : round(number);
    if (frame === 0) frame = requestAnimationFrame(tell);
  }, { signal });
  letter.addEventListener("pointerup", () => end(true), { signal });
  letter.addEventListener("pointercancel", () => end(false), { signal });
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    end(false);
  }, { signal, capture: true });
}

const round = (value: number): number => Math.round(value * 1e9) / 1e9;
