// prediction.js - predicts the server's answers, so that the page need not wait for them: the gizmo
// and the handle under the pointer, the nodes of drags, wheels and typed edits, and the view of an
// orbit. It computes with the server's own solver, shows the result over the scene
// (`SceneModel.foresee`), and compares it with the server's. It never sends messages; session.js
// does, with or without a prediction.
import { poseOfEdit } from "./editpose.js";
import { Ground } from "./ground.js";
import { Orbit } from "./orbit.js";
import { Drag, Gesture, Pending, Wheel, hasPlace, isSame, targetsOf } from "./pending.js";

/** @import {Camera, Gizmo, Id, NodeChange, NodePose, Place, Role} from "./types.js" */
/** @import {SceneChange, Tool, Transform} from "./types.js" */
/** @import {SceneModel} from "./scene.js" */
/** @import {Solver} from "./solver.js" */

/** How long a node glides to the server's place, if the page had it elsewhere. */
const CORRECTION_MS = 100;
const REFUSAL_MS = 150;
/**
 * For more nodes the server's gizmo is shown, because moving them would take most of a frame's
 * time.
 */
const NODES_MAX = 3000;

/**
 * The part of a session that a prediction reads.
 * @typedef {{ readonly scene: SceneModel, readonly selection: readonly Id[], readonly role: Role,
 *   readonly tool: Tool, readonly camera: Camera | null,
 *   readonly hasPart: boolean, isHeld: (id: Id) => boolean }} Viewpoint
 */

export class Prediction {
  /** How often the server had nodes elsewhere than they were shown. */
  corrections = 0;

  #page;
  #scene;
  #solver;
  /** The actions that the server has not confirmed, in their order. @type {Pending[]} */
  #pending = [];
  /** The gesture in the solver. @type {Gesture | null} */
  #gesture = null;
  #orbit;
  #ground;
  /** The present change of the scene is the running drag's own motion. */
  #isOwnMotion = false;
  /** What `#foreseen` returns. @type {Partial<Transform>} */
  #pose = {};
  #stop;

  /** @param {Viewpoint} page @param {Solver} solver */
  constructor(page, solver) {
    this.#page = page;
    this.#scene = page.scene;
    this.#solver = solver;
    this.#ground = new Ground(page, (id) => this.#poseOf(id));
    this.#orbit = new Orbit(page, solver);
    this.#stop = page.scene.on("change", (change) => this.#follow(change));
    if (page.camera) solver.setCamera(page.camera);
    solver.setTool(page.tool);
  }

  /** Shows the server's state, and ends. */
  dispose() {
    this.#stop();
    this.#clear();
  }

  #clear() {
    const ids = this.#pending.flatMap(({ poses }) => [...poses.keys()]);
    this.#pending = [];
    this.#gesture?.end();
    this.#gesture = null;
    this.#orbit.end();
    this.#show(ids);
  }

  // ---- the gizmo ----

  /** Whether it has everything that the gizmo depends on. */
  get knows() {
    const { selection, hasPart } = this.#page;
    if (this.#gesture?.follows || selection.length > NODES_MAX) return false;
    return !hasPart || this.#has(selection);
  }

  /** @param {readonly Id[]} ids */
  #has(ids) {
    return ids.every((id) => this.#scene.get(id) !== undefined);
  }

  /** Whether a predicted drag is running. */
  get dragging() {
    return this.#gesture instanceof Drag && !this.#gesture.follows;
  }

  /** Whether the running drag goes on without the server. */
  get away() {
    return this.#gesture?.away === true;
  }

  /** @param {Camera} camera */
  setCamera(camera) {
    if (!this.#solver.setCamera(camera) || !(this.#gesture instanceof Drag)) return;
    this.#gesture.look();
    this.#show(this.#gesture.ids);
  }

  /** @param {Tool} tool */
  setTool(tool) {
    this.#solver.setTool(tool);
    this.#ground.forget();
  }

  /** The selection has changed. */
  selected() {
    this.#ground.forget();
  }

  /** The gizmo, as the server would send it. @returns {Gizmo | null} */
  gizmo() {
    this.#sit();
    return this.#page.role === "viewer" ? null : this.#solver.gizmo();
  }

  /** The handle at a place. @param {Place} place @returns {string | null} */
  pick(place) {
    this.#sit();
    return this.#page.role === "viewer" || !hasPlace(place) ? null : this.#solver.pick(place);
  }

  /** @param {Place} place */
  hover(place) {
    this.#solver.hover(place);
  }

  /** @param {SceneChange} change */
  #follow(change) {
    if (!this.#isOwnMotion) this.#ground.follow(change);
  }

  /** Gives the solver the targets of the gizmo, if they have changed. */
  #sit() {
    if (this.#ground.known) return;
    const held = this.#gesture && !this.#gesture.follows ? this.#gesture : null;
    const seat = held
      ? this.#ground.held(held.seat)
      : this.#ground.seat(this.#ground.tops(), this.#hasBounds);
    this.#ground.watch(seat.ids);
    this.#solver.setTargets(targetsOf(seat), seat.ids.length - 1);
  }

  /** Whether the tool needs the boxes of groups. */
  get #hasBounds() {
    const { mode, pivot } = this.#page.tool;
    return mode === "bounds" || pivot === "bounds";
  }

  // ---- what is done ----

  /**
   * Begins a drag, or types a value into the one that runs.
   * @param {string} handle
   * @param {Place & { value?: number[] }} more
   * @param {number} n the number of this pointer, if the server acknowledges it, else of the last
   * one before
   * @returns {Drag | null} null: what the server does is what is shown
   */
  grab(handle, { value, ...place }, n) {
    const running = this.#gesture;
    if (running instanceof Drag) {
      if (value && handle === running.handle) running.move(n, place, value);
      this.#show(running.ids);
      return value ? running : null;
    }
    if (this.#page.role === "viewer" || !this.knows) return null;
    this.#rest();
    this.#ground.forget();
    const drag = this.#hold(handle);
    if (drag.ids.length === 0 || drag.ids.some((id) => this.#page.isHeld(id))) return null;
    drag.before = value ? n - 1 : n;
    if (hasPlace(place)) this.hover(place);
    if (!drag.press(n, place, value)) {
      this.#solver.end();
      return null;
    }
    return this.#begin(drag);
  }

  /** @param {string} handle */
  #hold(handle) {
    const hasBounds = handle.startsWith("b") || this.#hasBounds;
    const seat = this.#ground.seat(this.#ground.tops(), hasBounds);
    this.#solver.setTargets(targetsOf(seat), seat.ids.length - 1);
    return new Drag(this.#scene, this.#solver, seat, { handle, before: 0 });
  }

  /** @template {Gesture} T @param {T} gesture */
  #begin(gesture) {
    this.#gesture = gesture;
    this.#ground.forget();
    this.#pending.push(gesture);
    this.#show(gesture.ids);
    return gesture;
  }

  /** @param {number} n @param {Place} place */
  move(n, place) {
    if (hasPlace(place)) this.hover(place);
    if (!(this.#gesture instanceof Drag)) return;
    this.#gesture.move(n, place);
    // The solver has moved the gizmo's targets itself.
    this.#isOwnMotion = true;
    this.#show(this.#gesture.ids);
    this.#isOwnMotion = false;
  }

  /**
   * Ends the running drag as it is.
   * @returns {Drag | null}
   */
  up() {
    return this.#gesture instanceof Drag ? /** @type {Drag} */ (this.#end()) : null;
  }

  /** Cancels the running drag. @param {number} n of this pointer @returns {Drag | null} */
  cancel(n) {
    const drag = this.#gesture;
    if (!(drag instanceof Drag)) return null;
    drag.takeBack(n);
    this.#end();
    this.#show(drag.ids);
    return drag;
  }

  #end() {
    const gesture = this.#gesture;
    gesture?.end();
    this.#gesture = null;
    this.#ground.forget();
    return gesture;
  }

  /** Ends the running wheel, because another action begins. */
  #rest() {
    if (this.#gesture instanceof Wheel) this.#end();
  }

  /**
   * Scales the selection.
   * @param {number} notches
   * @returns {Wheel | null}
   */
  wheel(notches) {
    if (this.#page.role === "viewer" || this.#gesture instanceof Drag || !this.knows) return null;
    this.#sit();
    const running = this.#gesture instanceof Wheel;
    const wheel = running
      ? /** @type {Wheel} */ (this.#gesture)
      : new Wheel(
          this.#scene,
          this.#solver,
          this.#ground.seat(this.#ground.tops(), this.#hasBounds),
        );
    if (wheel.ids.some((id) => this.#page.isHeld(id)) || !wheel.turn(notches)) return null;
    if (!running) return this.#begin(wheel);
    this.#show(wheel.ids);
    return wheel;
  }

  /** The wheel rests. @param {Wheel} wheel */
  rest(wheel) {
    if (this.#gesture === wheel) this.#end();
  }

  /** Predicts typed transforms. @param {readonly NodeChange[]} nodes @returns {Pending | null} */
  set(nodes) {
    const edit = new Pending();
    this.#put(edit, nodes);
    if (edit.poses.size === 0) return null;
    this.#pending.push(edit);
    this.#show(edit.poses.keys());
    return edit;
  }

  /** Begins a hold, which has no poses yet. */
  hold() {
    const held = new Pending();
    this.#pending.push(held);
    return held;
  }

  /** Predicts poses of a hold. @param {Pending} held @param {readonly NodePose[]} nodes */
  pose(held, nodes) {
    if (!this.#pending.includes(held)) return;
    this.#put(held, nodes);
    this.#show(nodes.map(({ id }) => id));
  }

  /** @param {Pending} pending @param {readonly NodeChange[]} nodes */
  #put(pending, nodes) {
    for (const node of nodes) {
      const at = this.#poseOf(node.id);
      const pose = at && poseOfEdit(node, at.t);
      if (pose) pending.poses.set(node.id, { ...pending.poses.get(node.id), ...pose });
    }
  }

  // ---- what the server says ----

  /**
   * A new state has come.
   * @param {number} n the latest pointer of this session that it shows; 0 for none
   * @param {SceneChange} change
   */
  reconcile(n, change) {
    const gesture = this.#gesture;
    const isCorrected = gesture instanceof Drag && gesture.reconcile(n);
    const corrected = isCorrected ? new Set(gesture.ids) : null;
    const isChanged = this.#dropOver(n);
    if (isCorrected || isChanged) this.#ground.forget();
    else this.#follow(change);
    if (!this.#ground.known && this.#gesture && !this.#gesture.follows) {
      this.#sit();
      this.#gesture.pose();
    }
    for (const pending of this.#pending) this.#show(idsOf(pending), 0, 0, corrected);
    if (corrected) this.#show(corrected, CORRECTION_MS);
  }

  /**
   * Drops the actions that the server has confirmed. @param {number} n the pointer that the state
   * shows
   */
  #dropOver(n) {
    let count = 0;
    for (const pending of this.#pending) if (this.#isOver(pending, n)) count++;
    if (count > 0)
      this.#drop(
        this.#pending.filter((pending) => this.#isOver(pending, n)),
        CORRECTION_MS,
      );
    return count > 0;
  }

  /** @param {Pending} pending @param {number} n the pointer that the state shows */
  #isOver(pending, n) {
    return pending.isOver(this.#scene) || (pending instanceof Drag && pending.back <= n);
  }

  /** The server has answered. @param {Pending} pending @param {{ seq?: number }} answer */
  answered(pending, answer) {
    pending.answer = { seq: answer.seq };
    // The state that acknowledges the cancel shows the result.
    const comes = pending instanceof Drag && pending.back < Infinity && !pending.away;
    if (!comes && pending.isOver(this.#scene)) this.#drop([pending], CORRECTION_MS);
  }

  /** A turn of a wheel was answered. @param {Wheel} wheel @param {number} seq */
  turned(wheel, seq) {
    wheel.done(seq);
    if (wheel.isOver(this.#scene)) this.#drop([wheel], CORRECTION_MS);
  }

  /** The server refused it, or it was discarded. @param {Pending} pending */
  refused(pending) {
    this.#drop([pending], REFUSAL_MS);
  }

  /** @param {Drag} drag @param {number} n of a value that the server refused */
  untyped(drag, n) {
    if (this.#gesture !== drag) return;
    drag.untype(n);
    this.#show(drag.ids, REFUSAL_MS);
  }

  /** The server ended the running gesture, because of these nodes. @param {readonly Id[]} ids */
  failed(ids) {
    const gesture = this.#gesture;
    if (gesture?.ids.some((id) => ids.includes(id))) this.refused(gesture);
  }

  /**
   * The connection is lost: drags and wheels continue without the server.
   * @returns {Wheel[]} those of the wheels that nothing later contains
   */
  lost() {
    /** @type {Wheel[]} */
    const wheels = [];
    this.#pending.forEach((pending, i) => {
      if (!(pending instanceof Gesture)) return;
      const later = this.#pending.slice(i + 1);
      const isBelow = pending.ids.some((id) => later.some(({ poses }) => poses.has(id)));
      pending.goAway(this.#scene.saved);
      if (pending instanceof Wheel && isBelow) pending.answer = {};
      else if (pending instanceof Wheel) wheels.push(pending);
    });
    return wheels;
  }

  /** @param {Pending[]} over @param {number} glideMs */
  #drop(over, glideMs) {
    for (const pending of over) {
      if (!this.#pending.includes(pending)) continue;
      this.#pending.splice(this.#pending.indexOf(pending), 1);
      if (pending === this.#gesture) this.#end();
      this.#show(pending.poses.keys(), glideMs, pending instanceof Drag ? pending.size : 0);
    }
  }

  // ---- what is shown ----

  /**
   * The expected transform of a node, without glides. @param {Id} id @returns {Transform |
   * undefined}
   */
  #poseOf(id) {
    const pose = this.#foreseen(id);
    return pose ? { t: [...pose.t], r: [...pose.r], s: [...pose.s] } : this.#scene.told(id);
  }

  /**
   * @param {Id} id
   * @returns {Transform | null} valid until the next call; null: where the server has it
   */
  #foreseen(id) {
    const pose = this.#pose;
    pose.t = pose.r = pose.s = undefined;
    for (let i = this.#pending.length - 1; i >= 0; i--) {
      const part = this.#pending[i].poses.get(id);
      if (!part) continue;
      pose.t ??= part.t;
      pose.r ??= part.r;
      pose.s ??= part.s;
    }
    if (!pose.t && !pose.r && !pose.s) return null;
    const told = this.#scene.toldNow(id);
    if (!told) return null;
    pose.t ??= told.t;
    pose.r ??= told.r;
    pose.s ??= told.s;
    return /** @type {Transform} */ (pose);
  }

  /**
   * Shows these nodes at their expected transforms.
   * @param {Iterable<Id>} ids
   * @param {number} [glideMs] how long it takes, if they are seen elsewhere
   * @param {number} [size] of the gizmo in metres
   * @param {Set<Id> | null} [except]
   */
  #show(ids, glideMs = 0, size = 0, except = null) {
    let isCorrected = false;
    this.#scene.begin();
    for (const id of ids)
      if (!except?.has(id) && this.#showOne(id, glideMs, size)) isCorrected = true;
    this.#scene.end();
    if (isCorrected) this.corrections++;
  }

  /**
   * @param {Id} id
   * @param {number} glideMs
   * @param {number} size
   * @returns {boolean} whether it is seen elsewhere, and is on its way now
   */
  #showOne(id, glideMs, size) {
    const scene = this.#scene;
    const seen = scene.get(id);
    if (!seen) return false;
    const pose = this.#foreseen(id);
    const glides =
      glideMs > 0 && !isSame(pose ?? /** @type {Transform} */ (scene.toldNow(id)), seen, size);
    if (pose) scene.foresee(id, pose, glides ? glideMs : 0);
    else scene.forget(id, glides ? glideMs : 0);
    return glides;
  }

  // ---- the view ----

  get orbiting() {
    return this.#orbit.running;
  }

  /** @param {Place} place @returns {boolean} whether an orbit has begun */
  orbit(place) {
    if (!this.#page.camera || !place.at || this.#gesture instanceof Drag) return false;
    this.#rest();
    return this.#orbit.begin(place);
  }

  /** @param {Place} place @returns {number[] | null} the view */
  turn(place) {
    return this.#orbit.turn(place);
  }

  /** Ends the orbit. @returns {number[] | null} the view at its beginning */
  endOrbit() {
    return this.#orbit.end();
  }

  /** @param {number} notches @returns {number[] | null} the view */
  dolly(notches) {
    return this.#orbit.dolly(notches);
  }
}

/** @param {Pending} pending @returns {Iterable<Id>} */
const idsOf = (pending) => (pending instanceof Gesture ? pending.ids : pending.poses.keys());
