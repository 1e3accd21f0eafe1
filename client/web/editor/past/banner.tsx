// banner.tsx - a frame around the view and a banner with the time, so that nobody takes the past
// for the present.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import type { Edit } from "../../sdk/types.js";
import { useEditor } from "../context";
import { lastAtMost } from "./axis";
import { GLANCE_NODES_MAX } from "./history";
import { returnToNow } from "./now";
import { timeText } from "./edittext";

export function PastBanner() {
  const editor = useEditor();
  const { past, timeline } = editor;
  const details = useSignal<Edit | null>(null);
  const state = past.value;
  const edits = timeline.history.edits.value;
  // Within a drag, the edit that is shown is the next one that ends.
  const moment = timeline.player.moment.value;
  const edit =
    moment?.edit ?? (state && edits[lastAtMost(edits, state.time, ({ ended }) => ended) + 1]);
  const still = !timeline.player.playing.value && edit && edit.nodes.length <= GLANCE_NODES_MAX;
  useEffect(() => {
    if (!edit || !still) return;
    timeline.history.details(edit).then(
      (found) => (details.value = found),
      () => {},
    );
  }, [edit?.id, still]);
  if (!state) return null;
  return (
    <>
      <div class="past-frame" />
      <div
        class="past-banner"
        data-part="past-banner"
        role="status"
        aria-live={timeline.player.playing.value ? "off" : "polite"}
      >
        <span class="past-words">
          Viewing <strong>{timeText(state.time, Date.now() / 1000)}</strong>
          {edit && `: ${timeline.textOf(details.value?.id === edit.id ? details.value : edit)}`}
        </span>
        <button type="button" class="past-return" onClick={() => returnToNow(editor)}>
          Return to the present
        </button>
      </div>
    </>
  );
}
