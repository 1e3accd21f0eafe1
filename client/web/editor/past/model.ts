// model.ts - what the timeline is about: which edits it shows, where they stand, which moment is looked at. The editor has one as long as it lives.
import { computed, signal } from "@preact/signals";

import type { Checkpoint, Edit, Id } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { lastAtMost, makeAxis } from "./axis";
import { EditHistory } from "./history";
import { Player } from "./player";
import { timeWords } from "./words";

export class TimelineModel {
  readonly history: EditHistory;
  readonly player: Player;
  /** Only edits of this person; null for everybody. */
  readonly user = signal<string | null>(null);
  /** Only edits of nodes that are selected. */
  readonly selectedOnly = signal(false);
  /** Whose details are open; null for none. */
  readonly opened = signal<Edit | null>(null);

  readonly shown = computed(() => {
    const edits = this.history.edits.value;
    const user = this.user.value;
    const chosen = this.selectedOnly.value ? new Set(this.editor.selection.value) : null;
    if (user === null && !chosen) return edits;
    return edits.filter((edit) => (user === null || edit.user === user) && (!chosen || edit.nodes.some((id) => chosen.has(id))));
  });
  readonly axis = computed(() => makeAxis(this.shown.value));

  constructor(readonly editor: Editor) {
    this.history = new EditHistory(editor.session);
    this.player = new Player(editor, () => this.axis.value);
  }

  /** The name of a node now, or else then. */
  readonly nameOf = (id: Id): string =>
    this.editor.session.scene.get(id)?.name || this.editor.past.peek()?.scene.get(id)?.name || `node ${id}`;

  goTo(checkpoint: Checkpoint): void {
    const edits = this.history.edits.peek();
    const left = edits[lastAtMost(edits, checkpoint.seq, (edit) => edit.seq)];
    this.player.seek({ seq: checkpoint.seq, time: left?.ended ?? checkpoint.made, edit: left });
  }

  /** Makes the state that is shown the present one. */
  async restore(): Promise<void> {
    const { editor } = this;
    const past = editor.past.peek();
    if (!past) return;
    const done = await editor.try(() => editor.session.restore({ seq: past.seq }));
    if (!done) return;
    this.player.toNow();
    const when = timeWords(past.time, Date.now() / 1000);
    if (done.edit === undefined) return editor.say("info", `The scene is as it was at ${when} already.`);
    editor.say("info", `The scene is as it was at ${when} again.`, { label: "Undo", run: () => void editor.try(() => editor.session.undo()) });
  }

  /** Takes back one edit, whatever came after it. */
  async takeBack(edit: Edit, force = false): Promise<void> {
    const { editor } = this;
    try {
      await editor.session.revert(edit.id, force ? { force } : {});
      this.player.toNow();
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (code !== "conflict" || force) return editor.fail(error);
      editor.say("warn", message, { label: "Take it back all the same", run: () => void this.takeBack(edit, true) });
    }
  }

  async addCheckpoint(name: string): Promise<void> {
    const seq = this.editor.past.peek()?.seq;
    await this.editor.try(() => this.editor.session.checkpoint(name, seq === undefined ? {} : { seq }));
    await this.history.reloadCheckpoints();
  }

  async removeCheckpoint(name: string): Promise<void> {
    await this.editor.try(() => this.editor.session.checkpoint(name, { gone: true }));
    await this.history.reloadCheckpoints();
  }
}
