// history.ts - the edits of the scene that this page knows of: the newest, those that come, and older ones when somebody asks; and the moments that have names.
import { signal } from "@preact/signals";

import type { Session } from "../../sdk/index.js";
import type { Checkpoint, Edit } from "../../sdk/types.js";

const PAGE_EDITS = 500;
/** Past this the oldest are forgotten, and can be asked for again. */
export const EDITS_MAX = 6000;
const DETAILS_MAX = 200;
const AGAIN_MS = 400;
/** What an edit of more nodes did in detail is not asked for unless somebody opens it. */
export const GLANCE_NODES_MAX = 50;
/** Times are added to the microsecond at best: pages and questions about one edit overlap by this. */
const OVERLAP_S = 2e-6;

export class EditHistory {
  /** Ascending by seq. */
  readonly edits = signal<readonly Edit[]>([]);
  /** Whether there are older ones than these at the server. */
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

  /** The next page into the past. */
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

  /** The edit with its `changes`. */
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

  /** A state that came anew may have another past: the file of the scene may be another one. */
  #forget(): void {
    this.edits.value = [];
    this.older.value = "loading";
    this.#details.clear();
  }

  /** Only the answers of the server say which edits are taken back by now; people who undo several in a row are waited for. */
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
      // Some may have come since the server answered.
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
