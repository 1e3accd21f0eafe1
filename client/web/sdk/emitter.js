// emitter.js - events by name. A listener may be added and removed at any time, also by another
// listener. If a listener throws, the others still run, and the error is reported as an uncaught
// one.

/** @template {Record<string, any>} Events */
export class Emitter {
  /**
   * Lists that are replaced and never changed, so that one can be gone through while listeners
   * come and go.
   * @type {Map<keyof Events, readonly ((event: any) => void)[]>}
   */
  #listeners = new Map();

  /**
   * @template {keyof Events} Name
   * @param {Name} name
   * @param {(event: Events[Name]) => void} listener
   * @returns {() => void} removes the listener
   */
  on(name, listener) {
    const others = this.#without(name, listener);
    this.#listeners.set(name, [...others, listener]);
    return () => this.off(name, listener);
  }

  /**
   * @template {keyof Events} Name
   * @param {Name} name
   * @param {(event: Events[Name]) => void} listener
   */
  off(name, listener) {
    this.#listeners.set(name, this.#without(name, listener));
  }

  /** @param {keyof Events} name @param {(event: any) => void} listener */
  #without(name, listener) {
    return (this.#listeners.get(name) ?? []).filter((other) => other !== listener);
  }

  /**
   * @template {keyof Events} Name
   * @param {Name} name
   * @param {Events[Name]} event
   */
  emit(name, event) {
    const listeners = this.#listeners.get(name) ?? NONE;
    for (let i = 0; i < listeners.length; i++) {
      try {
        listeners[i](event);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

/** @type {readonly ((event: any) => void)[]} */
const NONE = [];
