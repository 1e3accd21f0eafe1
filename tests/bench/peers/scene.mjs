// scene.mjs - the scene that all servers keep: nodes of which each editor moves one along x. Where
// such a node is says which move brought it there, so that peer_load.c finds it in any format.

/** @typedef {{ nodes: number, editors: number }} Scene */

const view = new DataView(new ArrayBuffer(8));

/** The place of a move, a number between 0.5 and 1: see MARK_HEAD and MARK_TAIL in peer_load.c. */
export function mark(move) {
  view.setBigUint64(0, (0x3fen << 52n) | (BigInt(move) << 28n) | 0xa5c3e97n);
  return view.getFloat64(0);
}

/** The node that an editor moves, from 0 on: the last ones, so that all of a scene comes first. */
export const nodeOf = (editor, { nodes, editors }) => nodes - editors + editor;

/** Where the nodes are at the start, along x. */
export const places = (scene) =>
  Array.from({ length: scene.nodes }, (_, node) => {
    const editor = node - nodeOf(0, scene);
    return editor < 0 ? Math.fround(node / 7) : mark(editor);
  });

export const ADDRESS = "127.0.0.1";
/** Connections that may wait to be accepted. */
export const BACKLOG = 4096;
