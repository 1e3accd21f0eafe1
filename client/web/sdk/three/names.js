// names.js - handles in the words of three's TransformControls. Pure.

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
 * Handles that three has none for, such as those of the bounds, keep their own name.
 * @param {string} handle
 */
export const axisName = (handle) => AXES[handle] ?? handle;

/**
 * As with three: a handle is shown where all axes that it moves along are; one that is free, where
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
