// resolution.ts - the resolution of the view: the full one of the screen while nothing moves, and a
// lower one if motion would otherwise stutter. In drawn pixels per CSS pixel.

/**
 * The time from requesting a picture to drawing it: if it is longer, earlier pictures are still
 * being drawn.
 */
const SLOW_MS = 45;
const FAST_MS = 24;
/** The number of slow or fast pictures in a row before the resolution changes. */
const SLOW_PICTURES = 3;
const FAST_PICTURES = 60;
/** The steps, as parts of the full resolution. */
const STEPS = [1, 0.75, 0.5];

export class AdaptiveResolution {
  #step = 0;
  #slow = 0;
  #fast = 0;

  /**
   * @param full the resolution during motion, if it does not have to be lower
   * @param still the resolution while nothing moves
   */
  constructor(
    readonly full: number,
    readonly still: number,
  ) {}

  get moving(): number {
    return this.full * STEPS[this.#step];
  }

  /** Reports how long after its request a picture was drawn. */
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

/**
 * Whether WebGL runs in software. Browsers show it by refusing a context that must not be slow, or,
 * if the person has forced it, only by the name of the renderer.
 */
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

/**
 * On a graphics processor multisampling smooths the edges. In software that would cost too much, so
 * there only the picture at rest has a higher resolution.
 */
export function resolutionFor(software: boolean): AdaptiveResolution {
  const full = Math.min(2, devicePixelRatio);
  return software
    ? new AdaptiveResolution(Math.min(1, full), 2)
    : new AdaptiveResolution(full, full);
}
