// drag.ts - one drag of the selection, as the server runs it: begun by a press on a handle or by name, led by the pointer or by typed numbers, and ended as one
// edit or taken back. Moves go out once for each picture. A lost connection ends it: the server keeps what was dragged so far.
import type { GizmodError } from "../../sdk/index.js";
import type { Modifier, Place, Vec2 } from "../../sdk/types.js";
import type { EditorState } from "../editorstate";
import { errorText } from "../errortext";
import type { RunningDrag } from "./inputstate";

export type DragState = "asked" | "running" | "over";

export class Drag implements RunningDrag {
  state: DragState = "asked";
  handle: string | null = null;
  /** Numbers were typed; until they are taken back the pointer moves nothing. */
  typed = false;

  #from: Vec2;
  #last: Vec2;
  /** Where the server was told that the pointer is. */
  #sent: Vec2;
  #mods: Modifier[] = [];
  #frame = 0;
  /** How it is to end, where that was said before the server's answer came. */
  #wanted: "commit" | "cancel" | null = null;
  /** Counts what was asked for: answers to what was given up since mean nothing. */
  #begun = 0;
  #offStatus: () => void;

  private constructor(
    readonly editor: EditorState,
    at: Vec2,
  ) {
    this.#from = this.#last = this.#sent = at;
    this.#offStatus = editor.session.on("status", ({ phase }) => {
      if (phase !== "online") this.#over();
    });
  }

  /** Presses there: on a handle, a node, or nothing. `missed` is told where it was no handle. */
  static press(
    editor: EditorState,
    at: Vec2,
    mods: Modifier[],
    missed: (hit: number | undefined) => void,
  ): Drag {
    const drag = Drag.#next(editor, at);
    drag.#begin(editor.trackSelection(editor.session.down({ at, mods })), missed);
    return drag;
  }

  /** Grabs the selection by a named handle. */
  static grab(editor: EditorState, handle: string, at: Vec2): Drag {
    const drag = Drag.#next(editor, at);
    drag.#grab(handle);
    return drag;
  }

  static #next(editor: EditorState, at: Vec2): Drag {
    editor.input.settle();
    const drag = new Drag(editor, at);
    editor.input.drag = drag;
    return drag;
  }

  /** Whether it still follows hand and keys. */
  get running(): boolean {
    return this.state !== "over" && this.#wanted === null;
  }

  move(at: Vec2, mods: Modifier[]): void {
    if (this.state === "over") return;
    if (mods.join() !== this.#mods.join()) this.#send();
    this.#last = at;
    this.#mods = mods;
    this.#frame ||= requestAnimationFrame(() => this.#send());
  }

  /** The same place with other modifiers. */
  again(mods: Modifier[]): void {
    this.move(this.#last, mods);
  }

  /** Before something else is pressed: what was to end without the server's answer ends now. */
  flush(): void {
    if (this.state === "asked" && this.#wanted) this.#finish(this.#wanted);
  }

  /** Leaves the selection where it is, as one edit. */
  commit(): void {
    this.#end("commit");
  }

  /** Puts the selection back. */
  cancel(): void {
    this.#end("cancel");
  }

  /** Goes on with another handle, as if it had been grabbed at the beginning. Shift was pressed for the key that says so: it makes fine only what comes after. */
  constrain(handle: string): void {
    if (this.state === "over" || this.handle === null || handle === this.handle) return;
    const mods = this.#mods;
    this.#mods = mods.filter((mod) => mod !== "fine");
    void this.editor.session.cancel().catch(() => {});
    this.#grab(handle);
    this.#send();
    this.again(mods);
  }

  /** Goes exactly that far; null for following the pointer again. */
  type(value: number[] | null): void {
    if (this.state === "over" || this.handle === null) return;
    if (value === null) {
      if (this.typed) this.#untype();
      return;
    }
    this.typed = true;
    this.editor.session
      .grab(this.handle, { value })
      .catch((error: GizmodError) => this.#say(error));
  }

  #grab(handle: string): void {
    this.handle = handle;
    this.#begin(this.editor.session.grab(handle, { at: this.#from, mods: this.#mods }));
  }

  #untype(): void {
    const handle = this.handle as string;
    this.typed = false;
    void this.editor.session.cancel().catch(() => {});
    this.#grab(handle);
    this.#send();
  }

  #begin(
    answer: Promise<{ handle?: string; hit?: number }>,
    missed?: (hit: number | undefined) => void,
  ): void {
    const begun = ++this.#begun;
    this.state = "asked";
    answer.then(
      ({ handle, hit }) => {
        if (this.state === "over" || begun !== this.#begun) return;
        if (handle === undefined) {
          this.#over();
          missed?.(hit);
        } else this.#began(handle);
      },
      (error: GizmodError) => {
        if (begun !== this.#begun) return;
        this.#say(error);
        this.#over();
      },
    );
  }

  #began(handle: string): void {
    this.handle = handle;
    this.state = "running";
    this.editor.input.dragged.value = handle;
    if (this.#wanted) this.#finish(this.#wanted);
  }

  #send(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    if (this.state === "over" || this.typed) return;
    this.#sent = this.#last;
    this.editor.session.move({ at: this.#last, mods: this.#mods });
  }

  #end(how: "commit" | "cancel"): void {
    if (this.state === "over") return;
    if (this.state === "asked") {
      this.#wanted = how;
      return;
    }
    this.#finish(how);
  }

  #finish(how: "commit" | "cancel"): void {
    const { session } = this.editor;
    if (this.#frame !== 0) this.#send();
    // Where the server refused what was typed, it is the place that counts, of before that.
    const place: Place = { at: this.typed ? this.#sent : this.#last, mods: this.#mods };
    this.#over();
    void this.editor.try<unknown>(() => (how === "commit" ? session.up(place) : session.cancel()));
  }

  #over(): void {
    if (this.state === "over") return;
    this.state = "over";
    cancelAnimationFrame(this.#frame);
    this.#offStatus();
    this.editor.input.dragged.value = null;
    this.editor.input.held.value = false;
    this.editor.input.typed.value = "";
  }

  /** What is held by somebody is said where one tried; the rest at the edge. */
  #say(error: GizmodError): void {
    if (error.code === "lost" || error.code === "closed") return;
    if (error.code === "locked" || error.code === "bad_state" || error.code === "bad_value")
      this.editor.input.hint(errorText(error.message), this.#last);
    else this.editor.fail(error);
  }
}
