// pins.ts - the pins of notes in the view, one for several notes that would overlap, pale if
// something hides it. It also handles the click that places a new note: the server picks the node
// under it, the meshes give the point on its surface.
import { computed, effect } from "@preact/signals";

import type { NodeLayer } from "../view/nodelayer";
import { isOnHandle } from "../input/gestures";
import type { Layer, View } from "../view/view";
import type { Id, Ray, Vec2, Vec3 } from "../../sdk/types.js";
import { placeOn } from "../../sdk/canvasplace.js";
import { invertAffine, transformPoint } from "../../sdk/maths.js";
import { type Cluster, cluster } from "./cluster";
import { colourOf, initials, inkOn } from "./colour";
import type { NotesModel } from "./notesmodel";
import { PinOcclusion } from "./pinocclusion";
import { type NoteTarget, placeOfNote } from "./noteplace";
import type { Area } from "./labellayout";
import type { Thread } from "./threads";
import type { BoxTops } from "./boxtops";
import "./pins.css";

/** Only the newest threads have pins; more would only cover each other. */
const PINS_MAX = 200;
const NEAR_PX = 24;
/** A press that moves no further than this is a click. */
const CLICK_PX = 4;
/** As in pins.css: the size of a pin, and its offset from its point. */
const PIN_PX = 26;
const PIN_AT = [-3, -27];

interface Pin {
  thread: Thread;
  place: Vec3;
  at: Vec2;
}

export class PinLayer implements Layer {
  readonly element = document.createElement("div");
  /** The areas of the pins, in pixels of the view. */
  areas: readonly Area[] = [];
  #notesModel: NotesModel;
  #buttons = new Map<
    number,
    { element: HTMLButtonElement; look: string; members: readonly Pin[] }
  >();
  #hidden: PinOcclusion;
  #stop: (() => void)[] = [];
  #above = (id: Id) => this.boxTops.above([id])?.top ?? null;
  #colours = computed(() =>
    this.view.editor.people.value.map(({ user, colour }) => user + colour).join(),
  );

  constructor(
    readonly view: View,
    readonly nodeLayer: NodeLayer,
    readonly boxTops: BoxTops,
  ) {
    const parent = view.canvas.parentElement ?? document.body;
    this.#notesModel = view.editor.notesModel;
    this.#hidden = new PinOcclusion(view, nodeLayer);
    this.element.className = "note-pins";
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", "Notes in the view");
    this.element.addEventListener(
      "wheel",
      (event) => view.canvas.dispatchEvent(new WheelEvent(event.type, event)),
      { passive: true },
    );
    for (const type of ["pointermove", "pointerdown"] as const)
      this.element.addEventListener(type, (event) => this.#letThrough(event));
    parent.append(this.element);
    this.#stop.push(
      effect(() => this.#follow()),
      effect(() => {
        const { gizmo, input } = view.editor;
        const lit = gizmo.value?.hover !== undefined || input.dragged.value !== null;
        this.element.classList.toggle("note-pins-aside", lit);
      }),
      this.#watchPlacing(parent),
    );
  }

  update(): void {
    const pins = this.#pins();
    this.#hidden.update(
      pins.map(({ thread, place }) => ({
        id: thread.root.id,
        place,
        onNode: thread.root.point === undefined,
      })),
    );
    const clusters = cluster(pins, NEAR_PX);
    for (const one of clusters) this.#show(one);
    this.areas = clusters.map(({ at }) => ({
      x: at[0] + PIN_AT[0],
      y: at[1] + PIN_AT[1],
      width: PIN_PX,
      height: PIN_PX,
    }));
    const shown = new Set(clusters.map(({ members }) => members[0].thread.root.id));
    for (const [id, { element }] of this.#buttons) {
      if (shown.has(id)) continue;
      element.remove();
      this.#buttons.delete(id);
    }
    this.#placeDraft();
  }

  dispose(): void {
    for (const stop of this.#stop) stop();
    this.#hidden.dispose();
    this.element.remove();
  }

  #follow(): void {
    const { shown, unread, draft, pinned } = this.#notesModel;
    const { openNote, scene } = this.view.editor;
    for (const seen of [shown, unread, draft, pinned, openNote, scene, this.#colours]) seen.value;
    this.view.invalidate();
  }

  /** The open thread comes first, so that others join its pin. */
  #pins(): Pin[] {
    const { editor } = this.view;
    if (!this.#notesModel.pinned.peek()) return [];
    const open = editor.openNote.peek();
    const pins: Pin[] = [];
    for (const thread of this.#notesModel.shown.peek().slice(0, PINS_MAX)) {
      const place = placeOfNote(thread.root, editor.shown.peek(), this.#above);
      const at = place && this.#project(place);
      if (place && at) pins.push({ thread, place, at });
    }
    return pins.sort(
      (a, b) => Number(b.thread.root.id === open) - Number(a.thread.root.id === open),
    );
  }

  #project(place: Vec3): Vec2 | null {
    const { rig } = this.view.editor;
    const at = rig.project(place);
    return at && at[0] >= 0 && at[1] >= 0 && at[0] <= rig.width && at[1] <= rig.height ? at : null;
  }

  #show({ at, members }: Cluster<Pin>): void {
    const { id } = members[0].thread.root;
    let button = this.#buttons.get(id);
    if (!button) {
      const element = document.createElement("button");
      element.type = "button";
      element.dataset.pin = String(id);
      element.addEventListener("click", () => this.#open(id));
      this.element.append(element);
      this.#buttons.set(id, (button = { element, look: "", members }));
    }
    button.members = members;
    const colour = colourOf(members[0].thread.root.user, this.view.editor.people.peek());
    const look = `${this.#look(members)}|${colour}`;
    if (look !== button.look) dress(button.element, members, look, colour);
    button.look = look;
    button.element.style.transform = `translate(${Math.round(at[0])}px, ${Math.round(at[1])}px)`;
  }

  #look(members: readonly Pin[]): string {
    const open = this.view.editor.openNote.peek();
    const ids = members.map(({ thread }) => thread.root.id);
    const looks = ["note-pin"];
    if (members.length > 1) looks.push("note-pin-many");
    if (ids.some((id) => id === open)) looks.push("note-pin-open");
    if (ids.some((id) => this.#notesModel.unread.peek().has(id))) looks.push("note-pin-unread");
    if (members.every(({ thread }) => thread.root.done)) looks.push("note-pin-done");
    if (ids.every((id) => this.#hidden.has(id))) looks.push("note-pin-hidden");
    return `${looks.join(" ")}|${nameOf(members)}`;
  }

  /** Repeated clicks on a pin of several notes open one after the other. */
  #open(id: number): void {
    const ids = (this.#buttons.get(id)?.members ?? [])
      .map(({ thread }) => thread.root.id)
      .sort((a, b) => a - b);
    const at = ids.indexOf(this.view.editor.openNote.peek() ?? 0);
    this.#notesModel.open(
      ids.length === 1 && at === 0 ? null : (ids[(at + 1) % ids.length] ?? null),
    );
    this.view.editor.drawer.value = "right";
  }

  /**
   * A pin may lie over a handle, which a drag of it then takes; a click still opens the pin. What
   * the view then hears is where the pointer is.
   */
  #letThrough(event: PointerEvent): void {
    const { canvas, editor } = this.view;
    const presses = event.type === "pointerdown";
    if (presses && (event.button !== 0 || !isOnHandle(editor, placeOn(canvas, event)))) return;
    canvas.dispatchEvent(new PointerEvent(event.type, event));
    const pin = (event.target as Element).closest<HTMLElement>("[data-pin]");
    if (!presses || !pin) return;
    const click = (up: PointerEvent): void => {
      if (Math.hypot(up.clientX - event.clientX, up.clientY - event.clientY) < CLICK_PX)
        this.#open(Number(pin.dataset.pin));
    };
    window.addEventListener("pointerup", click, { once: true, capture: true });
  }

  #placeDraft(): void {
    const draft = this.#notesModel.draft.peek();
    const place = draft && placeOfNote(draft, this.view.editor.shown.peek(), this.#above);
    const next = place && this.#project(place);
    const { draftAt } = this.#notesModel;
    const now = draftAt.peek();
    if (next?.[0] !== now?.[0] || next?.[1] !== now?.[1]) draftAt.value = next;
  }

  /**
   * While a new note is being placed, the left button sets its place, Enter uses the selection, and
   * Escape cancels; orbit, pan and zoom work as always.
   */
  #watchPlacing(parent: HTMLElement): () => void {
    const press = (event: PointerEvent) => {
      if (!this.#notesModel.placing.peek() || event.button !== 0 || event.altKey) return;
      event.stopImmediatePropagation();
      event.preventDefault();
      void this.#place(placeOn(this.view.canvas, event));
    };
    const key = (event: KeyboardEvent) => {
      if (!this.#notesModel.placing.peek()) return;
      if (event.key === "Escape") this.#notesModel.leave();
      else if (event.key === "Enter" && !(event.target instanceof HTMLButtonElement))
        this.#notesModel.writeAtSelection();
      else return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    const stop = this.#notesModel.placing.subscribe((placing) =>
      parent.classList.toggle("note-placing", placing),
    );
    parent.addEventListener("pointerdown", press, true);
    window.addEventListener("keydown", key, true);
    return () => {
      stop();
      parent.removeEventListener("pointerdown", press, true);
      window.removeEventListener("keydown", key, true);
    };
  }

  async #place(at: Vec2): Promise<void> {
    const { editor } = this.view;
    const hits = await editor.try(() => editor.session.pick({ at, surface: true }));
    if (!hits || !this.#notesModel.placing.peek()) return;
    const surface = this.nodeLayer.meet(editor.rig.rayAt(at));
    const hit = hits.find(({ id }) => id === surface?.id) ?? hits[0];
    if (!hit) return this.#notesModel.write({ point: this.#groundAt(editor.rig.rayAt(at)) });
    this.#notesModel.write(
      this.#onNode(hit.id, surface?.id === hit.id ? surface.point : hit.point),
    );
  }

  #onNode(node: Id, point: Vec3): NoteTarget {
    return {
      node,
      point: transformPoint(invertAffine(this.view.editor.session.shown.world(node)), point),
    };
  }

  /**
   * The point on the ground; if the ground is not visible or too far away, the point in the depth
   * of the target.
   */
  #groundAt([x, y, z, dx, dy, dz]: Ray): Vec3 {
    const { target, distance } = this.view.editor.rig;
    const along = (target[0] - x) * dx + (target[1] - y) * dy + (target[2] - z) * dz;
    const ground = -y / dy;
    const far = ground > 0 && ground < along + 2 * distance ? ground : along;
    return [x + far * dx, y + far * dy, z + far * dz];
  }
}

function dress(
  element: HTMLButtonElement,
  members: readonly Pin[],
  look: string,
  colour: string,
): void {
  element.className = look.slice(0, look.indexOf("|"));
  const { user, done } = members[0].thread.root;
  const mark = done ? "✓" : initials(user);
  element.textContent = members.length > 1 ? String(members.length) : mark;
  element.style.setProperty("--person", colour);
  element.style.setProperty("--ink", inkOn(colour));
  element.title = nameOf(members);
  element.setAttribute("aria-label", element.title);
}

function nameOf(members: readonly Pin[]): string {
  const { user, text } = members[0].thread.root;
  const short = text.length > 80 ? `${text.slice(0, 79)}…` : text;
  return members.length > 1
    ? `${members.length} notes, the first by ${user}: ${short}`
    : `Note by ${user}: ${short}`;
}
