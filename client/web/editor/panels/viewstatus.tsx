// viewstatus.tsx - the state of the connection, uploads and loading over the view, and cards in the
// middle of the view while there is no scene to see.
import { useComputed, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import type { Status } from "../../sdk/types.js";
import { useEditor } from "../context";
import { errorText } from "../errortext";
import { Icon } from "../icons";
import { count } from "../past/edittext";
import { useExpiry, useRefusal, waitsForToken } from "../people/expiry";
import { createNode } from "./nodeactions";
import { useDrop } from "./filedrop";
import { addFiles, chooseFile } from "./scenemenu";
import "./viewstatus.css";

/** How long the page shows that the connection is back. */
const BACK_MS = 5000;

export function ViewStatus() {
  const editor = useEditor();
  useLeaveWarning();
  useRefusal();
  const status = editor.status.value;
  return (
    <>
      <div class="status">
        <div class="status-line" role="status" data-part="connection" data-phase={status.phase}>
          <Connection status={status} />
          <Unsaved />
        </div>
        <Retry status={status} />
        <NewLink status={status} />
        <ReadOnly status={status} />
        <Loading />
        <Upload />
        <Download />
      </div>
      <Middle status={status} />
      <Drop />
    </>
  );
}

function Connection({ status }: { status: Status }) {
  const { session } = useEditor();
  const back = useBack(status);
  if (status.phase === "online") {
    return (
      <>
        <span class="status-dot" />
        {back ?? "Online"}
      </>
    );
  }
  if (status.phase === "connecting") {
    return (
      <>
        <span class="status-spinner" />
        {status.loaded
          ? `Loading ${session.sceneName}: ${count(status.loaded, "node")} so far`
          : "Connecting…"}
      </>
    );
  }
  return (
    <>
      <Icon name={status.phase === "offline" ? "offline" : "warn"} />
      {status.phase === "offline" ? "Offline" : "Disconnected"}:{" "}
      {status.reason ?? "the connection was lost"}
    </>
  );
}

/** The text that is shown for a moment after a lost connection is back. */
function useBack(status: Status): string | null {
  const said = useSignal<string | null>(null);
  const lost = useRef(false);
  useEffect(() => {
    if (status.phase === "offline") lost.current = true;
    if (status.phase !== "online" || !lost.current) return;
    lost.current = false;
    said.value = status.resumed
      ? "Back online, no changes missed"
      : "Back online, the scene was reloaded";
    const timer = setTimeout(() => (said.value = null), BACK_MS);
    return () => clearTimeout(timer);
  }, [status.phase]);
  return said.value;
}

/** The number of edits that the server has not accepted yet; the page keeps them until then. */
function Unsaved() {
  const { unsaved, held, status } = useEditor();
  if (unsaved.value === 0) return null;
  return (
    <span class="status-unsaved" data-part="unsaved">
      {status.value.phase === "online" && held.value === 0 ? "Saving" : "Not saved yet:"}{" "}
      {count(unsaved.value, "edit")}
    </span>
  );
}

function Retry({ status }: { status: Status }) {
  const { session } = useEditor();
  const now = useSignal(Date.now());
  const away = status.phase === "offline" && !waitsForToken(status);
  useEffect(() => {
    if (!away) return;
    now.value = Date.now();
    const timer = setInterval(() => (now.value = Date.now()), 500);
    // The network is back or the computer woke up: connect now rather than at the next attempt.
    const retry = () => document.hidden || session.retry();
    addEventListener("online", retry);
    document.addEventListener("visibilitychange", retry);
    return () => {
      clearInterval(timer);
      removeEventListener("online", retry);
      document.removeEventListener("visibilitychange", retry);
    };
  }, [away]);
  if (!away) return null;
  const seconds = Math.max(0, Math.ceil(((status.retryAt ?? 0) - now.value) / 1000));
  return (
    <button type="button" class="button status-retry" onClick={() => session.retry()}>
      Try now{seconds > 1 && <span class="status-soon"> (again in {seconds} s)</span>}
    </button>
  );
}

/** The token expires soon, or the server takes it no longer. */
function NewLink({ status }: { status: Status }) {
  const { dialog } = useEditor();
  const soon = useExpiry().value;
  const ended = waitsForToken(status);
  if (soon === null && !ended) return null;
  const time = new Date(soon ?? 0).toLocaleTimeString("en-GB", { timeStyle: "short" });
  return (
    <>
      {!ended && (
        <div class="status-line status-warn" role="status" data-part="expiry">
          <Icon name="warn" />
          Your access ends at {time}.
        </div>
      )}
      <button type="button" class="button status-retry" onClick={() => (dialog.value = "token")}>
        Use a new link
      </button>
    </>
  );
}

/** Nobody can edit the scene now: its file is damaged or cannot be written. */
function ReadOnly({ status }: { status: Status }) {
  const { readOnly } = useEditor();
  if (readOnly.value === "" || status.phase !== "online") return null;
  return (
    <div class="status-line status-warn" role="status" data-part="readonly">
      <Icon name="warn" />
      {errorText(readOnly.value)}
    </div>
  );
}

/** The progress of the meshes; until they are loaded boxes replace them. */
function Loading() {
  const { asset } = useEditor();
  const { phase, loaded = 0, total = 0 } = asset.value;
  if (phase !== "loading") return null;
  const words =
    total > 0
      ? `Loading meshes: ${megabytes(loaded)} of ${megabytes(total)}`
      : `Loading meshes: ${megabytes(loaded)}`;
  return (
    <Progress
      name="Loading meshes"
      words={words}
      part={total > 0 && loaded < total ? loaded / total : undefined}
    />
  );
}

function Upload() {
  const { upload } = useEditor();
  if (!upload.value) return null;
  const { file, part } = upload.value;
  return (
    <Progress
      name={`Uploading ${file}`}
      words={part < 1 ? `Uploading ${file}` : `Processing ${file}`}
      part={part < 1 ? part : undefined}
    />
  );
}

function Download() {
  const { download } = useEditor();
  if (!download.value) return null;
  const { file, part } = download.value;
  return <Progress name={`Downloading ${file}`} words={`Downloading ${file}`} part={part} />;
}

function Progress({ name, words, part }: { name: string; words: string; part?: number }) {
  return (
    <div class="status-line status-progress">
      <span>{words}</span>
      <progress aria-label={name} max={1} value={part} />
    </div>
  );
}

/** A card in the middle of the view while there is nothing else to see. */
function Middle({ status }: { status: Status }) {
  const editor = useEditor();
  const { sceneName } = editor.session;
  const { dialog } = editor;
  const seen = useRef(false);
  const empty = useComputed(() => (editor.structure.value, editor.scene.value.nodes.size === 0));
  if (status.phase === "online") seen.current = true;
  if (status.phase === "closed" && status.code === "unknown_scene" && seen.current)
    return <Gone status={status} />;
  if (status.phase === "closed") {
    const missing = status.code === "unknown_scene";
    return (
      <Card
        title={missing ? "No such scene" : "Disconnected"}
        words={[
          sentence(status.reason ?? "the connection was closed"),
          seen.current ? "This page shows the scene as it was." : "",
        ].join(" ")}
      >
        {missing ? (
          <a class="button primary" href={`${location.search}&create`}>
            Create it
          </a>
        ) : status.code === "unauthorised" || status.code === "forbidden" ? (
          <button type="button" class="button primary" onClick={() => (dialog.value = "token")}>
            Use a link
          </button>
        ) : (
          <button type="button" class="button primary" onClick={() => location.reload()}>
            Reconnect
          </button>
        )}
        <a class="button" href="./">
          All scenes
        </a>
      </Card>
    );
  }
  if (!seen.current)
    return (
      <Card
        late
        title={`Joining ${sceneName}…`}
        words={
          status.phase === "offline"
            ? sentence(status.reason ?? "the server cannot be reached")
            : ""
        }
      />
    );
  if (!empty.value || status.phase !== "online" || editor.past.value || editor.upload.value)
    return null;
  if (!editor.editable.value)
    return <Card title="This scene is empty" words="It has no nodes yet." />;
  return (
    <Card title="This scene is empty" words="Drop a .glb or .gltf file here, or create a node.">
      <button type="button" class="button primary" onClick={() => chooseFile(editor, addFiles)}>
        <Icon name="upload" />
        Import a file…
      </button>
      <button type="button" class="button" onClick={() => void createNode(editor, null)}>
        <Icon name="plus" />
        New node
      </button>
    </Card>
  );
}

/**
 * The scene of this page was renamed, deleted or closed for good. The server's fields tell which;
 * its reason is written for people.
 */
function Gone({ status: { reason = "", scene: name } }: { status: Status }) {
  const search = new URLSearchParams(location.search);
  if (name) search.set("scene", name);
  return (
    <Card
      title={name ? "Scene renamed" : "Scene deleted or closed"}
      words={`${sentence(reason)} This page shows the scene as it was.`}
    >
      {name && (
        <a class="button primary" href={`?${search}`}>
          Open {name}
        </a>
      )}
      <a class={`button${name ? "" : " primary"}`} href="./">
        All scenes
      </a>
    </Card>
  );
}

function Card({
  title,
  words,
  late,
  children,
}: {
  title: string;
  words: string;
  late?: boolean;
  children?: ComponentChildren;
}) {
  return (
    <div class={`status-card${late ? " late" : ""}`}>
      <h2>{title}</h2>
      {words && <p>{words}</p>}
      {children && <div class="status-buttons">{children}</div>}
    </div>
  );
}

/** The drop target that covers the page while a file is over it. */
function Drop() {
  const editor = useEditor();
  const over = useSignal(false);
  useDrop(over, (files) => {
    if (editor.editable.peek()) void addFiles(editor, files);
    else editor.say("warn", "View only: files cannot be imported.");
  });
  if (!over.value) return null;
  return (
    <div class="status-drop">
      <Icon name="upload" />
      Add to {editor.session.sceneName}
    </div>
  );
}

/** Unsaved edits would be lost with the page: the browser asks before the page is left. */
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

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
const sentence = (words: string): string =>
  `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;
