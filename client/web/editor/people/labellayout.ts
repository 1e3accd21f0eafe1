// labellayout.ts - labels that would lie on each other are moved apart, up or down by whole lines. Pixels.

export interface Area {
  /** Left and top. */
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Its area is where it would best be. */
export interface Label extends Area {
  /** By how many lines it is moved; it is given what it had the last time. */
  lines: number;
  /** Nowhere near is room for it. */
  crowded: boolean;
}

const GAP = 2;
/** A label moves to a nearer place only where there is this much room, so that it does not jump to and fro. */
const MOVE_GAP = 7;
const LINES = [0, 1, -1, 2, -2, 3, -3];

/** Sets `lines` and `crowded`; who comes first has the better place, and none is put on what is taken, or moved beyond the view of this height. */
export function layOutLabels(
  labels: readonly Label[],
  taken: readonly Area[] = [],
  height?: number,
): void {
  const areas = [...taken];
  for (const label of labels) {
    const isInside = (lines: number) =>
      height === undefined ||
      lines === 0 ||
      (topOf(label, lines) >= 0 && topOf(label, lines) + label.height <= height);
    const isFree = (lines: number, gap: number) =>
      isInside(lines) && !areas.some((other) => overlap(label, topOf(label, lines), other, gap));
    const nearer = LINES.slice(0, LINES.indexOf(label.lines));
    const better = nearer.find((lines) => isFree(lines, MOVE_GAP));
    const free = better ?? [label.lines, ...LINES].find((lines) => isFree(lines, GAP));
    label.crowded = free === undefined;
    label.lines = free ?? 0;
    if (!label.crowded)
      areas.push({ x: label.x, y: topOf(label), width: label.width, height: label.height });
  }
}

/** The top of a label that was moved. */
export function topOf(label: Label, lines = label.lines): number {
  return label.y + lines * (label.height + GAP);
}

/** @param top of `a`, wherever that is */
function overlap(a: Area, top: number, b: Area, gap: number): boolean {
  return (
    a.x < b.x + b.width + gap &&
    b.x < a.x + a.width + gap &&
    top < b.y + b.height + gap &&
    b.y < top + a.height + gap
  );
}
