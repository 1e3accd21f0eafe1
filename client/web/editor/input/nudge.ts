// nudge.ts - the arrow keys move the selection step by step along the axis that points most in the
// direction of the arrow. Presses in quick succession are one edit. If nothing is selected the
// arrow keys orbit the view.
import type { Vec3 } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { axesOf, dot } from "./camera";
import { Drag } from "./drag";
import { dragText } from "./dragtext";

/** Presses within this time belong to one edit. */
const TOGETHER_MS = 700;
const TURN_RAD = Math.PI / 12;
/**
 * Without a snap distance a step is about this long on the screen, rounded to a power of ten in
 * metres.
 */
const STEP_PX = 8;

type Arrow = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown";
export const isArrow = (key: string): key is Arrow => /^Arrow(Left|Right|Up|Down)$/.test(key);

export class Nudge {
  #handle = "";
  #far = 0;
  #drag: Drag | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly editor: Editor) {}

  /** Whether the running drag is one of the arrow keys. */
  get running(): boolean {
    return this.#drag !== null && this.editor.input.running === this.#drag;
  }

  press(arrow: Arrow, { large, turns }: { large: boolean; turns: boolean }): void {
    const { editor } = this;
    if (turns || editor.selection.peek().length === 0) return this.#turn(arrow);
    if (!editor.editable.peek()) return;
    const [handle, sign] = handleFor(editor, arrow);
    if (!this.running || handle !== this.#handle) this.#begin(handle);
    this.#far += sign * step(editor) * (large ? 10 : 1);
    this.#drag?.type([this.#far]);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(), TOGETHER_MS);
  }

  #begin(handle: string): void {
    const { editor } = this;
    this.#handle = handle;
    this.#far = 0;
    // A live region announces only a text that changes.
    editor.input.said.value = "";
    this.#drag = Drag.grab(editor, handle, [editor.rig.width / 2, editor.rig.height / 2]);
  }

  #end(): void {
    if (this.running) this.editor.input.said.value = `Moved ${dragText(this.#handle, [this.#far])}`;
    this.#drag?.commit();
  }

  #turn(arrow: Arrow): void {
    this.editor.following.value = null;
    const yaw = arrow === "ArrowLeft" ? -TURN_RAD : arrow === "ArrowRight" ? TURN_RAD : 0;
    const pitch = arrow === "ArrowUp" ? TURN_RAD : arrow === "ArrowDown" ? -TURN_RAD : 0;
    this.editor.rig.turn(yaw, pitch);
  }
}

/**
 * The axis of the gizmo, or of the world, that points most in the direction of the arrow, and its
 * sign. Up and down never use the axis of left and right.
 */
function handleFor(editor: Editor, arrow: Arrow): [handle: string, sign: number] {
  const matrix = editor.gizmo.peek()?.axes ?? [1, 0, 0, 0, 1, 0, 0, 0, 1];
  const axes = [0, 3, 6].map((i) => matrix.slice(i, i + 3)) as Vec3[];
  const [right, up] = axesOf(editor.rig.pose.turn);
  const across = most(axes, right, -1);
  const level = arrow === "ArrowLeft" || arrow === "ArrowRight";
  const axis = level ? across : most(axes, up, across);
  const along = dot(axes[axis], level ? right : up) < 0 ? -1 : 1;
  return [`t${"xyz"[axis]}`, arrow === "ArrowRight" || arrow === "ArrowUp" ? along : -along];
}

function most(axes: readonly Vec3[], way: Vec3, not: number): number {
  const shares = axes.map((axis, i) => (i === not ? -1 : Math.abs(dot(axis, way))));
  return shares.indexOf(Math.max(...shares));
}

function step(editor: Editor): number {
  const { snap } = editor.tool.peek();
  if (snap?.on && snap.t) return snap.t;
  return 10 ** Math.round(Math.log10(STEP_PX * editor.rig.metresPerPx));
}
