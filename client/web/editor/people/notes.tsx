// notes.tsx - what people say to each other about the scene.
export function NotesPanel() {
  return null;
}
