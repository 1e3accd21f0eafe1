// labellayout.ts - moves labels that would overlap apart, up or down by whole lines. Pixels. Pure.

export interface Area {
  /** The left and top edge. */
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A label, with the area where it would best be. */
export interface Label extends Area {
  /** The number of lines that it is moved by; on input that of the last layout. */
  lines: number;
  /** There is no room for it nearby. */
  crowded: boolean;
}

const GAP = 2;
/**
 * A label moves closer only if there is at least this much room, so that it does not jump to and
 * fro.
 */
const MOVE_GAP = 7;
const LINES = [0, 1, -1, 2, -2, 3, -3];

/**
 * Sets `lines` and `crowded`. Earlier labels get the better places; no label covers a taken area or
 * leaves a view of this height.
 */
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

/** The top of a label after it was moved. */
export function topOf(label: Label, lines = label.lines): number {
  return label.y + lines * (label.height + GAP);
}

/** @param top the top of `a`, in place of its own */
function overlap(a: Area, top: number, b: Area, gap: number): boolean {
  return (
    a.x < b.x + b.width + gap &&
    b.x < a.x + a.width + gap &&
    top < b.y + b.height + gap &&
    b.y < top + a.height + gap
  );
}
