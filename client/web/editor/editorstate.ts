// editorstate.ts - what all parts of the editor share: the session, what is shown, what is selected,
// messages to the person. Data flows one way: the server sends to the session, the session sets the
// signals here, and views and panels follow the signals. What a person does goes to the session, and
// its result comes back the same way.
import { batch, computed, effect, signal } from "@preact/signals";

import { type GizmodError, SceneModel, type Session } from "../sdk/index.js";
import type { Edit, Gizmo, Id, Note, Person, Status, Tool } from "../sdk/types.js";
import { CameraRig } from "./input/rig";
import { InputState } from "./input/inputstate";
import type { MotionPath } from "./past/worldpath";
import { replacedText } from "./past/edittext";
import { type SessionNames, sessionNames } from "./people/names";
import { errorText } from "./errortext";

export interface Toast {
  id: number;
  level: "info" | "warn" | "error";
  text: string;
  /** What can be done about it. */
  action?: { label: string; run: () => void };
}

/** What the person is asked before something is done. */
export interface Question {
  title: string;
  text: string;
  /** What is done, as a verb: "Replace". */
  yes: string;
  /** What cannot be taken back: Enter says no. */
  danger?: boolean;
  answer: (yes: boolean) => void;
}

/** A moment of the past that is shown in place of the present. */
export interface PastState {
  seq: number;
  /** Unix seconds. */
  time: number;
  /** The scene as it was. */
  scene: SceneModel;
}

/** The glTF that the scene's meshes come from. */
export interface AssetState {
  /** `none`: there is no need of it. */
  phase: "none" | "loading" | "ready" | "failed";
  /** Loading: bytes that have come, and all there are (0 while that is not known). */
  loaded?: number;
  total?: number;
  /** Failed: why boxes stand for some meshes. */
  reason?: string;
}

const TOASTS_MAX = 4;
const OLDER =
  "The server now has an earlier state of this scene, as after a backup was restored. It does not have what was saved since.";
const TOAST_MS = 6000;

export class EditorState {
  readonly rig: CameraRig;
  /** What hand and keyboard are doing. */
  readonly input = new InputState();

  readonly status = signal<Status>({ phase: "connecting" });
  /** Edits that the server did not answer yet. */
  readonly unsaved = signal(0);
  /** How many of those were made to a newer state than the server now has, and wait for a word of the person. */
  readonly held = signal(0);
  readonly selection = signal<readonly Id[]>([]);
  readonly people = signal<readonly Person[]>([]);
  /** What each session is called, see names.ts. It changes only as somebody comes or leaves. */
  readonly names = signal<SessionNames>(new Map());
  readonly notes = signal<readonly Note[]>([]);
  readonly gizmo = signal<Gizmo | null>(null);
  readonly tool = signal<Tool>({});
  /** The edit that was told last. */
  readonly lastEdit = signal<Edit | null>(null);

  /** The moment that is shown; null for the present. While it is not null nothing can be edited. */
  readonly past = signal<PastState | null>(null);
  readonly scene = computed(() => this.past.value?.scene ?? this.session.scene);
  /** Counts the changes of the scene that is shown, once for each frame of the server: read it to follow all of them. */
  readonly revision = signal(0);
  /** Counts those of names, parents and of what is there: what a tree shows. */
  readonly structure = signal(0);

  /** Whether edits are possible now: the role allows it, and this is the present. Offline edits wait. */
  readonly editable = computed(() => this.role.value !== "viewer" && this.past.value === null);
  readonly role = signal<"viewer" | "editor" | "admin">("viewer");
  /** The session whose view is followed; null for none. */
  readonly following = signal<number | null>(null);
  /** Whether the others' cameras, pointers and names are drawn in the view. */
  readonly showPeople = signal(true);
  /** The note that is open in the panel; null for none. */
  readonly openNote = signal<number | null>(null);
  /** The ways that are drawn in the view. */
  readonly motionPaths = signal<readonly MotionPath[]>([]);
  readonly asset = signal<AssetState>({ phase: "none" });
  readonly toasts = signal<readonly Toast[]>([]);
  /** A file on its way to the server: how much of it is sent, 0 to 1; 1 while the server reads it. */
  readonly upload = signal<{ file: string; part: number } | null>(null);
  /** What is asked over the page; null for nothing. */
  readonly question = signal<Question | null>(null);
  /** The window that is open over the page. */
  readonly dialog = signal<"shortcuts" | "palette" | null>(null);
  /** The side panel that is open where there is no room for both beside the view. */
  readonly drawer = signal<"left" | "right" | null>(null);

  #lastToast = 0;
  /** The latest import of this page's own: the seq of its edit, undefined if it failed. */
  #ownImport: Promise<number | undefined> = Promise.resolve(undefined);
  /** How many nodes the scene has, and how many it had before some came. */
  #nodes = 0;
  #nodesBefore = 0;
  /** Choices of nodes that the server has not answered yet, as whether they became what is selected, with what says so. */
  readonly #pendingSelections = new Map<Promise<boolean>, (known: boolean) => void>();

  constructor(readonly session: Session) {
    this.rig = new CameraRig(session);
    this.tool.value = session.tool;
    session.on("status", (status) => {
      this.status.value = status;
      this.role.value = session.role;
      if (status.phase !== "online") this.#dropPendingSelections();
      if (status.phase === "online" && status.older) this.say("error", OLDER);
    });
    session.on("unsaved", (count) =>
      batch(() => {
        this.unsaved.value = count;
        this.held.value = session.held;
      }),
    );
    session.on("selection", (ids) => (this.selection.value = ids));
    session.on("people", (people) =>
      batch(() => {
        this.people.value = people;
        this.names.value = sessionNames(people, this.names.peek());
      }),
    );
    session.on("notes", (notes) => (this.notes.value = notes));
    session.on("gizmo", (gizmo) => (this.gizmo.value = gizmo));
    session.on("edit", (edit) => void this.#onEdit(edit));
    session.scene.on("change", ({ all, added }) => {
      if (all || added.length > 0) this.#nodesBefore = this.#nodes;
      this.#nodes = session.scene.nodes.size;
    });
    session.on("error", (error) => this.fail(error));
    effect(() => {
      this.#changed(true);
      return this.scene.value.on("change", ({ all, added, gone, structure }) =>
        this.#changed(all || added.length + gone.length + structure.length > 0),
      );
    });
  }

  /** Warns of nodes that somebody else's import replaced. Its edit may be told before the answer to an import of one's own. */
  async #onEdit(edit: Edit): Promise<void> {
    this.lastEdit.value = edit;
    if (edit.kind !== "import" || this.#nodesBefore === 0) return;
    if ((await this.#ownImport) !== edit.seq)
      this.say("warn", replacedText(edit, Date.now() / 1000));
  }

  /** Runs an import of this page's own, of which it needs no message. */
  runImport<T extends { seq: number }>(run: () => Promise<T>): Promise<T | undefined> {
    const done = this.try(run);
    this.#ownImport = done.then((answer) => answer?.seq);
    return done;
  }

  #changed(structure: boolean): void {
    batch(() => {
      this.revision.value = this.revision.peek() + 1;
      if (structure) this.structure.value = this.structure.peek() + 1;
    });
  }

  setTool(tool: Tool): void {
    this.session.setTool(tool);
    this.tool.value = this.session.tool;
  }

  /** Says something at the edge of the view; errors stay until they are put away. */
  say(level: Toast["level"], text: string, action?: Toast["action"]): void {
    const toast = { id: ++this.#lastToast, level, text, action };
    this.toasts.value = [...this.toasts.peek().filter((other) => other.text !== text), toast].slice(
      -TOASTS_MAX,
    );
    if (level !== "error") setTimeout(() => this.dismiss(toast.id), TOAST_MS);
  }

  dismiss(id: number): void {
    this.toasts.value = this.toasts.peek().filter((toast) => toast.id !== id);
  }

  /** Asks before something is done. Resolves to whether it shall be. */
  ask(question: Omit<Question, "answer">): Promise<boolean> {
    this.question.peek()?.answer(false);
    return new Promise((resolve) => {
      const answer = (yes: boolean) => {
        this.question.value = null;
        resolve(yes);
      };
      this.question.value = { ...question, answer };
    });
  }

  /** Says what went wrong. */
  fail(error: unknown): void {
    const { code, message } = error as Partial<GizmodError>;
    this.say(
      code === "locked" || code === "conflict" || code === "lost" ? "warn" : "error",
      errorText(message ?? String(error)),
    );
  }

  async undo(): Promise<void> {
    await this.#undoOrRedo("undo");
  }

  async redo(): Promise<void> {
    await this.#undoOrRedo("redo");
  }

  /** What is in the way of it is told, with the way to do what can be done. */
  async #undoOrRedo(way: "undo" | "redo"): Promise<void> {
    try {
      await this.session[way]();
    } catch (error) {
      const { code, message } = error as GizmodError;
      if (code === "bad_state") return this.say("info", `There is nothing to ${way}.`);
      if (code !== "conflict") return this.fail(error);
      const label = way === "undo" ? "Undo anyway" : "Redo anyway";
      this.say("warn", errorText(message), {
        label,
        run: () => void this.try(() => this.session[way]({ force: true })),
      });
    }
  }

  /** To be settle of everything that selects, as it fails or not: until the server has answered, `selection` is what was selected before. */
  trackSelection<T>(choice: Promise<T>): Promise<T> {
    // Without a connection nothing waits: who selects does so here, and what is made then is there some time.
    if (this.status.peek().phase !== "online") return choice;
    let settleAnswer: (known: boolean) => void = () => {};
    const answer = new Promise<boolean>((resolve) => (settleAnswer = resolve));
    const settle = (known: boolean): void => {
      this.#pendingSelections.delete(answer);
      settleAnswer(known);
    };
    this.#pendingSelections.set(answer, settleAnswer);
    choice.then(
      () => settle(true),
      () => settle(false),
    );
    return choice;
  }

  #dropPendingSelections(): void {
    for (const settle of this.#pendingSelections.values()) settle(false);
    this.#pendingSelections.clear();
  }

  get isSelecting(): boolean {
    return this.#pendingSelections.size > 0;
  }

  /** Resolves once the server has answered: whether `selection` is what was chosen so far. */
  async selectionSettled(): Promise<boolean> {
    return (await Promise.all(this.#pendingSelections.keys())).every(Boolean);
  }

  /** Does something with what was chosen, once that is known; nothing where it could not be chosen, for what was selected before is not what was meant. */
  whenSelectionSettled(run: () => void): void {
    if (!this.isSelecting) return run();
    void this.selectionSettled().then((known) => {
      if (known) run();
    });
  }

  /** Runs an edit, and says what went wrong. Undefined where something did. */
  async try<T>(edit: () => Promise<T>): Promise<T | undefined> {
    try {
      return await edit();
    } catch (error) {
      this.fail(error);
      return undefined;
    }
  }
}
