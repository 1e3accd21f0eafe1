// treerows.ts - the rows that the tree shows: the children of open nodes, or during a search the
// matches with all their ancestors. Pure.
import type { SceneModel } from "../../sdk/index.js";
import type { Id } from "../../sdk/types.js";

export interface Row {
  id: Id;
  /** 0 at the top level. */
  depth: number;
  /** Its position among its visible siblings, from 1, and their number. */
  place: number;
  count: number;
  /** Whether the row is open; undefined if the node has no children. */
  open?: boolean;
  /** The row is shown only because a node below it matches. */
  aside: boolean;
}

/**
 * Whether a node is open before the person opened or closed it: all nodes of a small scene, the top
 * levels of a large one.
 */
export function opensAtFirst(scene: SceneModel, depth: number): boolean {
  return scene.nodes.size <= 300 || (depth < 1 && scene.roots.length < 20);
}

export function treeRows(
  scene: SceneModel,
  isOpen: (id: Id, depth: number) => boolean,
  search: string,
): Row[] {
  const wanted = search.trim().toLowerCase();
  const shown = wanted === "" ? null : findShown(scene, wanted);
  const rows: Row[] = [];
  // A stack of siblings that are still to come, the deepest last: a tree may be too deep for
  // recursion.
  const waiting: { ids: readonly Id[]; next: number }[] = [];
  const enter = (ids: readonly Id[]) =>
    waiting.push({ ids: shown ? ids.filter((id) => shown.has(id)) : ids, next: 0 });
  enter(scene.roots);
  for (let level = waiting.at(-1); level; level = waiting.at(-1)) {
    if (level.next === level.ids.length) {
      waiting.pop();
      continue;
    }
    const id = level.ids[level.next++];
    const depth = waiting.length - 1;
    const children = scene.get(id)?.children ?? [];
    const below = shown ? children.some((child) => shown.has(child)) : children.length > 0;
    const open = below ? shown !== null || isOpen(id, depth) : undefined;
    rows.push({
      id,
      depth,
      place: level.next,
      count: level.ids.length,
      open,
      aside: shown?.get(id) === false,
    });
    if (open) enter(children);
  }
  return rows;
}

/** The nodes whose name or id matches (true), and their ancestors (false). */
function findShown(scene: SceneModel, wanted: string): Map<Id, boolean> {
  const shown = new Map<Id, boolean>();
  for (const node of scene.nodes.values()) {
    if (!node.name.toLowerCase().includes(wanted) && `#${node.id}` !== wanted) continue;
    shown.set(node.id, true);
    for (
      let above = node.parent;
      above !== null && !shown.has(above);
      above = scene.get(above)?.parent ?? null
    )
      shown.set(above, false);
  }
  return shown;
}

/** The ancestors of a node, the nearest first. */
export function above(scene: SceneModel, id: Id): Id[] {
  const found: Id[] = [];
  for (let at = scene.get(id)?.parent ?? null; at !== null; at = scene.get(at)?.parent ?? null)
    found.push(at);
  return found;
}

/** The nodes of this list that are not below another one of it. */
export function topmost(scene: SceneModel, ids: readonly Id[]): Id[] {
  const all = new Set(ids);
  return ids.filter((id) => !above(scene, id).some((other) => all.has(other)));
}

/** The name of a node, or a substitute if it has none. */
export function nameOf(scene: SceneModel, id: Id): string {
  return scene.get(id)?.name || `node ${id}`;
}
