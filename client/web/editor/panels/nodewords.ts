// nodewords.ts - which nodes a typed word means. The rule is that of gizmoctl
// (client/ctl/common.c), and both are tested with tests/data/words/cases.json.
import type { Id } from "../../sdk/types.js";

export interface Named {
  id: Id;
  name: string;
  parent: Id | null;
}

/** 7 and #7; 007 is a name. */
const NUMBER = /^#?(0|[1-9][0-9]*)$/;

/**
 * The node that has the word as its id, and then by their ids those that it names: "wheel",
 * "car/wheel", "/wheel" at the root. "id:7" is always the id, "name:7" always the name.
 */
export function nodesOf(nodes: ReadonlyMap<Id, Named>, word: string): Id[] {
  const number = word.startsWith("id:") ? word.slice(3) : word;
  const path = word.startsWith("name:") ? word.slice(5) : word;
  const found: Id[] = [];
  const id = Number(NUMBER.exec(number)?.[1]);
  if (path === word && Number.isSafeInteger(id) && nodes.has(id)) found.push(id);
  if (number !== word) return found;
  const named: Id[] = [];
  for (const node of nodes.values()) if (isNamed(nodes, node, path)) named.push(node.id);
  named.sort((a, b) => a - b);
  return [...new Set([...found, ...named])];
}

/**
 * Whether the path ends with the node's name, and what is before that names the parent, or is
 * nothing, which is the root. A name may have slashes in it.
 */
function isNamed(nodes: ReadonlyMap<Id, Named>, node: Named, path: string): boolean {
  for (let at: Named | undefined = node; at; at = nodes.get(at.parent ?? 0)) {
    if (!path.endsWith(at.name)) return false;
    path = path.slice(0, path.length - at.name.length);
    if (path === "") return true;
    if (!path.endsWith("/")) return false;
    path = path.slice(0, -1);
    if (path === "") return at.parent === null;
  }
  return false;
}
