// editorstate.ts - what all parts of the editor share: the session, what is shown, what is
// selected, messages to the person. Data flows one way: the server sends to the session, the
// session sets the signals here, and views and panels follow the signals. What a person does goes
// to the session, and its result comes back the same way.
import { batch, computed, effect, signal } from "@preact/signals";

import { type GizmodError, SceneModel, type Session } from "../sdk/index.js";
import type { Edit, Gizmo, Id, Note, Person, Status, Tool } from "../sdk/types.js";
import { CameraRig } from "./input/rig";
import { InputState } from "./input/inputstate";
import type { Download } from "./panels/download";
import type { MotionPath } from "./past/worldpath";
import { replacedText } from "./past/edittext";
import { type SessionNames, sessionNames } from "./people/names";
import { errorText } from "./errortext";
import { keep, recall } from "./storage";

/** The dialogs that open over the page. */
export type DialogName = "shortcuts" | "palette" | "share" | "token";

export interface Toast {
  id: number;
  level: "info" | "warn" | "error";
  text: string;
  /** An offer to act on the message, shown as a button. */
  action?: { label: string; run: () => void };
}

/** A question to the person before something is done. */
export interface Question {
  title: string;
  text: string;
  /** The label of the button that agrees, a verb: "Replace". */
  yes: string;
  /** The action cannot be undone: Enter cancels. */
  danger?: boolean;
  answer: (yes: boolean) => void;
}

/** A state of the past that is shown in place of the present. */
export interface PastState {
  seq: number;
  /** Unix seconds. */
  time: number;
  /** The scene as it was then. */
  scene: SceneModel;
}

/** The glTF file that the scene's meshes come from. */
export interface AssetState {
  /** `none`: no node needs the file. */
  phase: "none" | "loading" | "ready" | "failed";
  /** While loading: bytes received so far, and the total; 0 until the total is known. */
  loaded?: number;
  total?: number;
  /** If it failed: why some meshes are shown as boxes. */
  reason?: string;
}

/** Kept with the value "no" if the motion of others is drawn as it comes. */
const STORED_SMOOTH = "gizmod.smooth";
const TOASTS_MAX = 4;
const OLDER =
  "The server now has an earlier state of this scene, for example because a backup was restored. " +
  "Later edits are not in it.";
const TOAST_MS = 6000;

export class EditorState {
  readonly rig: CameraRig;
  /** The state of pointer and keyboard. */
  readonly input = new InputState();

  readonly status = signal<Status>({ phase: "connecting" });
  /** The number of edits that the server has not answered yet. */
  readonly unsaved = signal(0);
  /**
   * How many of these edits were made to a newer state than the server now has. They wait until the
   * person applies or discards them.
   */
  readonly held = signal(0);
  readonly selection = signal<readonly Id[]>([]);
  readonly people = signal<readonly Person[]>([]);
  /** The number of people here, with those who only watch. */
  readonly here = signal(0);
  /**
   * The display name of each session, see names.ts. It changes only when a session joins or leaves.
   */
  readonly names = signal<SessionNames>(new Map());
  /** The session of the other person who holds a selected node; undefined if nobody does. */
  readonly holder = computed(() => {
    const selection = new Set(this.selection.value);
    return this.people.value.find(({ me, locks }) => !me && locks?.some((id) => selection.has(id)))
      ?.session;
  });
  readonly notes = signal<readonly Note[]>([]);
  readonly gizmo = signal<Gizmo | null>(null);
  readonly tool = signal<Tool>({});
  /** The latest edit that the server has sent. */
  readonly lastEdit = signal<Edit | null>(null);

  /**
   * The state of the past that is shown; null for the present. While the past is shown nothing can
   * be edited.
   */
  readonly past = signal<PastState | null>(null);
  readonly scene = computed(() => this.past.value?.scene ?? this.session.scene);
  /** The same scene as the view draws it, see sdk/shown.js. */
  readonly shown = computed(() => this.past.value?.scene ?? this.session.shown);
  /**
   * Counts the changes of the scene that is shown, once for each frame of the server. An effect
   * that reads it runs after each change.
   */
  readonly revision = signal(0);
  /** Counts the changes of names, of parents, and of which nodes there are: what a tree shows. */
  readonly structure = signal(0);

  /**
   * Whether edits are possible now: the role allows them, and the present is shown. Edits that are
   * made offline wait.
   */
  readonly editable = computed(() => this.role.value !== "viewer" && this.past.value === null);
  readonly role = signal<"viewer" | "editor" | "admin">("viewer");
  /** Why nobody can edit the scene now, in the server's words; empty if it can be edited. */
  readonly readOnly = signal("");
  /** The session whose view this page follows; null for none. */
  readonly following = signal<number | null>(null);
  /** Whether the view shows the cameras, pointers and names of the others. */
  readonly showPeople = signal(true);
  /** The note that is open in the panel; null for none. */
  readonly openNote = signal<number | null>(null);
  /** The motion paths that the view draws. */
  readonly motionPaths = signal<readonly MotionPath[]>([]);
  readonly asset = signal<AssetState>({ phase: "none" });
  readonly toasts = signal<readonly Toast[]>([]);
  /**
   * A file that is being uploaded: the part that is sent, 0 to 1; 1 while the server reads the
   * file.
   */
  readonly upload = signal<{ file: string; part: number } | null>(null);
  /** A file that is being fetched to be saved. */
  readonly download = signal<Download | null>(null);
  /** The question that a dialog shows; null for none. */
  readonly question = signal<Question | null>(null);
  /** The dialog that is open over the page. */
  readonly dialog = signal<DialogName | null>(null);
  /** The side panel that is open, if the page is too narrow for both beside the view. */
  readonly drawer = signal<"left" | "right" | null>(null);

  #lastToast = 0;
  /** The latest import of this page: the seq of its edit, undefined if the import failed. */
  #ownImport: Promise<number | undefined> = Promise.resolve(undefined);
  /** The number of nodes in the scene, and the number before nodes were last added. */
  #nodes = 0;
  #nodesBefore = 0;
  /** The choices that the server has not answered yet: each resolves to whether it was made. */
  readonly #choices = new Set<Promise<boolean>>();

  constructor(readonly session: Session) {
    this.rig = new CameraRig(session);
    this.tool.value = session.tool;
    session.smooth = recall(STORED_SMOOTH) !== "no";
    session.on("status", (status) => {
      this.status.value = status;
      this.role.value = session.role;
      this.readOnly.value = session.readOnly;
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
        this.names.value = sessionNames(people, this.names.peek(), this.people.peek());
        this.people.value = people;
      }),
    );
    session.on("here", (here) => (this.here.value = here));
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

  /**
   * Warns if another person's import replaced the nodes. The edit of this page's own import may
   * arrive before the answer to the import, so that answer is awaited first.
   */
  async #onEdit(edit: Edit): Promise<void> {
    this.lastEdit.value = edit;
    if (edit.kind !== "import" || this.#nodesBefore === 0) return;
    if ((await this.#ownImport) !== edit.seq)
      this.say("warn", replacedText(edit, Date.now() / 1000));
  }

  /** Runs an import of this page, which then gives no warning of its own edit. */
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

  /** Draws what others move from a buffer if the network is uneven, or always as it comes. */
  setSmooth(smooth: boolean): void {
    this.session.smooth = smooth;
    keep(STORED_SMOOTH, smooth ? null : "no");
  }

  /** Shows a message at the edge of the view; an error stays until it is dismissed. */
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

  /** Asks the person before something is done. Resolves to whether the person agrees. */
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

  /** Shows an error as a message. */
  fail(error: unknown): void {
    const { code, message } = error as Partial<GizmodError>;
    const action = {
      label: "Use a new link",
      run: () => void (this.dialog.value = "token"),
    };
    this.say(
      code === "locked" || code === "conflict" || code === "lost" ? "warn" : "error",
      errorText(message ?? String(error)),
      code === "unauthorised" ? action : undefined,
    );
  }

  async undo(): Promise<void> {
    await this.#undoOrRedo("undo");
  }

  async redo(): Promise<void> {
    await this.#undoOrRedo("redo");
  }

  /** If later edits are in the way, the message names them and offers to undo or redo anyway. */
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

  /**
   * A selection that only the server can make, because it picks what is under a pixel or makes the
   * nodes, is passed through here: until the server has answered, or the connection is lost,
   * `selection` is still the previous one.
   */
  trackSelection<T>(choice: Promise<T>): Promise<T> {
    if (this.status.peek().phase !== "online") return choice;
    let forget = (): void => {};
    const lost = new Promise<boolean>((resolve) => {
      forget = this.session.on("status", () => resolve(false));
    });
    const answer = choice.then(
      () => true,
      () => false,
    );
    const made = Promise.race([answer, lost]);
    this.#choices.add(made);
    void made.then(() => {
      forget();
      this.#choices.delete(made);
    });
    return choice;
  }

  get isSelecting(): boolean {
    return this.#choices.size > 0;
  }

  /** Resolves when the server has answered all choices: true if all were made. */
  async selectionSettled(): Promise<boolean> {
    return (await Promise.all(this.#choices)).every(Boolean);
  }

  /** Runs an edit and shows its error. Undefined if it failed. */
  async try<T>(edit: () => Promise<T>): Promise<T | undefined> {
    try {
      return await edit();
    } catch (error) {
      this.fail(error);
      return undefined;
    }
  }
}
