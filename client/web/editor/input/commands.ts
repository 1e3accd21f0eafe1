// commands.ts - the table of all commands: the keyboard, the list of shortcuts and the command
// palette read it.
import type { Mode, Vec3 } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { createNode, deleteNodes, duplicateNodes } from "../panels/nodeactions";
import { copyTransform, pasteTransform } from "../panels/clipboard";
import { chordOf } from "./chord";
import { grabByKey } from "./grab";
import { selectNodes, invert, selectBehind, selectChildren, selectParents } from "./select";
import { toggleSnap, toggleSnapToGrid } from "./snap";
import type { Keymap } from "./inputstate";
import { frameAll, frameSelected, lookFrom, toggleParallel, zoom } from "./views";

export interface Command {
  id: string;
  label: string;
  group: "Tools" | "Edit" | "Selection" | "View" | "History" | "During a drag" | "Help";
  /** The chords (see chord.ts) in each keymap; the first one is shown. */
  keys: Record<Keymap, readonly string[]>;
  /** A command without `run` is only listed: its keys act within a drag. */
  run?(editor: Editor): unknown;
  /** Whether the command can run now; without this function it always can. */
  possible?(editor: Editor): boolean;
  /** Whether the command is switched on, if it is a switch. */
  on?(editor: Editor): boolean;
}

const both = (...chords: string[]): Command["keys"] => ({ common: chords, blender: chords });
const keys = (common: string[], blender: string[]): Command["keys"] => ({ common, blender });

const editable = (editor: Editor): boolean => editor.editable.value;
const chosen = (editor: Editor): boolean => editor.selection.value.length > 0;
const canEdit = (editor: Editor): boolean => editable(editor) && chosen(editor);
const inPast = (editor: Editor): boolean => editor.past.value !== null;

const tool = (id: string, label: string, mode: Mode, chords: Command["keys"]): Command => ({
  id,
  label,
  group: "Tools",
  keys: chords,
  run: (editor) => editor.setTool({ mode }),
  possible: mode === "none" ? undefined : editable,
  on: (editor) => editor.tool.value.mode === mode,
});

const grab = (label: string, handle: string, chord: string): Command => ({
  id: `grab-${handle}`,
  label,
  group: "Edit",
  keys: keys([], [chord]),
  run: (editor) => grabByKey(editor, handle),
  possible: canEdit,
});

const look = (label: string, side: Vec3, ...chords: string[]): Command => ({
  id: label.toLowerCase().replaceAll(" ", "-"),
  label,
  group: "View",
  keys: both(...chords),
  run: (editor) => lookFrom(editor, side),
});

const inDrag = (label: string, ...chords: string[]): Command => ({
  id: label.toLowerCase().replaceAll(" ", "-"),
  label,
  group: "During a drag",
  keys: both(...chords),
});

export const COMMANDS: readonly Command[] = [
  tool("tool-select", "Select", "none", keys(["Q"], ["W"])),
  tool("tool-move", "Move", "translate", keys(["W"], ["Shift+G"])),
  tool("tool-rotate", "Rotate", "rotate", keys(["E"], ["Shift+R"])),
  tool("tool-scale", "Scale", "scale", keys(["R"], ["Shift+S"])),
  tool("tool-bounds", "Bounds", "bounds", both("T")),
  tool("tool-universal", "Universal", "universal", both("Y")),
  tool("tool-arcball", "Arcball", "arcball", both("B")),
  {
    id: "space",
    label: "Switch between world and local space",
    group: "Tools",
    keys: both("L"),
    run: (editor) =>
      editor.setTool({ space: editor.tool.peek().space === "local" ? "world" : "local" }),
    on: (editor) => editor.tool.value.space === "local",
  },
  {
    id: "snap",
    label: "Snap",
    group: "Tools",
    keys: both("M"),
    run: toggleSnap,
    on: (editor) => editor.tool.value.snap?.on === true,
  },
  {
    id: "snap-grid",
    label: "Snap to absolute grid",
    group: "Tools",
    keys: both("Shift+M"),
    run: toggleSnapToGrid,
    on: (editor) => editor.tool.value.snap?.absolute === true,
  },
  {
    id: "mirror",
    label: "Mirror when scaled past the pivot",
    group: "Tools",
    keys: both(),
    run: (editor) => editor.setTool({ mirror: editor.tool.peek().mirror !== true }),
    on: (editor) => editor.tool.value.mirror === true,
  },

  {
    id: "undo",
    label: "Undo",
    group: "Edit",
    keys: both("Mod+Z"),
    run: (editor) => void editor.undo(),
    possible: editable,
  },
  {
    id: "redo",
    label: "Redo",
    group: "Edit",
    keys: both("Mod+Shift+Z", "Mod+Y"),
    run: (editor) => void editor.redo(),
    possible: editable,
  },
  {
    id: "delete",
    label: "Delete",
    group: "Edit",
    keys: keys(["Delete", "Backspace"], ["X", "Delete"]),
    run: (editor) => void deleteNodes(editor, editor.selection.peek()),
    possible: canEdit,
  },
  {
    id: "duplicate",
    label: "Duplicate",
    group: "Edit",
    keys: keys(["Mod+D"], ["Shift+D", "Mod+D"]),
    run: (editor) => void duplicateNodes(editor, editor.selection.peek()),
    possible: canEdit,
  },
  {
    id: "create",
    label: "New node",
    group: "Edit",
    keys: both("Shift+A"),
    run: (editor) => void createNode(editor, editor.selection.peek().at(-1) ?? null),
    possible: editable,
  },
  {
    id: "copy",
    label: "Copy transform",
    group: "Edit",
    keys: both("Mod+C"),
    run: (editor) => void copyTransform(editor),
    possible: (editor) => chosen(editor) && (getSelection()?.isCollapsed ?? true),
  },
  {
    id: "paste",
    label: "Paste transform",
    group: "Edit",
    keys: both("Mod+V"),
    run: (editor) => void pasteTransform(editor),
    possible: canEdit,
  },
  {
    id: "note",
    label: "Add note",
    group: "Edit",
    keys: both("N"),
    run: ({ notesModel }) => notesModel.place(),
    possible: editable,
  },
  grab("Grab and move", "tv", "G"),
  grab("Grab and rotate", "rv", "R"),
  grab("Grab and scale", "su", "S"),

  {
    id: "select-all",
    label: "Select all",
    group: "Selection",
    keys: keys(["Mod+A"], ["A", "Mod+A"]),
    run: (editor) => selectNodes(editor, editor.session.scene.roots),
  },
  {
    id: "deselect",
    label: "Deselect all",
    group: "Selection",
    keys: keys(["Escape"], ["Alt+A", "Escape"]),
    run: (editor) => selectNodes(editor, []),
    possible: chosen,
  },
  {
    id: "select-behind",
    label: "Select the node behind, at the pointer",
    group: "Selection",
    keys: both("D"),
    run: (editor) => void selectBehind(editor),
  },
  {
    id: "select-parent",
    label: "Select parent",
    group: "Selection",
    keys: both("["),
    run: selectParents,
    possible: chosen,
  },
  {
    id: "select-children",
    label: "Select children",
    group: "Selection",
    keys: both("]"),
    run: selectChildren,
    possible: chosen,
  },
  { id: "invert", label: "Invert selection", group: "Selection", keys: both("Mod+I"), run: invert },

  {
    id: "frame-selected",
    label: "Frame selected",
    group: "View",
    keys: keys(["F"], [".", "F"]),
    run: frameSelected,
  },
  { id: "frame-all", label: "Frame all", group: "View", keys: both("Home"), run: frameAll },
  look("View from the front", [0, 0, 1], "1"),
  look("View from the back", [0, 0, -1], "Shift+1"),
  look("View from the right", [1, 0, 0], "3"),
  look("View from the left", [-1, 0, 0], "Shift+3"),
  look("View from the top", [0, 1, 0], "7"),
  look("View from the bottom", [0, -1, 0], "Shift+7"),
  look("View from a corner", [6, 5, 8], "0"),
  {
    id: "parallel",
    label: "Switch between perspective and orthographic",
    group: "View",
    keys: both("5"),
    run: toggleParallel,
    on: (editor) => editor.rig.parallel.value,
  },
  {
    id: "navigate",
    label: "Navigate with the left button",
    group: "View",
    keys: both("V"),
    run: ({ input }) => (input.navigates.value = !input.navigates.peek()),
    on: ({ input }) => input.navigates.value,
  },
  {
    id: "how-to-navigate",
    label: "How to orbit, pan and zoom",
    group: "Help",
    keys: both(),
    run: ({ input }) => input.setHint(true),
  },
  {
    id: "zoom-in",
    label: "Zoom in",
    group: "View",
    keys: both("+", "="),
    run: (editor) => zoom(editor, 0.8),
  },
  {
    id: "zoom-out",
    label: "Zoom out",
    group: "View",
    keys: both("-"),
    run: (editor) => zoom(editor, 1.25),
  },
  {
    ...inDrag(
      "Orbit the view; with a selection, nudge it",
      "ArrowLeft",
      "ArrowRight",
      "ArrowUp",
      "ArrowDown",
    ),
    group: "View",
  },

  {
    id: "previous-edit",
    label: "Previous edit",
    group: "History",
    keys: both("<", ","),
    run: ({ timeline }) => timeline.player.step(-1),
  },
  {
    id: "next-edit",
    label: "Next edit",
    group: "History",
    keys: both(">"),
    run: ({ timeline }) => timeline.player.step(1),
    possible: inPast,
  },
  {
    id: "play",
    label: "Play history",
    group: "History",
    keys: both("P"),
    run: ({ timeline }) => timeline.player.toggle(),
    on: ({ timeline }) => timeline.player.playing.value,
  },
  {
    id: "now",
    label: "Back to now",
    group: "History",
    keys: both("Shift+Escape"),
    run: ({ timeline }) => timeline.player.toNow(),
    possible: inPast,
  },
  {
    id: "path",
    label: "Show motion path of the selection",
    group: "History",
    keys: both("Shift+P"),
    run: ({ timeline: { motionPaths } }) => (motionPaths.shown.value = !motionPaths.shown.peek()),
    on: ({ timeline }) => timeline.motionPaths.shown.value,
  },
  {
    id: "details",
    label: "Edit details",
    group: "History",
    keys: both("I"),
    run: ({ timeline }) => timeline.toggleDetails(),
    on: ({ timeline }) => timeline.opened.value !== null,
  },

  inDrag("Constrain to an axis", "X", "Y", "Z"),
  inDrag("Constrain to a plane", "Shift+X", "Shift+Y", "Shift+Z"),
  inDrag(
    "Type an exact value, with a unit if you like; Tab for the second value",
    "1",
    "5",
    "m",
    "m",
  ),
  inDrag("Snap, or while snapping is on, do not snap", "Mod"),
  inDrag("Precise: a tenth of the speed", "Shift"),
  inDrag("Confirm", "Enter"),
  inDrag("Cancel", "Escape", "Mod+Z"),

  {
    id: "palette",
    label: "Find a command",
    group: "Help",
    keys: both("Mod+K"),
    run: (editor) => (editor.dialog.value = "palette"),
  },
  {
    id: "shortcuts",
    label: "Keyboard shortcuts",
    group: "Help",
    keys: both("?"),
    run: (editor) => (editor.dialog.value = "shortcuts"),
  },
];

/** The command of this chord; null for none. */
export function commandOf(chord: string, keymap: Keymap): Command | null {
  return COMMANDS.find((command) => command.run && command.keys[keymap].includes(chord)) ?? null;
}

/** Whether a key takes back what a pointer is doing, which is not an edit yet. */
export function takesBack(event: KeyboardEvent): boolean {
  return event.key === "Escape" || commandOf(chordOf(event), "common")?.id === "undo";
}

/**
 * Whether the effect of a command depends on the selection. If the key is pressed right after a
 * selection, the command waits for the server's answer.
 */
export function isAboutSelection({ id, group }: Command): boolean {
  return group === "Edit" || group === "Selection" || id === "frame-selected";
}

/** Runs the command of this name, for buttons and menus. */
export function runCommand(editor: Editor, id: string): void {
  const command = COMMANDS.find((other) => other.id === id);
  if (command?.run && (command.possible?.(editor) ?? true)) command.run(editor);
}
