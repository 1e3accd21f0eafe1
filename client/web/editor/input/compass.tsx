// compass.tsx - the world's axes in the corner of the view, as one sees them now; a click on an end looks from there.
import type { Vec3 } from "../../sdk/types.js";
import { useEditor } from "../context";
import "./compass.css";
import { lookFrom } from "./views";

const REACH_PX = 33;
const MIDDLE_PX = 46;

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

/** Where the end of an axis is: right, down, towards us. */
function seen(view: readonly number[], [x, y, z]: Vec3): Vec3 {
  const at = (row: number): number => (view[row] * x + view[4 + row] * y + view[8 + row] * z) * REACH_PX;
  return [at(0), -at(1), at(2)];
}

export function Compass() {
  const editor = useEditor();
  const { rig } = editor;
  rig.revision.value;
  return (
    <div class="compass" role="group" aria-label="View from">
      <div class="compass-ball">
        <svg viewBox="0 0 92 92" aria-hidden="true">
          {ENDS.map(({ axis, side }) => {
            const [x, y] = seen(rig.view, side);
            if (side.includes(-1)) return null;
            return <line x1={MIDDLE_PX} y1={MIDDLE_PX} x2={MIDDLE_PX + x} y2={MIDDLE_PX + y} stroke={`var(--axis-${axis})`} stroke-width="2" />;
          })}
        </svg>
        {ENDS.map(({ axis, from, side }) => {
          const [x, y, z] = seen(rig.view, side);
          const back = side.includes(-1);
          return (
            <button
              type="button"
              class={`compass-end compass-${axis}${back ? " back" : ""}`}
              aria-label={`View from the ${from}`}
              title={`View from the ${from}`}
              style={{ transform: `translate(${x}px, ${y}px) scale(${1 + z / 250})`, zIndex: Math.round(z) + REACH_PX }}
              onClick={() => lookFrom(editor, side)}
            >
              {axis.toUpperCase()}
            </button>
          );
        })}
      </div>
    </div>
  );
}
