// legend.tsx - explains the bars of the timeline.
const LINES: readonly [look: string, words: string][] = [
  ["edit", "An edit, in its person's colour. The longer it took, the wider its bar."],
  ["undo", "An undo or a redo"],
  ["undone", "Undone since"],
  ["many", "Several edits, too close for a bar each"],
  ["pause", "Nobody did anything. Long pauses are drawn short."],
  ["flag", "A checkpoint"],
];

export function Legend() {
  return (
    <details class="legend" open>
      <summary>What the bars mean</summary>
      <dl>
        {LINES.map(([look, words]) => (
          <div key={look}>
            <dt>
              <span class={`legend-mark legend-${look}`} />
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
