// compass.tsx - the world's axes in the corner of the view. A click on the end of an axis looks
// from there. The compass fades if a handle of the gizmo is under it.
import { useSignal, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";

import { placeOn } from "../../sdk/canvasplace.js";
import { Press } from "../../sdk/press.js";
import type { Vec2, Vec3 } from "../../sdk/types.js";
import { useEditor } from "../context";
import type { Editor } from "../editor";
import { IconButton } from "../iconbutton";
import "./compass.css";
import { handlesReach } from "./handlearea";
import { roomForHint } from "./navigationhint";
import { Orbit } from "./orbit";
import { frameSelected, lookFrom, toggleParallel } from "./views";

const REACH_PX = 33;
const MIDDLE_PX = 46;
const CLICK_PX = 4;

interface End {
  axis: "x" | "y" | "z";
  from: string;
  side: Vec3;
}

const ENDS: readonly End[] = [
  { axis: "x", from: "right", side: [1, 0, 0] },
  { axis: "x", from: "left", side: [-1, 0, 0] },
  { axis: "y", from: "top", side: [0, 1, 0] },
  { axis: "y", from: "bottom", side: [0, -1, 0] },
  { axis: "z", from: "front", side: [0, 0, 1] },
  { axis: "z", from: "back", side: [0, 0, -1] },
];

/** The end of an axis in pixels: right, down, towards the eye. */
function seen(view: readonly number[], [x, y, z]: Vec3): Vec3 {
  const at = (row: number): number =>
    (view[row] * x + view[4 + row] * y + view[8 + row] * z) * REACH_PX;
  return [at(0), -at(1), at(2)];
}

export function Compass() {
  const editor = useEditor();
  const { input, rig } = editor;
  const parallel = rig.parallel.value;
  const self = useRef<HTMLDivElement>(null);
  const aside = useSignal(false);
  useSignalEffect(() => {
    rig.revision.value;
    const { offsetLeft = 0, offsetTop = 0, offsetWidth = 0, offsetHeight = 0 } = self.current ?? {};
    aside.value = handlesReach(editor, editor.gizmo.value, [
      offsetLeft,
      offsetTop,
      offsetLeft + offsetWidth,
      offsetTop + offsetHeight,
    ]);
  });
  const other = parallel ? "Perspective" : "Orthographic";
  return (
    <div ref={self} class="compass" data-aside={aside.value || undefined}>
      <Ball />
      <div class="compass-more">
        <IconButton
          icon={parallel ? "perspective" : "orthographic"}
          name={other}
          keys="5"
          side="end"
          onClick={() => toggleParallel(editor)}
        />
        <IconButton
          icon="frame"
          name="Frame selected"
          keys="F"
          side="end"
          onClick={() => frameSelected(editor)}
        />
        <IconButton
          icon="hand"
          name="Navigate with the left button"
          keys="V"
          side="end"
          class="compass-mouse"
          pressed={input.navigates.value}
          onClick={() => (input.navigates.value = !input.navigates.peek())}
        />
        <IconButton
          icon="info"
          name="How to orbit, pan and zoom"
          side="end"
          class="compass-mouse"
          pressed={input.showsHint.value && roomForHint(editor)}
          disabled={!roomForHint(editor)}
          onClick={() => input.setHint(!input.showsHint.peek())}
        />
      </div>
    </div>
  );
}

/**
 * The axes; only this component is drawn again after each turn of the view. Dragging it turns the
 * view.
 */
function Ball() {
  const editor = useEditor();
  const { rig } = editor;
  rig.revision.value;
  return (
    <div
      class="compass-ball"
      role="group"
      aria-label="View from"
      onPointerDown={(event) => turnBy(editor, event)}
    >
      <svg viewBox="0 0 92 92" aria-hidden="true">
        {ENDS.filter(({ side }) => !side.includes(-1)).map(({ axis, side }) => {
          const [x, y] = seen(rig.view, side);
          return (
            <line
              key={axis}
              x1={MIDDLE_PX}
              y1={MIDDLE_PX}
              x2={MIDDLE_PX + x}
              y2={MIDDLE_PX + y}
              stroke={`var(--axis-${axis})`}
              stroke-width="2"
            />
          );
        })}
      </svg>
      {ENDS.map((end) => (
        <EndButton key={end.from} end={end} at={seen(rig.view, end.side)} />
      ))}
    </div>
  );
}

/** A press becomes an orbit when the pointer has moved; until then it may be a click on an end. */
function turnBy(editor: Editor, down: PointerEvent): void {
  if (down.button !== 0) return;
  const ball = down.currentTarget as HTMLElement;
  let orbit: Orbit | null = null;
  const from = placeOn(ball, down);
  const middle: Vec2 = [editor.rig.width / 2, editor.rig.height / 2];
  const end = (): void => orbit?.end();
  const press = new Press(ball, down, {
    move: () => {
      const [x, y] = placeOn(ball, press);
      const by = [x - from[0], y - from[1]];
      if (!orbit && Math.hypot(...by) < CLICK_PX) return;
      if (!orbit) press.capture();
      orbit ??= new Orbit(editor, middle);
      orbit.move([middle[0] + by[0], middle[1] + by[1]]);
    },
    up: end,
    lost: end,
    cancel: end,
  });
}

function EndButton({ end: { axis, from, side }, at: [x, y, z] }: { end: End; at: Vec3 }) {
  const editor = useEditor();
  return (
    <button
      type="button"
      class={`compass-end compass-${axis}${side.includes(-1) ? " back" : ""}`}
      aria-label={`View from the ${from}`}
      data-tip={`From the ${from}`}
      data-side="end"
      style={{
        transform: `translate(${x}px, ${y}px) scale(${1 + z / 250})`,
        zIndex: Math.round(z) + REACH_PX,
      }}
      onClick={() => lookFrom(editor, side)}
    >
      {axis.toUpperCase()}
    </button>
  );
}
