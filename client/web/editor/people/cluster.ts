// cluster.ts - combines pins that would overlap into clusters. Pure.
import type { Vec2 } from "../../sdk/types.js";

export interface Cluster<T> {
  /** The position of its first pin. */
  at: Vec2;
  members: T[];
}

/** The first pins keep their places; a pin within `px` pixels of a cluster joins it. */
export function cluster<T extends { at: Vec2 }>(pins: readonly T[], px: number): Cluster<T>[] {
  const clusters: Cluster<T>[] = [];
  for (const pin of pins) {
    const near = clusters.find(({ at }) => Math.hypot(at[0] - pin.at[0], at[1] - pin.at[1]) < px);
    if (near) near.members.push(pin);
    else clusters.push({ at: pin.at, members: [pin] });
  }
  return clusters;
}
