// index.js - what the package offers for three.js.
export { GIZMO_COLOURS, GizmoView, pixelAt } from "./gizmo.js";
