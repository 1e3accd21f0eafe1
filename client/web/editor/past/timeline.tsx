// timeline.tsx - the timeline below the view: its controls and its track.
import { useMemo } from "preact/hooks";

import { useEditor } from "../context";
import { Controls } from "./controls";
import { Track } from "./track";
import { Zoom } from "./zoom";
import "./timeline.css";

export function Timeline() {
  const { timeline } = useEditor();
  const zoom = useMemo(() => new Zoom(() => timeline.axis.value), [timeline]);
  return (
    <footer>
      <section class="time" aria-label="History">
        <Controls zoom={zoom} />
        <Track zoom={zoom} />
      </section>
    </footer>
  );
}
