// dragplayback.ts - the scene within drags while the past is played. The page asks for one state of
// the whole scene and one path for each dragged node, and then moves only these nodes. Otherwise
// each frame would need a whole scene.
import type { SceneModel, Session } from "../../sdk/index.js";
import type { Edit, Id, PathPoint, Quat, Vec3 } from "../../sdk/types.js";
import { lastAtMost } from "./axis";
import { stateAt } from "./worldpath";

/**
 * Each path needs a request. If more nodes are dragged, each frame asks for the whole scene
 * instead.
 */
export const FOLLOWED_MAX = 32;
/** The server's times are exact to a microsecond at best. */
const OVERLAP_S = 2e-6;

/**
 * A span of time in which these drags went on, after the edit `after`, and nothing else was done.
 */
export interface Stretch {
  from: number;
  to: number;
  drags: readonly Edit[];
  /** The last edit that had ended; undefined if it is not known. */
  after: Edit | undefined;
}

/** The nodes that differ from `base`, which is the same state for the whole stretch. */
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
  /** The paths of the drags of this stretch. */
  #paths = new Map<number, ReadonlyMap<Id, readonly PathPoint[]>>();

  constructor(
    readonly session: Session,
    /** All known edits, whether shown or not. */
    readonly edits: () => readonly Edit[],
    /** The state after an edit. */
    readonly stateAfter: (seq: number) => Promise<SceneModel>,
  ) {}

  /**
   * The scene at a time within drags; null if it has to be requested. A drag that is still running
   * is not followed.
   */
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

  /** Forgets everything, because the scene may have another past. */
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
