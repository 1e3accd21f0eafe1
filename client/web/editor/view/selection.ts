// selection.ts - shows what everybody has selected: an outline around the selected nodes and
// everything below them, and the corners of a box around this person's own selection, and of one
// around the nodes that each other person holds. The own selection always has the same colour; the
// others have their person's colour.
import { effect } from "@preact/signals";
import * as THREE from "three";

import { transformPoint } from "../../sdk/maths.js";
import type { Id, Person } from "../../sdk/types.js";
import { sameMarks } from "../people/samemarks";
import type { FloatingOrigin } from "./floatingorigin";
import { LocalBounds } from "./bounds";
import { boxMatrix } from "./boxmesh";
import { InstanceSet, type Part } from "./instances";
import { SelectionBoxes } from "./selectionboxes";
import { Outline, type Rect } from "./outline";
import type { NodeLayer } from "./nodelayer";
import { StrokeMaterial, strokeGeometry } from "./strokes";
import { followTheme, themeColour } from "./themecolours";
import type { Layer, View } from "./view";

/** With more selected nodes the outline may be anywhere in the view. */
const PROJECTED_MAX = 32;
/** The part of an edge that each corner draws. */
const CORNER = 0.16;
const BOX_PX = 1.5;
const RENDER_ORDER = 901;

/** What one person has selected or holds. */
interface Mark {
  colour: THREE.Color;
  /** The nodes that have a common box. */
  boxed: readonly Id[];
}

export class Selection implements Layer {
  readonly #outline: Outline;
  readonly #corners: InstanceSet;
  readonly #cornerParts: readonly Part[];
  readonly #material = new StrokeMaterial(BOX_PX, 1, { depthTest: false });
  readonly #bounds = new LocalBounds();
  readonly #boxes = new SelectionBoxes(this.#bounds);
  readonly #own = new THREE.Color();
  /** The marks by session. */
  #marks = new Map<number, Mark>();
  /** The mark of each node that somebody has selected or holds. */
  #marked = new Map<Id, Mark>();
  /** The mark of each node that the outline contains: marked nodes and everything below them. */
  #outlined = new Map<Id, Mark>();
  #people: readonly Person[] = [];
  /** Counts changes of the marks. */
  version = 0;
  #stale = true;
  #stop: () => void;

  constructor(
    readonly view: View,
    origin: FloatingOrigin,
    readonly nodeLayer: NodeLayer,
  ) {
    const { editor } = view;
    this.#outline = new Outline(view, origin);
    this.#corners = new InstanceSet(origin.group.position, {
      coloured: true,
      renderOrder: RENDER_ORDER,
    });
    this.#cornerParts = [
      { geometry: strokeGeometry(cornerPoints()), material: this.#material, primitive: "mesh" },
    ];
    origin.group.add(this.#corners.group);
    const stops = [
      effect(() => this.#showPeople(editor.selection.value, editor.people.value)),
      followTheme(() => {
        this.#own.copy(themeColour("--selection"));
        this.#stale = true;
        view.invalidate();
      }),
    ];
    this.#stop = () => stops.forEach((stop) => stop());
  }

  update({ editor }: View): void {
    const { fresh, moved, regrown } = this.nodeLayer;
    if (regrown) this.#bounds.clear();
    for (const id of moved) this.#bounds.moved(editor.shown.peek(), id);
    if (this.#stale || regrown || fresh === null) this.#putAll();
    else this.#putSome(fresh);
    this.#stale = false;
    this.#material.setViewport(editor.rig.width, editor.rig.height);
    this.#corners.flush();
    this.#outline.update(this.#rect());
  }

  dispose(): void {
    this.#stop();
    this.#outline.dispose();
    this.#corners.clear();
    this.#cornerParts[0].geometry.dispose();
    this.#material.dispose();
  }

  /**
   * The colour of the person who has selected a node or an ancestor of it; undefined if nobody has.
   */
  colourOf(id: Id): THREE.Color | undefined {
    return this.#outlined.get(id)?.colour;
  }

  /** The part of the view that contains the marked nodes; null if they are outside of it. */
  #rect(): Rect | null {
    const { rig, shown: scene } = this.view.editor;
    const all: Rect = [0, 0, rig.width, rig.height];
    if (this.#marked.size > PROJECTED_MAX) return all;
    const rect: Rect = [Infinity, Infinity, -Infinity, -Infinity];
    for (const id of this.#marked.keys()) {
      const box = this.#bounds.of(scene.peek(), id);
      if (!box) continue;
      for (let corner = 0; corner < 8; corner++) {
        const place = [0, 1, 2].map((axis) => box[axis + 3 * ((corner >> axis) & 1)]);
        const at = rig.project(transformPoint(scene.peek().world(id), place));
        if (!at) return all;
        for (let i = 0; i < 2; i++) {
          rect[i] = Math.min(rect[i], at[i]);
          rect[2 + i] = Math.max(rect[2 + i], at[i]);
        }
      }
    }
    return rect[0] < rig.width && rect[1] < rig.height && rect[2] > 0 && rect[3] > 0 ? rect : null;
  }

  /** Presence arrives often, and mostly with pointers only. */
  #showPeople(selection: readonly Id[], people: readonly Person[]): void {
    const own = people.find(({ me }) => me);
    const now = own
      ? [...people.filter(({ me }) => !me), { ...own, selection: [...selection] }]
      : people;
    if (sameMarks(now, this.#people)) return;
    this.#people = now;
    this.#mark(now);
    this.#stale = true;
    this.view.invalidate();
  }

  /**
   * If several people have selected a node, the later one in the list gives the colour; the last
   * one is this person.
   */
  #mark(people: readonly Person[]): void {
    this.#marks.clear();
    this.#marked.clear();
    for (const { session, colour, selection = [], locks = [], me } of people) {
      const mark = {
        colour: me ? this.#own : new THREE.Color(colour),
        boxed: me ? selection : locks,
      };
      this.#marks.set(session, mark);
      for (const id of [...selection, ...locks]) this.#marked.set(id, mark);
    }
  }

  #putAll(): void {
    this.version++;
    const scene = this.view.editor.shown.peek();
    this.#outline.set.clear();
    this.#corners.clear();
    this.#outlined.clear();
    for (const [top, mark] of this.#marked)
      for (const id of scene.below(top)) this.#outlined.set(id, mark);
    for (const id of this.#outlined.keys()) this.#put(id);
    this.#boxes.set(
      scene,
      [...this.#marks].map(([session, { boxed }]) => [session, boxed]),
    );
    this.#putBoxes(this.#marks.keys());
  }

  #putSome(ids: ReadonlySet<Id>): void {
    for (const id of ids) if (this.#outlined.has(id)) this.#put(id);
    this.#putBoxes(this.#boxes.touched(ids));
  }

  #putBoxes(sessions: Iterable<number>): void {
    const scene = this.view.editor.shown.peek();
    for (const session of sessions) {
      const placed = this.#boxes.of(scene, session);
      const colour = this.#marks.get(session)?.colour;
      if (placed)
        this.#corners.put(session, this.#cornerParts, boxMatrix(placed.box, placed.world), colour);
      else this.#corners.remove(session);
    }
  }

  #put(id: Id): void {
    const scene = this.view.editor.shown.peek();
    const mark = this.#outlined.get(id);
    if (mark) this.nodeLayer.put(this.#outline.set, id, scene.world(id), mark.colour);
  }
}

/** The corners of the box from -0.5 to 0.5, as segments. */
function cornerPoints(): number[] {
  const points: number[] = [];
  for (let corner = 0; corner < 8; corner++) {
    const at = [0, 1, 2].map((axis) => ((corner >> axis) & 1) - 0.5);
    for (let axis = 0; axis < 3; axis++)
      points.push(...at, ...at.map((value, i) => (i === axis ? value * (1 - 2 * CORNER) : value)));
  }
  return points;
}
