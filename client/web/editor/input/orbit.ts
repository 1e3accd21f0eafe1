// orbit.ts - orbits the view about its target: with prediction the session does, by the solver that
// the server has too; without prediction the page turns the view itself.
import type { Vec2 } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { PerFrame } from "./perframe";

export class Orbit {
  #last: Vec2;
  #bySession: boolean;
  #moves = new PerFrame(() => this.editor.session.move({ at: this.#last, mods: ["orbit"] }));

  constructor(
    readonly editor: Editor,
    at: Vec2,
  ) {
    const { session, input, rig, following } = editor;
    this.#last = at;
    this.#bySession = session.predicting;
    input.settle();
    following.value = null;
    input.navigate("orbit");
    if (!this.#bySession) return;
    rig.lend();
    session.down({ at, mods: ["orbit"] }).catch(() => {});
  }

  move(at: Vec2): void {
    const [x, y] = this.#last;
    this.#last = at;
    if (this.#bySession) return this.#moves.request();
    // Dragging across the height of the view is a full turn, as with the session.
    const perPx = (2 * Math.PI) / this.editor.rig.height;
    this.editor.rig.turn((x - at[0]) * perPx, (at[1] - y) * perPx);
  }

  end(): void {
    this.editor.input.navigating.value = null;
    if (!this.#bySession) return;
    this.#moves.flush();
    this.editor.session.up({ at: this.#last }).catch(() => {});
  }
}
