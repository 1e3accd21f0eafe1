// wheel.ts - zooms to what is under the pointer. A pinch on a trackpad arrives as a wheel event
// with Ctrl, in Safari as gesture events. With Shift the wheel pans sideways.
import type { Vec2 } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { boxHit } from "./boxhit";

/**
 * The pixels of one line and of one page. Firefox counts lines, six for a notch, where others count
 * about 100 pixels.
 */
const LINE_PX = 18;
const PAGE_PX = 300;
/** The natural logarithm of the zoom factor for each pixel. */
const PER_PX = 0.0015;
const PINCH_PER_PX = 0.01;
/** The most that one event may zoom: some wheels report jumps. */
const EVENT_PX_MAX = 240;
/** After a pause of this length the depth under the pointer is looked up again. */
const REST_MS = 250;

/** Safari's event of a pinch. */
export interface PinchEvent extends MouseEvent {
  /** The distance of the fingers, as a part of the distance at the beginning. */
  scale: number;
}

export class Wheel {
  #last = -Infinity;
  /** The latest scale of the running pinch; null while there is none. */
  #scale: number | null = null;

  constructor(readonly editor: Editor) {}

  turn(event: WheelEvent, at: Vec2): void {
    event.preventDefault();
    const { rig, input } = this.editor;
    if (input.navigating.peek() || (event.ctrlKey && this.#scale !== null)) return;
    this.editor.following.value = null;
    const px = [1, LINE_PX, PAGE_PX][event.deltaMode] ?? 1;
    if (event.shiftKey && !event.ctrlKey) return rig.pan(-(event.deltaX || event.deltaY) * px, 0);
    const by = Math.max(-EVENT_PX_MAX, Math.min(EVENT_PX_MAX, event.deltaY * px));
    this.#by(by * (event.ctrlKey ? PINCH_PER_PX : PER_PX), event, at);
  }

  /** On a touch screen touch.ts handles the fingers. */
  pinch(event: PinchEvent, at: Vec2): void {
    event.preventDefault();
    const { input, following } = this.editor;
    if (event.type === "gesturechange" && !input.finger.peek() && !input.navigating.peek()) {
      following.value = null;
      this.#by(Math.log((this.#scale ?? 1) / event.scale), event, at);
    }
    this.#scale = event.type === "gestureend" ? null : event.scale;
  }

  #by(logarithm: number, event: Event, at: Vec2): void {
    if (event.timeStamp - this.#last > REST_MS) void this.#reach(at);
    this.#last = event.timeStamp;
    this.editor.rig.zoom(Math.exp(logarithm), at);
  }

  /**
   * Sets the depth of the target to that of the node under the pointer, so that zooming leads to it
   * and not past it: at once to the nearest box, and to the surface once the server has answered.
   */
  async #reach(at: Vec2): Promise<void> {
    const { session, scene, rig, past, input } = this.editor;
    const near = boxHit(scene.peek(), rig.rayAt(at));
    if (near) rig.setDepth(near);
    if (past.peek() || session.status.phase !== "online") return;
    const hits = await session.pick({ at, surface: true }).catch(() => []);
    const hit = hits.find(({ id }) => session.scene.get(id)?.bounds);
    // An orbit that has begun since keeps its target.
    if (hit && !input.navigating.peek()) rig.setDepth(hit.point);
  }
}
