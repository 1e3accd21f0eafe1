// treerows.ts - the rows that a tree shows: what is open, and, while something is searched, what matches with all that is above it. Pure.
import type { SceneModel } from "../../sdk/index.js";
import type { Id } from "../../sdk/types.js";

export interface Row {
  id: Id;
  /** 0 at the root. */
  depth: number;
  /** Its place among its siblings that are shown, from 1 on, and how many those are. */
  place: number;
  count: number;
  /** Undefined where nothing is below it. */
  open?: boolean;
  /** It is there for what matches below it. */
  aside: boolean;
}

/** Whether a node is open where the person said nothing: small scenes wholly, large ones at the top. */
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
  // Siblings that are still to come, the deepest last: a tree may be too deep for calls.
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

/** Those whose name or id is searched (true), and all that is above them (false). */
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

/** Those above a node, the nearest first. */
export function above(scene: SceneModel, id: Id): Id[] {
  const found: Id[] = [];
  for (let at = scene.get(id)?.parent ?? null; at !== null; at = scene.get(at)?.parent ?? null)
    found.push(at);
  return found;
}

/** Of these nodes those that are below no other one of them. */
export function topmost(scene: SceneModel, ids: readonly Id[]): Id[] {
  const all = new Set(ids);
  return ids.filter((id) => !above(scene, id).some((other) => all.has(other)));
}

/** What a node is called where it has no name. */
export function nameOf(scene: SceneModel, id: Id): string {
  return scene.get(id)?.name || `node ${id}`;
}
