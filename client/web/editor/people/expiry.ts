// expiry.ts - when the token of the page expires: a few minutes before, and when it has expired or
// the server takes it no longer.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import type { Status } from "../../sdk/types.js";
import { useEditor } from "../context";

/** The page says so long before that the token expires. */
const WARN_MS = 5 * 60_000;
const TICK_MS = 1000;

/** Whether the session goes on only with another token. */
export function waitsForToken({ phase, code }: Status): boolean {
  return phase === "offline" && code !== undefined;
}

/** When the token expires, if that is soon, in Unix milliseconds; null otherwise. */
export function useExpiry(): Signal<number | null> {
  const { session, status } = useEditor();
  const soon = useSignal<number | null>(null);
  useEffect(() => {
    const look = () => {
      const at = 1000 * (session.expires ?? Infinity);
      soon.value = at - Date.now() < WARN_MS && session.token !== undefined ? at : null;
    };
    look();
    const timer = setInterval(look, TICK_MS);
    return () => clearInterval(timer);
  }, [status.value]);
  return soon;
}

/** Opens the dialog for a new link when the server takes the token no longer. */
export function useRefusal(): void {
  const { status, dialog } = useEditor();
  const waits = waitsForToken(status.value);
  useEffect(() => {
    if (waits) dialog.value = "token";
  }, [waits]);
}
