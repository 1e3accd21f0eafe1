// roster.js - the people, notes and checkpoints of a scene.

/** @import {Checkpoint, Id, Note, Person} from "./types.js" */

export class Roster {
  /** @type {Map<number, Person>} */
  #people = new Map();
  /** The number of people here, as the server last sent it; 0 if unknown. */
  #here = 0;
  /** @type {Map<number, Note>} */
  #notes = new Map();
  /** @type {Map<string, Checkpoint>} */
  #checkpoints = new Map();

  /** Forgets all, because the server sends it again. */
  clear() {
    this.#people.clear();
    this.#here = 0;
    this.#notes.clear();
    this.#checkpoints.clear();
  }

  /** In the order of joining. @returns {readonly Person[]} */
  get people() {
    return [...this.#people.values()];
  }

  /** The number of people here, with those who only watch. */
  get here() {
    return Math.max(this.#here, this.#people.size);
  }

  /** Ascending by id. @returns {readonly Note[]} */
  get notes() {
    return [...this.#notes.values()].sort((a, b) => a.id - b.id);
  }

  /** Ascending by seq. @returns {readonly Checkpoint[]} */
  get checkpoints() {
    return [...this.#checkpoints.values()].sort((a, b) => a.seq - b.seq || a.made - b.made);
  }

  /** @param {number} session @returns {Person | undefined} */
  person(session) {
    return this.#people.get(session);
  }

  /** The other person who holds this node, if any. @param {Id} id @returns {Person | undefined} */
  holder(id) {
    for (const person of this.#people.values())
      if (!person.me && person.locks?.includes(id)) return person;
    return undefined;
  }

  /**
   * Keeps the own record, which the server sends a session that only watches only once.
   * @param {any} told
   * @param {number} own the number of the own session
   */
  takePresence(told, own) {
    if (told.all)
      for (const session of [...this.#people.keys()])
        if (session !== own) this.#people.delete(session);
    for (const session of told.left ?? []) this.#people.delete(session);
    for (const person of told.users)
      this.#people.set(person.session, { ...person, me: person.session === own });
  }

  /** @param {any} told */
  takeCrowd(told) {
    this.#here = told.here;
  }

  /** @param {any} told @returns {boolean} whether these are all that are to come */
  takeNotes(told) {
    if (told.all) this.#notes.clear();
    for (const id of told.gone ?? []) this.#notes.delete(id);
    for (const note of told.notes) this.#notes.set(note.id, note);
    return !told.more;
  }

  /** @param {any} told */
  takeCheckpoints(told) {
    if (told.all) this.#checkpoints.clear();
    for (const { gone, ...checkpoint } of told.checkpoints) {
      if (gone) this.#checkpoints.delete(checkpoint.name);
      else this.#checkpoints.set(checkpoint.name, checkpoint);
    }
  }
}
