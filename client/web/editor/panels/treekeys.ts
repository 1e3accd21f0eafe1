// treekeys.ts - the keys of the tree. Letters keep their meaning as shortcuts of the tools; the
// search field finds names.
import type { Id } from "../../sdk/types.js";
import { chordOf } from "../input/chord";
import { selectNodes } from "../input/select";
import { deleteNodes, duplicateNodes, reparentNodes } from "./nodeactions";
import type { TreeState } from "./treestate";

export function handleTreeKey(
  tree: TreeState,
  event: KeyboardEvent,
  openMenu: (id: Id) => void,
  page: number,
): void {
  const { rows, placeOf, active } = tree;
  const place =
    (active.peek() === null ? undefined : placeOf.peek().get(active.peek() as Id)) ?? -1;
  const id = rows.peek()[place]?.id;
  const done =
    event.ctrlKey || event.metaKey || event.altKey
      ? handleWithControl(tree, event, id)
      : moveTo(tree, event, place, page) || handlePlain(tree, event, id, openMenu);
  if (!done) return;
  event.preventDefault();
  event.stopPropagation();
}

/** Keys that move to another row and select it; with Shift they select all rows up to it. */
function moveTo(tree: TreeState, event: KeyboardEvent, place: number, page: number): boolean {
  const rows = tree.rows.peek();
  const to = {
    ArrowDown: place + 1,
    ArrowUp: place - 1,
    Home: 0,
    End: rows.length - 1,
    PageDown: place + page,
    PageUp: place - page,
  }[event.key];
  if (to === undefined) return false;
  const row = rows[Math.max(0, Math.min(rows.length - 1, to))];
  tree.choose(row.id, event.shiftKey ? "range" : "set");
  return true;
}

function handlePlain(
  tree: TreeState,
  event: KeyboardEvent,
  id: Id | undefined,
  openMenu: (id: Id) => void,
): boolean {
  if (event.key === "Escape" && tree.cut.peek().size > 0) {
    tree.cut.value = new Set();
    return true;
  }
  if (id === undefined) return false;
  switch (event.key) {
    case "ArrowRight":
      stepIn(tree, id);
      return true;
    case "ArrowLeft":
      stepOut(tree, id);
      return true;
    case "*":
      tree.setOpen(
        tree.rows
          .peek()
          .filter((row) => row.depth === depthOf(tree, id))
          .map((row) => row.id),
        true,
      );
      return true;
    case " ":
      tree.choose(id, "toggle");
      return true;
    case "Enter":
      tree.choose(id, "set");
      return true;
    case "F2":
      if (tree.editor.editable.peek()) tree.renaming.value = id;
      return true;
    case "Delete":
      void deleteNodes(tree.editor, tree.about(id));
      goOn(tree, tree.about(id));
      return true;
    case "ContextMenu":
      openMenu(id);
      return true;
    case "F10":
      if (event.shiftKey) openMenu(id);
      return event.shiftKey;
    default:
      return false;
  }
}

function handleWithControl(tree: TreeState, event: KeyboardEvent, id: Id | undefined): boolean {
  const { editor } = tree;
  const rows = tree.rows.peek();
  const place = id === undefined ? -1 : (tree.placeOf.peek().get(id) ?? -1);
  switch (chordOf(event)) {
    case "Mod+ArrowDown":
    case "Mod+ArrowUp":
      tree.active.value =
        rows[
          Math.max(0, Math.min(rows.length - 1, place + (event.key === "ArrowDown" ? 1 : -1)))
        ].id;
      return true;
    case "Mod+A":
      selectNodes(
        editor,
        rows.filter((row) => !row.aside).map((row) => row.id),
      );
      return true;
    case "Mod+ ":
      if (id !== undefined) tree.choose(id, "toggle");
      return true;
    case "Mod+D":
      if (id !== undefined) void duplicateNodes(editor, tree.about(id));
      return true;
    case "Mod+X":
      if (id !== undefined && editor.editable.peek()) tree.cut.value = new Set(tree.about(id));
      return true;
    case "Mod+V":
      if (tree.cut.peek().size === 0) return false;
      void reparentNodes(editor, [...tree.cut.peek()], id ?? null, "world");
      tree.cut.value = new Set();
      return true;
    default:
      return false;
  }
}

/** Right opens a row; on an open row it goes to the first child. */
function stepIn(tree: TreeState, id: Id): void {
  const rows = tree.rows.peek();
  const place = tree.placeOf.peek().get(id) ?? 0;
  if (rows[place].open === false) tree.setOpen([id], true);
  else if (rows[place].open) tree.choose(rows[place + 1].id, "set");
}

/** Left closes a row; on a closed row it goes to the parent. */
function stepOut(tree: TreeState, id: Id): void {
  const row = tree.rows.peek()[tree.placeOf.peek().get(id) ?? 0];
  const parent = tree.editor.scene.peek().get(id)?.parent;
  if (row.open && tree.search.peek() === "") tree.setOpen([id], false);
  else if (parent !== null && parent !== undefined) tree.choose(parent, "set");
}

/** Goes to the next row that will not be deleted, or the last one before. */
function goOn(tree: TreeState, going: readonly Id[]): void {
  const { scene } = tree.editor.session;
  const gone = new Set(going.flatMap((id) => [...scene.below(id)]));
  const rows = tree.rows.peek();
  const place = tree.placeOf.peek().get(going[going.length - 1]) ?? 0;
  const next =
    rows.slice(place).find((row) => !gone.has(row.id)) ??
    rows
      .slice(0, place)
      .reverse()
      .find((row) => !gone.has(row.id));
  tree.active.value = next?.id ?? null;
}

function depthOf(tree: TreeState, id: Id): number {
  return tree.rows.peek()[tree.placeOf.peek().get(id) ?? 0].depth;
}
