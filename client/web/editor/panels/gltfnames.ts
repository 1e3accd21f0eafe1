// gltfnames.ts - which of the dropped files a URI of a glTF names. The rule is that of gizmoctl
// import (server/gltf/names.c says it in words), and both are tested with
// tests/data/names/cases.json.
import type { NamedFile } from "./gltffiles";

/** The texts that a URI can be read as, in the order in which they are tried. */
function readings(uri: string): string[] {
  const cut = uri.split(/[?#]/)[0];
  const texts = [decoded(uri), uri, decoded(cut), cut];
  const all = [...texts, ...texts.map((text) => text?.replaceAll("\\", "/"))];
  return [...new Set(all)].filter((text) => text !== undefined && !text.includes("\0")) as string[];
}

/** Undefined if the escapes are not whole, or no UTF-8. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** A path in its simplest form; null if it leads out of what was dropped, or nowhere. */
function simplify(path: string): string | null {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return null;
    } else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/") || null;
}

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The only file of that name; among several of one path the first. */
function only(
  files: readonly NamedFile[],
  wanted: string | null,
  nameOf: (file: NamedFile) => string | null,
): File | undefined {
  if (wanted === null || wanted === "") return undefined;
  const found = files.filter((file) => nameOf(file) === wanted);
  return found.length === 1 ? found[0].file : undefined;
}

/**
 * Finds the file that a URI names, relative to the folder of the scene. Files from a file dialog
 * have no folders, so that the only file of the same name without its folders is taken last.
 */
export function findFile(
  uri: string,
  scenePath: string,
  files: readonly NamedFile[],
): File | undefined {
  const folder = scenePath.slice(0, scenePath.lastIndexOf("/") + 1);
  const texts = readings(uri);
  const pathOf = (file: NamedFile) => simplify(file.path);
  const nameOf = (file: NamedFile) => baseName(file.path);
  const ways: [(text: string) => string | null, (file: NamedFile) => string | null][] = [
    [(text) => (text === "" || text.endsWith("/") ? null : simplify(folder + text)), pathOf],
    [baseName, nameOf],
  ];
  for (const [wanted, of] of ways)
    for (const fold of [(text: string) => text, lower])
      for (const text of texts) {
        const name = wanted(text);
        const file = only(files, name && fold(name), (file) => {
          const own = of(file);
          return own && fold(own);
        });
        if (file) return file;
      }
  return undefined;
}
