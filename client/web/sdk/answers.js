// answers.js - converts the server's edits to Edit.

/** @import {Edit} from "./types.js" */

/** On the wire a single typed number may come without a list. @param {any} told @returns {Edit} */
export const asEdit = (told) =>
  typeof told.value === "number" ? { ...told, value: [told.value] } : told;

/**
 * An edit of very many nodes goes on in the next answer, under the same id: puts it together.
 * @param {any[]} told
 * @returns {Edit[]}
 */
export function wholeEdits(told) {
  /** @type {any[]} */
  const edits = [];
  for (const part of told) {
    const last = edits[edits.length - 1];
    if (last?.id !== part.id) {
      edits.push({ ...part });
    } else {
      last.nodes = last.nodes.concat(part.nodes);
      if (part.changes) last.changes = last.changes.concat(part.changes);
    }
  }
  return edits.map(asEdit);
}
