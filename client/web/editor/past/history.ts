// history.ts - the edits and checkpoints of the scene that this page knows: the newest ones, those
// that arrive, and older ones on request.
import { signal } from "@preact/signals";

import type { Session } from "../../sdk/index.js";
import type { Checkpoint, Edit } from "../../sdk/types.js";

const PAGE_EDITS = 500;
/** Beyond this number the oldest edits are forgotten; they can be requested again. */
export const EDITS_MAX = 6000;
const DETAILS_MAX = 200;
const AGAIN_MS = 400;
/** The details of an edit with more nodes are requested only if the person opens it. */
export const GLANCE_NODES_MAX = 50;
/**
 * The server's times are exact to a microsecond at best: pages and requests for one edit overlap by
 * this.
 */
const OVERLAP_S = 2e-6;

export class EditHistory {
  /** Ascending by seq. */
  readonly edits = signal<readonly Edit[]>([]);
  /** Whether the server has older edits than these. */
  readonly older = signal<"some" | "loading" | "none">("loading");
  readonly checkpoints = signal<readonly Checkpoint[]>([]);

  #details = new Map<number, Promise<Edit>>();
  #again: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly session: Session) {
    session.on("edit", (edit) => {
      this.#add([edit]);
      if (edit.kind === "undo" || edit.kind === "redo") this.#lookAgain();
    });
    session.on("checkpoints", (checkpoints) => (this.checkpoints.value = checkpoints));
    session.on("status", ({ phase, resumed }) => {
      if (phase !== "online") return;
      if (!resumed) this.#forget();
      if (this.edits.peek().length === 0) void this.#reload();
    });
  }

  /** Loads the next page of older edits. */
  async loadOlder(): Promise<void> {
    const [oldest] = this.edits.peek();
    if (this.older.peek() !== "some" || !oldest || this.edits.peek().length >= EDITS_MAX) return;
    this.older.value = "loading";
    try {
      const page = await this.session.history({
        before: oldest.ended + OVERLAP_S,
        limit: PAGE_EDITS,
        changes: false,
      });
      this.older.value = page.length < PAGE_EDITS ? "none" : "some";
      this.#add(page);
    } catch {
      this.older.value = "some";
    }
  }

  /** Resolves to the edit with its `changes`. */
  details(edit: Edit): Promise<Edit> {
    if (edit.changes) return Promise.resolve(edit);
    const known = this.#details.get(edit.id);
    if (known) return known;
    const asked = this.#askDetails(edit);
    asked.catch(() => this.#details.delete(edit.id));
    this.#details.set(edit.id, asked);
    if (this.#details.size > DETAILS_MAX)
      this.#details.delete(this.#details.keys().next().value as number);
    return asked;
  }

  async #askDetails(edit: Edit): Promise<Edit> {
    const node = edit.nodes.length > 0 ? { node: edit.nodes[0] } : {};
    const found = await this.session.history({
      ...node,
      since: edit.ended - OVERLAP_S,
      before: edit.ended + OVERLAP_S,
    });
    return found.find(({ id }) => id === edit.id) ?? edit;
  }

  /**
   * A scene that was sent as a whole may have another past, because its file may be another one.
   */
  #forget(): void {
    this.edits.value = [];
    this.older.value = "loading";
    this.#details.clear();
  }

  /**
   * Only the server knows which edits are now undone, so the page asks again, after a pause in case
   * the person undoes several edits in a row.
   */
  #lookAgain(): void {
    clearTimeout(this.#again);
    this.#again = setTimeout(() => void this.#reload(), AGAIN_MS);
  }

  async #reload(): Promise<void> {
    const before = this.older.peek();
    try {
      const page = await this.session.history({ limit: PAGE_EDITS, changes: false });
      const joins =
        page.length === 0 || this.edits.peek().some(({ id }) => id === page[page.length - 1].id);
      const earlier = joins && this.edits.peek().length > page.length;
      // Edits may have arrived since the server answered.
      if (!joins) this.edits.value = this.edits.peek().filter(({ seq }) => seq > page[0].seq);
      this.older.value = earlier ? before : page.length < PAGE_EDITS ? "none" : "some";
      this.#add(page);
    } catch {
      this.older.value = before === "none" ? "none" : "some";
    }
  }

  #add(added: readonly Edit[]): void {
    const before = this.edits.peek();
    const last = before.at(-1);
    if (added.length === 1 && (!last || added[0].seq > last.seq))
      this.edits.value = this.#kept([...before, added[0]]);
    else {
      const byId = new Map([...before, ...added].map((edit) => [edit.id, edit]));
      this.edits.value = this.#kept([...byId.values()].sort((a, b) => a.seq - b.seq));
    }
  }

  #kept(edits: Edit[]): Edit[] {
    if (edits.length <= EDITS_MAX) return edits;
    if (this.older.peek() === "none") this.older.value = "some";
    return edits.slice(edits.length - EDITS_MAX);
  }
}
