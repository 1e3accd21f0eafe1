// drop.ts - files that are dropped anywhere on the page.
import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

/** So soon after leaving one part of the page a file is over another. Not every browser tells that from leaving the page. */
const GONE_MS = 200;

/** `over` is true while a file is held over the page. */
export function useDrop(over: Signal<boolean>, take: (file: File) => void): void {
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
      const file = event.dataTransfer?.files[0];
      clearTimeout(gone);
      over.value = false;
      if (!file) return;
      event.preventDefault();
      latest.current(file);
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
