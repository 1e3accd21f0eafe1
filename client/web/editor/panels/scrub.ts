// scrub.ts - a number that is dragged by its letter. If one of the server's handles changes exactly
// this number, the drag sets the value of that handle: everybody sees it, and it is one edit. If
// there is no such handle (the middle one of three Euler angles, several nodes under different
// parents) the number is set when the drag ends.
import type { Id, Space, Vec3 } from "../../sdk/types.js";
import type { Editor } from "../editor";
import type { EulerMemory } from "./eulermemory";
import { axesOf } from "./euler";
import { type Field, changeNumber, changeScale, readNumber } from "./transform";

/** One number of these nodes; for a scale possibly all three as one. */
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
  /** The value of the handle for a change of the number. */
  value: (from: number, to: number) => number;
}

/** The handle that changes this number alone; null if there is none. */
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

/**
 * Why others see a drag of the letter only when it ends; undefined if they see it while it runs.
 */
export function whyLate(editor: Editor, what: Scrubbed): string | undefined {
  if (what.ids.length === 0 || findHandle(editor, what)) return undefined;
  if (what.ids.length > 1)
    return "Set when the drag ends: no single handle changes all of the selected nodes";
  // The first angle turns about an axis of the parent, the last one about an axis of the node, and
  // the middle one about an axis that the first has turned.
  return "Set when the drag ends: no rotation ring turns about the axis of the middle angle";
}

export class Scrub {
  /** The number before the drag, of the node that was selected last. */
  readonly from: number;
  /** The angles before the drag. */
  readonly #angles: Vec3;
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
    this.#angles = node ? what.angles.of(node) : [0, 0, 0];
    this.#handle = findHandle(editor, what);
    this.#tool = editor.session.tool;
  }

  /**
   * Sets the number. Only the latest value counts; one question to the server is open at a time.
   */
  to(number: number): void {
    this.#wanted = this.what.field === "s" && number * this.from <= 0 ? null : number;
    this.#sayAngles();
    if (this.#handle && !this.#asking && this.#wanted !== null) void this.#ask(this.#handle);
  }

  /** The fields show the angle that is dragged, also where other angles make the same rotation. */
  #sayAngles(): void {
    const { field, ids, axis, angles } = this.what;
    if (field !== "r" || !this.#handle || this.#wanted === null) return;
    const said: Vec3 = [...this.#angles];
    said[axis] = this.#wanted;
    angles.say(ids[0], said);
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

  /** Ends the drag as one edit, or cancels it. */
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
    for (const { id, euler } of changes) if (euler) angles.say(id, euler);
    if (changes.length > 0) await this.editor.try(() => session.set(changes));
  }
}
