// track.tsx - the track of the timeline: the bars of the edits, checkpoints, and the playhead. For
// the keyboard and screen readers it is a slider that steps from edit to edit.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { placeOn } from "../../sdk/canvasplace.js";
import { Press } from "../../sdk/press.js";
import type { Edit } from "../../sdk/types.js";
import { useEditor } from "../context";
import { INSTANT_S, lastAtMost, placeOfTime, momentAfter, momentAt } from "./axis";
import { colourOf } from "../people/colour";
import { GLANCE_NODES_MAX } from "./history";
import { type Bar, makeBars, makeLabels } from "./bars";
import type { Player } from "./player";
import { durationText, timeText } from "./edittext";
import type { Zoom } from "./zoom";

const NEAR_PX = 6;
const CLICK_PX = 3;
const FLAG_PX = 140;
const WHEEL_ZOOM = 0.0022;

export function Track({ zoom }: { zoom: Zoom }) {
  const { timeline } = useEditor();
  const { player } = timeline;
  const track = useRef<HTMLDivElement>(null);
  const hovered = useSignal<Bar | null>(null);
  const press = useRef<{ x: number; edit: Edit | null; moved: boolean } | null>(null);
  const fingers = useRef(new Map<number, number>());
  useSize(track, zoom);
  useWheel(track, zoom);
  useEffect(
    () => player.place.subscribe((place) => press.current === null && zoom.reveal(place)),
    [player, zoom],
  );

  const xIn = (pointer: { clientX: number; clientY: number }): number =>
    placeOn(track.current as HTMLElement, pointer)[0];
  const scrub = (x: number): void => {
    player.pause();
    player.seek(momentAt(timeline.axis.peek(), zoom.placeAt(x), NEAR_PX / zoom.unitPx.peek()));
  };
  // A click on an edit shows the state after it.
  const handleDown = (event: PointerEvent): void => {
    const element = track.current;
    const { pointerId: id } = event;
    if (event.button !== 0 || !element || fingers.current.has(id)) return;
    const from = xIn(event);
    fingers.current.set(id, from);
    const edit = editAt(event, timeline.history.edits.peek());
    // A second finger zooms, and from then on the first one does not scrub.
    press.current = fingers.current.size > 1 ? null : { x: from, edit, moved: false };
    const over = (): void => {
      fingers.current.delete(id);
      press.current = null;
    };
    const follow = new Press(element, event, {
      move: () => handleMove(id, xIn(follow)),
      up: () => {
        const at = press.current;
        over();
        if (at?.edit && !at.moved) player.seek(momentAfter(at.edit));
      },
      cancel: over,
    });
    follow.capture();
    if (press.current && !edit) scrub(from);
  };
  const handleMove = (id: number, x: number): void => {
    if (fingers.current.size > 1) return pinch(fingers.current, id, x, zoom);
    const at = press.current;
    if (!at) return;
    at.moved ||= Math.abs(x - at.x) > CLICK_PX;
    if (at.moved || !at.edit) scrub(x);
  };
  const handleContext = (event: MouseEvent): void => {
    const edit = editAt(event, timeline.history.edits.peek());
    if (!edit) return;
    event.preventDefault();
    timeline.opened.value = edit;
  };
  return (
    <div
      ref={track}
      class="time-track"
      role="slider"
      tabIndex={0}
      aria-label="Moment"
      aria-orientation="horizontal"
      {...useSliderValue()}
      onPointerDown={handleDown}
      onContextMenu={handleContext}
      onKeyDown={(event) => handleKey(event, player)}
      onPointerLeave={() => (hovered.value = null)}
    >
      <Marks zoom={zoom} onHover={(bar) => (hovered.value = bar)} />
      <Flags zoom={zoom} />
      <Head zoom={zoom} />
      <Tip bar={hovered.value} zoom={zoom} />
    </div>
  );
}

/** Two fingers zoom as they move apart, and scroll as they move together. */
function pinch(fingers: Map<number, number>, id: number, x: number, zoom: Zoom): void {
  const before = fingers.get(id);
  const other = [...fingers].find(([finger]) => finger !== id)?.[1];
  if (before === undefined || other === undefined) return;
  fingers.set(id, x);
  zoom.scrollBy((before - x) / 2);
  zoom.zoomBy(
    Math.max(1, Math.abs(x - other)) / Math.max(1, Math.abs(before - other)),
    (x + other) / 2,
  );
}

function useSliderValue() {
  const { timeline } = useEditor();
  const { moment } = timeline.player;
  const words = !moment.value
    ? "Now"
    : [
        timeText(moment.value.time, Date.now() / 1000),
        moment.value.edit && timeline.textOf(moment.value.edit),
      ]
        .filter(Boolean)
        .join(", ");
  return {
    "aria-valuemin": 0,
    "aria-valuemax": timeline.player.nowStep(),
    "aria-valuenow": timeline.player.index(),
    "aria-valuetext": words,
  };
}

function Marks({ zoom, onHover }: { zoom: Zoom; onHover: (bar: Bar) => void }) {
  const { timeline, people } = useEditor();
  const colours = useComputed(() => people.value.map(({ user, colour }) => user + colour).join());
  const drawn = useComputed(() => {
    const axis = timeline.axis.value;
    const window = {
      unitPx: zoom.unitPx.value,
      width: zoom.width.value,
      xOf: (u: number) => zoom.xOf(u),
      placeAt: (x: number) => zoom.placeAt(x),
    };
    return {
      bars: makeBars(axis, window),
      labels: makeLabels(axis, window, Date.now() / 1000),
      lanes: axis.lanes,
    };
  });
  colours.value;
  const { bars, labels, lanes } = drawn.value;
  return (
    <>
      <div class="time-ruler">
        {labels.map(({ x, text }) => (
          <span key={text} style={{ left: `${x}px` }}>
            {text}
          </span>
        ))}
      </div>
      <div class="time-lanes" style={{ "--lanes": lanes }}>
        {bars.map((bar) => (
          <span
            key={bar.edit.id}
            class="time-mark"
            data-edit={bar.edit.id}
            data-kind={bar.edit.kind}
            data-undone={bar.edit.undone}
            onPointerEnter={() => onHover(bar)}
            style={{
              left: `${bar.x}px`,
              width: `${bar.width}px`,
              "--lane": bar.lane,
              "--person": colourOf(bar.edit.user, people.peek()),
            }}
          />
        ))}
      </div>
    </>
  );
}

function Flags({ zoom }: { zoom: Zoom }) {
  const { timeline } = useEditor();
  const { history, player } = timeline;
  const edits = history.edits.value;
  const poles = history.checkpoints.value.flatMap((checkpoint) => {
    const left = edits[lastAtMost(edits, checkpoint.seq, (edit) => edit.seq)];
    return left ? [{ checkpoint, x: zoom.xOf(placeOfTime(timeline.axis.value, left.ended)) }] : [];
  });
  return (
    <div class="time-flags">
      {poles.map(({ checkpoint, x }, i) => {
        const go = (event: PointerEvent): void => {
          event.stopPropagation();
          player.pause();
          timeline.goTo(checkpoint);
        };
        return (
          <span
            key={checkpoint.name}
            class="time-flag"
            data-checkpoint={checkpoint.name}
            style={flagStyle(x, poles[i + 1]?.x ?? Infinity, zoom.width.value)}
            onPointerDown={go}
          >
            {checkpoint.name}
          </span>
        );
      })}
    </div>
  );
}

/**
 * A checkpoint's flag extends to the right up to the next flag, or to the left at the end of the
 * track.
 */
function flagStyle(x: number, next: number, width: number): Record<string, string> {
  if (x > width - FLAG_PX / 2) return { right: `${width - x}px`, borderRadius: "4px 0 0 4px" };
  return { left: `${x}px`, maxWidth: `${Math.max(8, Math.min(FLAG_PX, next - x - 2))}px` };
}

function Head({ zoom }: { zoom: Zoom }) {
  const { timeline } = useEditor();
  const { place, moment, waiting } = timeline.player;
  return (
    <span
      class="time-head"
      data-past={moment.value ? true : undefined}
      data-waiting={waiting.value || undefined}
      style={{ transform: `translateX(${zoom.xOf(place.value)}px)` }}
    />
  );
}

/**
 * The user, the action and the time of an edit, with the amount as soon as the server has sent it.
 */
function Tip({ bar, zoom }: { bar: Bar | null; zoom: Zoom }) {
  const { timeline } = useEditor();
  const details = useSignal<Edit | null>(null);
  const edit = bar?.edit;
  useEffect(() => {
    if (!edit || edit.nodes.length > GLANCE_NODES_MAX) return;
    timeline.history.details(edit).then(
      (found) => (details.value = found),
      () => {},
    );
  }, [edit?.id]);
  if (!bar || !edit) return null;
  const words = timeline.textOf(details.value?.id === edit.id ? details.value : edit);
  const x = Math.max(120, Math.min(bar.x + bar.width / 2, zoom.width.value - 120));
  return (
    <span class="time-tip" style={{ left: `${x}px` }}>
      {bar.count > 1 ? `${bar.count} edits, the last: ${words}` : words},{" "}
      {timeText(edit.ended, Date.now() / 1000)}
      {edit.ended - edit.began >= INSTANT_S && `, for ${durationText(edit.ended - edit.began)}`}
    </span>
  );
}

function editAt(event: MouseEvent, edits: readonly Edit[]): Edit | null {
  const mark = (event.target as Element).closest<HTMLElement>("[data-edit]");
  const id = Number(mark?.dataset.edit);
  return (mark && edits.find((edit) => edit.id === id)) ?? null;
}

function handleKey(event: KeyboardEvent, player: Player): void {
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: -10,
    PageUp: 10,
    Home: -Infinity,
  };
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key in steps) player.step(steps[event.key]);
  else if (event.key === "End" || event.key === "Escape") player.toNow();
  else if (event.key === " ") player.toggle();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function useSize(track: { current: HTMLElement | null }, zoom: Zoom): void {
  useEffect(() => {
    const element = track.current as HTMLElement;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth > 0) zoom.width.value = element.clientWidth; // it may be hidden
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [zoom]);
}

/**
 * The wheel zooms about the pointer; sideways or with Shift it scrolls. The listener is not
 * passive, so that the page does not zoom as well.
 */
function useWheel(track: { current: HTMLElement | null }, zoom: Zoom): void {
  useEffect(() => {
    const element = track.current as HTMLElement;
    const handle = (event: WheelEvent): void => {
      event.preventDefault();
      const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
      if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) zoom.scrollBy(sideways);
      else zoom.zoomBy(Math.exp(-event.deltaY * WHEEL_ZOOM), placeOn(element, event)[0]);
    };
    element.addEventListener("wheel", handle, { passive: false });
    return () => element.removeEventListener("wheel", handle);
  }, [zoom]);
}
