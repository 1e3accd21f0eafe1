// press.js - follows a pointer from its press to its end. Whether the button is still down is read
// from every event, because a release may never be heard: a dialog of the system, a debugger, a
// remote desktop or another window can take it. Whoever drags holds what others want to have.
import { isDisplayed } from "./canvasplace.js";

/** The bit in `buttons` of each `button`. */
const BITS = [1, 4, 2, 8, 16, 32];

/**
 * What a press tells of itself; one of the last three comes once, and is the last.
 * @typedef {object} PressListener
 * @property {(event: PointerEvent) => void} [move]
 * @property {(event: PointerEvent) => void} up the button was released, here
 * @property {() => void} [lost] the button is up, or nobody can say where the pointer is: what the
 *   press does ends where it stands; without this function it is cancelled
 * @property {() => void} cancel the browser takes the pointer for something else
 */

export class Press {
  /**
   * Where the pointer is in the page. While it is locked to an element, which has it stand still,
   * it goes on by its movement.
   */
  clientX;
  clientY;

  /** The bit of the button that is held; 0 if the event of the press did not say that any is. */
  #bit;
  /** How far a locked pointer went from where the browser says that it is. */
  #ahead = [0, 0];
  #captured = false;
  #over = new AbortController();

  /**
   * @param {Element} element the press is about this element, and is lost if it is not displayed
   * @param {PointerEvent} down
   * @param {PressListener} listener
   */
  constructor(element, down, listener) {
    this.element = element;
    this.pointerId = down.pointerId;
    this.clientX = down.clientX;
    this.clientY = down.clientY;
    this.#bit = BITS[down.button] & down.buttons || down.buttons || 0;
    this.listener = listener;
    this.#listen();
  }

  /** Whether the press goes on. */
  get running() {
    return !this.#over.signal.aborted;
  }

  /**
   * Asks for the pointer's events where it leaves the element. A pointer that is locked, or that is
   * gone by now, cannot be captured, and need not be.
   */
  capture() {
    try {
      this.element.setPointerCapture?.(this.pointerId);
      this.#captured = true;
    } catch {
      this.#captured = false;
    }
  }

  /** Ends it without a word to the listener. */
  stop() {
    this.#over.abort();
  }

  #listen() {
    const { element } = this;
    const page = element.ownerDocument;
    const window = page?.defaultView ?? element;
    /** @type {(target: EventTarget, types: string[], handle: (event: any) => void) => void} */
    const hear = (target, types, handle) => {
      for (const type of types)
        target.addEventListener(type, handle, { signal: this.#over.signal, capture: true });
    };
    /** @param {(event: any) => void} handle */
    const own = (handle) => (/** @type {any} */ event) =>
      event.pointerId === this.pointerId && handle(event);
    const pointer = ["pointermove", "pointerup", "pointercancel", "lostpointercapture"];
    const handlers = [this.#move, this.#up, this.#cancel, this.#uncaptured];
    pointer.forEach((type, i) => hear(window, [type], own(handlers[i].bind(this))));
    // A menu would take the release.
    hear(window, ["contextmenu"], (event) => event.preventDefault());
    hear(window, ["blur"], (event) => event.target === window && this.#lose());
    hear(window, ["pagehide"], () => this.#lose());
    if (page) hear(page, ["visibilitychange"], () => page.hidden && this.#lose());
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const held = this.#bit === 0 || (event.buttons & this.#bit) !== 0;
    // While other buttons are down, a release comes as a move that names its button.
    if (!held && event.button >= 0 && BITS[event.button] === this.#bit) return this.#up(event);
    if (!held || !isDisplayed(this.element)) return this.#lose();
    this.#follow(event);
    this.listener.move?.(event);
  }

  /** @param {PointerEvent} event */
  #up(event) {
    this.#follow(event);
    this.stop();
    if (isDisplayed(this.element)) this.listener.up(event);
    else this.#tellLost();
  }

  #cancel() {
    this.stop();
    this.listener.cancel();
  }

  #lose() {
    this.stop();
    this.#tellLost();
  }

  #tellLost() {
    (this.listener.lost ?? this.listener.cancel)();
  }

  /** @param {PointerEvent} event */
  #uncaptured(event) {
    const gone = this.element.isConnected === false;
    if (!this.#captured || (event.target !== this.element && !gone)) return;
    this.#captured = false;
    // A lock ends the capture, and gives the element all events.
    if (gone || !this.#locked) this.#lose();
  }

  get #locked() {
    return Boolean(this.element.ownerDocument?.pointerLockElement);
  }

  /** @param {PointerEvent} event */
  #follow(event) {
    if (this.#locked) {
      this.clientX += event.movementX;
      this.clientY += event.movementY;
      this.#ahead = [this.clientX - event.clientX, this.clientY - event.clientY];
    } else {
      this.clientX = event.clientX + this.#ahead[0];
      this.clientY = event.clientY + this.#ahead[1];
    }
  }
}
