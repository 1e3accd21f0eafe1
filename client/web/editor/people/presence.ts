// presence.ts - the other people in the view: their cameras, their pointers, and the names of what
// they hold. It draws while one of them is moving to the latest position, and rests when all have
// arrived.
import { effect } from "@preact/signals";
import { Color, Vector3 } from "three";

import type { Layer, View } from "../view/view";
import type { Person, Vec2 } from "../../sdk/types.js";
import { initials } from "./colour";
import * as frustum from "./frustum";
import { RayEnds } from "./rayends";
import type { Area } from "./labellayout";
import { type Tag, Tags } from "./tags";
import type { BoxTops } from "./boxtops";
import { isSamePerson } from "./names";
import { SmoothPose } from "./smoothpose";
import { LineBatch } from "./linebatch";

/** The length of a camera on the screen. */
const CAMERA_PX = 54;
/**
 * A camera closer to this page's own eye than this, as a part of the distance to the target, is
 * hidden, because it is in the way.
 */
const OWN_EYE = 0.04;
/**
 * A ray that meets nothing ends in the depth of the target, at least at this part of that distance.
 */
const SPARE_MIN = 0.05;
/**
 * The length on the screen of the drawn part of a ray, before its end; a whole ray would cross the
 * view.
 */
const RAY_PX = 56;
/** How long the name at a pointer is shown after the pointer moved. */
const POINTING_MS = 8000;
/** If there are more people than this a camera shows initials instead of the name. */
const NAMED_MAX = 8;
/**
 * Without a graphics processor, movements of others are drawn no more often than this: what the
 * person does comes first.
 */
const SOFTWARE_MS = 100;
/** The label of a person stands over at most so many of the nodes that the person holds. */
const HELD_MAX = 64;

export class PresenceLayer implements Layer {
  #lines = new LineBatch();
  #tags: Tags;
  #ends: RayEnds;
  #poses = new Map<number, SmoothPose>();
  #drawnAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stop: () => void;

  /** @param taken areas that labels must not cover, in pixels of the view */
  constructor(
    readonly view: View,
    readonly boxTops: BoxTops,
    readonly taken: () => readonly Area[],
  ) {
    const { editor, canvas } = view;
    view.world.add(this.#lines);
    this.#tags = new Tags(canvas.parentElement ?? document.body);
    this.#ends = new RayEnds(editor.session, () => this.#wake());
    this.#stop = effect(() => {
      const shown = editor.showPeople.value;
      editor.past.value;
      editor.following.value;
      this.#showPeople(shown ? editor.people.value : []);
    });
  }

  update(): void {
    const now = performance.now();
    const seconds = (now - this.#drawnAt) / 1000;
    this.#drawnAt = now;
    let moving = false;
    for (const pose of this.#poses.values()) {
      pose.point(this.#spare(pose));
      moving = pose.advance(seconds) || moving;
    }
    this.#drawLines();
    const { width, height } = this.view.editor.rig;
    this.#tags.show(this.#tagsOf(now), [width, height], this.taken());
    if (moving) this.#wake();
  }

  dispose(): void {
    this.#stop();
    clearTimeout(this.#timer);
    this.#ends.dispose();
    this.#tags.dispose();
    this.#lines.dispose();
  }

  #showPeople(people: readonly Person[]): void {
    const now = performance.now();
    let changed = false;
    const here = new Set<number>();
    for (const person of people) {
      if (person.me) continue;
      here.add(person.session);
      const pose = this.#poses.get(person.session);
      if (pose?.person === person) continue;
      changed = true;
      if (pose && isSamePerson(person, pose.person)) pose.aim(person, now);
      else this.#poses.set(person.session, new SmoothPose(person));
    }
    for (const session of this.#poses.keys())
      changed = (!here.has(session) && this.#poses.delete(session)) || changed;
    this.#ends.ask(this.#poses);
    if (changed || people.length === 0) this.#wake();
  }

  #wake(): void {
    if (!this.view.software) return this.view.invalidate();
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.view.invalidate();
    }, SOFTWARE_MS);
  }

  /** The length of a ray that meets nothing: up to the point nearest to the target. */
  #spare(pose: SmoothPose): number {
    const { ray } = pose.person;
    const { target, distance } = this.view.editor.rig;
    if (!ray) return 0;
    const along = [0, 1, 2].reduce((sum, i) => sum + (target[i] - ray[i]) * ray[3 + i], 0);
    return Math.max(along, SPARE_MIN * distance);
  }

  #drawLines(): void {
    const { editor } = this.view;
    const eye = anchor.fromArray(editor.rig.eye);
    this.#lines.begin(
      eye,
      this.#poses.size * (frustum.SEGMENTS + 1),
      this.#poses.size * frustum.SHEETS,
    );
    for (const pose of this.#poses.values()) {
      colour.set(pose.person.colour);
      if (this.#showsCamera(pose)) {
        const size = CAMERA_PX * editor.rig.metresPerPxAt(pose.eye.at.toArray());
        const { lens, parallel } = pose.person;
        frustum.drawFrustum(
          this.#lines,
          pose.eye.at,
          pose.turn,
          lens,
          parallel ?? false,
          size,
          colour,
        );
      }
      if (this.#pointsSomewhere(pose) && !this.#isFollowed(pose))
        this.#lines.segment(this.#tailOf(pose), pose.tip.at, colour);
    }
    this.#lines.end();
  }

  /** The point where the drawn part of the ray begins. */
  #tailOf({ from, tip }: SmoothPose): Vector3 {
    const length = tip.at.distanceTo(from.at);
    const shown = RAY_PX * this.view.editor.rig.metresPerPxAt(tip.at.toArray());
    return length > shown ? tail.lerpVectors(tip.at, from.at, shown / length) : from.at;
  }

  #showsCamera(pose: SmoothPose): boolean {
    const { rig } = this.view.editor;
    if (!pose.hasView || this.#isFollowed(pose)) return false;
    const own = rig.eye;
    return (
      Math.hypot(pose.eye.at.x - own[0], pose.eye.at.y - own[1], pose.eye.at.z - own[2]) >
      OWN_EYE * rig.distance
    );
  }

  /** Pointers belong to the present, so they are hidden while the past is shown. */
  #pointsSomewhere(pose: SmoothPose): boolean {
    return pose.hasRay && this.view.editor.past.peek() === null;
  }

  /**
   * Whether this page follows the person's view. Then the camera and the ray are hidden, because
   * they are in the way, and the end of the ray is shown.
   */
  #isFollowed(pose: SmoothPose): boolean {
    return this.view.editor.following.peek() === pose.person.session;
  }

  /**
   * Labels of what people hold come before those of pointers, and these before those of cameras.
   */
  #tagsOf(now: number): Tag[] {
    const tags: Tag[][] = [[], [], []];
    const names = this.view.editor.names.peek();
    for (const pose of this.#poses.values()) {
      const { session, user, colour } = pose.person;
      const text = names.get(session) ?? user;
      const put = (rank: number, kind: Tag["kind"], at: Vec2 | null) => {
        const short = kind === "eye" && this.#poses.size > NAMED_MAX;
        if (at && (kind === "held" || this.#inside(at)))
          tags[rank].push({
            key: `${session} ${kind}`,
            kind,
            text: short ? initials(user) : text,
            colour,
            at,
          });
      };
      const held = this.#heldAt(pose.person);
      put(0, "held", held);
      if (this.#pointsSomewhere(pose) && (!held || this.#isFollowed(pose))) {
        const tip = this.#project(pose.tip.at);
        put(1, "cursor", tip);
        if (now - pose.pointedAt < POINTING_MS) put(1, "tip", tip);
      }
      if (this.#showsCamera(pose)) put(2, "eye", this.#project(pose.eye.at));
    }
    return tags.flat();
  }

  /** The point above what a person holds, if its top or its middle is in the view. */
  #heldAt(person: Person): Vec2 | null {
    const { editor } = this.view;
    if (!person.locks?.length || editor.past.peek() !== null) return null;
    const held = this.boxTops.above(person.locks.slice(0, HELD_MAX));
    const top = held && editor.rig.project(held.top);
    const middle = held && editor.rig.project(held.middle);
    return top && ((middle && this.#inside(middle)) || this.#inside(top)) ? top : null;
  }

  #project(point: Vector3): Vec2 | null {
    return this.view.editor.rig.project([point.x, point.y, point.z]);
  }

  #inside(at: Vec2): boolean {
    const { width, height } = this.view.editor.rig;
    return at[0] > 0 && at[1] > 0 && at[0] < width && at[1] < height;
  }
}

const anchor = new Vector3();
const tail = new Vector3();
const colour = new Color();
