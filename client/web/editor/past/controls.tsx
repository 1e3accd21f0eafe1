// controls.tsx - the row above the track: playing, the moment in words, what can be done with it, and which edits are shown.
import { useComputed, useSignal } from "@preact/signals";

import { useEditor } from "../context";
import { Icon } from "../icons";
import { MenuButton } from "../panels/menu";
import { NameCheckpoint, checkpointItems } from "./checkpoints";
import { EDITS_MAX } from "./history";
import { returnToNow } from "./now";
import { SPEEDS } from "./player";
import { count, timeWords } from "./words";
import type { Zoom } from "./zoom";

export function Controls({ zoom }: { zoom: Zoom }) {
  return (
    <div class="time-row">
      <Transport />
      <Readout />
      <span class="time-grow" />
      <Moment />
      <span class="time-line" />
      <Filters />
      <span class="time-line time-spare" />
      <ZoomButtons zoom={zoom} />
    </div>
  );
}

function Transport() {
  const { timeline, past } = useEditor();
  const { player } = timeline;
  const playing = player.playing.value;
  const empty = timeline.axis.value.marks.length === 0;
  return (
    <>
      <button type="button" class="icon-button" aria-label="Previous edit" data-tip="Previous edit" data-keys="<" data-side="start" disabled={player.index() === 0} onClick={() => player.step(-1)}>
        <Icon name="previous" />
      </button>
      <button type="button" class="icon-button" aria-label={playing ? "Pause" : "Play"} data-tip={playing ? "Pause" : "Play what was done"} disabled={empty} onClick={() => player.toggle()}>
        <Icon name={playing ? "pause" : "play"} />
      </button>
      <button type="button" class="icon-button" aria-label="Next edit" data-tip="Next edit" data-keys=">" disabled={!past.value} onClick={() => player.step(1)}>
        <Icon name="next" />
      </button>
      <select class="select time-speed" aria-label="Speed" value={player.speed.value} onChange={(event) => (player.speed.value = Number(event.currentTarget.value))}>
        {SPEEDS.map((speed) => <option key={speed} value={speed}>{speed}×</option>)}
      </select>
    </>
  );
}

function Readout() {
  const { timeline, past } = useEditor();
  const edits = timeline.axis.value.marks.length;
  const more = timeline.history.older.value !== "none" ? "+" : "";
  if (!past.value) return <span class="time-readout">Now <span class="time-faint">{edits}{more} {edits === 1 ? "edit" : "edits"}</span></span>;
  return (
    <span class="time-readout past">
      {timeWords(past.value.time, Date.now() / 1000)} <span class="time-faint">{timeline.player.index() + 1} of {edits}{more}</span>
    </span>
  );
}

function Moment() {
  const editor = useEditor();
  const { timeline, past, role } = editor;
  const naming = useSignal(false);
  const edits = role.value !== "viewer";
  const shown = timeline.opened.value !== null;
  return (
    <>
      <button type="button" class="button" disabled={!past.value} onClick={() => returnToNow(editor)}>
        <Icon name="now" />
        <span class="time-word">Back to now</span>
      </button>
      <button type="button" class="button" disabled={!past.value || !edits} onClick={() => void timeline.restore()}>
        <Icon name="reset" />
        <span class="time-word">Restore this moment</span>
      </button>
      <button type="button" class="icon-button" aria-label="What this edit did" data-tip="What this edit did" aria-pressed={shown} onClick={() => timeline.toggleDetails()}>
        <Icon name="info" />
      </button>
      <button type="button" class="icon-button" aria-label="Show path" data-tip="Show the path of what is selected" aria-pressed={timeline.ways.shown.value} onClick={() => (timeline.ways.shown.value = !timeline.ways.shown.value)}>
        <Icon name="path" />
      </button>
      <button type="button" class="icon-button" aria-label="Add checkpoint" data-tip="Name this moment" disabled={!edits} onClick={() => (naming.value = true)}>
        <Icon name="flag" />
      </button>
      <MenuButton name="Checkpoints" tip="Checkpoints" side="end" above items={() => checkpointItems(editor)}>
        <Icon name="flags" />
      </MenuButton>
      {naming.value && <NameCheckpoint onClose={() => (naming.value = false)} />}
    </>
  );
}

function Filters() {
  const { timeline } = useEditor();
  const users = useComputed(() => [...new Set(timeline.history.edits.value.map(({ user }) => user))].sort((a, b) => a.localeCompare(b)));
  return (
    <>
      <select class="select time-user" aria-label="Whose edits" value={timeline.user.value ?? ""} onChange={(event) => (timeline.user.value = event.currentTarget.value || null)}>
        <option value="">Everybody</option>
        {users.value.map((user) => <option key={user} value={user}>{user}</option>)}
      </select>
      <button
        type="button" class="icon-button" aria-label="Edits of the selection only" data-tip="Only edits of what is selected" data-side="end" aria-pressed={timeline.selectedOnly.value}
        onClick={() => (timeline.selectedOnly.value = !timeline.selectedOnly.value)}
      >
        <Icon name="filter" />
      </button>
    </>
  );
}

function ZoomButtons({ zoom }: { zoom: Zoom }) {
  const { timeline } = useEditor();
  const { older, edits } = timeline.history;
  const fit = (): void => zoom.fitAll();
  return (
    <span class="time-spare time-zoom">
      {older.value !== "none" && edits.value.length < EDITS_MAX && (
        <button type="button" class="button quiet" disabled={older.value === "loading"} onClick={() => void timeline.history.loadOlder()}>
          {older.value === "loading" ? "Loading…" : "Earlier edits"}
        </button>
      )}
      <button type="button" class="icon-button" aria-label="Zoom out of the timeline" data-tip="Zoom out" onClick={() => zoom.zoomBy(1 / 1.6)}>
        <Icon name="minus" />
      </button>
      <button type="button" class="icon-button" aria-label="Show all edits" data-tip={`Show all ${count(timeline.axis.value.marks.length, "edit")}`} data-side="end" onClick={fit}>
        <Icon name="fit" />
      </button>
      <button type="button" class="icon-button" aria-label="Zoom into the timeline" data-tip="Zoom in" data-side="end" onClick={() => zoom.zoomBy(1.6)}>
        <Icon name="plus" />
      </button>
    </span>
  );
}
