// spread.ts - labels that would lie on each other are moved apart, up or down by whole lines. Pixels.

export interface Label {
  /** Left and top of where it would best be. */
  x: number;
  y: number;
  width: number;
  height: number;
  /** By how many lines it is moved; it is given what it had the last time, so that a label does not jump about. */
  lines: number;
  /** Nowhere near is room for it. */
  crowded: boolean;
}

const GAP = 2;
const LINES = [0, 1, -1, 2, -2, 3, -3];

/** Sets `lines` and `crowded`; who comes first has the better place. */
export function spread(labels: readonly Label[]): void {
  const placed: Label[] = [];
  for (const label of labels) {
    const free = [label.lines, ...LINES].find((lines) => !placed.some((other) => overlap(label, lines, other)));
    label.crowded = free === undefined;
    label.lines = free ?? 0;
    if (!label.crowded) placed.push(label);
  }
}

/** The top of a label that was moved. */
export function topOf(label: Label, lines = label.lines): number {
  return label.y + lines * (label.height + GAP);
}

function overlap(a: Label, lines: number, b: Label): boolean {
  const apart = topOf(a, lines) - topOf(b);
  return a.x < b.x + b.width + GAP && b.x < a.x + a.width + GAP && apart < b.height + GAP && -apart < a.height + GAP;
}
