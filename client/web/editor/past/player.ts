// player.ts - which moment is shown, and how it gets there: scrubbing, steps, playing. One question about the past is open at a time, and only the latest wish
// is asked next, so a scrub is as quick as the server is and never behind.
import { batch, computed, effect, signal } from "@preact/signals";

import { SceneModel } from "../../sdk/index.js";
import type { Edit } from "../../sdk/types.js";
import type { EditorState } from "../editorstate";
import { type Axis, type Spot, lastAtMost, placeOf, spotAfter, spotAt } from "./axis";
import { deltaTo } from "./diff";
import { Drags, type Followed, type Stretch } from "./drags";

export const SPEEDS: readonly number[] = [0.5, 1, 2, 4, 8];
/** States that are kept have so many nodes together. */
const CACHE_NODES_MAX = 200_000;

export class Player {
  /** What is wished for; null for the present. What is shown follows as `editor.past`. */
  readonly spot = signal<Spot | null>(null);
  readonly playing = signal(false);
  readonly speed = signal(1);
  /** A question is open and the picture is not yet the one that is wished for. */
  readonly waiting = signal(false);
  /** Where it stands on the axis; while it plays that is finer than `spot`. */
  readonly place = computed(
    () =>
      this.#head.value ??
      (this.spot.value ? placeOf(this.axis(), this.spot.value) : this.axis().length),
  );

  /** States after whole edits: those do not change any more. */
  #cache = new Map<number, SceneModel>();
  #frame = 0;
  readonly #drags: Drags;
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
    this.#drags = new Drags(editor.session, edits, (seq) => this.#stateAfter(seq));
    effect(() => {
      const { phase, resumed, older } = editor.status.value;
      if (phase === "online" && !resumed) {
        this.#cache.clear();
        this.#drags.forget();
      }
      // A scene that is another one, or a lost connection, ends what looks into the past of this one.
      if (phase === "closed" || older) this.toNow();
    });
  }

  seek(spot: Spot | null): void {
    if (!spot) return this.toNow();
    this.spot.value = spot;
    if (!this.waiting.peek()) void this.#show();
  }

  toNow(): void {
    this.pause();
    this.spot.value = null;
    this.editor.past.value = null;
  }

  /** So many edits on, or back. */
  step(edits: number): void {
    this.pause();
    const { marks } = this.axis();
    if (marks.length === 0) return;
    const at = this.index();
    const spot = this.spot.peek();
    const between = spot !== null && marks[at]?.edit.id !== spot.edit?.id;
    const to = Math.max(0, at + edits + (between && edits < 0 ? 1 : 0));
    this.seek(to >= this.nowStep() ? null : spotAfter(marks[to].edit));
  }

  /** The step that is shown: the mark whose state it is, or that ended last before. */
  index(): number {
    if (!this.spot.value) return this.nowStep();
    return Math.max(
      0,
      lastAtMost(this.axis().marks, this.place.value + 1e-9, (mark) => mark.to),
    );
  }

  /** From where it is; from the beginning where that is the present. */
  play(): void {
    const axis = this.axis();
    if (this.playing.peek() || axis.marks.length === 0) return;
    let head = this.spot.peek() ? this.place.peek() : 0;
    let before = performance.now();
    const next = (now: number): void => {
      // A slow answer slows the play down rather than leaving things out.
      if (!this.waiting.peek()) head += (Math.min(now - before, 100) / 1000) * this.speed.peek();
      before = now;
      const spot = spotAt(this.axis(), head, 0);
      if (!spot) return this.toNow();
      this.#head.value = head;
      if (!same(spot, this.spot.peek())) this.seek(spot);
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
    let shown: Spot | null = null;
    try {
      while (this.spot.peek() && !same(this.spot.peek(), shown)) {
        const spot = this.spot.peek() as Spot;
        const followed =
          spot.seq === undefined && this.playing.peek() ? await this.#drags.at(spot.time) : null;
        const scene = followed ? null : await this.#ask(spot);
        // Who went back to now meanwhile does not want to see it any more.
        if (!this.spot.peek()) break;
        if (followed)
          batch(() => this.#putFollowed(followed, spot.time)); // nobody sees its base alone
        else if (scene) this.#put(scene, spot.time);
        shown = spot;
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

  #ask({ seq, time }: Spot): Promise<SceneModel> {
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

function same(a: Spot | null, b: Spot | null): boolean {
  return a?.time === b?.time && a?.seq === b?.seq;
}
