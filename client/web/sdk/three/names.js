// names.js - translates names of handles into those of three's TransformControls. Pure.

/** @type {Record<string, string>} */
const AXES = {
  tx: "X",
  ty: "Y",
  tz: "Z",
  txy: "XY",
  tyz: "YZ",
  tzx: "XZ",
  tv: "XYZ",
  rx: "X",
  ry: "Y",
  rz: "Z",
  rv: "E",
  rb: "XYZE",
  sx: "X",
  sy: "Y",
  sz: "Z",
  sxy: "XY",
  syz: "YZ",
  szx: "XZ",
  su: "XYZ",
};

/**
 * A handle that three does not have, such as those of the bounds, keeps its name.
 * @param {string} handle
 */
export const axisName = (handle) => AXES[handle] ?? handle;

/**
 * As with three: a handle is shown if all axes that it moves along are shown, and a free handle if
 * all three are.
 * @param {string} handle
 * @param {{ showX: boolean, showY: boolean, showZ: boolean }} shown
 */
export function isShown(handle, { showX, showY, showZ }) {
  const axis =
    handle[0] === "b" ? (handle.length === 3 ? handle[1].toUpperCase() : "XYZ") : axisName(handle);
  const has = (/** @type {string} */ letter) => axis.includes(letter) || axis === "E";
  return (showX || !has("X")) && (showY || !has("Y")) && (showZ || !has("Z"));
}
