// player.ts - the moment that is shown: scrubbing, steps and playing. Only one request for a state
// of the past is open at a time, and the next one is for the latest moment asked for; so scrubbing
// is as quick as the server is and never lags behind.
import { batch, computed, effect, signal } from "@preact/signals";

import { SceneModel } from "../../sdk/index.js";
import type { Edit } from "../../sdk/types.js";
import type { EditorState } from "../editorstate";
import { type Axis, type Moment, lastAtMost, placeOf, momentAfter, momentAt } from "./axis";
import { deltaTo } from "./diff";
import { DragPlayback, type Followed, type Stretch } from "./dragplayback";

export const SPEEDS: readonly number[] = [0.5, 1, 2, 4, 8];
/** The states in the cache have at most so many nodes together. */
const CACHE_NODES_MAX = 200_000;

export class Player {
  /**
   * The moment that is asked for; null for the present. The scene that is shown follows in
   * `editor.past`.
   */
  readonly moment = signal<Moment | null>(null);
  readonly playing = signal(false);
  readonly speed = signal(1);
  /** A request is open, so the view does not show the moment yet. */
  readonly waiting = signal(false);
  /** The position on the axis; while playing it is more exact than `moment`. */
  readonly place = computed(
    () =>
      this.#head.value ??
      (this.moment.value ? placeOf(this.axis(), this.moment.value) : this.axis().length),
  );

  /** States after whole edits, which never change. */
  #cache = new Map<number, SceneModel>();
  #frame = 0;
  readonly #dragPlayback: DragPlayback;
  /** The stretch whose base is shown, with the dragged nodes moved. */
  #followed: Stretch | null = null;
  readonly #head = signal<number | null>(null);

  constructor(
    readonly editor: EditorState,
    readonly axis: () => Axis,
    /** The step of the present: the last mark, or one more if later edits are not shown. */
    readonly nowStep: () => number,
    /** All known edits, ascending by seq. */
    edits: () => readonly Edit[],
  ) {
    this.#dragPlayback = new DragPlayback(editor.session, edits, (seq) => this.#stateAfter(seq));
    effect(() => {
      const { phase, resumed, older } = editor.status.value;
      if (phase === "online" && !resumed) {
        this.#cache.clear();
        this.#dragPlayback.forget();
      }
      // A restored backup or a closed connection ends the view of the past.
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

  /** Steps by so many edits. */
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

  /** The step that is shown: the last mark that had ended. */
  index(): number {
    if (!this.moment.value) return this.nowStep();
    return Math.max(
      0,
      lastAtMost(this.axis().marks, this.place.value + 1e-9, (mark) => mark.to),
    );
  }

  /** Plays from the moment that is shown, or from the beginning if that is the present. */
  play(): void {
    const axis = this.axis();
    if (this.playing.peek() || axis.marks.length === 0) return;
    let head = this.moment.peek() ? this.place.peek() : 0;
    let before = performance.now();
    const next = (now: number): void => {
      // While an answer is awaited the time stands still, so that nothing is skipped.
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
        // The person has returned to the present in the meantime.
        if (!this.moment.peek()) break;
        if (followed)
          // In one batch, so that the base alone is never drawn.
          batch(() => this.#putFollowed(followed, moment.time));
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

  /** All states of the past are shown by one scene that changes, as the present does. */
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
