// keys.ts - the keyboard of the whole page, except in text fields. While a drag runs its keys come
// first.
import type { Editor } from "../editor";
import { chordOf, writtenBy } from "./chord";
import { commandOf, isAboutSelection, takesBack } from "./commands";
import { type Axis, heldTo } from "./grab";
import { Nudge, isArrow } from "./nudge";
import { dragMods } from "./gestures";
import { isTyped, measureOf, valueOf } from "./typedvalue";

/** Commands that repeat while their key is held. */
const REPEATING: ReadonlySet<string> = new Set(["undo", "redo", "zoom-in", "zoom-out"]);
/**
 * Commands whose key goes to the browser while the command is not possible: it copies and pastes
 * text, and Escape closes many things.
 */
const YIELDING: ReadonlySet<string> = new Set(["copy", "paste", "deselect"]);
/** Named keys that a drag uses. */
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
  /**
   * Keys that are pressed before the server has answered a click. The first one acts on the
   * selection, and the meaning of the others depends on it: G, X, 5 moves the nodes by five,
   * whereas X alone may delete them. If the click fails, they are dropped.
   */
  const late: KeyboardEvent[] = [];
  const pressLater = async (event: KeyboardEvent): Promise<void> => {
    if (late.push(event) > 1) return;
    for (; late.length > 0; late.shift()) {
      if (await editor.selectionSettled()) press(late[0]);
      else late.length = 0;
    }
  };
  const down = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing || isTaken(event)) return;
    const waits =
      late.length > 0 ? isOwn(editor, event) : editor.isSelecting && isAboutChoice(editor, event);
    if (waits) void pressLater(event);
    if (waits || press(event)) event.preventDefault();
  };
  const up = (event: KeyboardEvent): void => {
    if (late.length > 0) void pressLater(event);
    else press(event);
  };
  window.addEventListener("keydown", down);
  window.addEventListener("keyup", up);
  return () => {
    window.removeEventListener("keydown", down);
    window.removeEventListener("keyup", up);
  };
}

/** Whether a key acts on the selection. */
function isAboutChoice(editor: Editor, event: KeyboardEvent): boolean {
  if (editor.input.running || (takesBack(event) && editor.input.abort)) return false;
  if (isArrow(event.key))
    return isView(event.target) && !event.altKey && !event.ctrlKey && !event.metaKey;
  const command = commandOf(chordOf(event), editor.input.keymap.peek());
  return (
    command?.run !== undefined &&
    isAboutSelection(command) &&
    (!YIELDING.has(command.id) || (command.possible?.(editor) ?? true))
  );
}

/** Whether the page handles a key, in a drag or outside of one, rather than the browser. */
function isOwn(editor: Editor, event: KeyboardEvent): boolean {
  if (isArrow(event.key)) return isView(event.target);
  return (
    writtenBy(event) !== null ||
    IN_DRAGS.has(event.key) ||
    isModifier(event.key) ||
    commandOf(chordOf(event), editor.input.keymap.peek()) !== null
  );
}

/**
 * Whether a key belongs to the focused element: every key in a text field, keys without Ctrl in
 * lists and sliders.
 */
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

/** Arrow keys are for the view only if the view, or nothing, has the focus. */
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
  if (takesBack(event) && editor.input.abort) {
    editor.input.abort();
    return true;
  }
  if (event.key === "Escape" && editor.following.peek() !== null) {
    editor.following.value = null;
    return true;
  }
  const command = commandOf(chordOf(event), editor.input.keymap.peek());
  if (!command?.run || (event.repeat && !REPEATING.has(command.id))) return false;
  const possible = command.possible?.(editor) ?? true;
  if (!possible && YIELDING.has(command.id)) return false;
  // The browser does not get the key even if the command is not possible: Ctrl+D must not add a
  // bookmark only because nothing is selected, nor Shift+Escape open Firefox's list of processes.
  if (possible) command.run(editor);
  return true;
}

/**
 * @returns whether the drag used the key, or the page would outside of a drag. Other keys do
 *   nothing, except the browser's own.
 */
function dragKey(editor: Editor, event: KeyboardEvent): boolean {
  const { input } = editor;
  const drag = input.running;
  if (!drag) return false;
  const written = writtenBy(event);
  const chord = chordOf(event);
  const [, shift, axis] = /^(Shift\+)?([XYZ])$/.exec(chord) ?? [];
  if (isModifier(event.key)) drag.again(dragMods(event));
  else if (takesBack(event)) drag.cancel();
  else if (event.key === "Enter") drag.commit();
  else if (event.key === "Tab") typeNext(editor);
  else if (event.key === "Backspace") type(editor, input.typed.peek().slice(0, -1));
  else if (written !== null && isTyped(written, input.typed.peek()))
    type(editor, typedWith(input.typed.peek(), written));
  else if (axis && drag.handle !== null)
    hold(editor, axis.toLowerCase() as Axis, shift !== undefined);
  else return written !== null || commandOf(chord, input.keymap.peek()) !== null;
  return true;
}

/** A minus at any place changes the sign of the number that is being typed. */
function typedWith(before: string, key: string): string {
  if (key !== "-" || before === "") return before + key;
  const parts = before.split(",");
  const last = parts.pop() ?? "";
  parts.push(last.startsWith("-") ? last.slice(1) : `-${last}`);
  return parts.join(",");
}

/**
 * Tab goes to the second number, if the handle has two; during a drag it does not move the focus.
 */
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
