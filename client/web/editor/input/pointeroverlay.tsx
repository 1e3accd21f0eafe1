// pointeroverlay.tsx - what is shown at the pointer: the read-out of a drag with the typed number,
// the selection rectangle, and why something cannot be grabbed.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

import type { Vec2 } from "../../sdk/types.js";
import { useEditor } from "../context";
import { keysOf } from "./chord";
import { valueOf } from "./typedvalue";
import { dragText } from "./dragtext";
import "./pointeroverlay.css";

/** Distance from the cursor, so that the text hides nothing. */
const ASIDE_PX = 18;
/** Least distance from the edge of the view. */
const EDGE_PX = 6;

export function PointerOverlay() {
  return (
    <>
      <Marquee />
      <Readout />
      <Bubble />
      <Said />
      <Keys />
    </>
  );
}

/** A narrower view has no room for the list of keys. */
const KEYS_ROOM_PX = 760;

const px = (length: number): string => `${length}px`;

function Marquee() {
  const corners = useEditor().input.marquee.value;
  if (!corners) return null;
  const [[x0, y0], [x1, y1]] = corners;
  const style = {
    left: px(Math.min(x0, x1)),
    top: px(Math.min(y0, y1)),
    width: px(Math.abs(x1 - x0)),
    height: px(Math.abs(y1 - y0)),
  };
  return <div class="pointer-marquee" data-part="marquee" style={style} />;
}

function Readout() {
  const { input, gizmo, rig } = useEditor();
  const handle = input.dragged.value;
  const { value, active = handle, origin } = gizmo.value ?? {};
  if (handle === null || !active || (!value && !input.typed.value)) return null;
  const at = input.pointer.value ??
    (origin && rig.project(origin)) ?? [rig.width / 2, rig.height / 2];
  return (
    <Beside at={at} part="readout">
      {input.typed.value && (
        <span class={`pointer-typed ${valueOf(input.typed.value, active) ? "" : "wrong"}`}>
          {input.typed.value}
        </span>
      )}
      {value && dragText(active, value)}
    </Beside>
  );
}

function Bubble() {
  const bubble = useEditor().input.bubble.value;
  return (
    <div role="status">
      {bubble && (
        <Beside at={bubble.at} look="pointer-bubble">
          {bubble.text}
        </Beside>
      )}
    </div>
  );
}

function Said() {
  return (
    <p class="visually-hidden" role="status">
      {useEditor().input.said.value}
    </p>
  );
}

/** The effects of the keys during a drag. */
const DRAG_KEYS: readonly [keys: string[], label: string][] = [
  [["X", "Y", "Z"], "axis"],
  [["1", "2", "\u2026"], "exactly"],
  [keysOf("Mod"), "snap"],
  [keysOf("Shift"), "fine"],
  [keysOf("Escape"), "back"],
];

function Keys() {
  const { input, rig } = useEditor();
  if (input.dragged.value === null || rig.width < KEYS_ROOM_PX) return null;
  return (
    <div class="pointer-keys" aria-hidden="true">
      {DRAG_KEYS.map(([keys, label]) => (
        <span key={label}>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
          {label}
        </span>
      ))}
    </div>
  );
}

/** A text below and to the right of a place in the view, or on another side if there is no room. */
function Beside({
  at,
  part,
  look = "",
  children,
}: {
  at: Vec2;
  part?: string;
  look?: string;
  children: ComponentChildren;
}) {
  const { rig } = useEditor();
  const note = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!note.current) return;
    const { offsetWidth, offsetHeight, style } = note.current;
    const x = aside(at[0], offsetWidth, rig.width);
    const y = aside(at[1], offsetHeight, rig.height);
    style.translate = `${x}px ${y}px`;
  });
  return (
    <div ref={note} class={`pointer-note ${look}`} data-part={part}>
      {children}
    </div>
  );
}

/** Where a box of this size begins beside `at`, within the room. */
function aside(at: number, size: number, room: number): number {
  const place = at + ASIDE_PX + size > room - EDGE_PX ? at - ASIDE_PX - size : at + ASIDE_PX;
  return Math.round(Math.max(EDGE_PX, Math.min(place, room - EDGE_PX - size)));
}
