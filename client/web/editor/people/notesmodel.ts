// notesmodel.ts - the model of the notes: which ones are shown, the one that is being written and
// its place, and which ones were read. The notes themselves come from the server.
import { computed, signal } from "@preact/signals";

import type { Id, Note, Vec2 } from "../../sdk/types.js";
import type { EditorState } from "../editorstate";
import { keep, recall } from "../storage";
import { type NoteTarget, frameNote } from "./noteplace";
import { askedNote } from "./share";
import {
  type Filter,
  type Seen,
  type Thread,
  isUnread,
  passes,
  threadsOf,
  withSeen,
} from "./threads";

export class NotesModel {
  readonly filter = signal<Filter>("open");
  /** Show only notes on the selection and on nodes below it. */
  readonly selectedOnly = signal(false);
  readonly pinned = signal(true);
  /** The next click in the view sets the place of a new note. */
  readonly placing = signal(false);
  /** What the note is pinned to that is being written; null for none. */
  readonly draft = signal<NoteTarget | null>(null);
  /** The pixel of that place in the view; null if it is not visible. */
  readonly draftAt = signal<Vec2 | null>(null);

  readonly threads = computed(() => threadsOf(this.editor.notes.value));
  readonly shown = computed(() => {
    const under = this.selectedOnly.value ? this.#underSelection() : null;
    return this.threads.value.filter(
      (thread) =>
        passes(thread, this.filter.value) && (under === null || under.has(thread.root.node ?? 0)),
    );
  });
  readonly unread = computed(
    () =>
      new Set(
        this.threads.value.filter((thread) => this.#isUnread(thread)).map(({ root }) => root.id),
      ),
  );

  #seen = signal<Seen>({ base: 0, threads: {} });

  constructor(readonly editor: EditorState) {
    this.#seen.value = this.#stored() ?? this.#seen.value;
    const { session } = editor;
    void session.ready.then(
      () => this.#arrive(),
      () => {},
    );
  }

  /** Whether this person may write notes. */
  get mayWrite(): boolean {
    return this.editor.role.value !== "viewer";
  }

  /** Whether this person may change a note. */
  owns(note: Note): boolean {
    return (
      this.mayWrite &&
      (note.user === this.editor.session.user || this.editor.role.value === "admin")
    );
  }

  place(): void {
    this.draft.value = null;
    this.placing.value = true;
    this.editor.drawer.value = null;
  }

  write(target: NoteTarget): void {
    this.placing.value = false;
    this.draft.value = target;
  }

  /** Starts a note on the selected node, or on the whole scene if not exactly one is selected. */
  writeAtSelection(): void {
    const [node, ...others] = this.editor.selection.peek();
    this.write(node !== undefined && others.length === 0 ? { node } : {});
  }

  leave(): void {
    this.placing.value = false;
    this.draft.value = null;
  }

  /** Opens the thread that contains this note; null closes the open one. */
  open(id: number | null): void {
    const thread = this.threads
      .peek()
      .find(({ root, replies }) => root.id === id || replies.some((reply) => reply.id === id));
    this.editor.openNote.value = thread?.root.id ?? null;
    if (!thread) return;
    if (!this.shown.peek().includes(thread)) {
      this.filter.value = "all";
      this.selectedOnly.value = false;
    }
    this.read(thread);
  }

  /**
   * Opens a note that was just written; the server sends it to everybody, this page included, a
   * moment later.
   */
  made(id: number): void {
    if (this.filter.peek() === "done") this.filter.value = "open";
    this.selectedOnly.value = false;
    this.editor.openNote.value = id;
  }

  read(thread: Thread): void {
    if (this.#isUnread(thread)) this.#see(withSeen(this.#seen.peek(), thread, this.threads.peek()));
  }

  readAll(): void {
    this.#see({
      base: Math.max(0, ...this.threads.peek().map(({ latest }) => latest)),
      threads: {},
    });
  }

  #isUnread(thread: Thread): boolean {
    return isUnread(thread, this.#seen.value, this.editor.session.user);
  }

  #underSelection(): Set<Id> {
    const { selection, scene, structure } = this.editor;
    structure.value;
    return new Set(selection.value.flatMap((id) => [...scene.value.below(id)]));
  }

  /**
   * For a person who is here for the first time all notes count as read. A note that the address
   * names is shown after the view has started.
   */
  #arrive(): void {
    if (this.#stored() === null) this.readAll();
    const asked = askedNote();
    if (asked) setTimeout(() => this.#showAsked(asked), 0);
  }

  #showAsked(id: number): void {
    this.open(id);
    const thread = this.threads.peek().find(({ root }) => root.id === this.editor.openNote.peek());
    if (thread) frameNote(this.editor, thread.root);
    else this.editor.say("warn", "The note that this link names was deleted.");
  }

  #see(seen: Seen): void {
    this.#seen.value = seen;
    keep(this.#key, JSON.stringify(seen));
  }

  get #key(): string {
    const { sceneName, user } = this.editor.session;
    return `gizmod.seen ${sceneName} ${user}`;
  }

  #stored(): Seen | null {
    try {
      const seen = JSON.parse(recall(this.#key) ?? "null") as Seen | null;
      return Number.isFinite(seen?.base) && seen?.threads ? seen : null;
    } catch {
      return null;
    }
  }
}
