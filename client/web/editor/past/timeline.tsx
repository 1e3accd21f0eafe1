// timeline.tsx - the edits of the scene along their time; a moment of the past to look at.
export function Timeline() {
  return <footer />;
}
