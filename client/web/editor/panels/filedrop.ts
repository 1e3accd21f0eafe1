// filedrop.ts - accepts files and folders that are dropped anywhere on the page.
import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { FILES_MAX, type NamedFile } from "./gltffiles";

/**
 * A file that leaves one element enters the next within this time. Not every browser tells that
 * apart from leaving the page.
 */
const GONE_MS = 200;

/** `over` is true while files are dragged over the page. */
export function useDrop(over: Signal<boolean>, take: (files: readonly NamedFile[]) => void): void {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    let gone: ReturnType<typeof setTimeout> | undefined;
    const hover = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      clearTimeout(gone);
      over.value = true;
    };
    const drop = (event: DragEvent) => {
      clearTimeout(gone);
      over.value = false;
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      void filesOf(event.dataTransfer).then((files) => !signal.aborted && latest.current(files));
    };
    const leave = (event: DragEvent) => {
      clearTimeout(gone);
      if (event.relatedTarget === null) gone = setTimeout(() => (over.value = false), GONE_MS);
    };
    addEventListener("dragover", hover, { signal });
    addEventListener("dragleave", leave, { signal });
    addEventListener("drop", drop, { signal });
    return () => stop.abort();
  }, []);
}

/** Files from a file dialog, which have no folders. */
export function namedFiles(list: Iterable<File> | null): NamedFile[] {
  return [...(list ?? [])].map((file) => ({ path: file.name, file }));
}

/**
 * The dropped items can be read only during the event, so the list is made before anything is
 * awaited.
 */
async function filesOf(data: DataTransfer): Promise<NamedFile[]> {
  const entries = [...data.items]
    .map((item) => item.webkitGetAsEntry())
    .filter((entry) => entry !== null);
  const plain = namedFiles(data.files);
  if (!entries.some(({ isDirectory }) => isDirectory)) return plain;
  const found: NamedFile[] = [];
  for (const entry of entries) await walk(entry, found);
  return found;
}

/** Collects files up to one more than the maximum, so that the caller can refuse them. */
async function walk(entry: FileSystemEntry, found: NamedFile[]): Promise<void> {
  if (entry.isFile) {
    const file = await new Promise<File | null>((done) =>
      (entry as FileSystemFileEntry).file(done, () => done(null)),
    );
    if (file) found.push({ path: entry.fullPath.replace(/^\//, ""), file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done) =>
      reader.readEntries(done, () => done([])),
    );
    if (some.length === 0) return;
    for (const below of some) {
      if (found.length > FILES_MAX) return;
      await walk(below, found);
    }
  }
}
