// treestate.ts - what the tree panel knows beside the scene: what is open, searched, in focus, being renamed, cut.
import { type ReadonlySignal, computed, signal } from "@preact/signals";

import type { Id } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { type Row, above, opensAtFirst, treeRows } from "./treerows";

export class TreeState {
  readonly search = signal("");
  /** The row that the keys are at. */
  readonly active = signal<Id | null>(null);
  readonly renaming = signal<Id | null>(null);
  /** What is to be hung elsewhere. */
  readonly cut = signal<ReadonlySet<Id>>(new Set());
  /** What dragged rows would be dropped on: a node, "root", or nothing. */
  readonly target = signal<Id | "root" | null>(null);

  readonly rows: ReadonlySignal<readonly Row[]>;
  readonly selected: ReadonlySignal<ReadonlySet<Id>>;
  readonly placeOf: ReadonlySignal<ReadonlyMap<Id, number>>;

  readonly #said = signal<ReadonlyMap<Id, boolean>>(new Map());
  /** Where a range of rows begins. */
  #anchor: Id | null = null;
  /** Choices that the server has not answered yet. */
  #choosing = 0;

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

  /** Opens what is above a node, and puts the keys there. Not while a choice that was made here is on its way: the keys are further than what is selected so far. */
  reveal(id: Id): void {
    const scene = this.editor.scene.peek();
    if (!scene.get(id) || this.#choosing > 0) return;
    if (!this.placeOf.peek().has(id)) {
      if (this.search.peek() !== "") return;
      this.setOpen(above(scene, id), true);
    }
    this.active.value = id;
  }

  /** What a click or a key at a row selects: that row, one more, or all from the last one to it. */
  choose(id: Id, how: "set" | "toggle" | "range"): void {
    this.active.value = id;
    const range = how === "range" ? this.#range(id) : null;
    if (!range) this.#anchor = id;
    void this.#select(range ?? [id], how === "toggle" ? how : "set");
  }

  async #select(ids: readonly Id[], how: "set" | "toggle"): Promise<void> {
    this.#choosing++;
    await this.editor.try(() => this.editor.trackSelection(this.editor.session.select(ids, how)));
    this.#choosing--;
  }

  /** What an action on a row is about: the selection where the row is part of it, else the row alone. */
  about(id: Id): readonly Id[] {
    const selection = this.editor.selection.peek();
    return selection.includes(id) ? selection : [id];
  }

  /** In the order from the anchor to `id`, which is then the active one. */
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
