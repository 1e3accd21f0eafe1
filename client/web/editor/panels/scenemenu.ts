// scenemenu.ts - the menu of the scene: share, import, export, backup.
import { importScene, sceneUrl } from "../../sdk/index.js";
import type { Editor } from "../editor";
import { serverUrl } from "../serverurl";
import { linkItems } from "../people/share";
import { namedFiles } from "./filedrop";
import { ACCEPTED, type NamedFile, oneFile } from "./gltffiles";
import type { MenuItem } from "./menu";

export function sceneMenu(editor: Editor): MenuItem[] {
  const { session } = editor;
  const { sceneName: name } = session;
  const away = editor.status.peek().phase !== "online";
  return [
    ...linkItems(editor),
    {
      label: "Replace with a file…",
      icon: "upload",
      line: true,
      disabled: away || !editor.editable.peek(),
      run: () => chooseFile(editor),
    },
    {
      label: "Export as .glb",
      icon: "download",
      disabled: away,
      href: sceneUrl(name, "export", serverUrl()),
      download: `${name}.glb`,
    },
    {
      label: "Original file",
      icon: "download",
      disabled: away,
      href: sceneUrl(name, "asset", serverUrl()),
      download: `${name}-original.glb`,
    },
    {
      label: "Download backup",
      icon: "database",
      disabled: away,
      href: sceneUrl(name, "backup", serverUrl()),
      download: `${name}.gizmod`,
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
      base: serverUrl(),
      user: session.user,
      replace: true,
      progress,
    }),
  );
  upload.value = null;
  if (done) editor.say("info", `Imported ${file.name}: ${done.nodes} nodes.`);
}
