// scrub.ts - a number that is dragged by its label. Where a handle of the server is about just this number, the drag is one of that handle, by value: everybody
// sees it, and it is one edit. Where there is none (the middle one of three angles, several nodes under different parents) the number is set when the drag ends.
import type { Id, Space } from "../../sdk/types.js";
import type { Editor } from "../editor";
import type { EulerMemory } from "./eulermemory";
import { axesOf } from "./euler";
import { type Field, changeNumber, changeScale, readNumber } from "./transform";

/** What is dragged: one number of these nodes; of a scale perhaps all three as one. */
export interface Scrubbed {
  ids: readonly Id[];
  field: Field;
  axis: number;
  angles: EulerMemory;
  uniform: boolean;
}

interface ScrubHandle {
  handle: string;
  space: Space;
  /** What a value of the handle is for so much of the number. */
  value: (from: number, to: number) => number;
}

/** A handle that is about this number alone; null where there is none. */
function findHandle(
  editor: Editor,
  { ids, field, axis, angles, uniform }: Scrubbed,
): ScrubHandle | null {
  const { scene } = editor.session;
  const parents = new Set(ids.map((id) => scene.get(id)?.parent));
  const letter = "xyz"[axis];
  if (field === "t" && parents.size === 1) {
    const world = scene.world([...parents][0] ?? null);
    const metres = Math.hypot(world[4 * axis], world[4 * axis + 1], world[4 * axis + 2]);
    return { handle: `t${letter}`, space: "parent", value: (from, to) => (to - from) * metres };
  }
  if (ids.length !== 1) return null;
  if (field === "s")
    return {
      handle: uniform ? "su" : `s${letter}`,
      space: "local",
      value: (from, to) => to / from,
    };
  const [outer, , inner] = axesOf(angles.order);
  if (field === "r" && (axis === outer || axis === inner))
    return {
      handle: `r${letter}`,
      space: axis === outer ? "parent" : "local",
      value: (from, to) => to - from,
    };
  return null;
}

/** Why a drag of the letter is seen by nobody until it ends; nothing where everybody sees it go on. */
export function whyLate(editor: Editor, what: Scrubbed): string | undefined {
  if (what.ids.length === 0 || findHandle(editor, what)) return undefined;
  if (what.ids.length > 1)
    return "Set when the drag ends: each of them changes in its own scrubHandle, which no one handle does";
  // The first angle turns about an axis of the parent and the last about one of the node: the middle one about where the first has turned its axis.
  return "Set when the drag ends: the axis of the middle angle is turned by the first, and no ring turns about that";
}

export class Scrub {
  /** Before the drag, of the node that was selected last. */
  readonly from: number;
  #handle: ScrubHandle | null;
  #tool: Editor["session"]["tool"];
  #wanted: number | null = null;
  #asking = false;
  #over = false;
  #began = false;

  constructor(
    readonly editor: Editor,
    readonly what: Scrubbed,
  ) {
    const node = editor.session.scene.get(what.ids[what.ids.length - 1]);
    this.from = node ? readNumber(node, what.field, what.axis, what.angles) : 0;
    this.#handle = findHandle(editor, what);
    this.#tool = editor.session.tool;
  }

  /** The number is to be this. The latest wins; one question is under way at a time. */
  to(number: number): void {
    this.#wanted = this.what.field === "s" && number * this.from <= 0 ? null : number;
    if (this.#handle && !this.#asking && this.#wanted !== null) void this.#ask(this.#handle);
  }

  async #ask(scrubHandle: ScrubHandle): Promise<void> {
    const { session } = this.editor;
    this.#asking = true;
    if (!this.#began) {
      this.editor.input.settle();
      session.setTool({ space: scrubHandle.space, pivot: "each" });
    }
    try {
      while (this.#wanted !== null && !this.#over) {
        const value = [scrubHandle.value(this.from, this.#wanted)];
        this.#wanted = null;
        await session.grab(
          scrubHandle.handle,
          this.#began ? { value } : { value, nodes: this.what.ids },
        );
        this.#began = true;
      }
    } catch (error) {
      this.#over = true;
      this.editor.fail(error);
      this.#giveBack();
    }
    this.#asking = false;
  }

  /** Ends it as one edit, or takes it back. */
  async end(keep: boolean): Promise<void> {
    const last = this.#wanted;
    const { session } = this.editor;
    if (this.#over) return;
    this.#over = true;
    if (!this.#handle) {
      if (keep && last !== null) await this.#set(last);
      return;
    }
    if (!this.#began && !this.#asking) return;
    if (keep && last !== null)
      await this.editor.try(() =>
        session.grab((this.#handle as ScrubHandle).handle, {
          value: [(this.#handle as ScrubHandle).value(this.from, last)],
        }),
      );
    await this.editor.try(async () => (keep ? void (await session.up()) : await session.cancel()));
    this.#giveBack();
  }

  #giveBack(): void {
    const { space = "world", pivot = "median" } = this.#tool;
    this.editor.session.setTool({ space, pivot });
  }

  async #set(number: number): Promise<void> {
    const { session } = this.editor;
    const { ids, field, axis, angles, uniform } = this.what;
    const to = (before: number) =>
      field === "s" ? before * (number / this.from) : before + number - this.from;
    const changes =
      field === "s" && uniform
        ? changeScale(session.scene, ids, axis, to)
        : changeNumber(session.scene, ids, field, axis, angles, to);
    if (changes.length > 0) await this.editor.try(() => session.set(changes));
  }
}
