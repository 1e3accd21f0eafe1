// controls.js - replaces three's TransformControls, with the same events and properties as far as
// they make sense. The server runs the drag, so everybody sees it, and nobody can drag an object
// that somebody else holds.
//
//     const controls = new RemoteTransformControls(camera, renderer.domElement, session, binding);
//     scene.add(controls.getHelper());
//     controls.addEventListener("dragging-changed", (event) => (orbit.enabled = !event.value));
//     controls.attach(mesh);
import { EventDispatcher, Object3D } from "three";

import { placeOn, sizeOf } from "../canvasplace.js";
import { Press } from "../press.js";
import { GizmoView } from "./gizmo.js";
import { axisName, isShown } from "./names.js";

/** @import {Camera, ColorRepresentation} from "three" */
/** @import {Gizmo, Id, Mode, Modifier, Place, Space} from "../types.js" */
/** @import {Session} from "../session.js" */
/** @import {Binding} from "./bind.js" */

/** The length of an axis in pixels where `size` is 1. */
const SIZE_PX = 96;
const TOOL = new Set(["mode", "space", "size", "translationSnap", "rotationSnap", "scaleSnap"]);
const CHANGE = { type: "change" };
const OBJECT_CHANGE = { type: "objectChange" };
const OBSERVED = [
  "camera",
  "object",
  "enabled",
  "axis",
  "mode",
  "space",
  "size",
  "dragging",
  "showX",
  "showY",
  "showZ",
  "translationSnap",
  "rotationSnap",
  "scaleSnap",
];

/**
 * Events: `change` (make a new picture), `mouseDown` and `mouseUp` (with `mode`), `objectChange`
 * (the drag moved its object), `NAME-changed` of each property
 * (with `value`), and, beyond those of three: `saved` (with `edit`, the id of its edit; the drag is
 * on the server's disk), `error` (with `error`: what the server said against it).
 * @extends {EventDispatcher<Record<string, any>>}
 */
export class RemoteTransformControls extends EventDispatcher {
  /** @type {Camera} */
  camera;
  /** The bound object that was attached last; undefined for none. @type {Object3D | undefined} */
  object = undefined;
  enabled = true;
  /**
   * What is under the pointer or dragged, in three's words: X, XY, XYZ, E, XYZE; null for nothing.
   * @type {string | null}
   */
  axis = null;
  /** @type {Mode} */
  mode = "translate";
  /** @type {Space} */
  space = "world";
  size = 1;
  dragging = false;
  showX = true;
  showY = true;
  showZ = true;
  /** Metres; null for none. @type {number | null} */
  translationSnap = null;
  /** Radians. @type {number | null} */
  rotationSnap = null;
  /** Step of the factor. @type {number | null} */
  scaleSnap = null;

  /** Draws the gizmo; its colours can be changed. */
  view = new GizmoView();

  #helper = new Helper(() => this.#beforePicture());
  /** The camera's world matrix that the server has. @type {Float64Array} */
  #told = new Float64Array(34);
  /** The latest press; it drags if it grabbed a handle. @type {Press | null} */
  #press = null;
  /** Where the drag is. @type {Place} */
  #last = {};
  /**
   * The latest place that the server was asked about, and the one that it has answered.
   * @type {Place | null}
   */
  #asked = null;
  /** @type {Place | null} */
  #answered = null;
  /** @type {(() => void)[]} */
  #stops = [];

  /**
   * @param {Camera} camera
   * @param {HTMLElement} domElement the element that receives pointer events: the canvas
   * @param {Session} session
   * @param {Binding} binding the objects of the nodes
   */
  constructor(camera, domElement, session, binding) {
    super();
    this.camera = camera;
    this.domElement = domElement;
    this.session = session;
    this.binding = binding;
    this.#helper.add(this.view);
    for (const name of OBSERVED) this.#observe(name);
    this.#listen();
    this.#tellTool();
    this.view.draws = (handle) => isShown(handle, this);
    this.view.show(session.gizmo);
  }

  get isTransformControls() {
    return true;
  }

  /** The gizmo that the server sent, with the amount while a drag runs; null for none. */
  get gizmo() {
    return this.session.gizmo;
  }

  /** The object to add to the scene. */
  getHelper() {
    return this.#helper;
  }

  /**
   * Selects the object or objects, or the bound ancestors of which they are parts; the axes are
   * those of the last one.
   * @param {...Object3D} objects
   */
  attach(...objects) {
    const ids = objects.map((object) => {
      const id = this.binding.nodeOf(object);
      if (id === undefined)
        throw new Error(`gizmod: the object "${object.name}" is not bound to a node of the scene`);
      return id;
    });
    this.object = this.binding.objectOf(ids[ids.length - 1]);
    this.#select(ids);
    return this;
  }

  detach() {
    this.object = undefined;
    this.axis = null;
    this.#select([]);
    return this;
  }

  /** Cancels a running drag. */
  reset() {
    this.#press?.stop();
    if (!this.dragging) return;
    this.#end();
    this.session.cancel().catch((error) => this.#fail(error));
  }

  getMode() {
    return this.mode;
  }

  /** @param {Mode} mode besides those of three: bounds, universal and arcball */
  setMode(mode) {
    this.mode = mode;
  }

  /** @param {Space} space besides those of three: parent and view */
  setSpace(space) {
    this.space = space;
  }

  /** @param {number} size */
  setSize(size) {
    this.size = size;
  }

  /** @param {number | null} metres */
  setTranslationSnap(metres) {
    this.translationSnap = metres;
  }

  /** @param {number | null} radians */
  setRotationSnap(radians) {
    this.rotationSnap = radians;
  }

  /** @param {number | null} step */
  setScaleSnap(step) {
    this.scaleSnap = step;
  }

  /**
   * Sets colours; the gizmo itself has more of them.
   * @param {ColorRepresentation} x
   * @param {ColorRepresentation} y
   * @param {ColorRepresentation} z
   * @param {ColorRepresentation} active
   */
  setColors(x, y, z, active) {
    this.view.setColours({ x, y, z, highlight: active });
    this.dispatchEvent({ type: "change" });
  }

  /** Frees the gizmo and the listeners; the session and the binding continue. */
  dispose() {
    this.reset();
    for (const stop of this.#stops) stop();
    this.#helper.removeFromParent();
    this.view.dispose();
  }

  // ---- properties ----

  /** @param {string} name */
  #observe(name) {
    const self = /** @type {any} */ (this);
    let value = self[name];
    Object.defineProperty(this, name, {
      enumerable: true,
      get: () => value,
      set: (next) => {
        if (next === value) return;
        value = next;
        if (TOOL.has(name)) this.#tellTool();
        if (name.startsWith("show")) this.#show(this.session.gizmo);
        this.dispatchEvent({ type: `${name}-changed`, value });
        this.dispatchEvent({ type: "change" });
      },
    });
  }

  #tellTool() {
    const { mode, space, translationSnap: t, rotationSnap: r, scaleSnap: s } = this;
    const size = SIZE_PX * this.size;
    this.view.sizePx = size;
    const snap = {
      on: steps(mode, t, r, s),
      t: t ?? undefined,
      r: r ?? undefined,
      s: s ?? undefined,
    };
    this.session.setTool({ mode, space, size, snap });
  }

  // ---- the session ----

  #listen() {
    const { session, binding, domElement } = this;
    this.#stops.push(session.on("gizmo", (gizmo) => this.#show(gizmo)));
    this.#stops.push(session.on("selection", (ids) => this.#selected(ids)));
    this.#stops.push(
      // A drag that shows at once goes on without a connection.
      session.on("status", ({ phase }) => {
        if (phase !== "online" && this.dragging && session.gizmo?.active === undefined) this.#end();
      }),
    );
    this.#stops.push(binding.on("change", (objects) => this.#moved(objects)));
    /** @type {[string, (event: any) => void][]} */
    const handlers = [
      ["pointermove", (event) => this.#handleMove(event)],
      ["pointerdown", (event) => this.#handleDown(event)],
      ["keydown", (event) => event.key === "Escape" && this.reset()],
    ];
    for (const [name, handler] of handlers) {
      const target = name === "keydown" ? (domElement.ownerDocument ?? domElement) : domElement;
      target.addEventListener(name, handler);
      this.#stops.push(() => target.removeEventListener(name, handler));
    }
    const before = domElement.style.touchAction;
    domElement.style.touchAction = "none";
    this.#stops.push(() => (domElement.style.touchAction = before));
  }

  /** @param {readonly Id[]} ids */
  #select(ids) {
    this.session.select(ids).catch((error) => this.#fail(error));
  }

  /** @param {readonly Id[]} ids */
  #selected(ids) {
    const last = ids[ids.length - 1];
    this.object = last === undefined ? undefined : this.binding.objectOf(last);
  }

  /** @param {Object3D[]} objects */
  #moved(objects) {
    if (this.dragging && this.object && objects.includes(this.object))
      this.dispatchEvent(OBJECT_CHANGE);
    this.dispatchEvent(CHANGE);
  }

  /** @param {Gizmo | null} gizmo */
  #show(gizmo) {
    this.view.show(gizmo);
    const lit = gizmo?.active ?? gizmo?.hover;
    if (!this.dragging)
      this.axis = lit !== undefined && this.#draws(gizmo, lit) ? axisName(lit) : null;
    this.dispatchEvent(CHANGE);
  }

  /** @param {Gizmo | null} gizmo @param {string} handle */
  #draws(gizmo, handle) {
    return gizmo?.handles.includes(handle) === true && isShown(handle, this);
  }

  /** @param {unknown} error */
  #fail(error) {
    this.dispatchEvent({ type: "error", error });
  }

  // ---- pointers ----

  /**
   * @param {PointerEvent} event what it says of the keys
   * @param {{clientX: number, clientY: number}} pointer
   * @returns {Place}
   */
  #placeOf(event, pointer) {
    /** @type {Modifier[]} */
    const mods = [];
    if (event.ctrlKey || event.metaKey) mods.push("snap");
    if (event.shiftKey) mods.push("fine");
    return { at: placeOn(this.domElement, pointer), mods };
  }

  /** @param {PointerEvent} event */
  #handleMove(event) {
    const hovers = event.pointerType !== "touch" && event.buttons === 0;
    if (hovers && !this.dragging && this.enabled && this.object)
      this.#hover(this.#placeOf(event, event));
  }

  /**
   * Finds the handle at a place. If only the server knows it, one request is open at a time, and
   * the next one is for the latest place.
   * @param {Place} place
   */
  async #hover(place) {
    if (this.session.handleAt(place) !== undefined) return this.#point(place);
    const busy = this.#asked !== this.#answered;
    this.#asked = place;
    while (!busy && this.#asked !== this.#answered) {
      const at = this.#asked;
      await this.session.probe(at).catch(() => {});
      this.#answered = at;
    }
  }

  /** The page knows the handle at a place. @param {Place} place */
  #point(place) {
    this.#asked = this.#answered = place;
    this.session.hover(place);
  }

  /**
   * The pointer of a press leads until it ends: what others do beside it begins nothing.
   * @param {PointerEvent} event
   */
  async #handleDown(event) {
    if (!this.enabled || !this.object || this.#press?.running || event.button !== 0) return;
    const press = this.#follow(event);
    const place = this.#placeOf(event, event);
    // A finger does not hover before it presses, and a mouse may be faster than the answer.
    if (this.session.handleAt(place) !== undefined) this.#point(place);
    else if (!isSamePlace(place, this.#answered)) await this.session.probe(place).catch(() => {});
    const handle = this.session.gizmo?.hover;
    if (!press.running) return;
    if (handle === undefined || this.axis === null) return press.stop();
    press.capture();
    this.dragging = true;
    this.dispatchEvent({ type: "mouseDown", mode: this.mode });
    this.#last = place;
    this.session.grab(handle, place).catch((error) => {
      if (this.dragging && this.#press === press) this.#end();
      this.#fail(error);
    });
  }

  /** @param {PointerEvent} down */
  #follow(down) {
    const press = new Press(this.domElement, down, {
      move: (event) => {
        if (this.dragging) this.session.move((this.#last = this.#placeOf(event, press)));
      },
      up: (event) => this.#release(this.#placeOf(event, press)),
      lost: () => this.#release(this.#last),
      cancel: () => this.reset(),
    });
    this.#press = press;
    return press;
  }

  /** Ends the drag here, as one edit. @param {Place} place */
  async #release(place) {
    if (!this.dragging) return;
    const done = this.session.up(place);
    this.#end();
    try {
      const { edit } = await done;
      if (edit !== undefined) this.dispatchEvent({ type: "saved", edit });
    } catch (error) {
      this.#fail(error);
    }
  }

  #end() {
    this.#press?.stop();
    this.dragging = false;
    this.dispatchEvent({ type: "mouseUp", mode: this.mode });
  }

  // ---- pictures ----

  #beforePicture() {
    const { camera, domElement, view } = this;
    camera.updateWorldMatrix(true, false);
    const { width, height } = sizeOf(domElement);
    this.#tellCamera(width, height);
    view.picture = { width, height };
    view.update(camera);
  }

  /** @param {number} width @param {number} height */
  #tellCamera(width, height) {
    const { matrixWorldInverse, projectionMatrix } = this.camera;
    const now = [...matrixWorldInverse.elements, ...projectionMatrix.elements, width, height];
    if (width === 0 || height === 0 || now.every((value, i) => value === this.#told[i])) return;
    this.#told.set(now);
    this.session.setCamera({
      view: matrixWorldInverse.elements,
      proj: projectionMatrix.elements,
      viewport: [0, 0, width, height],
    });
  }
}

/** @param {Place} a @param {Place | null} b */
const isSamePlace = (a, b) => a.at?.[0] === b?.at?.[0] && a.at?.[1] === b?.at?.[1];

/**
 * Whether the mode has a step: as with three, an amount without a step is not snapped.
 * @param {Mode} mode
 * @param {...(number | null)} of
 */
function steps(mode, ...of) {
  const [t, r, s] = of;
  if (mode === "translate") return t !== null;
  if (mode === "rotate" || mode === "arcball") return r !== null;
  if (mode === "scale" || mode === "bounds") return s !== null;
  return t !== null || r !== null || s !== null;
}

/** Updates the gizmo whenever its scene is drawn. */
class Helper extends Object3D {
  /** @param {() => void} before */
  constructor(before) {
    super();
    this.before = before;
  }

  /** @param {boolean} [force] */
  updateMatrixWorld(force) {
    this.before();
    super.updateMatrixWorld(force);
  }
}
