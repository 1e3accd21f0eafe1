// keys.ts - the keyboard in the whole page, except where somebody types into a field. While a drag runs the keys belong to it.
import type { Editor } from "../editor";
import { chordOf } from "./chord";
import { commandOf, isAboutSelection } from "./commands";
import { type Axis, heldTo } from "./grab";
import { Nudge, isArrow } from "./nudge";
import { dragMods } from "./gestures";
import { isTyped, measureOf, valueOf } from "./typedvalue";

/** Commands that go on while their key is held. */
const REPEATING: ReadonlySet<string> = new Set(["undo", "redo", "zoom-in", "zoom-out"]);
/** Commands whose keys belong to others where they cannot be done: text is copied and pasted by the browser, and Escape leaves many things. */
const YIELDING: ReadonlySet<string> = new Set(["copy", "paste", "deselect"]);
/** Keys with names that a drag takes. */
const IN_DRAGS: ReadonlySet<string> = new Set(["Enter", "Escape", "Backspace", "Tab"]);

export function startKeys(editor: Editor): () => void {
  const nudge = new Nudge(editor);
  const press = (event: KeyboardEvent): boolean => {
    if (event.type === "keydown")
      return (
        arrowKey(nudge, event) ||
        (editor.input.running ? dragKey(editor, event) : commandKey(editor, event))
      );
    if (isModifier(event.key)) editor.input.running?.again(dragMods(event));
    return false;
  };
  const late = new LateKeys(editor, press);
  const down = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing || isTaken(event)) return;
    const waits = late.waiting
      ? isOwn(editor, event)
      : editor.isSelecting && isAboutChoice(editor, event);
    if (waits) late.add(event);
    if (waits || press(event)) event.preventDefault();
  };
  const up = (event: KeyboardEvent): void => {
    if (late.waiting) late.add(event);
    else press(event);
  };
  window.addEventListener("keydown", down);
  window.addEventListener("keyup", up);
  return () => {
    window.removeEventListener("keydown", down);
    window.removeEventListener("keyup", up);
  };
}

/** Keys that are pressed before the server has said what is selected. The first of them is about that, and what the others mean depends on what it does: G, X, 5 moves something by five, and X alone may delete it. */
class LateKeys {
  #keys: KeyboardEvent[] = [];

  constructor(
    readonly editor: Editor,
    readonly press: (event: KeyboardEvent) => unknown,
  ) {}

  get waiting(): boolean {
    return this.#keys.length > 0;
  }

  add(event: KeyboardEvent): void {
    if (this.#keys.push(event) === 1) void this.#pressAll();
  }

  /** Each waits for what the one before it chose. Where something could not be chosen, as without a connection, they mean nothing. */
  async #pressAll(): Promise<void> {
    while (this.waiting) {
      if (await this.editor.selectionSettled()) this.press(this.#keys[0]);
      else this.#keys = [];
      this.#keys.shift();
    }
  }
}

/** Whether a key does something with what is selected. */
function isAboutChoice(editor: Editor, event: KeyboardEvent): boolean {
  if (editor.input.running || (event.key === "Escape" && editor.input.abort)) return false;
  if (isArrow(event.key))
    return isView(event.target) && !event.altKey && !event.ctrlKey && !event.metaKey;
  const command = commandOf(chordOf(event), editor.input.keymap.peek());
  return (
    command?.run !== undefined &&
    isAboutSelection(command) &&
    (!YIELDING.has(command.id) || (command.possible?.(editor) ?? true))
  );
}

/** Whether a key is the page's, in a drag or without one, rather than the browser's. */
function isOwn(editor: Editor, event: KeyboardEvent): boolean {
  if (isArrow(event.key)) return isView(event.target);
  const plain =
    !event.ctrlKey &&
    !event.metaKey &&
    !event.altKey &&
    (event.key.length === 1 || IN_DRAGS.has(event.key));
  return (
    plain || isModifier(event.key) || commandOf(chordOf(event), editor.input.keymap.peek()) !== null
  );
}

/** Whether a key belongs to what has the focus: all of them in text, those without Ctrl in lists and sliders. */
function isTaken(event: KeyboardEvent): boolean {
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.closest("dialog[open], [role=dialog], [role=menu]"))
    return true;
  if (target.matches("select, input[type=range], [role=slider]"))
    return !event.ctrlKey && !event.metaKey;
  return target.matches(
    "textarea, input:not([type=checkbox], [type=radio], [type=range], [type=button])",
  );
}

/** Arrows are for the view alone where it, or nothing, has the focus. */
const isView = (target: EventTarget | null): boolean =>
  target instanceof HTMLCanvasElement || target === document.body;

const isModifier = (key: string): boolean => key === "Control" || key === "Meta" || key === "Shift";

function arrowKey(nudge: Nudge, event: KeyboardEvent): boolean {
  if (
    !isArrow(event.key) ||
    event.altKey ||
    !isView(event.target) ||
    (nudge.editor.input.running && !nudge.running)
  )
    return false;
  nudge.press(event.key, { large: event.shiftKey, turns: event.ctrlKey || event.metaKey });
  return true;
}

function commandKey(editor: Editor, event: KeyboardEvent): boolean {
  if (event.key === "Escape" && editor.input.abort) {
    editor.input.abort();
    return true;
  }
  const command = commandOf(chordOf(event), editor.input.keymap.peek());
  if (!command?.run || (event.repeat && !REPEATING.has(command.id))) return false;
  const possible = command.possible?.(editor) ?? true;
  if (!possible && YIELDING.has(command.id)) return false;
  // Where it is not possible the key is taken all the same: Ctrl+D is no bookmark here with nothing selected either, and Shift+Escape in Firefox no list of its processes.
  if (possible) command.run(editor);
  return true;
}

/** @returns whether the key was for the drag; others are lost on it, but for the browser's own. */
function dragKey(editor: Editor, event: KeyboardEvent): boolean {
  const { input } = editor;
  const drag = input.running;
  if (!drag) return false;
  if (isModifier(event.key)) drag.again(dragMods(event));
  else if (event.key === "Escape") drag.cancel();
  else if (event.key === "Enter") drag.commit();
  else if (event.key === "Tab") typeNext(editor);
  else if (event.key === "Backspace") type(editor, input.typed.peek().slice(0, -1));
  else if (isTyped(event.key, input.typed.peek()) && !event.ctrlKey && !event.metaKey)
    type(editor, typedWith(input.typed.peek(), event.key));
  else if (/^[xyz]$/i.test(event.key) && drag.handle !== null)
    hold(editor, event.key.toLowerCase() as Axis, event.shiftKey);
  else return !event.ctrlKey && !event.metaKey && event.key.length === 1;
  return true;
}

/** A minus anywhere turns the sign of the number that is being typed. */
function typedWith(before: string, key: string): string {
  if (key !== "-" || before === "") return before + key;
  const parts = before.split(",");
  const last = parts.pop() ?? "";
  parts.push(last.startsWith("-") ? last.slice(1) : `-${last}`);
  return parts.join(",");
}

/** On to the second number of two, where there is one; a drag does not leave the view. */
function typeNext(editor: Editor): void {
  const { input } = editor;
  const before = input.typed.peek();
  const two = measureOf(input.running?.handle ?? "").count === 2;
  if (two && before !== "" && !before.includes(",")) type(editor, `${before},`);
}

function type(editor: Editor, text: string): void {
  const { input } = editor;
  const handle = input.running?.handle;
  if (!handle) return;
  if (handle === "rb")
    return input.hint("The ball takes no number. X, Y or Z turns about an axis.");
  input.typed.value = text;
  const value = valueOf(text, handle);
  if (value || text === "") input.running?.type(value);
}

function hold(editor: Editor, axis: Axis, plane: boolean): void {
  const drag = editor.input.running;
  const next = drag?.handle && heldTo(drag.handle, axis, plane);
  if (!drag || !next) return;
  drag.constrain(next);
  type(editor, editor.input.typed.peek());
}
