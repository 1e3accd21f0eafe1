// drag.ts - one drag of the selection, which the server runs. It begins with a press on a handle or
// with the name of a handle, follows the pointer or typed numbers, and ends as one edit or is
// cancelled. At most one move is sent for each frame. A lost connection ends the drag; the server
// keeps what was dragged so far.
import type { GizmodError } from "../../sdk/index.js";
import type { Modifier, Place, Vec2 } from "../../sdk/types.js";
import type { EditorState } from "../editorstate";
import { errorText } from "../errortext";
import type { RunningDrag } from "./inputstate";

export type DragState = "asked" | "running" | "over";

export class Drag implements RunningDrag {
  state: DragState = "asked";
  handle: string | null = null;
  /** Numbers were typed: the pointer moves nothing until they are deleted. */
  typed = false;

  #from: Vec2;
  #last: Vec2;
  /** The position of the pointer that was sent last. */
  #sent: Vec2;
  #mods: Modifier[] = [];
  #frame = 0;
  /** How the drag is to end, if that was decided before the server answered its beginning. */
  #wanted: "commit" | "cancel" | null = null;
  /** Counts the beginnings: an answer to an earlier one is ignored. */
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

  /**
   * Presses at a pixel: on a handle, a node or nothing. `missed` is called if no handle is there.
   */
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

  /** Whether the drag still follows pointer and keys. */
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

  /** Sends the same position with other modifiers. */
  again(mods: Modifier[]): void {
    this.move(this.#last, mods);
  }

  /** Called before another press: a drag that is to end but was not answered yet ends now. */
  flush(): void {
    if (this.state === "asked" && this.#wanted) this.#finish(this.#wanted);
  }

  /** Ends the drag as one edit. */
  commit(): void {
    this.#end("commit");
  }

  /** Ends the drag and restores the selection's transforms. */
  cancel(): void {
    this.#end("cancel");
  }

  /**
   * Continues with another handle, as if that one had been grabbed at the beginning. Shift is part
   * of the key that asks for a plane, so it makes only later moves precise.
   */
  constrain(handle: string): void {
    if (this.state === "over" || this.handle === null || handle === this.handle) return;
    const mods = this.#mods;
    this.#mods = mods.filter((mod) => mod !== "fine");
    void this.editor.session.cancel().catch(() => {});
    this.#grab(handle);
    this.#send();
    this.again(mods);
  }

  /** Sets the exact value of the drag; null to follow the pointer again. */
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
    // If typed numbers were refused, the position that was sent before them counts.
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

  /**
   * Shows at the pointer why the drag was refused (a lock, a wrong number); other errors appear at
   * the edge of the view.
   */
  #say(error: GizmodError): void {
    if (error.code === "lost" || error.code === "closed") return;
    if (error.code === "locked" || error.code === "bad_state" || error.code === "bad_value")
      this.editor.input.hint(errorText(error.message), this.#last);
    else this.editor.fail(error);
  }
}
