// orbit.js - predicts the session's own view during an orbit or a wheel, with the server's solver.

/** @import {Camera, Id, Place, Vec3} from "./types.js" */
/** @import {SceneModel} from "./scene.js" */
/** @import {Solver} from "./solver.js" */

export class Orbit {
  #page;
  #solver;
  /** The view at the beginning of the orbit that runs. @type {number[] | null} */
  #began = null;

  /**
   * @param {{ readonly scene: SceneModel, readonly selection: readonly Id[],
   *   readonly camera: Camera | null }} page
   * @param {Solver} solver
   */
  constructor(page, solver) {
    this.#page = page;
    this.#solver = solver;
  }

  get running() {
    return this.#began !== null;
  }

  /** @param {Place} place @returns {boolean} whether an orbit has begun */
  begin(place) {
    const { camera } = this.#page;
    if (!camera || !place.at) return false;
    if (!this.#solver.orbitBegin(this.#centre(camera), place.at)) return false;
    this.#began = Array.from(camera.view);
    return true;
  }

  /** @param {Place} place @returns {number[] | null} the view */
  turn(place) {
    if (!this.#began || !place.at) return null;
    return copy(this.#solver.orbitMove(place.at, place.mods));
  }

  /** Ends the orbit. @returns {number[] | null} the view at its beginning */
  end() {
    const view = this.#began;
    if (view) this.#solver.end();
    this.#began = null;
    return view;
  }

  /** @param {number} notches @returns {number[] | null} the view */
  dolly(notches) {
    const { camera } = this.#page;
    return camera && copy(this.#solver.dolly(this.#centre(camera), notches));
  }

  /**
   * The centre of rotation: the camera's target, the centre of the selection, or of the scene.
   * @param {Camera} camera
   * @returns {Vec3}
   */
  #centre({ target }) {
    if (target) return target;
    const scene = this.#page.scene;
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
