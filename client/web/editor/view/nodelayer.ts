// nodelayer.ts - draws the nodes of the scene that is shown, present or past: each as its mesh of
// the glTF file, as a box of its bounds, or not at all.
import { effect } from "@preact/signals";
import * as THREE from "three";

import { type GizmodError, SceneModel } from "../../sdk/index.js";
import type { DrawnScene } from "../../sdk/shown.js";
import type { Id, Ray, SceneChange, SceneNode, Vec3 } from "../../sdk/types.js";
import type { FloatingOrigin } from "./floatingorigin";
import { AssetFiles } from "./assetfiles";
import { BOX_PARTS, boxMatrix, setBoxColour } from "./boxmesh";
import { InstanceSet, type Part } from "./instances";
import { Environment } from "./environment";
import { followTheme, themeColour } from "./themecolours";
import type { Layer, View } from "./view";

/** Kinds of edits after which there may be nodes that were not there. */
const BRINGS_NODES: ReadonlySet<string> = new Set(["create", "undo", "redo", "restore"]);

export class NodeLayer implements Layer {
  readonly #drawn: InstanceSet;
  readonly #environment: Environment;
  readonly #files = new AssetFiles();
  #scene: DrawnScene = new SceneModel();
  /**
   * The nodes that this picture shows at a new place; null for all. Layers above use it, because
   * they draw the same nodes.
   */
  fresh: ReadonlySet<Id> | null = null;
  /** The nodes of `fresh` that moved by themselves, rather than with an ancestor. */
  moved: ReadonlySet<Id> = new Set();
  /** Whether nodes were added, removed or moved to another parent since the last picture. */
  regrown = false;
  #due: Set<Id> | null = null;
  #dueMoved = new Set<Id>();
  #dueRegrown = false;
  #originVersion = 0;
  #loading: AbortController | null = null;
  #stop: (() => void)[];

  constructor(
    readonly view: View,
    readonly origin: FloatingOrigin,
  ) {
    const { editor } = view;
    this.#environment = new Environment(view.renderer, view.software);
    this.#drawn = new InstanceSet(origin.group.position);
    origin.group.add(this.#drawn.group);
    this.#stop = [
      effect(() => this.#show(editor.shown.value)),
      followTheme(() => {
        setBoxColour(themeColour("--mesh"));
        view.invalidate();
      }),
      // The file can be fetched only after the import is on the disk, which is later than its nodes
      // arrive. An edit of these kinds may also bring back nodes of a file that was not needed.
      editor.session.on("edit", ({ kind }) => {
        if (kind === "import") this.#wantMeshes(true);
        else if (BRINGS_NODES.has(kind)) this.#wantMeshes();
      }),
      editor.session.on("status", ({ phase }) => {
        if (phase === "online" && editor.asset.peek().phase === "failed") this.#wantMeshes(true);
      }),
    ];
  }

  /** The parts that are drawn for a node; undefined if it has no shape. */
  partsOf(node: SceneNode): readonly Part[] | undefined {
    const parts = node.asset === undefined ? undefined : this.#files.parts.get(node.asset);
    return parts ?? (node.bounds && BOX_PARTS);
  }

  /**
   * Puts a node into another set of instances with the same shape as here, or removes it there if
   * it has no shape.
   */
  put(set: InstanceSet, id: Id, world: ArrayLike<number>, colour?: THREE.Color): void {
    const node = this.#scene.get(id);
    const parts = node && this.partsOf(node);
    if (!parts) return set.remove(id);
    set.put(
      id,
      parts,
      parts === BOX_PARTS && node.bounds ? boxMatrix(node.bounds, world) : world,
      colour,
    );
  }

  /** The first surface that a ray hits in the last picture. */
  meet([x, y, z, dx, dy, dz]: Ray): { id: Id; point: Vec3 } | null {
    this.#drawn.group.updateWorldMatrix(true, true);
    const met = this.#drawn.meet(
      new THREE.Raycaster(new THREE.Vector3(x, y, z), new THREE.Vector3(dx, dy, dz)),
    );
    return met && { id: met.id, point: met.point.toArray() };
  }

  update(): void {
    this.view.editor.session.shown.advance();
    if (this.#originVersion !== this.origin.version) this.#due = null;
    this.#originVersion = this.origin.version;
    if (this.#due === null) this.#putAll();
    else for (const id of this.#due) this.put(this.#drawn, id, this.#scene.world(id));
    this.fresh = this.#due;
    this.moved = this.#dueMoved;
    this.regrown = this.#dueRegrown || this.fresh === null;
    this.#due = new Set();
    this.#dueMoved = new Set();
    this.#dueRegrown = false;
    this.#drawn.flush();
  }

  restore(): void {
    this.#environment.restore();
  }

  dispose(): void {
    this.#loading?.abort();
    for (const stop of this.#stop) stop();
    this.#drawn.clear();
    this.#files.dispose();
    this.#environment.dispose();
  }

  #show(scene: DrawnScene): () => void {
    this.#scene = scene;
    this.#due = null;
    if (!this.#loading) this.#wantMeshes();
    return scene.on("change", (change) => this.#changed(change));
  }

  #changed(change: SceneChange): void {
    this.view.invalidate();
    if (change.all) this.#wantMeshes(true);
    if (change.all) this.#due = null;
    if (this.#due === null) return;
    for (const id of change.gone) this.#due.add(id);
    for (const id of change.moved) this.#dueMoved.add(id);
    if (
      change.added.length + change.gone.length > 0 ||
      change.structure.some((id) => this.#dueMoved.has(id))
    )
      this.#dueRegrown = true;
    for (const top of [...change.added, ...change.moved])
      for (const id of this.#scene.below(top)) this.#due.add(id);
  }

  #putAll(): void {
    for (const id of [...this.#drawn.ids]) if (!this.#scene.get(id)) this.#drawn.remove(id);
    for (const id of this.#scene.nodes.keys()) this.put(this.#drawn, id, this.#scene.world(id));
  }

  /**
   * Loads the glTF files that nodes came from and that are not here; with `always` looks for other
   * ones too: a scene that was sent as a whole may be another one.
   */
  #wantMeshes(always = false): void {
    const numbers = new Set<number>();
    for (const { asset } of this.#scene.nodes.values()) if (asset !== undefined) numbers.add(asset);
    const isMissing = [...numbers].some((number) => !this.#files.has(number));
    if (numbers.size > 0 && (always || isMissing)) void this.#load(numbers);
  }

  async #load(numbers: ReadonlySet<number>): Promise<void> {
    const { editor } = this.view;
    this.#loading?.abort();
    const { signal } = (this.#loading = new AbortController());
    if (this.#files.parts.size === 0)
      editor.asset.value = { phase: "loading", loaded: 0, total: 0 };
    try {
      const progress = (loaded: number, total: number) =>
        (editor.asset.value = { phase: "loading", loaded, total });
      const { sceneName } = editor.session;
      const { fresh, failed, plain } = await this.#files.load(sceneName, numbers, progress, signal);
      if (fresh) this.#redraw();
      if (signal.aborted) return;
      editor.asset.value =
        failed === undefined ? { phase: "ready" } : { phase: "failed", reason: failed };
      if (plain !== undefined)
        editor.say("warn", `Some textures cannot be shown; plain colours replace them: ${plain}`);
    } catch (error) {
      if (signal.aborted) return;
      editor.asset.value = { phase: "failed", reason: (error as GizmodError).message };
    }
    const { reason } = editor.asset.value;
    if (reason !== undefined)
      editor.say("warn", `Some meshes cannot be shown; boxes replace them: ${reason}`);
  }

  #redraw(): void {
    this.#drawn.clear();
    this.#environment.light(this.#files.parts.values());
    this.#due = null;
    this.view.invalidate();
  }
}
