// treestate.ts - the state of the tree panel: which rows are open, the search, the keyboard focus,
// the row that is being renamed, and the rows that were cut.
import { type ReadonlySignal, computed, signal } from "@preact/signals";

import type { Id } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { type Row, above, opensAtFirst, treeRows } from "./treerows";

export class TreeState {
  readonly search = signal("");
  /** The row with the keyboard focus. */
  readonly active = signal<Id | null>(null);
  readonly renaming = signal<Id | null>(null);
  /** Nodes that were cut, to be pasted below another parent. */
  readonly cut = signal<ReadonlySet<Id>>(new Set());
  /** Where dragged rows would be dropped: a node, "root", or nowhere. */
  readonly target = signal<Id | "root" | null>(null);

  readonly rows: ReadonlySignal<readonly Row[]>;
  readonly selected: ReadonlySignal<ReadonlySet<Id>>;
  readonly placeOf: ReadonlySignal<ReadonlyMap<Id, number>>;

  readonly #said = signal<ReadonlyMap<Id, boolean>>(new Map());
  /** The row at which a range begins. */
  #anchor: Id | null = null;

  constructor(readonly editor: Editor) {
    this.rows = computed(() => {
      editor.structure.value;
      const scene = editor.scene.value;
      const said = this.#said.value;
      return treeRows(
        scene,
        (id, depth) => said.get(id) ?? opensAtFirst(scene, depth),
        this.search.value,
      );
    });
    this.selected = computed(() => new Set(editor.selection.value));
    this.placeOf = computed(() => new Map(this.rows.value.map((row, i) => [row.id, i])));
  }

  setOpen(ids: Iterable<Id>, open: boolean): void {
    const said = new Map(this.#said.peek());
    for (const id of ids) said.set(id, open);
    this.#said.value = said;
  }

  /** Opens the ancestors of a node and moves the keyboard focus to it. */
  reveal(id: Id): void {
    const scene = this.editor.scene.peek();
    if (!scene.get(id)) return;
    if (!this.placeOf.peek().has(id)) {
      if (this.search.peek() !== "") return;
      this.setOpen(above(scene, id), true);
    }
    this.active.value = id;
  }

  /**
   * Selects as a click or key at a row does: that row, one more, or the range from the last one.
   */
  choose(id: Id, how: "set" | "toggle" | "range"): void {
    this.active.value = id;
    const range = how === "range" ? this.#range(id) : null;
    if (!range) this.#anchor = id;
    const { session } = this.editor;
    void this.editor.try(() => session.select(range ?? [id], how === "toggle" ? how : "set"));
  }

  /**
   * The nodes that an action on a row applies to: the selection if the row is part of it, else the
   * row alone.
   */
  about(id: Id): readonly Id[] {
    const selection = this.editor.selection.peek();
    return selection.includes(id) ? selection : [id];
  }

  /** Selects the range from the anchor to `id`, in this order; `id` is then the active node. */
  #range(id: Id): Id[] {
    const places = this.placeOf.peek();
    const to = places.get(id) ?? 0;
    const from = (this.#anchor === null ? undefined : places.get(this.#anchor)) ?? to;
    const ids = this.rows
      .peek()
      .slice(Math.min(from, to), Math.max(from, to) + 1)
      .map((row) => row.id);
    return from > to ? ids.reverse() : ids;
  }
}
