// controls.tsx - the row of controls above the track: playing, the moment that is shown, the
// actions on it, and the filters. A narrow row has a menu at its end for the controls that do not
// fit.
import { type Signal, useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { useEditor } from "../context";
import type { Editor } from "../editor";
import { Icon } from "../icons";
import { IconButton } from "../iconbutton";
import { MenuButton, type MenuItem } from "../panels/menu";
import { NameCheckpoint, checkpointItems } from "./checkpoints";
import { EDITS_MAX } from "./history";
import type { TimelineModel } from "./timelinemodel";
import { returnToNow } from "./now";
import { SPEEDS } from "./player";
import { count, timeText } from "./edittext";
import type { Zoom } from "./zoom";

/**
 * What the row shows, by its width: everything; without some labels; only the controls of the
 * moment; or only the necessary ones.
 */
type Room = "full" | "wide" | "narrow" | "tight";
/**
 * The least widths of the first three in pixels, for a mouse and for the larger controls of a touch
 * screen.
 */
const ROOM_PX = { fine: [1112, 912, 552], coarse: [1344, 1104, 664] };

function roomOf(width: number): Room {
  const [full, wide, narrow] = matchMedia("(pointer: coarse)").matches
    ? ROOM_PX.coarse
    : ROOM_PX.fine;
  return width >= full ? "full" : width >= wide ? "wide" : width >= narrow ? "narrow" : "tight";
}

function useRoom(row: { current: HTMLElement | null }): Room {
  const room = useSignal(roomOf(innerWidth));
  useEffect(() => {
    const element = row.current as HTMLElement;
    const observer = new ResizeObserver(() => (room.value = roomOf(element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return room.value;
}

export function Controls({ zoom }: { zoom: Zoom }) {
  const naming = useSignal(false);
  const row = useRef<HTMLDivElement>(null);
  const room = useRoom(row);
  return (
    <div ref={row} class="time-row" data-room={room}>
      <Transport speed={room === "full" || room === "wide"} />
      <Readout short={room === "tight"} />
      <span class="time-grow" />
      <MomentButtons room={room} naming={naming} />
      {room === "full" || room === "wide" ? (
        <>
          <span class="time-line" />
          <Filters />
          <span class="time-line" />
          <ZoomButtons zoom={zoom} />
        </>
      ) : (
        <More zoom={zoom} tight={room === "tight"} naming={naming} />
      )}
      {naming.value && <NameCheckpoint onClose={() => (naming.value = false)} />}
    </div>
  );
}

function Transport({ speed }: { speed: boolean }) {
  const { timeline, past } = useEditor();
  const { player } = timeline;
  const playing = player.playing.value;
  const empty = timeline.axis.value.marks.length === 0;
  return (
    <>
      <IconButton
        icon="previous"
        name="Previous edit"
        keys="<"
        side="start"
        disabled={player.index() === 0}
        onClick={() => player.step(-1)}
      />
      <IconButton
        icon={playing ? "pause" : "play"}
        name={playing ? "Pause" : "Play"}
        tip={playing ? "Pause" : "Play history"}
        disabled={empty}
        onClick={() => player.toggle()}
      />
      <IconButton
        icon="next"
        name="Next edit"
        keys=">"
        disabled={!past.value}
        onClick={() => player.step(1)}
      />
      {speed && (
        <select
          class="select time-speed"
          aria-label="Speed"
          value={player.speed.value}
          onChange={(event) => (player.speed.value = Number(event.currentTarget.value))}
        >
          {SPEEDS.map((speed) => (
            <option key={speed} value={speed}>
              {speed}×
            </option>
          ))}
        </select>
      )}
    </>
  );
}

function Readout({ short }: { short: boolean }) {
  const { timeline, past } = useEditor();
  const edits = timeline.axis.value.marks.length;
  const more = timeline.history.older.value !== "none" ? "+" : "";
  if (!past.value)
    return (
      <span class="time-readout">
        Now{" "}
        <span class="time-faint">
          {edits}
          {more} {edits === 1 ? "edit" : "edits"}
        </span>
      </span>
    );
  return (
    <span class="time-readout past">
      {timeText(past.value.time, Date.now() / 1000)}{" "}
      <span class="time-faint">
        {timeline.player.index() + 1}
        {short ? "/" : " of "}
        {edits}
        {more}
      </span>
    </span>
  );
}

/**
 * In the tightest row only what concerns the past itself; the banner returns to the present, and
 * the menu has the rest.
 */
function MomentButtons({ room, naming }: { room: Room; naming: Signal<boolean> }) {
  const editor = useEditor();
  const { timeline, past, role } = editor;
  const edits = role.value !== "viewer";
  const restore = (
    <button type="button" class="button" disabled={!edits} onClick={() => void timeline.restore()}>
      <Icon name="reset" />
      <span class="time-word">Restore this version</span>
    </button>
  );
  if (room === "tight") return past.value && restore;
  return (
    <>
      {past.value && (
        <button type="button" class="button" onClick={() => returnToNow(editor)}>
          <Icon name="now" />
          <span class="time-word">Back to now</span>
        </button>
      )}
      {past.value && restore}
      <IconButton
        icon="list"
        name="List of edits"
        tip="List of edits, and what the bars mean"
        pressed={timeline.listed.value}
        onClick={() => (timeline.listed.value = !timeline.listed.value)}
      />
      <IconButton
        icon="info"
        name="Edit details"
        pressed={timeline.opened.value !== null}
        onClick={() => timeline.toggleDetails()}
      />
      <IconButton
        icon="path"
        name="Show motion path"
        tip="Show motion path of the selection"
        pressed={timeline.motionPaths.shown.value}
        onClick={() => (timeline.motionPaths.shown.value = !timeline.motionPaths.shown.value)}
      />
      <IconButton
        icon="flag"
        name="Add checkpoint"
        disabled={!edits}
        onClick={() => (naming.value = true)}
      />
      <MenuButton
        name="Checkpoints"
        tip="Checkpoints"
        side="end"
        above
        items={() => checkpointItems(editor)}
      >
        <Icon name="flags" />
      </MenuButton>
    </>
  );
}

const usersOf = ({ timeline }: Editor): string[] =>
  [...new Set(timeline.history.edits.value.map(({ user }) => user))].sort((a, b) =>
    a.localeCompare(b),
  );

function Filters() {
  const editor = useEditor();
  const { timeline } = editor;
  const users = useComputed(() => usersOf(editor));
  return (
    <>
      <select
        class="select time-user"
        aria-label="Filter by person"
        value={timeline.user.value ?? ""}
        onChange={(event) => (timeline.user.value = event.currentTarget.value || null)}
      >
        <option value="">Everybody</option>
        {users.value.map((user) => (
          <option key={user} value={user}>
            {user}
          </option>
        ))}
      </select>
      <IconButton
        icon="filter"
        name="Edits of the selection only"
        tip="Only edits of the selection"
        side="end"
        pressed={timeline.selectedOnly.value}
        onClick={() => (timeline.selectedOnly.value = !timeline.selectedOnly.value)}
      />
    </>
  );
}

const hasEarlier = ({ history }: TimelineModel): boolean =>
  history.older.value !== "none" && history.edits.value.length < EDITS_MAX;

function ZoomButtons({ zoom }: { zoom: Zoom }) {
  const { timeline } = useEditor();
  const { older } = timeline.history;
  const fit = (): void => zoom.fitAll();
  return (
    <span class="time-zoom">
      {hasEarlier(timeline) && (
        <button
          type="button"
          class="button quiet"
          disabled={older.value === "loading"}
          onClick={() => void timeline.history.loadOlder()}
        >
          {older.value === "loading" ? "Loading…" : "Load earlier edits"}
        </button>
      )}
      <IconButton
        icon="minus"
        name="Zoom out of the timeline"
        tip="Zoom out"
        onClick={() => zoom.zoomBy(1 / 1.6)}
      />
      <IconButton
        icon="fit"
        name="Show all edits"
        tip={`Show all ${count(timeline.axis.value.marks.length, "edit")}`}
        side="end"
        onClick={fit}
      />
      <IconButton
        icon="plus"
        name="Zoom into the timeline"
        tip="Zoom in"
        side="end"
        onClick={() => zoom.zoomBy(1.6)}
      />
    </span>
  );
}

/** The menu of the controls that do not fit into the row. */
function More({ zoom, tight, naming }: { zoom: Zoom; tight: boolean; naming: Signal<boolean> }) {
  const editor = useEditor();
  const items = (): MenuItem[] => [
    ...(tight ? momentItems(editor, () => (naming.value = true)) : []),
    ...filterItems(editor).map((item, i) => ({ ...item, line: tight && i === 0 })),
    ...zoomItems(editor, zoom).map((item, i) => ({ ...item, line: i === 0 })),
    ...SPEEDS.map(
      (speed, i): MenuItem => ({
        label: `Speed ${speed}×`,
        line: i === 0,
        checked: editor.timeline.player.speed.peek() === speed,
        run: () => (editor.timeline.player.speed.value = speed),
      }),
    ),
    ...(tight
      ? checkpointItems(editor).map((item, i) => ({ ...item, line: item.line || i === 0 }))
      : []),
  ];
  return (
    <MenuButton name="More timeline options" tip="More" side="end" above items={items}>
      <Icon name="more" />
    </MenuButton>
  );
}

function momentItems({ timeline, role }: Editor, name: () => void): MenuItem[] {
  const { listed, motionPaths } = timeline;
  return [
    {
      label: "List of edits",
      icon: "list",
      on: listed.peek(),
      run: () => (listed.value = !listed.peek()),
    },
    {
      label: "Edit details",
      icon: "info",
      on: timeline.opened.peek() !== null,
      run: () => timeline.toggleDetails(),
    },
    {
      label: "Motion path of the selection",
      icon: "path",
      on: motionPaths.shown.peek(),
      run: () => (motionPaths.shown.value = !motionPaths.shown.peek()),
    },
    { label: "Add checkpoint", icon: "flag", disabled: role.peek() === "viewer", run: name },
  ];
}

function filterItems(editor: Editor): MenuItem[] {
  const { user, selectedOnly } = editor.timeline;
  const of = (who: string | null, label: string): MenuItem => ({
    label,
    checked: user.peek() === who,
    run: () => (user.value = who),
  });
  return [
    of(null, "Edits by everybody"),
    ...usersOf(editor).map((who) => of(who, `Edits by ${who}`)),
    {
      label: "Only edits of the selection",
      icon: "filter",
      on: selectedOnly.peek(),
      run: () => (selectedOnly.value = !selectedOnly.peek()),
    },
  ];
}

function zoomItems({ timeline }: Editor, zoom: Zoom): MenuItem[] {
  const earlier: MenuItem = {
    label: "Load earlier edits",
    disabled: timeline.history.older.peek() === "loading",
    run: () => void timeline.history.loadOlder(),
  };
  return [
    { label: "Zoom into the timeline", icon: "plus", run: () => zoom.zoomBy(1.6) },
    { label: "Zoom out of the timeline", icon: "minus", run: () => zoom.zoomBy(1 / 1.6) },
    { label: "Show all edits", icon: "fit", run: () => zoom.fitAll() },
    ...(hasEarlier(timeline) ? [earlier] : []),
  ];
}
