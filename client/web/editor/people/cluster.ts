// cluster.ts - pins that would lie on each other become one.
import type { Vec2 } from "../../sdk/types.js";

export interface Cluster<T> {
  /** Where the first of them is. */
  at: Vec2;
  members: T[];
}

/** Those that come first keep their places; others within `px` of one join it. */
export function cluster<T extends { at: Vec2 }>(pins: readonly T[], px: number): Cluster<T>[] {
  const clusters: Cluster<T>[] = [];
  for (const pin of pins) {
    const near = clusters.find(({ at }) => Math.hypot(at[0] - pin.at[0], at[1] - pin.at[1]) < px);
    if (near) near.members.push(pin);
    else clusters.push({ at: pin.at, members: [pin] });
  }
  return clusters;
}
