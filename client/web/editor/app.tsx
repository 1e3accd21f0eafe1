// app.tsx - lays out the parts of the editor on the page.
import { useEffect, useRef, useState } from "preact/hooks";

import { EditorContext } from "./context";
import type { Editor } from "./editor";
import { startInput } from "./input/input";
import { Dialogs } from "./panels/dialogs";
import { Inspector } from "./panels/inspector";
import { HeldEdits } from "./panels/heldedits";
import { ViewStatus } from "./panels/viewstatus";
import { Toasts } from "./panels/toasts";
import { Tools } from "./panels/tools";
import { TopBar } from "./panels/topbar";
import { Tree } from "./panels/tree";
import { PastBanner } from "./past/banner";
import { Edits } from "./past/edits";
import { Timeline } from "./past/timeline";
import { NoteDraft } from "./people/notedraft";
import { FollowBar } from "./people/followbar";
import { NotesPanel } from "./people/notespanel";
import { PeoplePanel } from "./people/peoplepanel";
import { startLayers } from "./view/layers";
import { View } from "./view/view";
import { Overlay } from "./view/overlay";
import "./app.css";

export function App({ editor }: { editor: Editor }) {
  return (
    <EditorContext.Provider value={editor}>
      <div class="app" data-drawer={editor.drawer.value ?? undefined}>
        <TopBar />
        <aside class="side left" id="scene-panel" aria-label="Scene">
          <Tree />
        </aside>
        <main class="middle">
          <Tools />
          <div class="middle-view">
            <Viewport editor={editor} />
            <FollowBar />
            <PastBanner />
            <Edits over />
            <NoteDraft />
            <ViewStatus />
            <HeldEdits />
          </div>
          <div class="drawer-veil" onPointerDown={() => (editor.drawer.value = null)} />
        </main>
        <aside class="side right" id="details-panel" aria-label="Details">
          <Edits over={false} />
          <Inspector />
          <PeoplePanel />
          <NotesPanel />
        </aside>
        <Timeline />
        <Toasts />
        <Dialogs />
      </div>
    </EditorContext.Provider>
  );
}

function Viewport({ editor }: { editor: Editor }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [refused, setRefused] = useState(false);
  useEffect(() => {
    const view = canvas.current && openView(editor, canvas.current);
    if (!view) return setRefused(true);
    startLayers(view);
    const stopInput = startInput(view);
    return () => {
      stopInput();
      view.dispose();
    };
  }, [editor]);
  return (
    <div class="viewport">
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-label="View of the scene"
        aria-describedby="view-help"
      />
      <p id="view-help" class="visually-hidden">
        Arrow keys turn the view, or move what is selected. Plus and minus zoom, F frames what is
        selected. A question mark lists all keys.
      </p>
      <Overlay />
      {refused && (
        <p class="viewport-refused" role="alert">
          This browser has no WebGL 2, or it is switched off, so there is no picture of the scene.
          All else works without it.
        </p>
      )}
    </div>
  );
}

/** Opens the view; null if the browser has no WebGL 2. */
function openView(editor: Editor, canvas: HTMLCanvasElement): View | null {
  try {
    return new View(editor, canvas);
  } catch {
    return null;
  }
}
