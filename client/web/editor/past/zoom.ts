// zoom.ts - which part of the axis is seen, and how large. In pixels of the track, which has some room at both ends.
import { batch, computed, signal } from "@preact/signals";

export const PAD_PX = 14;
const UNIT_PX_MAX = 400;
/** Unless somebody zooms, edits stand this far apart at least, and the track shows the newest. */
const UNIT_PX_READABLE = 14;
/** Unless somebody zooms, no bar takes more of the track than this part. */
const BAR_PART_MAX = 1 / 8;

export class Zoom {
  /** Of the track. */
  readonly width = signal(600);
  /** Pixels of a unit; null for what fits best. */
  readonly #unitPx = signal<number | null>(null);
  /** Pixels of the axis left of what is seen; null for as far right as possible, where now is. */
  readonly #left = signal<number | null>(null);

  readonly unitPx = computed(() => this.#unitPx.value ?? this.#usual());
  /** Now is at the right end of the track; below 0 where the axis is shorter than the track. */
  readonly left = computed(() =>
    Math.min(Math.max(0, this.#left.value ?? Infinity), this.leftMax()),
  );

  /** @param axis its length, and that of its longest bar, in units */
  constructor(readonly axis: () => { readonly length: number; readonly longest: number }) {}

  /** Where a place of the axis is seen. */
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

  /** Brings a place of the axis into the part that is seen. */
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
