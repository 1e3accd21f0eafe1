// emitter.js - events by name. A listener may be added and removed at any time, also by another
// listener. If a listener throws, the others still run, and the error is reported as an uncaught
// one.

/** @template {Record<string, any>} Events */
export class Emitter {
  /** @type {Map<keyof Events, Set<(event: any) => void>>} */
  #listeners = new Map();

  /**
   * @template {keyof Events} Name
   * @param {Name} name
   * @param {(event: Events[Name]) => void} listener
   * @returns {() => void} removes the listener
   */
  on(name, listener) {
    let set = this.#listeners.get(name);
    if (!set) this.#listeners.set(name, (set = new Set()));
    set.add(listener);
    return () => this.off(name, listener);
  }

  /**
   * @template {keyof Events} Name
   * @param {Name} name
   * @param {(event: Events[Name]) => void} listener
   */
  off(name, listener) {
    this.#listeners.get(name)?.delete(listener);
  }

  /**
   * @template {keyof Events} Name
   * @param {Name} name
   * @param {Events[Name]} event
   */
  emit(name, event) {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        listener(event);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
