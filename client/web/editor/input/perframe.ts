// perframe.ts - runs a function for events that may come faster than pictures are drawn: at most
// once for each frame. The first event of a frame is not delayed, so that its effect is in the
// next picture.

export class PerFrame {
  #frame = 0;
  #due = false;

  constructor(readonly run: () => void) {}

  /** Runs the function now, or in the next frame if it has run in this one. */
  request(): void {
    this.#due = true;
    if (this.#frame === 0) this.flush();
  }

  /** Runs the function now if a request waits for the next frame. */
  flush(): void {
    if (!this.#due) return;
    this.stop();
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.flush();
    });
    this.run();
  }

  /** Drops a request that waits. */
  stop(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#due = false;
  }
}
