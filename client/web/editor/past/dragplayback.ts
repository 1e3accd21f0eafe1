// dragplayback.ts - the scene inside of drags, while the past is played: a state of the whole is asked for once, and then only what was dragged goes along its path, which
// is asked for once too. A picture each sixtieth of a second would otherwise be a scene each.
import type { SceneModel, Session } from "../../sdk/index.js";
import type { Edit, Id, PathPoint, Quat, Vec3 } from "../../sdk/types.js";
import { lastAtMost } from "./axis";
import { stateAt } from "./worldpath";

/** Each path is a question. Of more nodes than these the whole scene is asked for each time. */
export const FOLLOWED_MAX = 32;
/** Times are told to the microsecond at best. */
const OVERLAP_S = 2e-6;

/** A time in which these drags went on, after that edit, and nothing else was done. */
export interface Stretch {
  from: number;
  to: number;
  drags: readonly Edit[];
  /** The last one that had ended; none where that is not known. */
  after: Edit | undefined;
}

/** What is otherwise than in `base`, which is the same state as long as `stretch` is the same. */
export interface Followed {
  stretch: Stretch;
  base: SceneModel;
  seq: number;
  nodes: { id: Id; t: Vec3; r: Quat; s: Vec3 }[];
}

/** @param edits ascending by seq, and so by when they ended */
export function stretchAt(edits: readonly Edit[], time: number): Stretch {
  let [from, to] = [-Infinity, Infinity];
  for (const { began, ended } of edits) {
    for (const moment of [began, ended]) {
      if (moment <= time) from = Math.max(from, moment);
      else to = Math.min(to, moment);
    }
  }
  const drags = edits.filter(({ began, ended }) => began <= time && time < ended);
  return { from, to, drags, after: edits[lastAtMost(edits, time, ({ ended }) => ended)] };
}

export class DragPlayback {
  #stretch: Stretch | null = null;
  #base: SceneModel | null = null;
  /** Of the drags of this stretch. */
  #paths = new Map<number, ReadonlyMap<Id, readonly PathPoint[]>>();

  constructor(
    readonly session: Session,
    /** All that are known, whichever are shown. */
    readonly edits: () => readonly Edit[],
    /** The state that an edit left. */
    readonly stateAfter: (seq: number) => Promise<SceneModel>,
  ) {}

  /** The scene at a time inside of drags; null where it is to be asked for. A drag that runs now is not followed. */
  async at(time: number): Promise<Followed | null> {
    if (!this.#stretch || time < this.#stretch.from || time >= this.#stretch.to)
      await this.#enter(time);
    const [stretch, base] = [this.#stretch, this.#base];
    if (!stretch || !base) return null;
    let seq = base.seq;
    const nodes: Followed["nodes"] = [];
    for (const { id } of stretch.drags) {
      for (const [node, path] of this.#paths.get(id) ?? []) {
        const state = stateAt(path, time);
        if (!state || !base.get(node)) continue;
        seq = Math.max(
          seq,
          path[
            Math.max(
              0,
              lastAtMost(path, time, (point) => point.time),
            )
          ].seq,
        );
        nodes.push({ id: node, t: state.t, r: state.r, s: state.s });
      }
    }
    return { stretch, base, seq, nodes };
  }

  /** The past may be another one. */
  forget(): void {
    this.#stretch = this.#base = null;
    this.#paths.clear();
  }

  async #enter(time: number): Promise<void> {
    const stretch = stretchAt(this.edits(), time);
    this.#stretch = this.#base = null;
    const count = stretch.drags.reduce((sum, { nodes }) => sum + nodes.length, 0);
    if (stretch.after && count > 0 && count <= FOLLOWED_MAX) {
      await this.#load(stretch.drags);
      this.#base = await this.stateAfter(stretch.after.seq);
    }
    this.#stretch = stretch;
  }

  async #load(drags: readonly Edit[]): Promise<void> {
    const paths = new Map<number, ReadonlyMap<Id, readonly PathPoint[]>>();
    for (const drag of drags)
      paths.set(drag.id, this.#paths.get(drag.id) ?? (await this.#pathsOf(drag)));
    this.#paths = paths;
  }

  async #pathsOf({
    id,
    nodes,
    began,
    ended,
  }: Edit): Promise<ReadonlyMap<Id, readonly PathPoint[]>> {
    const paths = new Map<Id, readonly PathPoint[]>();
    for (const node of nodes) {
      const path = await this.session.path(node, {
        since: began - OVERLAP_S,
        before: ended + OVERLAP_S,
      });
      paths.set(
        node,
        path.filter(({ edit }) => edit === id),
      );
    }
    return paths;
  }
}
