// timelinemodel.ts - what the timeline is about: which edits it shows, where they stand, which moment is looked at. The editor has one as long as it lives.
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
  /** Whose details are open; null for none. */
  readonly opened = signal<Edit | null>(null);

  /** Whether the edits are listed beside the view. */
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
    // Details that are open are those of what is looked at.
    this.player.moment.subscribe((moment) => {
      if (moment?.edit && this.opened.peek()) this.opened.value = moment.edit;
    });
  }

  /** The name of a node now, or else then. */
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

  /** The state that an edit found; null where nothing of it is known. */
  before(edit: Edit): Moment | null {
    const edits = this.history.edits.value;
    const i = lastAtMost(edits, edit.seq - 1, ({ seq }) => seq);
    return i < 0 ? null : momentAfter(edits[i]);
  }

  /** The checkpoint whose state is looked at. */
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

  /** When the scene came to be as a checkpoint has it; where that is too long ago to be known, when the name was given. */
  timeOf({ seq, made }: Checkpoint): number {
    return this.#editLeaving(seq)?.ended ?? made;
  }

  #editLeaving(seq: number): Edit | undefined {
    const edits = this.history.edits.peek();
    return edits[lastAtMost(edits, seq, (edit) => edit.seq)];
  }

  /** Makes a state of the past the present one, if that is what the person wants: by default the one that is shown. */
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
    const text = `${difference}. Everybody sees the change at once. It is one edit, which you can undo.`;
    if (!(await editor.ask({ title: `Restore the scene ${when}?`, text, yes: "Restore" }))) return;
    const done = await editor.try(() => editor.session.restore(what ?? { seq: past.seq }));
    if (!done) return;
    this.player.toNow();
    editor.say("info", `The scene is now ${when}.`, {
      label: "Undo",
      run: () => void editor.undo(),
    });
  }

  /** What an edit did. */
  textOf(edit: Edit): string {
    return describe(edit, this.nameOf);
  }

  /** One's own edits, or for who administers anybody's; imports stay. */
  canRevert(edit: Edit): boolean {
    const { session, role } = this.editor;
    if (edit.kind === "import" || edit.undone || role.value === "viewer") return false;
    return role.value === "admin" || edit.user === session.user;
  }

  /** Takes back one edit, whatever came after it. */
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
