// states.tsx - how the page stands to the server, over the view: loading, offline with what waits, closed.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import type { Status } from "../../sdk/types.js";
import { useEditor } from "../context";
import { Icon } from "../icons";
import "./states.css";

export function States() {
  const editor = useEditor();
  useLeaveWarning();
  const status = editor.status.value;
  return (
    <div class="states">
      <div class="states-line" role="status" data-part="connection" data-phase={status.phase}>
        <Connection status={status} />
        <Unsaved />
      </div>
      {status.phase === "offline" && <Retry retryAt={status.retryAt} />}
      {status.phase === "closed" && <Closed />}
    </div>
  );
}

function Connection({ status }: { status: Status }) {
  const { session } = useEditor();
  if (status.phase === "online") {
    return (
      <>
        <span class="states-dot" />
        {status.resumed ? "Back online" : "Online"}
      </>
    );
  }
  if (status.phase === "connecting") {
    return (
      <>
        <span class="states-spinner" />
        {status.loaded ? `Loading ${session.sceneName}: ${count(status.loaded, "node")} so far` : "Connecting to the server…"}
      </>
    );
  }
  return (
    <>
      <Icon name={status.phase === "offline" ? "offline" : "warn"} />
      {status.phase === "offline" ? "Offline" : "Disconnected"}: {status.reason ?? "the connection was lost"}.
    </>
  );
}

/** Edits are kept until the server has them; this says how many are not there yet. */
function Unsaved() {
  const { unsaved, status } = useEditor();
  if (unsaved.value === 0) return null;
  const waits = status.value.phase === "online" ? "Saving" : "Not saved yet:";
  return (
    <span class="states-unsaved" data-part="unsaved">
      {waits} {count(unsaved.value, "edit")}
    </span>
  );
}

function Retry({ retryAt = 0 }: { retryAt?: number }) {
  const { session } = useEditor();
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => (now.value = Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((retryAt - now.value) / 1000));
  return (
    <button type="button" class="button states-retry" onClick={() => session.retry()}>
      {seconds > 1 ? `Try now (again in ${seconds} s)` : "Try now"}
    </button>
  );
}

function Closed() {
  return (
    <>
      <button type="button" class="button states-retry" onClick={() => location.reload()}>
        Join again
      </button>
      <a class="button states-retry" href="./">
        All scenes
      </a>
    </>
  );
}

/** What the server has not is lost with the page: the browser asks before it is left. */
function useLeaveWarning(): void {
  const { unsaved, session } = useEditor();
  const waits = unsaved.value > 0;
  useEffect(() => {
    if (!waits) return;
    const warn = (event: BeforeUnloadEvent) => {
      if (session.status.phase !== "closed") event.preventDefault();
    };
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [waits]);
}

const count = (n: number, what: string): string => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;
