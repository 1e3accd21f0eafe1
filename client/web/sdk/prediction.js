// prediction.js - what the server is about to answer, so that the page need not wait for it: where
// the gizmo stands and what is under the pointer, where drags, wheels and typed edits put the
// nodes, and how an orbit turns the view. It computes with the server's own solver, shows the
// result over the scene (`SceneModel.foresee`), and compares it with what the server says. It never
// sends anything: session.js does, whether this is there or not.
import { boxTransform, boxUnion, invertAffine, multiply, quatMultiply } from "./maths.js";
import { Drag, Gesture, Pending, Wheel, chainOf, hasPlace, isSame, targetsOf } from "./pending.js";

/** @import {Box, Camera, EulerOrder, Gizmo, Id, NodeChange, Place} from "./types.js" */
/** @import {Quat, Role, SceneChange, Tool, Transform, Vec3} from "./types.js" */
/** @import {SceneModel} from "./scene.js" */
/** @import {Solver} from "./solver.js" */
/** @import {Seat} from "./pending.js" */

/** How long a node takes to where the server has it, if the page had it elsewhere. */
const CORRECTION_MS = 100;
const REFUSAL_MS = 150;
/** The gizmo of more nodes is the server's: to move so many takes most of a picture's time. */
const NODES_MAX = 3000;

/**
 * What it reads of its session.
 * @typedef {{ readonly scene: SceneModel, readonly selection: readonly Id[], readonly role: Role,
 *   readonly tool: Tool, readonly camera: Camera | null,
 *   readonly hasPart: boolean, isHeld: (id: Id) => boolean }} Viewpoint
 */

export class Prediction {
  /** How often the server had nodes elsewhere than they were shown before. */
  corrections = 0;

  #page;
  #scene;
  #solver;
  /** What the server has not confirmed, in the order in which it was done. @type {Pending[]} */
  #pending = [];
  /** The one that the solver holds. @type {Gesture | null} */
  #gesture = null;
  /** The view when the orbit began that runs. @type {number[] | null} */
  #orbit = null;
  /** What the gizmo stands on. @type {Seat} */
  #seat = { ids: [], at: [], above: [], bounds: [] };
  /** The nodes of the seat and all above them; null if the seat is to be found anew. */
  #watched = /** @type {Set<Id> | null} */ (null);
  /** The seat has the box about a group, which changes with all that is below. */
  #hasGroup = false;
  /** What the scene tells now is the motion of the drag that runs. */
  #isOwnMotion = false;
  /** What `#foreseen` returns. @type {Partial<Transform>} */
  #pose = {};
  #stop;

  /** @param {Viewpoint} page @param {Solver} solver */
  constructor(page, solver) {
    this.#page = page;
    this.#scene = page.scene;
    this.#solver = solver;
    this.#stop = page.scene.on("change", (change) => this.#follow(change));
    if (page.camera) solver.setCamera(page.camera);
    solver.setTool(page.tool);
  }

  /** Shows what the server has, and ends. */
  dispose() {
    this.#stop();
    this.#clear();
  }

  #clear() {
    const ids = this.#pending.flatMap(({ poses }) => [...poses.keys()]);
    this.#pending = [];
    this.#gesture?.end();
    this.#gesture = this.#orbit = null;
    this.#show(ids);
  }

  // ---- the gizmo ----

  /** Whether it knows all that the gizmo depends on. */
  get knows() {
    const { selection, hasPart } = this.#page;
    if (this.#gesture?.follows || selection.length > NODES_MAX) return false;
    return !hasPart || this.#has(selection);
  }

  /** @param {readonly Id[]} ids */
  #has(ids) {
    return ids.every((id) => this.#scene.get(id) !== undefined);
  }

  /** A drag that it shows is running. */
  get dragging() {
    return this.#gesture instanceof Drag && !this.#gesture.follows;
  }

  /** The drag that runs goes on without the server. */
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
    this.#watched = null;
  }

  /** The selection has changed. */
  selected() {
    this.#watched = null;
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
  #follow({ all, added, gone, moved, structure }) {
    if (!this.#watched || this.#isOwnMotion) return;
    const isOther = all || this.#hasGroup || added.length > 0;
    if (isOther || this.#concerns(moved) || this.#concerns(structure) || this.#concerns(gone))
      this.#watched = null;
  }

  /** @param {readonly Id[]} ids @returns whether the gizmo stands on one of them */
  #concerns(ids) {
    for (let i = 0; i < ids.length; i++) if (this.#watched?.has(ids[i])) return true;
    return false;
  }

  /** Tells the solver what the gizmo stands on, if that has changed. */
  #sit() {
    if (this.#watched) return;
    const held = this.#gesture && !this.#gesture.follows ? this.#gesture : null;
    this.#seat = held ? this.#seatOf(held.ids, held.seat) : this.#seatOf(this.#tops());
    this.#watched = new Set(this.#seat.ids);
    for (const id of this.#seat.ids)
      for (
        let at = this.#parentOf(id);
        at !== null && !this.#watched.has(at);
        at = this.#parentOf(at)
      )
        this.#watched.add(at);
    this.#solver.setTargets(targetsOf(this.#seat), this.#seat.ids.length - 1);
  }

  /** @param {Id} id */
  #parentOf(id) {
    return this.#scene.get(id)?.parent ?? null;
  }

  /** The selected nodes that are not below another one, in the order of selecting. */
  #tops() {
    const selected = new Set(this.#page.selection.filter((id) => this.#scene.get(id)));
    const isBelow = (/** @type {Id} */ id) => {
      for (let at = this.#parentOf(id); at !== null; at = this.#parentOf(at))
        if (selected.has(at)) return true;
      return false;
    };
    return [...selected].filter((id) => !isBelow(id));
  }

  /**
   * @param {Id[]} ids
   * @param {Seat} [held] of a gesture that runs: its nodes keep what they had
   * @returns {Seat}
   */
  #seatOf(ids, held) {
    const poseOf = (/** @type {Id} */ id) => this.#poseOf(id);
    const at = ids.map((id, i) => poseOf(id) ?? /** @type {Seat} */ (held).at[i]);
    const above = ids.map((id) => chainOf(this.#scene, id, poseOf));
    if (held) return { ids, at, above, bounds: held.bounds };
    const { mode, pivot } = this.#page.tool;
    const bounds = this.#boundsOf(ids, mode === "bounds" || pivot === "bounds");
    return { ids, at, above, bounds };
  }

  /**
   * @param {Id[]} ids
   * @param {boolean} groups whether a group has a box
   * @returns {(Box | null)[]}
   */
  #boundsOf(ids, groups) {
    this.#hasGroup = false;
    return ids.map((id) => {
      const node = this.#scene.get(id);
      if (node?.bounds || !groups || !node?.children.length) return node?.bounds ?? null;
      this.#hasGroup = true;
      return this.#groupBox(id);
    });
  }

  /** The box about all bounds below a node, along the node's own axes. @param {Id} group */
  #groupBox(group) {
    /** @type {Box | null} */
    let box = null;
    const inverse = invertAffine(this.#scene.world(group));
    for (const id of this.#scene.below(group)) {
      const bounds = this.#scene.get(id)?.bounds;
      if (!bounds) continue;
      const one = boxTransform(bounds, multiply(inverse, this.#scene.world(id)));
      if (one.every(Number.isFinite)) box = boxUnion(box, one);
    }
    return box;
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
    this.#watched = null;
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
    const seat = this.#seatOf(this.#tops());
    if (handle.startsWith("b")) seat.bounds = this.#boundsOf(seat.ids, true);
    this.#solver.setTargets(targetsOf(seat), seat.ids.length - 1);
    return new Drag(this.#scene, this.#solver, seat, { handle, before: 0 });
  }

  /** @template {Gesture} T @param {T} gesture */
  #begin(gesture) {
    this.#gesture = gesture;
    this.#watched = null;
    this.#pending.push(gesture);
    this.#show(gesture.ids);
    return gesture;
  }

  /** @param {number} n @param {Place} place */
  move(n, place) {
    if (hasPlace(place)) this.hover(place);
    if (!(this.#gesture instanceof Drag)) return;
    this.#gesture.move(n, place);
    // The solver has moved what the gizmo stands on itself.
    this.#isOwnMotion = true;
    this.#show(this.#gesture.ids);
    this.#isOwnMotion = false;
  }

  /**
   * The drag that runs is over, as it stands.
   * @returns {Drag | null}
   */
  up() {
    return this.#gesture instanceof Drag ? /** @type {Drag} */ (this.#end()) : null;
  }

  /** The drag that runs is taken back. @param {number} n of this pointer @returns {Drag | null} */
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
    this.#watched = null;
    return gesture;
  }

  /** The wheel that turns is over: something else begins. */
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
      : new Wheel(this.#scene, this.#solver, this.#seatOf(this.#tops()));
    if (wheel.ids.some((id) => this.#page.isHeld(id)) || !wheel.turn(notches)) return null;
    if (!running) return this.#begin(wheel);
    this.#show(wheel.ids);
    return wheel;
  }

  /** The wheel rests. @param {Wheel} wheel */
  rest(wheel) {
    if (this.#gesture === wheel) this.#end();
  }

  /** Transforms that are typed. @param {readonly NodeChange[]} nodes @returns {Pending | null} */
  set(nodes) {
    const edit = new Pending();
    for (const node of nodes) {
      const pose = poseOfEdit(node);
      if (pose && this.#scene.get(node.id)) edit.poses.set(node.id, pose);
    }
    if (edit.poses.size === 0) return null;
    this.#pending.push(edit);
    this.#show(edit.poses.keys());
    return edit;
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
    if (isCorrected || isChanged) this.#watched = null;
    else this.#follow(change);
    if (!this.#watched && this.#gesture && !this.#gesture.follows) {
      this.#sit();
      this.#gesture.pose();
    }
    for (const pending of this.#pending) this.#show(idsOf(pending), 0, 0, corrected);
    if (corrected) this.#show(corrected, CORRECTION_MS);
  }

  /** Drops what the server confirms. @param {number} n the pointer that the state shows */
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
    // The state that shows that a drag was taken back acknowledges that.
    const comes = pending instanceof Drag && pending.back < Infinity && !pending.away;
    if (!comes && pending.isOver(this.#scene)) this.#drop([pending], CORRECTION_MS);
  }

  /** A turn of a wheel was answered. @param {Wheel} wheel @param {number} seq */
  turned(wheel, seq) {
    wheel.done(seq);
    if (wheel.isOver(this.#scene)) this.#drop([wheel], CORRECTION_MS);
  }

  /** The server refused it, or it is not to be. @param {Pending} pending */
  refused(pending) {
    this.#drop([pending], REFUSAL_MS);
  }

  /** @param {Drag} drag @param {number} n of a value that the server refused */
  untyped(drag, n) {
    if (this.#gesture !== drag) return;
    drag.untype(n);
    this.#show(drag.ids, REFUSAL_MS);
  }

  /** The server does not go on with what runs, for these nodes. @param {readonly Id[]} ids */
  failed(ids) {
    const gesture = this.#gesture;
    if (gesture?.ids.some((id) => ids.includes(id))) this.refused(gesture);
  }

  /**
   * The connection is lost: drags and wheels go on without the server.
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

  /** Where a node is to be, whatever glides. @param {Id} id @returns {Transform | undefined} */
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
   * Shows these nodes where they are to be.
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
    return this.#orbit !== null;
  }

  /** @param {Place} place @returns {boolean} whether an orbit has begun */
  orbit(place) {
    const { camera } = this.#page;
    if (!camera || !place.at || this.#gesture instanceof Drag) return false;
    this.#rest();
    if (!this.#solver.orbitBegin(this.#centre(camera), place.at)) return false;
    this.#orbit = Array.from(camera.view);
    return true;
  }

  /** @param {Place} place @returns {number[] | null} the view */
  turn(place) {
    if (!this.#orbit || !place.at) return null;
    return copy(this.#solver.orbitMove(place.at, place.mods));
  }

  /** Ends the orbit. @returns {number[] | null} the view at its beginning */
  endOrbit() {
    const view = this.#orbit;
    if (view) this.#solver.end();
    this.#orbit = null;
    return view;
  }

  /** @param {number} notches @returns {number[] | null} the view */
  dolly(notches) {
    const { camera } = this.#page;
    return camera && copy(this.#solver.dolly(this.#centre(camera), notches));
  }

  /**
   * What the view turns about: the camera's target, the middle of the selection, or of the scene.
   * @param {Camera} camera
   * @returns {Vec3}
   */
  #centre({ target }) {
    if (target) return target;
    const scene = this.#scene;
    const selected = this.#page.selection.filter((id) => scene.get(id));
    if (selected.length === 0) {
      const [x0, y0, z0, x1, y1, z1] = scene.box(scene.roots) ?? [0, 0, 0, 0, 0, 0];
      return [(x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2];
    }
    const sum = [0, 0, 0];
    for (const id of selected) for (let i = 0; i < 3; i++) sum[i] += scene.world(id)[12 + i];
    return [sum[0] / selected.length, sum[1] / selected.length, sum[2] / selected.length];
  }
}

/** @param {number[] | null} view that the solver will write again */
const copy = (view) => view && [...view];

/** @param {Pending} pending @returns {Iterable<Id>} */
const idsOf = (pending) => (pending instanceof Gesture ? pending.ids : pending.poses.keys());

/**
 * What an edit says of a node's transform; null for nothing, or if it means something else below
 * another parent, or if the server will refuse it.
 * @param {NodeChange} edit
 * @returns {Partial<Transform> | null}
 */
function poseOfEdit({ t, r, s, euler, order = "XYZ", parent }) {
  const turn = euler ? quatOf(euler, order) : r && unit(r);
  const numbers = [...(t ?? []), ...(turn ?? []), ...(s ?? [])];
  const isBad = (euler && r) || s?.includes(0) || !numbers.every(Number.isFinite);
  if (parent !== undefined || numbers.length === 0 || isBad) return null;
  return { ...(t && { t }), ...(turn && { r: turn }), ...(s && { s }) };
}

/** @param {Quat} r @returns {Quat} */
function unit([x, y, z, w]) {
  const length = Math.hypot(x, y, z, w);
  return [x / length, y / length, z / length, w / length];
}

/**
 * The rotation by three angles about x, y and z, each about the axes that the previous ones left.
 * @param {Vec3} euler
 * @param {EulerOrder} order
 */
function quatOf(euler, order) {
  /** @type {Quat} */
  let turn = [0, 0, 0, 1];
  for (const letter of order) {
    const axis = "XYZ".indexOf(letter);
    /** @type {Quat} */
    const one = [0, 0, 0, Math.cos(euler[axis] / 2)];
    one[axis] = Math.sin(euler[axis] / 2);
    turn = quatMultiply(turn, one);
  }
  return turn;
}
