// timeline.tsx - the footer: the edits of the scene along their time, the moment that is looked at, and what can be done with it.
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
