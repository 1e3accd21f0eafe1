// spread.ts - labels that would lie on each other are moved apart, up or down by whole lines. Pixels.

export interface Area {
  /** Left and top. */
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Its area is where it would best be. */
export interface Label extends Area {
  /** By how many lines it is moved; it is given what it had the last time, so that a label does not jump about. */
  lines: number;
  /** Nowhere near is room for it. */
  crowded: boolean;
}

const GAP = 2;
const LINES = [0, 1, -1, 2, -2, 3, -3];

/** Sets `lines` and `crowded`; who comes first has the better place, and none is put on what is taken. */
export function spread(labels: readonly Label[], taken: readonly Area[] = []): void {
  const areas = [...taken];
  for (const label of labels) {
    const places = [label.lines, ...LINES].map((lines) => ({ lines, area: { ...label, y: topOf(label, lines) } }));
    const free = places.find(({ area }) => !areas.some((other) => overlap(area, other)));
    label.crowded = free === undefined;
    label.lines = free?.lines ?? 0;
    if (free) areas.push(free.area);
  }
}

/** The top of a label that was moved. */
export function topOf(label: Label, lines = label.lines): number {
  return label.y + lines * (label.height + GAP);
}

function overlap(a: Area, b: Area): boolean {
  return a.x < b.x + b.width + GAP && b.x < a.x + a.width + GAP && a.y < b.y + b.height + GAP && b.y < a.y + a.height + GAP;
}
