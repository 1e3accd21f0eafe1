// treedrag.ts - clicks on rows, and dragging rows onto others to move them below those. For mouse
// and pen; a finger scrolls, and uses the menu instead.
import { Press } from "../../sdk/press.js";
import type { Id } from "../../sdk/types.js";
import { takesBack } from "../input/commands";
import { selectNodes } from "../input/select";
import { canReparent, reparentNodes } from "./nodeactions";
import type { TreeState } from "./treestate";

/** A press that moves no further than this is a click. */
const CLICK_PX = 4;
/** A closed row opens if dragged rows stay over it for this long. */
const OPEN_MS = 700;
/** Within this distance from an edge the list scrolls, by so many pixels each frame. */
const EDGE_PX = 24;
const SCROLL_PX = 8;

/** The node of the row that contains this element. */
export function rowOf(target: EventTarget | null): Id | null {
  const row = (target as HTMLElement | null)?.closest<HTMLElement>("[data-node]");
  return row ? Number(row.dataset.node) : null;
}

export function dragRows(tree: TreeState, down: PointerEvent): void {
  const id = rowOf(down.target);
  if (down.button !== 0) return;
  if (id === null) {
    if (
      down.target === down.currentTarget ||
      (down.target as HTMLElement).classList.contains("tree-all")
    )
      selectNodes(tree.editor, []);
    return;
  }
  if ((down.target as HTMLElement).closest("[data-twist]")) {
    tree.setOpen([id], tree.rows.peek()[tree.placeOf.peek().get(id) ?? 0].open === false);
    return;
  }
  new RowPress(tree, id, down);
}

class RowPress {
  #dragged: readonly Id[] | null = null;
  /** The row is selected on release, not on press. */
  readonly #waits: boolean;
  #scroll = 0;
  #frame = 0;
  #opens: ReturnType<typeof setTimeout> | undefined;
  readonly #list: HTMLElement;
  readonly #press: Press;
  readonly #stop = new AbortController();

  constructor(
    readonly tree: TreeState,
    readonly id: Id,
    readonly down: PointerEvent,
  ) {
    this.#list = down.currentTarget as HTMLElement;
    const { signal } = this.#stop;
    this.#press = new Press(this.#list, down, {
      move: (event) => this.#move(event),
      up: (event) => this.#up(event),
      cancel: () => this.#end(),
    });
    addEventListener("keydown", (event) => this.#key(event), { signal, capture: true });
    // A press on a selected row may start a drag of the whole selection, and a finger may start
    // scrolling: then the release selects.
    const plain = !down.shiftKey && !down.ctrlKey && !down.metaKey;
    this.#waits =
      down.pointerType === "touch" || (plain && tree.editor.selection.peek().includes(id));
    if (!this.#waits) this.#choose(down);
  }

  #choose(event: PointerEvent): void {
    this.tree.choose(
      this.id,
      event.shiftKey ? "range" : event.ctrlKey || event.metaKey ? "toggle" : "set",
    );
  }

  #move(event: PointerEvent): void {
    const far =
      Math.hypot(event.clientX - this.down.clientX, event.clientY - this.down.clientY) > CLICK_PX;
    if (!this.#dragged) {
      if (!far || event.pointerType === "touch" || !this.tree.editor.editable.peek()) return;
      this.#dragged = this.tree.about(this.id);
      document.documentElement.classList.add("tree-dragging");
    }
    this.#scrollAtEdge(event.clientY);
    this.#setTarget(document.elementFromPoint(event.clientX, event.clientY));
  }

  #setTarget(under: Element | null): void {
    const { tree } = this;
    const row = this.#list.contains(under) ? rowOf(under) : null;
    const inside = this.#list.contains(under);
    const parent = row ?? (inside ? null : undefined);
    const allowed = parent !== undefined && canReparent(tree.editor, this.#dragged ?? [], parent);
    const target = allowed ? (parent ?? "root") : null;
    if (target === tree.target.peek()) return;
    tree.target.value = target;
    clearTimeout(this.#opens);
    if (typeof target === "number")
      this.#opens = setTimeout(() => tree.setOpen([target], true), OPEN_MS);
  }

  #scrollAtEdge(y: number): void {
    const { top, bottom } = this.#list.getBoundingClientRect();
    this.#scroll = y < top + EDGE_PX ? -SCROLL_PX : y > bottom - EDGE_PX ? SCROLL_PX : 0;
    if (this.#scroll === 0 || this.#frame !== 0) return;
    const step = () => {
      this.#list.scrollTop += this.#scroll;
      this.#frame = this.#scroll === 0 ? 0 : requestAnimationFrame(step);
    };
    this.#frame = requestAnimationFrame(step);
  }

  #up(event: PointerEvent): void {
    const { tree } = this;
    const target = tree.target.peek();
    const dragged = this.#dragged;
    this.#end();
    if (dragged && target !== null)
      void reparentNodes(
        tree.editor,
        dragged,
        target === "root" ? null : target,
        event.altKey ? "local" : "world",
      );
    else if (!dragged && this.#waits) this.#choose(event);
  }

  #key(event: KeyboardEvent): void {
    if (!takesBack(event) || !this.#dragged) return;
    event.preventDefault();
    event.stopPropagation();
    this.#end();
  }

  #end(): void {
    this.#press.stop();
    this.#stop.abort();
    this.#scroll = 0;
    clearTimeout(this.#opens);
    cancelAnimationFrame(this.#frame);
    this.tree.target.value = null;
    document.documentElement.classList.remove("tree-dragging");
  }
}
