// zoom.ts - the visible part of the timeline's axis and its scale, in pixels of the track. The
// track has some margin at both ends.
import { batch, computed, signal } from "@preact/signals";

export const PAD_PX = 14;
const UNIT_PX_MAX = 400;
/** The least scale until the person zooms; the track then shows the newest edits. */
const UNIT_PX_READABLE = 14;
/** The largest part of the track that one bar takes until the person zooms. */
const BAR_PART_MAX = 1 / 8;

export class Zoom {
  /** The width of the track. */
  readonly width = signal(600);
  /** Pixels per unit; null to fit. */
  readonly #unitPx = signal<number | null>(null);
  /**
   * Pixels of the axis to the left of the visible part; null to show the present at the right end.
   */
  readonly #left = signal<number | null>(null);

  readonly unitPx = computed(() => this.#unitPx.value ?? this.#usual());
  /**
   * At most so far that the present is at the right end of the track; below 0 if the axis is
   * shorter than the track.
   */
  readonly left = computed(() =>
    Math.min(Math.max(0, this.#left.value ?? Infinity), this.leftMax()),
  );

  /** @param axis its length, and the length of its longest bar, in units */
  constructor(readonly axis: () => { readonly length: number; readonly longest: number }) {}

  /** The pixel of a position on the axis. */
  xOf(u: number): number {
    return PAD_PX + u * this.unitPx.value - this.left.value;
  }

  placeAt(x: number): number {
    return (x - PAD_PX + this.left.value) / this.unitPx.value;
  }

  leftMax(): number {
    return this.axis().length * this.unitPx.value - this.#room();
  }

  zoomBy(factor: number, x = this.width.peek() / 2): void {
    const place = this.placeAt(x);
    const least = Math.min(this.#fit(), this.#usual());
    batch(() => {
      this.#unitPx.value = Math.max(least, Math.min(UNIT_PX_MAX, this.unitPx.peek() * factor));
      this.#setLeft(place * this.unitPx.value + PAD_PX - x);
    });
  }

  scrollBy(px: number): void {
    this.#setLeft(this.left.peek() + px);
  }

  fitAll(): void {
    batch(() => {
      this.#unitPx.value = Math.min(this.#fit(), this.#usual());
      this.#left.value = null;
    });
  }

  /** Scrolls until a position is visible. */
  reveal(u: number): void {
    const x = this.xOf(u);
    const edge = Math.min(60, this.width.peek() / 4);
    if (x < edge) this.scrollBy(x - edge);
    else if (x > this.width.peek() - edge) this.scrollBy(x - this.width.peek() + edge);
  }

  #room(): number {
    return Math.max(1, this.width.value - 2 * PAD_PX);
  }

  #fit(): number {
    return this.#room() / Math.max(this.axis().length, 1e-9);
  }

  #usual(): number {
    const { longest } = this.axis();
    return Math.min(
      Math.max(UNIT_PX_READABLE, this.#fit()),
      (BAR_PART_MAX * this.width.value) / Math.max(longest, 1e-9),
    );
  }

  #setLeft(left: number): void {
    this.#left.value = left >= this.leftMax() - 0.5 ? null : Math.max(0, left);
  }
}
