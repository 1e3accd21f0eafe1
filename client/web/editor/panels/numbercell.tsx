// numbercell.tsx - the field of one number of the selection, with the letter that can be dragged.
import { type ReadonlySignal, useComputed, useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";

import { useEditor } from "../context";
import type { Editor } from "../editor";
import { chordOf } from "../input/chord";
import { commandOf } from "../input/commands";
import type { EulerMemory } from "./eulermemory";
import { NumberEntry } from "./numberentry";
import type { Field } from "./transform";

const NAMES: Record<Field, string> = { t: "Translation", r: "Rotation", s: "Scale" };
/**
 * The number of characters that fit into a field. While it is edited it contains the whole number.
 */
const CHARS = 8;
/** The number of steps of a key. */
const KEYS: Record<string, number> = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 };

export interface CellProps {
  field: Field;
  axis: number;
  angles: ReadonlySignal<EulerMemory>;
  /** For a scale: the other two factors keep their proportion. */
  uniform: boolean;
  locked: boolean;
}

export function NumberCell({ field, axis, angles, uniform, locked }: CellProps) {
  const editor = useEditor();
  const input = useRef<HTMLInputElement>(null);
  const entry = useMemo(
    () => new NumberEntry(editor, field, axis, angles),
    [editor, field, axis, angles],
  );
  entry.uniform = uniform;
  // The cell is drawn again only if this text changes, however much else moves.
  const focused = useSignal(false);
  const text = useComputed(
    () => (editor.revision.value, entry.text(focused.value ? Infinity : CHARS)),
  );
  const handleFocus = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    focused.value = true;
    // Set at once, so that the whole number is selected.
    if (text.value !== "mixed") currentTarget.value = text.value;
    currentTarget.select();
  };
  const handleBlur = () => {
    focused.value = false;
    void entry.leave();
  };
  const handleKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (entry.typed.peek() === null && undoInField(editor, event)) return;
    if (event.key === "Enter") {
      void entry.accept();
      input.current?.select();
    } else if (event.key === "Escape") {
      entry.type(null);
      input.current?.blur();
    } else if (KEYS[event.key] !== undefined && !locked) {
      event.preventDefault();
      void entry.nudge(KEYS[event.key] * (event.shiftKey ? 0.1 : 1));
    }
  };
  const late = useComputed(() => entry.late());
  const mixed = text.value === "mixed";
  const dragged = entry.dragged.value;
  return (
    <label class="cell" data-axis={axis} data-scrubbing={dragged !== null ? "" : undefined}>
      <span
        class="cell-letter"
        aria-hidden="true"
        title={late.value}
        onPointerDown={(event) => !locked && entry.scrub(event, () => input.current?.focus())}
      >
        {"XYZ"[axis]}
      </span>
      <input
        ref={input}
        class="input"
        inputMode="decimal"
        autocomplete="off"
        spellcheck={false}
        aria-label={`${NAMES[field]} ${"XYZ"[axis]}`}
        placeholder={mixed ? "mixed" : undefined}
        readOnly={locked}
        title={mixed ? undefined : entry.exact()}
        value={
          entry.typed.value ??
          (dragged !== null ? entry.shown(dragged, CHARS) : mixed ? "" : text.value)
        }
        aria-invalid={entry.fault.value !== "" || undefined}
        onInput={(event) => entry.type(event.currentTarget.value)}
        onFocus={handleFocus}
        onBlur={handleBlur}
        onKeyDown={handleKey}
      />
      <span class="cell-fault" role="alert">
        {entry.fault.value}
      </span>
    </label>
  );
}

/**
 * If nothing was typed, undo and redo are those of the scene, because the field has nothing to
 * undo.
 */
function undoInField(editor: Editor, event: KeyboardEvent): boolean {
  const { id } = commandOf(chordOf(event), editor.input.keymap.peek()) ?? {};
  if (id !== "undo" && id !== "redo") return false;
  event.preventDefault();
  if (editor.editable.peek()) void editor[id]();
  return true;
}
