// drop.ts - files that are dropped anywhere on the page.
import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

/** `over` is true while a file is held over the page. */
export function useDrop(over: Signal<boolean>, take: (file: File) => void): void {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const hover = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      over.value = true;
    };
    const drop = (event: DragEvent) => {
      const file = event.dataTransfer?.files[0];
      over.value = false;
      if (!file) return;
      event.preventDefault();
      latest.current(file);
    };
    addEventListener("dragover", hover, { signal });
    addEventListener("dragleave", (event) => event.relatedTarget === null && (over.value = false), { signal });
    addEventListener("drop", drop, { signal });
    return () => stop.abort();
  }, []);
}
