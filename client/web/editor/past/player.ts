// player.ts - which moment is shown, and how it gets there: scrubbing, steps, playing. One question about the past is open at a time, and only the latest wish
// is asked next, so a scrub is as quick as the server is and never behind.
import { batch, computed, effect, signal } from "@preact/signals";

import { SceneModel } from "../../sdk/index.js";
import type { Edit } from "../../sdk/types.js";
import type { EditorState } from "../editorstate";
import { type Axis, type Moment, lastAtMost, placeOf, momentAfter, momentAt } from "./axis";
import { deltaTo } from "./diff";
import { DragPlayback, type Followed, type Stretch } from "./dragplayback";

export const SPEEDS: readonly number[] = [0.5, 1, 2, 4, 8];
/** States that are kept have so many nodes together. */
const CACHE_NODES_MAX = 200_000;

export class Player {
  /** What is wished for; null for the present. What is shown follows as `editor.past`. */
  readonly moment = signal<Moment | null>(null);
  readonly playing = signal(false);
  readonly speed = signal(1);
  /** A question is open and the picture is not yet the one that is wished for. */
  readonly waiting = signal(false);
  /** Where it stands on the axis; while it plays that is finer than `spot`. */
  readonly place = computed(
    () =>
      this.#head.value ??
      (this.moment.value ? placeOf(this.axis(), this.moment.value) : this.axis().length),
  );

  /** States after whole edits: those do not change any more. */
  #cache = new Map<number, SceneModel>();
  #frame = 0;
  readonly #dragPlayback: DragPlayback;
  /** What is shown is the base of this one, with what was dragged in it elsewhere. */
  #followed: Stretch | null = null;
  readonly #head = signal<number | null>(null);

  constructor(
    readonly editor: EditorState,
    readonly axis: () => Axis,
    /** The step that is the present: the last mark, or, where others came after that, one more. */
    readonly nowStep: () => number,
    /** All that are known, ascending by seq. */
    edits: () => readonly Edit[],
  ) {
    this.#dragPlayback = new DragPlayback(editor.session, edits, (seq) => this.#stateAfter(seq));
    effect(() => {
      const { phase, resumed, older } = editor.status.value;
      if (phase === "online" && !resumed) {
        this.#cache.clear();
        this.#dragPlayback.forget();
      }
      // A scene that is another one, or a lost connection, ends what looks into the past of this one.
      if (phase === "closed" || older) this.toNow();
    });
  }

  seek(moment: Moment | null): void {
    if (!moment) return this.toNow();
    this.moment.value = moment;
    if (!this.waiting.peek()) void this.#show();
  }

  toNow(): void {
    this.pause();
    this.moment.value = null;
    this.editor.past.value = null;
  }

  /** So many edits on, or back. */
  step(edits: number): void {
    this.pause();
    const { marks } = this.axis();
    if (marks.length === 0) return;
    const at = this.index();
    const moment = this.moment.peek();
    const between = moment !== null && marks[at]?.edit.id !== moment.edit?.id;
    const to = Math.max(0, at + edits + (between && edits < 0 ? 1 : 0));
    this.seek(to >= this.nowStep() ? null : momentAfter(marks[to].edit));
  }

  /** The step that is shown: the mark whose state it is, or that ended last before. */
  index(): number {
    if (!this.moment.value) return this.nowStep();
    return Math.max(
      0,
      lastAtMost(this.axis().marks, this.place.value + 1e-9, (mark) => mark.to),
    );
  }

  /** From where it is; from the beginning where that is the present. */
  play(): void {
    const axis = this.axis();
    if (this.playing.peek() || axis.marks.length === 0) return;
    let head = this.moment.peek() ? this.place.peek() : 0;
    let before = performance.now();
    const next = (now: number): void => {
      // A slow answer slows the play down rather than leaving things out.
      if (!this.waiting.peek()) head += (Math.min(now - before, 100) / 1000) * this.speed.peek();
      before = now;
      const moment = momentAt(this.axis(), head, 0);
      if (!moment) return this.toNow();
      this.#head.value = head;
      if (!same(moment, this.moment.peek())) this.seek(moment);
      this.#frame = requestAnimationFrame(next);
    };
    this.playing.value = true;
    this.#frame = requestAnimationFrame(next);
  }

  toggle(): void {
    if (this.playing.peek()) this.pause();
    else this.play();
  }

  pause(): void {
    cancelAnimationFrame(this.#frame);
    this.#head.value = null;
    this.playing.value = false;
  }

  async #show(): Promise<void> {
    this.waiting.value = true;
    let shown: Moment | null = null;
    try {
      while (this.moment.peek() && !same(this.moment.peek(), shown)) {
        const moment = this.moment.peek() as Moment;
        const followed =
          moment.seq === undefined && this.playing.peek()
            ? await this.#dragPlayback.at(moment.time)
            : null;
        const scene = followed ? null : await this.#ask(moment);
        // Who went back to now meanwhile does not want to see it any more.
        if (!this.moment.peek()) break;
        if (followed)
          batch(() => this.#putFollowed(followed, moment.time)); // nobody sees its base alone
        else if (scene) this.#put(scene, moment.time);
        shown = moment;
      }
    } catch (error) {
      this.editor.fail(error);
      this.toNow();
    } finally {
      this.waiting.value = false;
    }
  }

  /** All moments of one look into the past are one scene that changes, as the present does. */
  #put(state: SceneModel, time: number): void {
    const scene = this.editor.past.peek()?.scene ?? new SceneModel();
    scene.apply([deltaTo(scene, state)]);
    this.#followed = null;
    this.editor.past.value = { seq: state.seq, time, scene };
  }

  #putFollowed({ stretch, base, seq, nodes }: Followed, time: number): void {
    if (this.#followed !== stretch || !this.editor.past.peek()) this.#put(base, time);
    const scene = this.editor.past.peek()?.scene as SceneModel;
    scene.apply([{ from: 1, seq, nodes, gone: [] }]);
    this.#followed = stretch;
    this.editor.past.value = { seq, time, scene };
  }

  #ask({ seq, time }: Moment): Promise<SceneModel> {
    return seq === undefined ? this.editor.session.at({ time }) : this.#stateAfter(seq);
  }

  async #stateAfter(seq: number): Promise<SceneModel> {
    const known = this.#cache.get(seq);
    if (known) return known;
    const scene = await this.editor.session.at({ seq });
    this.#cache.set(seq, scene);
    if (this.#cache.size > CACHE_NODES_MAX / Math.max(1, scene.nodes.size))
      this.#cache.delete(this.#cache.keys().next().value as number);
    return scene;
  }
}

function same(a: Moment | null, b: Moment | null): boolean {
  return a?.time === b?.time && a?.seq === b?.seq;
}
