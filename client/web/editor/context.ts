// context.ts - gives components the editor that they are part of.
import { createContext } from "preact";
import { useContext } from "preact/hooks";

import type { Editor } from "./editor";

export const EditorContext = createContext<Editor | null>(null);

export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (!editor) throw new Error("there is no editor around this component");
  return editor;
}
