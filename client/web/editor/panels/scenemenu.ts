// scenemenu.ts - the menu of the scene: share, import, export, backup, how it is drawn.
import { importScene } from "../../sdk/index.js";
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
  return [
    { label: "Share…", icon: "link", run: () => void (editor.dialog.value = "share") },
    {
      label: "Replace with a file…",
      icon: "upload",
      line: true,
      disabled: away || !editor.editable.peek(),
      why: viewer ? editor.readOnly.peek() || VIEW_ONLY : undefined,
      run: () => chooseFile(editor),
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

/** Opens the browser's file dialog. */
export function chooseFile(editor: Editor): void {
  const input = Object.assign(document.createElement("input"), {
    type: "file",
    accept: ACCEPTED,
    multiple: true,
  });
  input.onchange = () => {
    if (input.files?.length) void replaceScene(editor, namedFiles(input.files));
  };
  input.click();
}

/**
 * Imports files in place of the whole scene; if the scene is not empty the person is asked first.
 */
export async function replaceScene(editor: Editor, files: readonly NamedFile[]): Promise<void> {
  if (editor.upload.peek()) return;
  const file = await oneFile(files).catch((error: Error) => editor.say("warn", error.message));
  if (file) await replaceBy(editor, file);
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
        "everybody. This cannot be undone. The timeline still shows earlier states, but cannot " +
        "restore them. Export or back up first what you want to keep.",
      yes: "Replace",
      danger: true,
    }));
  if (!sure || upload.peek()) return;
  const progress = (part: number) => (upload.value = { file: file.name, part });
  progress(0);
  const done = await editor.runImport(() =>
    importScene(session.sceneName, file, {
      ...atServer(),
      user: session.displayName,
      replace: true,
      progress,
    }),
  );
  upload.value = null;
  if (!done) return;
  editor.say("info", `Imported ${file.name}: ${done.nodes} nodes.`);
  const warning = warningText(file.name, done);
  if (warning) editor.say("warn", warning);
}
