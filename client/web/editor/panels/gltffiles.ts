// gltffiles.ts - makes one file for the import from the files that were dropped or chosen: a .glb
// or .gltf by itself, or a .gltf with the buffers and images that it names embedded.

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
  return /\.gltf$/i.test(scenes[0].path) ? embedded(scenes[0], files) : scenes[0].file;
}

interface Referring {
  uri?: unknown;
}

/**
 * Returns the file unchanged if it needs no other files or is not valid: the server reports what is
 * wrong with it.
 */
async function embedded(scene: NamedFile, files: readonly NamedFile[]): Promise<File> {
  const json = await parse(scene.file);
  const referring = [json?.buffers, json?.images].flatMap((list) =>
    Array.isArray(list) ? (list as Referring[]) : [],
  );
  const outside = referring.filter(
    (one): one is { uri: string } => typeof one?.uri === "string" && !/^data:/i.test(one.uri),
  );
  if (outside.length === 0) return scene.file;
  const found = outside.map(({ uri }) => find(uri, scene.path, files));
  const missing = [...new Set(outside.filter((_, i) => !found[i]).map(({ uri }) => uri))];
  if (missing.length > 0)
    throw new Error(
      `${scene.file.name} needs ${list(missing)}. Drop or choose all of these files together.`,
    );
  const bytes = (found as File[]).reduce((sum, { size }) => sum + (4 * size) / 3, scene.file.size);
  if (bytes > BYTES_MAX)
    throw new Error(
      `${scene.file.name} and its files are too large: ${Math.ceil(bytes / 2 ** 20)} MiB, ` +
        `at most ${BYTES_MAX / 2 ** 20}. Save them as one .glb file, which is smaller.`,
    );
  for (const [i, one] of outside.entries()) one.uri = await dataUri(found[i] as File);
  return new File([JSON.stringify(json)], scene.file.name);
}

function list(names: readonly string[]): string {
  const said = names
    .slice(0, 3)
    .map((name) => (name.length > NAME_MAX ? `${name.slice(0, NAME_MAX)}…` : name));
  return `${said.join(", ")}${names.length > 3 ? ` and ${names.length - 3} more` : ""}`;
}

async function parse(file: File): Promise<{ buffers?: unknown; images?: unknown } | null> {
  try {
    return JSON.parse(await file.text());
  } catch {
    return null;
  }
}

/**
 * Finds the file that a URI names, relative to the scene's folder. Files from a file dialog have no
 * folders, so otherwise the only file of that name is taken.
 */
function find(uri: string, from: string, files: readonly NamedFile[]): File | undefined {
  let name = uri;
  try {
    name = decodeURIComponent(uri);
  } catch {
    // The name contains a plain percent sign.
  }
  const parts = [...from.split("/").slice(0, -1), ...name.split(/[/\\]/)].filter(
    (part) => part !== "" && part !== ".",
  );
  for (let up = parts.indexOf(".."); up > 0; up = parts.indexOf("..")) parts.splice(up - 1, 2);
  const path = parts.join("/");
  const exact = files.find((other) => other.path.replace(/^\//, "") === path);
  const called = files.filter(({ file }) => file.name === parts.at(-1));
  return exact?.file ?? (called.length === 1 ? called[0].file : undefined);
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
