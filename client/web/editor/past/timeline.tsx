// timeline.tsx - the footer: the edits of the scene along their time, the moment that is looked at, and what can be done with it.
import { useMemo } from "preact/hooks";

import { useEditor } from "../context";
import { SPEEDS } from "./player";
import { Track } from "./track";
import { count, timeWords } from "./words";
import { Zoom } from "./zoom";
import "./timeline.css";

export function Timeline() {
  const { timeline } = useEditor();
  const zoom = useMemo(() => new Zoom(() => timeline.axis.value.length), [timeline]);
  return (
    <footer>
      <section class="time" aria-label="History">
        <div class="time-row">
          <Transport />
          <Readout />
        </div>
        <Track zoom={zoom} />
      </section>
    </footer>
  );
}

function Transport() {
  const { timeline, past, role } = useEditor();
  const { player } = timeline;
  const playing = player.playing.value;
  const empty = timeline.axis.value.marks.length === 0;
  return (
    <>
      <button type="button" class="button" aria-label="Previous edit" disabled={empty} onClick={() => player.step(-1)}>◂</button>
      <button type="button" class="button" disabled={empty} onClick={() => (playing ? player.pause() : player.play())}>{playing ? "Pause" : "Play"}</button>
      <button type="button" class="button" aria-label="Next edit" disabled={empty || !past.value} onClick={() => player.step(1)}>▸</button>
      <select class="select" aria-label="Speed" value={player.speed.value} onChange={(event) => (player.speed.value = Number(event.currentTarget.value) as (typeof SPEEDS)[number])}>
        {SPEEDS.map((speed) => <option key={speed} value={speed}>{speed}×</option>)}
      </select>
      <button type="button" class="button" disabled={!past.value} onClick={() => player.toNow()}>Back to now</button>
      <button type="button" class="button" disabled={!past.value || role.value === "viewer"} onClick={() => void timeline.restore()}>Restore this moment</button>
    </>
  );
}

function Readout() {
  const { timeline, past } = useEditor();
  const edits = timeline.axis.value.marks.length;
  const now = Date.now() / 1000;
  return (
    <output class="time-readout">
      {past.value ? `${timeWords(past.value.time, now)}, edit ${timeline.player.index() + 1} of ${edits}` : `Now, ${count(edits, "edit")}`}
    </output>
  );
}
