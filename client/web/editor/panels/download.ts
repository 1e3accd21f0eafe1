// download.ts - the menu items that save a file of a scene. A link of the browser's own cannot send
// a token, so a page with a token fetches the file and then saves it.
import { fetchScene, sceneUrl } from "../../sdk/index.js";
import type { IconName } from "../icons";
import { atServer, serverUrl } from "../serverurl";
import { currentToken } from "../token";
import type { MenuItem } from "./menu";

/** How long the browser may take to begin with a file that was fetched. */
const SAVE_MS = 60_000;

export type SceneFile = "asset" | "export" | "backup";

/** What the page says of a file that is fetched. */
export interface Download {
  file: string;
  /** The part that was received, 0 to 1; undefined if the whole size is not known. */
  part: number | undefined;
}

/** Receives what is fetched now; null for nothing. The error says why it failed. */
export type ShowDownload = (download: Download | null, error?: Error) => void;

const FILES: Record<SceneFile, { label: string; icon: IconName; ending: string }> = {
  export: { label: "Export as .glb", icon: "download", ending: ".glb" },
  asset: { label: "Original file", icon: "download", ending: "-original.glb" },
  backup: { label: "Download backup", icon: "database", ending: ".gizmod" },
};

export function downloadItem(scene: string, what: SceneFile, show: ShowDownload): MenuItem {
  const { label, icon, ending } = FILES[what];
  const file = scene + ending;
  if (currentToken() === undefined)
    return { label, icon, href: sceneUrl(scene, what, serverUrl()), download: file };
  return { label, icon, run: () => void fetchFile(scene, what, file, show) };
}

async function fetchFile(
  scene: string,
  what: SceneFile,
  file: string,
  show: ShowDownload,
): Promise<void> {
  show({ file, part: undefined });
  try {
    const response = await fetchScene(scene, what, atServer());
    save(await counted(response, (part) => show({ file, part })).blob(), file);
    show(null);
  } catch (error) {
    show(null, error as Error);
  }
}

/**
 * The browser keeps a large blob on the disk; the page holds no more than the piece that passes.
 */
function counted(response: Response, progress: (part: number) => void): Response {
  const total = Number(response.headers.get("content-length") ?? 0);
  if (!response.body || total === 0) return response;
  let received = 0;
  const count = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(piece, out) {
      progress((received += piece.length) / total);
      out.enqueue(piece);
    },
  });
  return new Response(response.body.pipeThrough(count));
}

function save(blob: Blob, file: string): void {
  const url = URL.createObjectURL(blob);
  Object.assign(document.createElement("a"), { href: url, download: file }).click();
  setTimeout(() => URL.revokeObjectURL(url), SAVE_MS);
}
