// rayends.ts - asks the server where the pointer rays of others end, a few at a time, those first
// that have waited longest.
import type { Session } from "../../sdk/index.js";
import type { SmoothPose } from "./smoothpose";

const PACE_MS = 200;
const TOGETHER_MAX = 8;

export class RayEnds {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waiting: ReadonlyMap<number, SmoothPose> = new Map();

  constructor(
    readonly session: Session,
    readonly answered: () => void,
  ) {}

  /** Asks, now or soon, about the rays that moved. */
  ask(poses: ReadonlyMap<number, SmoothPose>): void {
    this.#waiting = poses;
    if (this.#timer === undefined) this.#next();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#waiting = new Map();
  }

  #next(): void {
    this.#timer = undefined;
    const moved = [...this.#waiting.values()]
      .filter((pose) => pose.asks)
      .sort((a, b) => a.askedAt - b.askedAt)
      .slice(0, TOGETHER_MAX);
    if (moved.length === 0 || this.session.status.phase !== "online") return;
    this.#timer = setTimeout(() => this.#next(), PACE_MS);
    for (const pose of moved) void this.#pick(pose);
  }

  async #pick(pose: SmoothPose): Promise<void> {
    pose.asks = false;
    pose.askedAt = performance.now();
    const { ray } = pose.person;
    if (!ray) return;
    try {
      pose.reach = (await this.session.pick({ ray, surface: true }))[0]?.distance ?? null;
      this.answered();
    } catch {
      // Without an answer the ray keeps its length.
    }
  }
}
