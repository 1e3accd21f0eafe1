// gltffiles.ts - makes one file for the import from the files that were dropped or chosen: a .glb
// or .gltf by itself, or with the buffers and images that it names embedded.
import { findFile } from "./gltfnames";
import { type FoundUri, findUris, replaceUris } from "./gltfuris";

export interface NamedFile {
  /** The path, with the folders that were dropped. */
  path: string;
  file: File;
}

/** The types that the browser's file dialog offers. */
export const ACCEPTED = ".glb,.gltf,.bin,.png,.jpg,.jpeg,.webp,.ktx2";

/** A scene consists of few files; more than this were dropped by mistake. */
export const FILES_MAX = 2000;
/** The largest file that the server accepts, GZ_ASSET_BYTES_MAX in proto/limits.h. */
const BYTES_MAX = 256 * 2 ** 20;
/** The name of a missing file is shown up to this length. */
const NAME_MAX = 60;

const PICTURES = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["webp", "image/webp"],
  ["ktx2", "image/ktx2"],
]);
/**
 * Base64 turns three bytes into four letters, so pieces of a multiple of three bytes can be joined.
 */
const PIECE = 3 * 8192;

export async function oneFile(files: readonly NamedFile[]): Promise<File> {
  if (files.length > FILES_MAX)
    throw new Error(
      `These are more than ${FILES_MAX.toLocaleString("en")} files. ` +
        "Drop or choose only the files of one scene.",
    );
  const scenes = files.filter(({ path }) => /\.(glb|gltf)$/i.test(path));
  if (scenes.length === 0)
    throw new Error(
      files.length === 1
        ? `${files[0].file.name} is not a .glb or .gltf file.`
        : "None of these files is a .glb or .gltf file.",
    );
  if (scenes.length > 1)
    throw new Error(
      `These are ${scenes.length} scenes: ${list(scenes.map(({ file }) => file.name))}. ` +
        "Drop or choose one at a time.",
    );
  return embedded(scenes[0], files);
}

/** An address such as `https:`: it is no file that somebody could drop. `C:` is no address. */
const ADDRESS = /^[a-z][a-z0-9+.-]+:/i;

/**
 * Returns the file unchanged if it needs no other files or is not valid: the server reports what is
 * wrong with it. A picture that is missing is left out, which the server reports too. Without a
 * buffer there would be no shapes: if a missing one could have been dropped, the file is refused
 * with a request to drop that one, too.
 */
async function embedded(scene: NamedFile, files: readonly NamedFile[]): Promise<File> {
  const bytes =
    scene.file.size <= BYTES_MAX ? new Uint8Array(await scene.file.arrayBuffer()) : null;
  const outside = (bytes ? urisOf(bytes) : []).filter(({ uri }) => !/^data:/i.test(uri));
  const found = outside.map((at) => ({ at, file: findFile(at.uri, scene.path, files) }));
  const missing = found.filter(
    ({ at, file }) => !file && at.list === "buffers" && at.uri !== "" && !ADDRESS.test(at.uri),
  );
  if (missing.length > 0)
    throw new Error(
      `${scene.file.name} needs ${list([...new Set(missing.map(({ at }) => at.uri))])}. ` +
        "Drop or choose all of these files together.",
    );
  const there = found.filter((one): one is { at: FoundUri; file: File } => one.file !== undefined);
  if (!bytes || there.length === 0) return scene.file;
  const size = there.reduce((sum, { file }) => sum + (4 * file.size) / 3, scene.file.size);
  if (size > BYTES_MAX)
    throw new Error(
      `${scene.file.name} and its files are too large: ${Math.ceil(size / 2 ** 20)} MiB, ` +
        `at most ${BYTES_MAX / 2 ** 20}. Save them as one .glb file, which is smaller.`,
    );
  const changes: { at: FoundUri; text: string }[] = [];
  for (const { at, file } of there) changes.push({ at, text: `"${await dataUri(file)}"` });
  return new File(replaceUris(bytes, changes), scene.file.name);
}

function urisOf(bytes: Uint8Array): FoundUri[] {
  try {
    return findUris(bytes);
  } catch {
    return []; // not JSON
  }
}

function list(names: readonly string[]): string {
  const said = names
    .slice(0, 3)
    .map((name) => (name.length > NAME_MAX ? `${name.slice(0, NAME_MAX)}…` : name));
  return `${said.join(", ")}${names.length > 3 ? ` and ${names.length - 3} more` : ""}`;
}

async function dataUri(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE)
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE))));
  const type =
    PICTURES.get(file.name.split(".").at(-1)?.toLowerCase() ?? "") ?? "application/octet-stream";
  return `data:${type};base64,${pieces.join("")}`;
}
