// gizmo.ts - shows the gizmo in the view, in the colours of the theme.
import { effect } from "@preact/signals";

import { GizmoView } from "../../sdk/three/index.js";
import { followTheme, themeColour } from "./themecolours";
import type { Layer, View } from "./view";

export function gizmoLayer(view: View): Layer {
  const { editor } = view;
  const gizmo = new GizmoView();
  view.world.add(gizmo);
  const stops = [
    followTheme(() => {
      gizmo.setColours(colours());
      view.invalidate();
    }),
    effect(() => {
      // What another one holds has no handles: a press there would only be refused.
      const free = editor.past.value === null && editor.holder.value === undefined;
      const shown = free ? editor.gizmo.value : null;
      gizmo.show(shown && editor.input.finger.value ? { ...shown, hover: undefined } : shown);
      gizmo.sizePx = editor.tool.value.size ?? 96;
      gizmo.ballFit = editor.tool.value.ball_fit ?? "object";
      view.invalidate();
    }),
  ];
  return {
    update: () => {
      gizmo.picture = { width: editor.rig.width, height: editor.rig.height };
      gizmo.update(view.camera);
    },
    dispose: () => {
      for (const stop of stops) stop();
      gizmo.dispose();
    },
  };
}

const colours = () => ({
  x: themeColour("--axis-x"),
  y: themeColour("--axis-y"),
  z: themeColour("--axis-z"),
  neutral: themeColour("--text"),
  highlight: themeColour("--highlight"),
  rim: themeColour("--bg"),
  rimAlpha: 0.45,
});
