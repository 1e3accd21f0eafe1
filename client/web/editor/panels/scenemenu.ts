// scenemenu.ts - the menu of the scene: share, import, export, backup, how it is drawn.
import { addToScene, importScene } from "../../sdk/index.js";
import type { ImportResult } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { atServer } from "../serverurl";
import { currentToken } from "../token";
import { type SceneFile, downloadItem } from "./download";
import { namedFiles } from "./filedrop";
import { ACCEPTED, type NamedFile, oneFile } from "./gltffiles";
import { warningText } from "./importwarnings";
import type { MenuItem } from "./menu";

const VIEW_ONLY = "You may only view this scene.";

export function sceneMenu(editor: Editor): MenuItem[] {
  const { session } = editor;
  const { sceneName: name } = session;
  const away = editor.status.peek().phase !== "online";
  const viewer = editor.role.peek() === "viewer";
  const file = (what: SceneFile): MenuItem => ({
    ...downloadItem(name, what, (download, error) => {
      editor.download.value = download;
      if (error) editor.fail(error);
    }),
    disabled: away,
  });
  const change = {
    disabled: away || !editor.editable.peek(),
    why: viewer ? editor.readOnly.peek() || VIEW_ONLY : undefined,
  };
  return [
    { label: "Share…", icon: "link", run: () => void (editor.dialog.value = "share") },
    {
      label: "Add a file…",
      icon: "upload",
      line: true,
      ...change,
      run: () => chooseFile(editor, addFiles),
    },
    {
      label: "Replace with a file…",
      icon: "upload",
      ...change,
      run: () => chooseFile(editor, replaceScene),
    },
    file("export"),
    file("asset"),
    // A server without tokens gives a backup to everybody.
    viewer && currentToken() !== undefined
      ? { ...file("backup"), disabled: true, why: VIEW_ONLY }
      : file("backup"),
    {
      label: "Smooth motion of others",
      line: true,
      on: session.smooth,
      run: () => editor.setSmooth(!session.smooth),
    },
    { label: "All scenes", icon: "home", line: true, href: "./" },
  ];
}

type Take = (editor: Editor, files: readonly NamedFile[]) => Promise<void>;

/** Opens the browser's file dialog. */
export function chooseFile(editor: Editor, take: Take): void {
  const input = Object.assign(document.createElement("input"), {
    type: "file",
    accept: ACCEPTED,
    multiple: true,
  });
  input.onchange = () => {
    if (input.files?.length) void take(editor, namedFiles(input.files));
  };
  input.click();
}

/** Adds files to the scene, which can be undone. */
export async function addFiles(editor: Editor, files: readonly NamedFile[]): Promise<void> {
  const { session, upload } = editor;
  if (upload.peek()) return;
  const file = await pack(editor, files);
  if (!file || upload.peek()) return;
  await send(editor, file, (more) => addToScene(session.sceneName, file, more));
}

/**
 * Imports files in place of the whole scene; if the scene is not empty the person is asked first.
 */
export async function replaceScene(editor: Editor, files: readonly NamedFile[]): Promise<void> {
  if (editor.upload.peek()) return;
  const file = await pack(editor, files);
  if (file) await replaceBy(editor, file);
}

/** @returns undefined, and says why, if they are not one glTF file with what it needs */
async function pack(editor: Editor, files: readonly NamedFile[]): Promise<File | undefined> {
  return (await oneFile(files).catch((error: Error) => editor.say("warn", error.message))) as
    | File
    | undefined;
}

async function replaceBy(editor: Editor, file: File): Promise<void> {
  const { session, upload } = editor;
  const count = session.scene.nodes.size;
  const sure =
    count === 0 ||
    (await editor.ask({
      title: `Replace ${session.sceneName}?`,
      text:
        `${file.name} replaces the ${count} node${count === 1 ? "" : "s"} of this scene, for ` +
        "everybody. Undo does not go back across that; the timeline does.",
      yes: "Replace",
      danger: true,
    }));
  if (!sure || upload.peek()) return;
  await send(editor, file, (more) =>
    importScene(session.sceneName, file, { ...more, replace: true }),
  );
}

interface More {
  base?: string;
  user: string;
  progress: (part: number) => void;
}

async function send(
  editor: Editor,
  file: File,
  run: (more: More) => Promise<ImportResult>,
): Promise<void> {
  const { session, upload } = editor;
  const progress = (part: number) => (upload.value = { file: file.name, part });
  progress(0);
  const done = await editor.runImport(() =>
    run({ ...atServer(), user: session.displayName, progress }),
  );
  upload.value = null;
  if (!done) return;
  editor.say("info", `Imported ${file.name}: ${done.nodes} nodes.`);
  const warning = warningText(file.name, done);
  if (warning) editor.say("warn", warning);
}
