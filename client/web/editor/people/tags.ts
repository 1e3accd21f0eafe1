// tags.ts - the names of other people over the view, as elements of the page: sharp at every zoom,
// and never in the way of the pointer. Screen readers read the list of people instead.
import { inkOn } from "./colour";
import { type Area, type Label, layOutLabels, topOf } from "./labellayout";
import "./tags.css";

export interface Tag {
  /** Identifies the element of the tag from one picture to the next. */
  key: string;
  /** `cursor` is an arrow without a name that stays at its point. */
  kind: "eye" | "tip" | "held" | "cursor";
  text: string;
  colour: string;
  /** The point that the tag belongs to, in pixels of the view. */
  at: readonly [number, number];
}

interface Shown extends Label {
  element: HTMLElement;
  look: string;
  used: boolean;
}

/** The offset from the point to the left top of the label. */
const PLACES: Record<Tag["kind"], (width: number, height: number) => [number, number]> = {
  eye: (width) => [-width / 2, 10],
  tip: () => [11, 13],
  held: (width, height) => [-width / 2, -height - 10],
  cursor: () => [0, 0],
};

export class Tags {
  readonly element = document.createElement("div");
  #shown = new Map<string, Shown>();

  constructor(parent: HTMLElement) {
    this.element.className = "people-tags";
    this.element.setAttribute("aria-hidden", "true");
    parent.append(this.element);
  }

  /**
   * Shows these tags and no others, all within the view; earlier ones get the better places.
   * @param size of the view
   * @param taken areas that no tag may cover
   */
  show(
    tags: readonly Tag[],
    [width, height]: readonly [number, number],
    taken: readonly Area[],
  ): void {
    for (const shown of this.#shown.values()) shown.used = false;
    const labels = tags.map((tag) => this.#place(tag, width, height));
    layOutLabels(
      labels.filter((_, i) => tags[i].kind !== "cursor"),
      taken,
      height,
    );
    tags.forEach((tag, i) => move(tag, labels[i]));
    for (const [key, shown] of this.#shown) {
      if (shown.used) continue;
      shown.element.remove();
      this.#shown.delete(key);
    }
  }

  dispose(): void {
    this.element.remove();
  }

  #place(tag: Tag, width: number, height: number): Shown {
    let shown = this.#shown.get(tag.key);
    if (!shown) {
      const element = document.createElement("div");
      this.element.append(element);
      shown = {
        element,
        look: "",
        used: true,
        x: 0,
        y: 0,
        width: 0,
        height: 0,
        lines: 0,
        crowded: false,
      };
      this.#shown.set(tag.key, shown);
    }
    const look = `${tag.kind} ${tag.colour} ${tag.text}`;
    if (look !== shown.look) dress(shown, tag, look);
    const [x, y] = PLACES[tag.kind](shown.width, shown.height);
    Object.assign(shown, {
      used: true,
      x: clamp(tag.at[0] + x, width - shown.width),
      y: tag.kind === "cursor" ? tag.at[1] : clamp(tag.at[1] + y, height - shown.height),
    });
    return shown;
  }
}

function clamp(value: number, most: number): number {
  return Math.max(0, Math.min(most, value));
}

function dress(shown: Shown, tag: Tag, look: string): void {
  const { element } = shown;
  element.className = `people-tag people-tag-${tag.kind}`;
  element.textContent = tag.kind === "cursor" ? "" : tag.text;
  element.style.setProperty("--person", tag.colour);
  element.style.setProperty("--ink", inkOn(tag.colour));
  Object.assign(shown, { look, width: element.offsetWidth, height: element.offsetHeight });
}

function move(tag: Tag, shown: Shown): void {
  const { style, classList } = shown.element;
  classList.toggle("people-tag-crowded", shown.crowded);
  const [x, y] = shown.crowded ? tag.at : [shown.x, topOf(shown)];
  style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
}
