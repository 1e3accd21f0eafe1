// selection.js - the selection of a session: the one that the server has sent, changed by the
// requests that it has not answered yet.

/** @import {Id} from "./types.js" */

/** What is selected, and how. @typedef {{ nodes: readonly Id[], how: string }} Choice */

export class Selection {
  /** The selection without unanswered requests. @type {readonly Id[]} */
  #chosen = [];
  /** The unanswered requests. @type {Choice[]} */
  #expected = [];

  /** In the order of selecting. @returns {readonly Id[]} */
  get nodes() {
    return this.#expected.reduce(after, this.#chosen);
  }

  /** Selects what the server has selected. @param {Choice} choice */
  choose(choice) {
    this.unexpect(choice);
    this.#chosen = after(this.#chosen, choice);
  }

  /** Selects what the server is about to select. @param {Choice} choice */
  expect(choice) {
    this.#expected.push(choice);
  }

  /** The server has answered, or will not. @param {Choice} choice */
  unexpect(choice) {
    const at = this.#expected.indexOf(choice);
    if (at >= 0) this.#expected.splice(at, 1);
  }
}

/** @param {readonly Id[]} before @param {Choice} choice @returns {readonly Id[]} */
function after(before, { nodes, how }) {
  if (how === "set") return nodes;
  const rest = before.filter((id) => !nodes.includes(id));
  if (how === "remove") return rest;
  return [...rest, ...(how === "toggle" ? nodes.filter((id) => !before.includes(id)) : nodes)];
}
