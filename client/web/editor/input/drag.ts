// drag.ts - one drag of the selection. It begins with a press on a handle or with the name of a
// handle, follows the pointer or typed numbers, and ends as one edit or is cancelled. The session
// solves it in the page, else the server does. The server takes messages in their order, so nothing
// here waits for an answer. Without prediction a lost connection ends the drag, and the server
// keeps what was dragged so far.
import type { GizmodError } from "../../sdk/index.js";
import type { Modifier, Place, Vec2 } from "../../sdk/types.js";
import type { EditorState } from "../editorstate";
import { errorText } from "../errortext";
import type { RunningDrag } from "./inputstate";
import { PerFrame } from "./perframe";

export class Drag implements RunningDrag {
  running = true;
  /** Numbers were typed: the pointer moves nothing until they are deleted. */
  typed = false;

  #from: Vec2;
  #last: Vec2;
  /** The position of the pointer that was sent last. */
  #sent: Vec2;
  #moves = new PerFrame(() => this.#send());
  /** Counts the beginnings: the refusal of an earlier one is ignored. */
  #begun = 0;
  #offStatus: () => void;

  private constructor(
    readonly editor: EditorState,
    public handle: string | null,
    at: Vec2,
    private mods: Modifier[],
  ) {
    const { input, session } = editor;
    input.settle();
    input.drag = this;
    this.#from = this.#last = this.#sent = at;
    this.#offStatus = session.on("status", ({ phase }) => {
      if (phase !== "online" && !session.predicting) this.#over();
    });
  }

  /**
   * Presses at a pixel: on a handle, a node or nothing. `missed` is called if no handle is there:
   * at once with prediction, else after the server's answer. The server then selects what is there.
   */
  static press(editor: EditorState, at: Vec2, mods: Modifier[], missed: () => void): Drag {
    const { session } = editor;
    const known = session.handleAt({ at });
    const ofDrag = mods.filter((mod) => mod !== "add");
    if (known) return Drag.grab(editor, known, at, ofDrag);
    const drag = new Drag(editor, null, at, ofDrag);
    const answer = editor.trackSelection(session.down({ at, mods }));
    const miss = (): void => {
      drag.#over();
      missed();
    };
    if (known === null) miss();
    const answered = ({ handle }: { handle?: string }): void => {
      if (handle === undefined && known === undefined) miss();
      if (handle !== undefined && drag.running) drag.#take(handle);
      // The person saw no handle there, and moves nothing.
      if (handle !== undefined && known === null) void session.cancel().catch(() => {});
    };
    drag.#begin(answer.then(answered));
    return drag;
  }

  /** Grabs the selection by a named handle. */
  static grab(editor: EditorState, handle: string, at: Vec2, mods: Modifier[] = []): Drag {
    const drag = new Drag(editor, handle, at, mods);
    drag.#grab(handle);
    return drag;
  }

  move(at: Vec2, mods: Modifier[]): void {
    if (!this.running) return;
    if (mods.join() !== this.mods.join()) this.#moves.flush();
    this.#last = at;
    this.mods = mods;
    this.#moves.request();
  }

  /** Sends the same position with other modifiers. */
  again(mods: Modifier[]): void {
    this.move(this.#last, mods);
  }

  /** Ends the drag as one edit. */
  commit(): void {
    if (!this.running) return;
    this.#moves.flush();
    // If typed numbers were refused, the position that was sent before them counts.
    const place: Place = { at: this.typed ? this.#sent : this.#last, mods: this.mods };
    this.#over();
    void this.editor.try(() => this.editor.session.up(place));
  }

  /** Ends the drag and restores the selection's transforms. */
  cancel(): void {
    if (!this.running) return;
    this.#over();
    void this.editor.try(() => this.editor.session.cancel());
  }

  /**
   * Continues with another handle, as if that one had been grabbed at the beginning. Shift is part
   * of the key that asks for a plane, so it makes only later moves precise.
   */
  constrain(handle: string): void {
    if (!this.running || this.handle === null || handle === this.handle) return;
    const { mods } = this;
    this.mods = mods.filter((mod) => mod !== "fine");
    this.#restart(handle);
    this.again(mods);
  }

  /** Sets the exact value of the drag; null to follow the pointer again. */
  type(value: number[] | null): void {
    if (!this.running || this.handle === null || (value === null && !this.typed)) return;
    this.typed = value !== null;
    if (value === null) this.#restart(this.handle);
    else this.editor.session.grab(this.handle, { value }).catch((error) => this.#say(error));
  }

  #restart(handle: string): void {
    void this.editor.session.cancel().catch(() => {});
    this.#grab(handle);
    this.#moves.stop();
    this.#send();
  }

  #grab(handle: string): void {
    this.#take(handle);
    const { session, isSelecting, selection } = this.editor;
    // The server may be about to select something else than the nodes whose handle was pressed.
    const nodes = isSelecting ? selection.peek() : undefined;
    this.#begin(session.grab(handle, { at: this.#from, mods: this.mods, nodes }));
  }

  #take(handle: string): void {
    this.handle = handle;
    this.editor.input.dragged.value = handle;
  }

  #begin(answer: Promise<unknown>): void {
    const begun = ++this.#begun;
    answer.catch((error: GizmodError) => {
      const goesOn = error.code === "lost" && this.editor.session.predicting;
      if (begun !== this.#begun || goesOn) return;
      this.#say(error);
      this.#over();
    });
  }

  #send(): void {
    if (this.typed) return;
    this.#sent = this.#last;
    this.editor.session.move({ at: this.#last, mods: this.mods });
  }

  #over(): void {
    if (!this.running) return;
    this.running = false;
    this.#moves.stop();
    this.#offStatus();
    const { input } = this.editor;
    input.dragged.value = null;
    input.held.value = false;
    input.typed.value = "";
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
