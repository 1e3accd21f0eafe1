// index.js - what the package offers for three.js.
export { Binding, bind, bindGltf, share } from "./bind.js";
export { RemoteTransformControls } from "./controls.js";
export { GIZMO_COLOURS, GizmoView, pixelAt } from "./gizmo.js";
