// gltffiles.ts - the one file that is imported, of those that somebody dropped or chose: a .glb or .gltf by itself, or a .gltf with the buffers and pictures that it
// names, which then are embedded in it.

export interface NamedFile {
  /** With the folders that came with it. */
  path: string;
  file: File;
}

/** What can be chosen, for the browser's own list of files. */
export const ACCEPTED = ".glb,.gltf,.bin,.png,.jpg,.jpeg,.webp,.ktx2";

/** What a scene is made of are few files; who drops more has dropped something else. */
export const FILES_MAX = 2000;
/** What the server takes as one file, GZ_ASSET_BYTES_MAX in proto/limits.h. */
const BYTES_MAX = 256 * 2 ** 20;
/** Of the name of a file that is missing, so many letters are said. */
const NAME_MAX = 60;

const PICTURES = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["webp", "image/webp"],
  ["ktx2", "image/ktx2"],
]);
/** Of three bytes base64 makes four letters: pieces of a multiple of three can be put one behind the other. */
const PIECE = 3 * 8192;

export async function oneFile(files: readonly NamedFile[]): Promise<File> {
  if (files.length > FILES_MAX)
    throw new Error(
      `These are more than ${FILES_MAX.toLocaleString("en")} files: drop or choose only what one scene is made of.`,
    );
  const scenes = files.filter(({ path }) => /\.(glb|gltf)$/i.test(path));
  if (scenes.length === 0)
    throw new Error(
      files.length === 1
        ? `${files[0].file.name} is no .glb and no .gltf.`
        : "None of these files is a .glb or .gltf.",
    );
  if (scenes.length > 1)
    throw new Error(
      `One scene at a time: these are ${scenes.length} (${scenes.map(({ file }) => file.name).join(", ")}).`,
    );
  return /\.gltf$/i.test(scenes[0].path) ? embedded(scenes[0], files) : scenes[0].file;
}

interface Referring {
  uri?: unknown;
}

/** As it is where it needs nothing, or is not what it says: the server knows best what is wrong with it. */
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
      `${scene.file.name} needs ${list(missing)}: drop or choose all of them together.`,
    );
  const bytes = (found as File[]).reduce((sum, { size }) => sum + (4 * size) / 3, scene.file.size);
  if (bytes > BYTES_MAX)
    throw new Error(
      `${scene.file.name} and its files are too large to be embedded, ${Math.ceil(bytes / 2 ** 20)} MiB of at most ${BYTES_MAX / 2 ** 20}: as one .glb they take less.`,
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

/** Where the uri says, seen from the scene's folder; or, as files that are chosen have no folders, the only one of that name. Nothing but these files can be meant. */
function find(uri: string, from: string, files: readonly NamedFile[]): File | undefined {
  let name = uri;
  try {
    name = decodeURIComponent(uri);
  } catch {
    // It has a percent sign of its own.
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
