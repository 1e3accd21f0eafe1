// hand.tsx - what stands at the pointer: how far a drag went and what was typed for it, the rectangle of a selection, and why something cannot be grabbed.
import type { Vec2 } from "../../sdk/types.js";
import { useEditor } from "../context";
import { dragWords } from "./words";
import "./hand.css";

/** Beside the cursor, so that it hides nothing. */
const ASIDE_PX = 18;
const ROOM_PX: Vec2 = [230, 44];

export function Hand() {
  return (
    <>
      <Marquee />
      <Readout />
      <Bubble />
    </>
  );
}

const px = (length: number): string => `${length}px`;

function Marquee() {
  const corners = useEditor().input.marquee.value;
  if (!corners) return null;
  const [[x0, y0], [x1, y1]] = corners;
  const style = { left: px(Math.min(x0, x1)), top: px(Math.min(y0, y1)), width: px(Math.abs(x1 - x0)), height: px(Math.abs(y1 - y0)) };
  return <div class="hand-marquee" data-part="marquee" style={style} />;
}

function Readout() {
  const { input, gizmo, rig } = useEditor();
  const handle = input.dragged.value;
  const { value, active = handle, origin } = gizmo.value ?? {};
  if (handle === null || !active || (!value && !input.typed.value)) return null;
  const at = input.pointer.value ?? (origin && rig.project(origin)) ?? [rig.width / 2, rig.height / 2];
  return (
    <div class="hand-note" data-part="readout" style={beside(at, rig.width, rig.height)}>
      {input.typed.value && <span class="hand-typed">{input.typed.value}</span>}
      {value && dragWords(active, value)}
    </div>
  );
}

function Bubble() {
  const { input, rig } = useEditor();
  const bubble = input.bubble.value;
  if (!bubble) return null;
  return (
    <div class="hand-note hand-bubble" role="status" style={beside(bubble.at, rig.width, rig.height)}>
      {bubble.text}
    </div>
  );
}

/** To the right and below, or to where there is room. */
function beside([x, y]: Vec2, width: number, height: number): { transform: string } {
  const left = x + ASIDE_PX + ROOM_PX[0] > width ? `calc(${x - ASIDE_PX}px - 100%)` : `${x + ASIDE_PX}px`;
  const top = y + ASIDE_PX + ROOM_PX[1] > height ? `calc(${y - ASIDE_PX}px - 100%)` : `${y + ASIDE_PX}px`;
  return { transform: `translate(${left}, ${top})` };
}
