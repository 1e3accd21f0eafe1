// diff.ts - the difference of two states of a scene. Pure.
import type { SceneModel } from "../../sdk/index.js";
import type { Id, SceneNode } from "../../sdk/types.js";
import { count } from "./edittext";

export interface Difference {
  /** Nodes whose transform, name or parent differs in `to`. */
  changed: Id[];
  added: Id[];
  gone: Id[];
}

export function differ(from: SceneModel, to: SceneModel): Difference {
  const changed: Id[] = [];
  const added: Id[] = [];
  for (const [id, node] of to.nodes) {
    const before = from.get(id);
    if (!before) added.push(id);
    else if (!alike(before, node)) changed.push(id);
  }
  return { changed, added, gone: [...from.nodes.keys()].filter((id) => !to.get(id)) };
}

function alike(a: SceneNode, b: SceneNode): boolean {
  return (
    a.name === b.name && a.parent === b.parent && same(a.t, b.t) && same(a.r, b.r) && same(a.s, b.s)
  );
}

function same(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/**
 * The delta for `SceneModel.apply` that turns `from` into `to`. It contains only what differs, so
 * that only that is drawn again.
 */
export function deltaTo(
  from: SceneModel,
  to: SceneModel,
): { from: number; seq: number; nodes: object[]; gone: Id[] } {
  const { changed, added, gone } = differ(from, to);
  const nodes = [
    ...added.map((id) => whole(to.get(id) as SceneNode)),
    ...changed.map((id) => otherwise(from.get(id) as SceneNode, to.get(id) as SceneNode)),
  ];
  return { from: 1, seq: to.seq, nodes, gone };
}

/** A node as the server sends it. */
function whole({ children: _, ...state }: SceneNode): object {
  return state;
}

function otherwise(from: SceneNode, { id, name, parent, t, r, s }: SceneNode): object {
  return {
    id,
    t,
    r,
    s,
    ...(name !== from.name && { name }),
    ...(parent !== from.parent && { parent }),
  };
}

/** "3 nodes change, 1 node is restored, 2 nodes are removed"; empty if nothing differs. */
export function differenceText({ changed, added, gone }: Difference): string {
  const say = (ids: Id[], one: string, many: string): string =>
    ids.length === 0 ? "" : `${count(ids.length)} ${ids.length === 1 ? one : many}`;
  return [
    say(changed, "changes", "change"),
    say(added, "is restored", "are restored"),
    say(gone, "is removed", "are removed"),
  ]
    .filter(Boolean)
    .join(", ");
}
