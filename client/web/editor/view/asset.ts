// asset.ts - loads the meshes of a glTF file for the nodes of the scene that came from it.
// Only meshes are read; the server says where and how often they stand. Not read: skins (a mesh is
// shown as it was modelled), animations, cameras and lights.
import * as THREE from "three";
import type { GLTFParser } from "three/examples/jsm/loaders/GLTFLoader.js";

import { fetchScene } from "../../sdk/index.js";
import type { SceneAsset } from "../../sdk/types.js";
import { atServer, serverUrl } from "../serverurl";
import { blankPadding, jsonEnd, mendPrimitives, meshesOf, removeNulls } from "./gltfjson";
import type { Part, Primitive } from "./instances";

export interface AssetMeshes {
  /** The parts by the number of the glTF node, as a node's `asset`. */
  parts: Map<number, Part[]>;
  /** Why some meshes could not be read; their nodes have no parts. */
  failed?: string;
  /** Why some textures could not be read; what they would cover has a plain colour. */
  plain?: string;
}

/** Bytes received so far, and the total; 0 if the server does not say. */
export type Progress = (loaded: number, total: number) => void;

/**
 * Loads one of the glTF files that nodes of the scene came from. Rejects if nothing of it can be
 * read.
 */
export async function loadAsset(
  scene: string,
  { first }: SceneAsset,
  progress: Progress,
  signal: AbortSignal,
): Promise<AssetMeshes> {
  const response = await fetchScene(scene, `asset?of=${first}`, { ...atServer(), signal });
  const bytes = await download(response, progress);
  blankPadding(bytes);
  const { GLTFLoader } = await import("three/examples/jsm/loaders/GLTFLoader.js");
  const loader = new GLTFLoader();
  const done = await addDecoders(loader, bytes);
  let meshOf: (number | undefined)[] = [];
  const faults: string[] = [];
  loader.register((parser) => {
    meshOf = leaveMeshesOnly(parser);
    doWithoutTextures(parser, faults);
    return { name: "gizmod" };
  });
  try {
    const { parser } = await loader.parseAsync(bytes, "").catch((error) => {
      throw new Error(textOf(error));
    });
    return { ...(await readMeshes(parser, meshOf, first)), plain: faults[0] };
  } finally {
    done();
  }
}

async function download(response: Response, progress: Progress): Promise<ArrayBuffer> {
  if (!response.body) return new ArrayBuffer(0);
  const total = Number(response.headers.get("content-length") ?? 0);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body.getReader();
  for (let loaded = 0, next = await reader.read(); !next.done; next = await reader.read()) {
    chunks.push(next.value);
    progress((loaded += next.value.length), total);
  }
  return new Blob(chunks).arrayBuffer();
}

/**
 * Adds the decoders of compressed meshes, which only files that need them load.
 * @returns a function that frees the decoders
 */
async function addDecoders(
  loader: import("three/examples/jsm/loaders/GLTFLoader.js").GLTFLoader,
  bytes: ArrayBuffer,
): Promise<() => void> {
  const text = new TextDecoder("latin1").decode(bytes.slice(0, jsonEnd(bytes)));
  if (text.includes("meshopt_compression")) {
    loader.setMeshoptDecoder(
      (await import("three/examples/jsm/libs/meshopt_decoder.module.js")).MeshoptDecoder,
    );
  }
  if (!text.includes("KHR_draco_mesh_compression")) return () => {};
  const { DRACOLoader } = await import("three/examples/jsm/loaders/DRACOLoader.js");
  const draco = new DRACOLoader().setDecoderPath(`${serverUrl()}draco/`);
  loader.setDRACOLoader(draco);
  return () => draco.dispose();
}

/**
 * Removes everything but the meshes from the file before it is parsed.
 * @returns the index of the mesh of each node
 */
function leaveMeshesOnly({ json }: GLTFParser): (number | undefined)[] {
  removeNulls(json);
  mendPrimitives(json);
  const meshOf = meshesOf(json.nodes);
  Object.assign(json, {
    nodes: [],
    skins: [],
    animations: [],
    cameras: [],
    scenes: [{ nodes: [] }],
    scene: 0,
  });
  return meshOf;
}

/** A texture that cannot be read costs its mesh nothing but the texture. */
function doWithoutTextures(parser: GLTFParser, faults: string[]): void {
  const get = parser.getDependency.bind(parser);
  const none = (reason: unknown): null => {
    faults.push(reason === null ? "an image is not valid" : textOf(reason));
    return null;
  };
  parser.getDependency = async (type: string, index: number) => {
    if (type !== "texture") return get(type, index);
    // The loader tells of what it cannot do by throwing, by a rejection, or by no texture.
    try {
      return (await get(type, index)) ?? none(null);
    } catch (reason) {
      return none(reason);
    }
  };
}

async function readMeshes(
  parser: GLTFParser,
  meshOf: readonly (number | undefined)[],
  first: number,
): Promise<AssetMeshes> {
  const used = [...new Set(meshOf)].filter((mesh) => mesh !== undefined);
  const get = async (mesh: number) => parser.getDependency("mesh", mesh);
  const read = await Promise.allSettled(used.map(get));
  const partsOf = new Map<number, Part[]>();
  const failures: string[] = [];
  read.forEach((result, i) => {
    if (result.status === "fulfilled") partsOf.set(used[i], toParts(result.value));
    else failures.push(textOf(result.reason));
  });
  if (used.length > 0 && partsOf.size === 0) throw new Error(failures[0]);
  const parts = new Map<number, Part[]>();
  meshOf.forEach((mesh, node) => {
    const found = mesh === undefined ? undefined : partsOf.get(mesh);
    if (found) parts.set(first + node, found);
  });
  return { parts, failed: failures[0] };
}

/** The errors of the loaders are written for programmers. */
function textOf(reason: unknown): string {
  const message = reason instanceof Error && !(reason instanceof TypeError) ? reason.message : "";
  // Its decoder makes code from text, which the page's policy forbids.
  if (message.includes("KTX2")) return "KTX2 textures are not supported";
  return message.replace(/^THREE\.\w+: /, "") || "the file is not valid";
}

function toParts(mesh: THREE.Object3D): Part[] {
  const parts: Part[] = [];
  mesh.traverse((object) => {
    const { geometry, material } = object as THREE.Mesh<THREE.BufferGeometry, THREE.Material>;
    if (!geometry) return;
    geometry.morphAttributes = {};
    parts.push({ geometry, material, primitive: primitiveOf(object) });
  });
  return parts;
}

function primitiveOf(object: THREE.Object3D): Primitive {
  if (object instanceof THREE.Points) return "points";
  if (object instanceof THREE.LineLoop) return "loop";
  if (object instanceof THREE.LineSegments) return "segments";
  return object instanceof THREE.Line ? "line" : "mesh";
}

/** Frees the GPU memory of meshes that are no longer drawn. */
export function disposeMeshes(parts: ReadonlyMap<number, readonly Part[]>): void {
  for (const { geometry, material } of new Set([...parts.values()].flat())) {
    geometry.dispose();
    for (const value of Object.values(material))
      if (value instanceof THREE.Texture && !value.isRenderTargetTexture) value.dispose();
    material.dispose();
  }
}
