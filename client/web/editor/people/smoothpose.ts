// smoothpose.ts - the eye and the pointer of another person, smoothed between the 20 times a second
// that the server sends them: the shown pose approaches the latest one, quickly at first, and rests
// when it has arrived. World: right-handed, +Y up, metres.
import { Matrix4, Quaternion, Vector3 } from "three";

import type { Person } from "../../sdk/types.js";

/** The time constant: after this long 63 % of the way is done. */
const FOLLOW_S = 0.06;
/** The longest step, so that a jump after a pause is not animated for long. */
const STEP_S_MAX = 0.1;
const REST = 1e-4;

/** A point that approaches its goal. */
class Glide {
  readonly at = new Vector3();
  readonly goal = new Vector3();
  known = false;

  aim(x: number, y: number, z: number): void {
    this.goal.set(x, y, z);
    if (!this.known) this.at.copy(this.goal);
    this.known = true;
  }

  /**
   * Moves by the part `share` of the distance that is left. Within `near` metres it has arrived.
   */
  advance(share: number, near: number): boolean {
    this.at.lerp(this.goal, share);
    if (this.at.distanceTo(this.goal) > near) return true;
    this.at.copy(this.goal);
    return false;
  }
}

export class SmoothPose {
  person: Person;
  readonly eye = new Glide();
  readonly turn = new Quaternion();
  /** Where the pointer's ray begins, and where it ends: on what it hits. */
  readonly from = new Glide();
  readonly tip = new Glide();
  /**
   * The length of the ray in metres, as the server last answered; null if it hit nothing or was not
   * asked.
   */
  reach: number | null = null;
  /** The ray has changed since the server was last asked. */
  asks = false;
  /** When the server was last asked, in milliseconds. */
  askedAt = -Infinity;
  /** When the pointer last moved, in milliseconds. */
  pointedAt = -Infinity;

  #turnGoal = new Quaternion();
  #moving = true;

  constructor(person: Person) {
    this.person = person;
    this.asks = person.ray !== undefined;
    this.aim(person, 0);
  }

  get hasView(): boolean {
    return this.eye.known;
  }

  get hasRay(): boolean {
    return this.from.known;
  }

  /** Takes over new presence. */
  aim(person: Person, now: number): void {
    const { ray } = person;
    if (ray && !sameRay(ray, this.person.ray)) {
      this.pointedAt = now;
      this.asks = true;
    }
    this.person = person;
    this.#moving = true;
    if (person.view) this.#aimView(person.view);
    else this.eye.known = false;
    if (!ray) this.from.known = this.tip.known = false;
  }

  /** Sets the end of the ray: `spare` metres along it if it hits nothing. */
  point(spare: number): void {
    const { ray } = this.person;
    if (!ray) return;
    const reach = this.reach ?? spare;
    this.from.aim(ray[0], ray[1], ray[2]);
    this.tip.aim(ray[0] + reach * ray[3], ray[1] + reach * ray[4], ray[2] + reach * ray[5]);
    this.#moving = true;
  }

  /** Moves on by so many seconds. @returns whether it is still moving */
  advance(seconds: number): boolean {
    if (!this.#moving) return false;
    const share = 1 - Math.exp(-Math.min(seconds, STEP_S_MAX) / FOLLOW_S);
    const near =
      REST * Math.max(1e-3, this.eye.goal.distanceTo(this.tip.known ? this.tip.goal : this.eye.at));
    this.turn.slerp(this.#turnGoal, share);
    const turning = this.turn.angleTo(this.#turnGoal) > REST;
    if (!turning) this.turn.copy(this.#turnGoal);
    const gliding = [this.eye, this.from, this.tip].map((glide) => glide.advance(share, near));
    this.#moving = turning || gliding.includes(true);
    return this.#moving;
  }

  #aimView(view: readonly number[]): void {
    const fresh = !this.eye.known;
    const world = new Matrix4().fromArray(view).invert();
    this.eye.aim(world.elements[12], world.elements[13], world.elements[14]);
    this.#turnGoal.setFromRotationMatrix(world);
    if (fresh) this.turn.copy(this.#turnGoal);
  }
}

function sameRay(a: readonly number[], b: readonly number[] | undefined): boolean {
  return b !== undefined && a.every((value, i) => value === b[i]);
}
