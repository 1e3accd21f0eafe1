// timelinemodel.ts - the model of the timeline: which edits it shows, their positions, the moment
// that is shown, and the actions on edits and checkpoints. The editor has one.
import { computed, signal } from "@preact/signals";

import type { Checkpoint, Edit, Id } from "../../sdk/types.js";
import type { EditorState } from "../editorstate";
import { type Moment, lastAtMost, makeAxis, momentAfter } from "./axis";
import { differ, differenceText } from "./diff";
import { EditHistory } from "./history";
import { Player } from "./player";
import { MotionPaths } from "./motionpaths";
import { describe, timeText } from "./edittext";

export class TimelineModel {
  readonly history: EditHistory;
  readonly player: Player;
  readonly motionPaths: MotionPaths;
  /** Only edits of this person; null for everybody. */
  readonly user = signal<string | null>(null);
  /** Only edits of nodes that are selected. */
  readonly selectedOnly = signal(false);
  /** The edit whose details are open; null for none. */
  readonly opened = signal<Edit | null>(null);

  /** Whether the list of edits is shown beside the view. */
  readonly listed = signal(false);

  readonly shown = computed(() => {
    const edits = this.history.edits.value;
    const user = this.user.value;
    const chosen = this.selectedOnly.value ? new Set(this.editor.selection.value) : null;
    if (user === null && !chosen) return edits;
    return edits.filter(
      (edit) =>
        (user === null || edit.user === user) &&
        (!chosen || edit.nodes.some((id) => chosen.has(id))),
    );
  });
  readonly axis = computed(() => makeAxis(this.shown.value));
  readonly #nowStep = computed(() => {
    const { marks } = this.axis.value;
    const isNewest =
      marks.length > 0 && marks[marks.length - 1].edit === this.history.edits.value.at(-1);
    return isNewest ? marks.length - 1 : marks.length;
  });

  constructor(readonly editor: EditorState) {
    this.history = new EditHistory(editor.session);
    this.player = new Player(
      editor,
      () => this.axis.value,
      () => this.#nowStep.value,
      () => this.history.edits.peek(),
    );
    this.motionPaths = new MotionPaths(editor);
    // Open details change with the moment that is shown.
    this.player.moment.subscribe((moment) => {
      if (moment?.edit && this.opened.peek()) this.opened.value = moment.edit;
    });
  }

  /** The present name of a node, or else its name at the moment that is shown. */
  readonly nameOf = (id: Id): string =>
    this.editor.session.scene.get(id)?.name ||
    this.editor.past.peek()?.scene.get(id)?.name ||
    `node ${id}`;

  toggleDetails(): void {
    const edits = this.shown.peek();
    this.opened.value = this.opened.peek()
      ? null
      : (this.player.moment.peek()?.edit ??
        edits[Math.min(this.player.index(), edits.length - 1)] ??
        null);
  }

  /** The moment before an edit; null if no earlier edit is known. */
  before(edit: Edit): Moment | null {
    const edits = this.history.edits.value;
    const i = lastAtMost(edits, edit.seq - 1, ({ seq }) => seq);
    return i < 0 ? null : momentAfter(edits[i]);
  }

  /** The checkpoint that is shown. */
  checkpoint(): Checkpoint | undefined {
    const seq = this.player.moment.peek()?.seq;
    return this.history.checkpoints.peek().find((checkpoint) => checkpoint.seq === seq);
  }

  goTo(checkpoint: Checkpoint): void {
    this.player.pause();
    this.player.seek({
      seq: checkpoint.seq,
      time: this.timeOf(checkpoint),
      edit: this.#editLeaving(checkpoint.seq),
    });
  }

  /**
   * The time of a checkpoint's state; if its edit is no longer known, the time when the checkpoint
   * was added.
   */
  timeOf({ seq, made }: Checkpoint): number {
    return this.#editLeaving(seq)?.ended ?? made;
  }

  #editLeaving(seq: number): Edit | undefined {
    const edits = this.history.edits.peek();
    return edits[lastAtMost(edits, seq, (edit) => edit.seq)];
  }

  /**
   * Restores a state of the past after a question: a checkpoint, or else the state that is shown.
   */
  async restore(what?: { checkpoint: string }): Promise<void> {
    const { editor } = this;
    const past = editor.past.peek();
    if (!past) return;
    this.player.pause();
    const when = what
      ? `as it was at “${what.checkpoint}”`
      : `as it was at ${timeText(past.time, Date.now() / 1000)}`;
    const difference = differenceText(differ(editor.session.scene, past.scene));
    if (!difference) return editor.say("info", `The scene is already ${when}.`);
    const effect = "Everybody sees the change at once. It is one edit, which you can undo.";
    const text = `${difference}. ${effect}`;
    if (!(await editor.ask({ title: `Restore the scene ${when}?`, text, yes: "Restore" }))) return;
    const done = await editor.try(() => editor.session.restore(what ?? { seq: past.seq }));
    if (!done) return;
    this.player.toNow();
    editor.say("info", `The scene is now ${when}.`, {
      label: "Undo",
      run: () => void editor.undo(),
    });
  }

  /** Describes an edit. */
  textOf(edit: Edit): string {
    return describe(edit, this.nameOf);
  }

  /** People can revert their own edits, admins all edits; an import cannot be reverted. */
  canRevert(edit: Edit): boolean {
    const { session, role } = this.editor;
    if (edit.kind === "import" || edit.undone || role.value === "viewer") return false;
    return role.value === "admin" || edit.user === session.user;
  }

  /** Reverts one edit. If later edits changed the same nodes, a message offers to revert anyway. */
  async revert(edit: Edit, force = false): Promise<void> {
    const { editor } = this;
    try {
      await editor.session.revert(edit.id, force ? { force } : {});
      this.player.toNow();
      editor.say("info", `Reverted: ${this.textOf(edit)}.`, {
        label: "Undo",
        run: () => void editor.undo(),
      });
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (code !== "conflict" || force) return editor.fail(error);
      editor.say("warn", message, {
        label: "Revert anyway",
        run: () => void this.revert(edit, true),
      });
    }
  }

  async addCheckpoint(name: string): Promise<void> {
    const seq = this.editor.past.peek()?.seq;
    await this.editor.try(() =>
      this.editor.session.checkpoint(name, seq === undefined ? {} : { seq }),
    );
  }

  async removeCheckpoint(name: string): Promise<void> {
    await this.editor.try(() => this.editor.session.checkpoint(name, { gone: true }));
  }
}
