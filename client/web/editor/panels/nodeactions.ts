// nodeactions.ts - edits of whole nodes, for the tree, the keys and the command palette. Each one
// shows a message with an undo button if its effect is not obvious.
import type { Done, Id, NewNode, NodeChange } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { copyNames } from "./copyname";
import { above, nameOf, topmost } from "./treerows";

/** The name of a single node, or the number of several. */
export function nameAll(editor: Editor, ids: readonly Id[]): string {
  return ids.length === 1 ? nameOf(editor.scene.peek(), ids[0]) : `${ids.length} nodes`;
}

export async function deleteNodes(editor: Editor, ids: readonly Id[]): Promise<void> {
  const scene = editor.session.scene;
  const tops = topmost(scene, ids);
  if (tops.length === 0 || !editor.editable.peek()) return;
  const below = tops.reduce((sum, id) => sum + [...scene.below(id)].length - 1, 0);
  const said = `${nameAll(editor, tops)}${below > 0 ? ` and ${below} below` : ""}`;
  const done = await editor.try(() => editor.session.delete(tops));
  if (done?.edit) editor.say("info", `Deleted ${said}.`, undo(editor, done.edit));
}

/** Creates an empty node below a parent or at the top level, and selects it. @returns its id */
export async function createNode(editor: Editor, parent: Id | null): Promise<Id | undefined> {
  const done = await editor.try(() =>
    editor.trackSelection(make(editor, [{ name: "new node", parent }])),
  );
  return done?.ids[0];
}

/** Creates nodes, and selects those whose parent is not one of them. */
async function make({ session }: Editor, nodes: NewNode[]): Promise<Done & { ids: Id[] }> {
  const done = await session.create(nodes);
  await session.select(done.ids.filter((_, i) => typeof nodes[i].parent !== "string"));
  return done;
}

export async function renameNode(editor: Editor, id: Id, name: string): Promise<void> {
  if (name !== editor.session.scene.get(id)?.name)
    await editor.try(() => editor.session.set([{ id, name }]));
}

/** Whether nodes can move below `parent`: not if it is one of them or below one of them. */
export function canReparent(editor: Editor, ids: readonly Id[], parent: Id | null): boolean {
  if (parent === null) return true;
  const { scene } = editor.session;
  const chain = [parent, ...above(scene, parent)];
  return !ids.some((id) => chain.includes(id));
}

/** Whether the shape of a node differs by more than a rounding. */
function differ(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  let apart = 0;
  let size = 0;
  for (const i of [0, 1, 2, 4, 5, 6, 8, 9, 10]) {
    apart += (a[i] - b[i]) ** 2;
    size += a[i] ** 2;
  }
  return Math.sqrt(apart) > 1e-6 * Math.sqrt(size);
}

/**
 * Moves nodes below another parent. They keep their place in the world, or their transform relative
 * to the parent.
 */
export async function reparentNodes(
  editor: Editor,
  ids: readonly Id[],
  parent: Id | null,
  keep: "world" | "local",
): Promise<void> {
  const { scene } = editor.session;
  const moved = topmost(scene, ids).filter((id) => scene.get(id)?.parent !== parent);
  if (moved.length === 0 || !editor.editable.peek()) return;
  if (!canReparent(editor, moved, parent))
    return editor.say("warn", "A node cannot be moved into itself.");
  const before = moved.map((id) => Array.from(scene.world(id)));
  const changes: NodeChange[] = moved.map((id) => ({ id, parent, keep: keep === "world" }));
  const done = await editor.try(() => editor.session.set(changes));
  if (!done?.edit) return;
  const isSkewed = moved.some((id, i) => differ(before[i], scene.world(id)));
  const where = parent === null ? "to the top level" : `into ${nameOf(scene, parent)}`;
  const skewed =
    keep === "world" && isSkewed
      ? " Its new parent is scaled unevenly, so its shape changes slightly."
      : "";
  editor.say(
    skewed ? "warn" : "info",
    `Moved ${nameAll(editor, moved)} ${where}.${skewed}`,
    undo(editor, done.edit),
  );
}

/**
 * Duplicates nodes with everything below them, meshes included, in their state at the server. The
 * copies are siblings of the originals, in the same place, with new names; nodes below them keep
 * their names. The copies are selected.
 */
export async function duplicateNodes(editor: Editor, ids: readonly Id[]): Promise<void> {
  const { scene } = editor.session;
  const tops = topmost(scene, ids);
  if (tops.length === 0 || !editor.editable.peek()) return;
  const said = nameAll(editor, tops);
  const copies: NewNode[] = [];
  const nextName = copyNames(scene);
  for (const top of tops) {
    for (const copy of scene.below(top)) {
      const { name = "", parent } = scene.get(copy) ?? {};
      copies.push({
        ref: `n${copy}`,
        copy,
        ...(copy === top ? { name: nextName(name) } : { parent: `n${parent}` }),
      });
    }
  }
  const done = await editor.try(() => editor.trackSelection(make(editor, copies)));
  if (!done?.edit) return;
  editor.say(
    "info",
    tops.length === 1
      ? `Duplicated ${said}. The copy is in the same place.`
      : `Duplicated ${said}. The copies are in the same place.`,
    undo(editor, done.edit),
  );
}

function undo(editor: Editor, edit: number) {
  return { label: "Undo", run: () => void editor.try(() => editor.session.revert(edit)) };
}
