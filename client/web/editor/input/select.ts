// select.ts - selects nodes by a click, a rectangle or their relation to the selection. The server
// picks what is under a pixel or in a rectangle.
import type { Id, Vec2 } from "../../sdk/types.js";
import type { Editor } from "../editor";

export type SelectMode = "set" | "add" | "toggle";

/** Shift adds to the selection, Ctrl toggles. */
export function selectModeOf(event: {
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
}): SelectMode {
  if (event.ctrlKey || event.metaKey) return "toggle";
  return event.shiftKey ? "add" : "set";
}

/**
 * Selects the node under this pixel. A click on nothing clears the selection, unless it would add
 * to it.
 */
export async function selectAt(editor: Editor, at: Vec2, mode: SelectMode): Promise<void> {
  const chosen = async (): Promise<void> => {
    const hit = (await editor.session.pick({ at, surface: true }))[0];
    if (hit || mode === "set") await editor.session.select(hit ? [hit.id] : [], mode);
  };
  await editor.try(() => editor.trackSelection(chosen()));
}

/**
 * A rectangle that is being drawn. Nodes that it touches are selected as it grows; one question to
 * the server is open at a time. Groups without a shape are left out, because they are not visible.
 */
export class RectangleSelection {
  #asking = false;
  #next: [Vec2, Vec2] | null = null;
  #cancelled = false;

  constructor(
    readonly editor: Editor,
    readonly mode: SelectMode,
    /** The selection before the press. */
    readonly before: readonly Id[],
  ) {}

  to(from: Vec2, at: Vec2): void {
    this.#next = [from, at];
    if (!this.#asking) void this.editor.try(() => this.editor.trackSelection(this.#ask()));
  }

  /** Restores the selection before the press. */
  cancel(): void {
    this.#next = null;
    this.#cancelled = true;
    selectNodes(this.editor, this.before);
  }

  async #ask(): Promise<void> {
    const { session } = this.editor;
    this.#asking = true;
    try {
      while (this.#next) {
        const [[x0, y0], [x1, y1]] = this.#next;
        this.#next = null;
        const touched = (await session.pick({ rect: [x0, y0, x1, y1] }))
          .map(({ id }) => id)
          .filter((id) => hasShape(this.editor, id));
        if (!this.#cancelled) await session.select(combined(this.before, touched, this.mode));
      }
    } finally {
      this.#asking = false;
    }
  }
}

/** The selection `before`, combined with the chosen nodes. */
export function combined(
  before: readonly Id[],
  chosen: readonly Id[],
  mode: SelectMode,
): readonly Id[] {
  if (mode === "set") return chosen;
  const known = new Set(before);
  const more = chosen.filter((id) => !known.has(id));
  if (mode === "add") return [...before, ...more];
  const taken = new Set(chosen);
  return [...before.filter((id) => !taken.has(id)), ...more];
}

function hasShape(editor: Editor, id: Id): boolean {
  const node = editor.session.scene.get(id);
  return node !== undefined && (node.bounds !== undefined || node.children.length === 0);
}

/** Makes these nodes the selection. */
export function selectNodes(editor: Editor, ids: readonly Id[]): void {
  void editor.try(() => editor.session.select(ids));
}

export function selectParents(editor: Editor): void {
  const { scene } = editor.session;
  const parents = editor.selection.peek().map((id) => scene.get(id)?.parent ?? id);
  selectNodes(editor, [...new Set(parents)]);
}

export function selectChildren(editor: Editor): void {
  const { scene } = editor.session;
  const children = editor.selection.peek().flatMap((id) => scene.get(id)?.children ?? []);
  if (children.length > 0) selectNodes(editor, children);
}

/** Selects all visible nodes that are not selected. */
export function invert(editor: Editor): void {
  const chosen = new Set(editor.selection.peek());
  selectNodes(
    editor,
    [...editor.session.scene.nodes.keys()].filter((id) => !chosen.has(id) && hasShape(editor, id)),
  );
}

/** Selects the node behind the selected one, at the pointer; after the last one comes the first. */
export async function selectBehind(editor: Editor): Promise<void> {
  const at = editor.input.pointer.peek();
  if (!at) return;
  const chosen = async (): Promise<void> => {
    const ids = (await editor.session.pick({ at, surface: true }))
      .map(({ id }) => id)
      .filter((id) => hasShape(editor, id));
    if (ids.length > 0)
      await editor.session.select([
        ids[(ids.indexOf(editor.selection.peek()[0]) + 1) % ids.length],
      ]);
  };
  await editor.try(() => editor.trackSelection(chosen()));
}
