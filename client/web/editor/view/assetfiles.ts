// assetfiles.ts - the meshes of all glTF files that the shown nodes came from, each loaded once.
import { listAssets } from "../../sdk/index.js";
import type { SceneAsset } from "../../sdk/types.js";
import { atServer } from "../serverurl";
import { disposeMeshes, loadAsset, type Progress } from "./asset";
import type { Part } from "./instances";

/** What came of a look at the files. */
export interface Loaded {
  /** Whether there are other parts than before. */
  fresh: boolean;
  /** Why some meshes could not be read; their nodes have no parts. */
  failed?: string;
  /** Why some textures could not be read. */
  plain?: string;
}

interface LoadedFile extends SceneAsset {
  parts: ReadonlyMap<number, Part[]>;
}

export class AssetFiles {
  /** By their first number. A number is given once, but a scene may be made anew. */
  #files = new Map<number, LoadedFile>();
  /** The parts by the number of the glTF node. */
  parts: ReadonlyMap<number, Part[]> = new Map();

  /** Whether the file of this node has been loaded. */
  has(number: number): boolean {
    for (const { first, count } of this.#files.values())
      if (number >= first && number < first + count) return true;
    return false;
  }

  /**
   * Loads the files of these nodes that are not here yet. What cannot be loaded is missing; another
   * look tries again.
   */
  async load(
    scene: string,
    numbers: ReadonlySet<number>,
    progress: Progress,
    signal: AbortSignal,
  ): Promise<Loaded> {
    const list = await listAssets(scene, { ...atServer(), signal });
    const result: Loaded = { fresh: false };
    for (const file of list) {
      const isHere = this.#files.get(file.first)?.sha256 === file.sha256;
      if (isHere || !isUsed(file, numbers)) continue;
      try {
        const { parts, failed, plain } = await loadAsset(scene, file, progress, signal);
        if (signal.aborted) return result;
        this.#put({ ...file, parts });
        result.fresh = true;
        result.failed ??= failed;
        result.plain ??= plain;
      } catch (error) {
        if (signal.aborted) return result;
        result.failed ??= (error as Error).message;
      }
    }
    return result;
  }

  dispose(): void {
    disposeMeshes(this.parts);
    this.#files.clear();
    this.parts = new Map();
  }

  #put(file: LoadedFile): void {
    const old = this.#files.get(file.first);
    if (old) disposeMeshes(old.parts);
    this.#files.set(file.first, file);
    this.parts = new Map([...this.#files.values()].flatMap(({ parts }) => [...parts]));
  }
}

function isUsed({ first, count }: SceneAsset, numbers: ReadonlySet<number>): boolean {
  for (const number of numbers) if (number >= first && number < first + count) return true;
  return false;
}
