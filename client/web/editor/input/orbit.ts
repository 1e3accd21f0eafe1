// orbit.ts - orbits the view about its target: the server computes the new view and sends it back;
// without a connection the page does.
import type { Vec2 } from "../../sdk/types.js";
import type { Editor } from "../editor";

export class Orbit {
  #last: Vec2;
  #frame = 0;
  #away: boolean;

  constructor(
    readonly editor: Editor,
    at: Vec2,
  ) {
    this.#last = at;
    this.#away = editor.session.status.phase !== "online";
    editor.input.settle();
    editor.rig.lend();
    editor.following.value = null;
    editor.input.navigate("orbit");
    if (!this.#away) editor.session.down({ at, mods: ["orbit"] }).catch(() => (this.#away = true));
  }

  move(at: Vec2): void {
    this.#away ||= this.editor.session.status.phase !== "online";
    if (this.#away) this.#turn(at);
    else this.#frame ||= requestAnimationFrame(() => this.#send());
    this.#last = at;
  }

  end(): void {
    if (this.#frame !== 0) this.#send();
    this.editor.input.navigating.value = null;
    if (!this.#away) this.editor.session.up({ at: this.#last }).catch(() => {});
  }

  /** Dragging across the height of the view is a full turn, as at the server. */
  #turn(at: Vec2): void {
    const perPx = (2 * Math.PI) / this.editor.rig.height;
    this.editor.rig.turn((this.#last[0] - at[0]) * perPx, (at[1] - this.#last[1]) * perPx);
  }

  #send(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.editor.session.move({ at: this.#last, mods: ["orbit"] });
  }
}
