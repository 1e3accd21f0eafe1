// motionpaths.ts - loads the motion paths of the selected nodes while they are shown, and again
// after an edit of these nodes.
import { effect, signal } from "@preact/signals";

import type { SceneModel } from "../../sdk/index.js";
import { invertAffine, transformPoint } from "../../sdk/maths.js";
import type { Id, PathPoint, Vec3 } from "../../sdk/types.js";
import type { EditorState } from "../editorstate";
import { worldStops } from "./worldpath";

/** More paths would only cover each other. */
const PATHS_MAX = 12;
const POINTS_MAX = 20_000;

export class MotionPaths {
  readonly shown = signal(false);

  /** All nodes that a motion path depends on. */
  #parts = new Set<Id>();
  #asked = 0;
  #busy = false;

  constructor(readonly editor: EditorState) {
    effect(() => {
      const nodes = this.shown.value ? editor.selection.value.slice(0, PATHS_MAX) : [];
      void this.#ask(nodes);
    });
    editor.session.on("edit", (edit) => {
      if (this.shown.peek() && edit.nodes.some((id) => this.#parts.has(id)))
        void this.#ask(editor.selection.peek().slice(0, PATHS_MAX));
    });
  }

  /** Requests that come while an answer is awaited are combined into one. */
  async #ask(nodes: readonly Id[]): Promise<void> {
    const asked = ++this.#asked;
    if (nodes.length === 0) this.editor.motionPaths.value = [];
    if (nodes.length === 0 || this.#busy) return;
    this.#busy = true;
    try {
      const motionPaths = await this.#load(nodes);
      if (asked === this.#asked) this.editor.motionPaths.value = motionPaths;
    } catch (error) {
      this.editor.fail(error);
    } finally {
      this.#busy = false;
    }
    if (asked !== this.#asked && this.shown.peek())
      void this.#ask(this.editor.selection.peek().slice(0, PATHS_MAX));
  }

  async #load(nodes: readonly Id[]): Promise<EditorState["motionPaths"]["value"]> {
    const paths = new Map<Id, readonly PathPoint[]>();
    for (const node of nodes) await this.#collect(node, paths);
    this.#parts = new Set(paths.keys());
    return nodes.map((node) => ({
      node,
      stops: worldStops(chainOf(paths, node), node, middleOf(this.editor.session.scene, node)),
    }));
  }

  /** Collects the path of a node and of all parents that it ever had. */
  async #collect(node: Id, paths: Map<Id, readonly PathPoint[]>): Promise<void> {
    if (paths.has(node)) return;
    const path = await this.#newest(node);
    paths.set(node, path);
    for (const parent of new Set(path.map((point) => point.parent)))
      if (parent !== null) await this.#collect(parent, paths);
  }

  /**
   * The server sends the oldest points first, page by page. If there are more than can be drawn,
   * the newest are kept.
   */
  async #newest(node: Id): Promise<readonly PathPoint[]> {
    let path: readonly PathPoint[] = [];
    for (;;) {
      const page = await this.editor.session.path(node, {
        limit: POINTS_MAX,
        since: path.at(-1)?.time,
      });
      path = [...path, ...page].slice(-POINTS_MAX);
      if (page.length < POINTS_MAX) return path;
    }
  }
}

/** The paths that this node depends on. */
function chainOf(
  paths: ReadonlyMap<Id, readonly PathPoint[]>,
  node: Id,
  into = new Map<Id, readonly PathPoint[]>(),
): Map<Id, readonly PathPoint[]> {
  const path = paths.get(node);
  if (!path || into.has(node)) return into;
  into.set(node, path);
  for (const parent of new Set(path.map((point) => point.parent)))
    if (parent !== null) chainOf(paths, parent, into);
  return into;
}

/** The middle of what is visible of a node, in its own space: people take this for its position. */
function middleOf(scene: SceneModel, node: Id): Vec3 {
  const box = scene.get(node)?.bounds ?? scene.box([node]);
  if (!box) return [0, 0, 0];
  const middle: Vec3 = [(box[0] + box[3]) / 2, (box[1] + box[4]) / 2, (box[2] + box[5]) / 2];
  return scene.get(node)?.bounds ? middle : transformPoint(invertAffine(scene.world(node)), middle);
}
