// legend.tsx - explains the bars of the timeline.
const LINES: readonly [look: string, words: string][] = [
  ["edit", "An edit, in its person's colour. The longer it took, the wider its bar."],
  ["undo", "An undo or a redo"],
  ["undone", "Undone since"],
  ["many", "Several edits, too close for a bar each"],
  ["pause", "A time without edits. Long pauses are drawn shorter than they are."],
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
