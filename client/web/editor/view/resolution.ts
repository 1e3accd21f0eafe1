// resolution.ts - how finely the view is drawn: as finely as the screen can show when nothing moves, and as coarsely as it must be for what moves not to stutter. Counts
// in pixels drawn per CSS pixel.

/** From asking for a picture to the turn in which it is drawn: longer means that those before it are still being drawn. */
const SLOW_MS = 45;
const FAST_MS = 24;
/** How many in a row before it becomes coarser, or finer again. */
const SLOW_PICTURES = 3;
const FAST_PICTURES = 60;
/** Parts of the full fineness. */
const STEPS = [1, 0.75, 0.5];

export class AdaptiveResolution {
  #step = 0;
  #slow = 0;
  #fast = 0;

  /**
   * @param full while there is no need to be coarser
   * @param still when nothing moves
   */
  constructor(
    readonly full: number,
    readonly still: number,
  ) {}

  get moving(): number {
    return this.full * STEPS[this.#step];
  }

  /** A picture was drawn so long after it was asked for. */
  drawn(waitedMs: number): void {
    this.#slow = waitedMs > SLOW_MS ? this.#slow + 1 : 0;
    this.#fast = waitedMs < FAST_MS ? this.#fast + 1 : 0;
    if (this.#slow >= SLOW_PICTURES) this.#go(1);
    else if (this.#fast >= FAST_PICTURES) this.#go(-1);
  }

  #go(steps: number): void {
    this.#step = Math.min(Math.max(this.#step + steps, 0), STEPS.length - 1);
    this.#slow = this.#fast = 0;
  }
}

/** Whether WebGL runs on the processor. Browsers say so by refusing a context that should not, or, where somebody asked for it, by its name alone. */
export function drawsInSoftware(): boolean {
  const context = document
    .createElement("canvas")
    .getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  if (!context) return true;
  const masked = context.getParameter(context.RENDERER) === "WebKit WebGL";
  const extension = masked ? context.getExtension("WEBGL_debug_renderer_info") : null;
  const name = String(context.getParameter(extension?.UNMASKED_RENDERER_WEBGL ?? context.RENDERER));
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

/** Edges are smooth by multisampling on a graphics processor; in software that costs more than all else, so there it is the picture at rest that is finer. */
export function resolutionFor(software: boolean): AdaptiveResolution {
  const full = Math.min(2, devicePixelRatio);
  return software
    ? new AdaptiveResolution(Math.min(1, full), 2)
    : new AdaptiveResolution(full, full);
}
