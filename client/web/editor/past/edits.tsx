// edits.tsx - the list of edits, the legend of the bars, and the details of one edit. They stand at
// the top of the right panel, so that they cover nothing of the view; if there is no room for that
// panel they lie over the lower part of the view.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import type { Edit } from "../../sdk/types.js";
import { useEditor } from "../context";
import { IconButton } from "../iconbutton";
import { momentAfter } from "./axis";
import { EditCard } from "./card";
import { colourOf } from "../people/colour";
import { Legend } from "./legend";
import { timeText } from "./edittext";
import "./edits.css";

/** As in app.css: the side panels are drawers. */
const NARROW = "(max-width: 820px), (max-width: 1000px) and (max-height: 480px)";
/** The number of edits listed at first, and added each time for earlier ones. */
const ROWS = 100;

/** @param over whether this is the instance over the view */
export function Edits({ over }: { over: boolean }) {
  const { timeline } = useEditor();
  if (useMatch(NARROW) !== over || (!timeline.listed.value && !timeline.opened.value)) return null;
  return (
    <div class={over ? "edits edits-over" : "edits"}>
      <EditCard />
      {timeline.listed.value && <List />}
    </div>
  );
}

function useMatch(query: string): boolean {
  const matches = useSignal(matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const follow = (): void => void (matches.value = list.matches);
    list.addEventListener("change", follow);
    return () => list.removeEventListener("change", follow);
  }, [query]);
  return matches.value;
}

/** Who did what and when, the newest edit first. */
function List() {
  const { timeline } = useEditor();
  const { history } = timeline;
  const rows = useSignal(ROWS);
  const edits = timeline.shown.value;
  const seen = edits.slice(-rows.value).reverse();
  const earlier = (): void => {
    rows.value += ROWS;
    if (rows.value > edits.length) void history.loadOlder();
  };
  return (
    <section class="edits-panel" aria-label="Edits">
      <h2 class="panel-title">
        Edits
        <span class="grow" />
        <IconButton
          icon="close"
          name="Close the list of edits"
          tip={false}
          onClick={() => (timeline.listed.value = false)}
        />
      </h2>
      <Legend />
      <ol class="edits-list">
        {seen.map((edit) => (
          <Row key={edit.id} edit={edit} />
        ))}
      </ol>
      {seen.length === 0 && <p class="edits-none">No edits yet.</p>}
      {(edits.length > seen.length || history.older.value !== "none") && (
        <button
          type="button"
          class="button quiet edits-earlier"
          disabled={history.older.value === "loading"}
          onClick={earlier}
        >
          Earlier edits
        </button>
      )}
    </section>
  );
}

/** A click shows the scene after this edit. */
function Row({ edit }: { edit: Edit }) {
  const { timeline, people } = useEditor();
  const { player } = timeline;
  const go = (): void => {
    player.pause();
    player.seek(momentAfter(edit));
  };
  return (
    <li>
      <button
        type="button"
        class="edits-row"
        data-undone={edit.undone}
        aria-current={player.moment.value?.edit?.id === edit.id || undefined}
        onClick={go}
      >
        <span class="edit-person" style={{ background: colourOf(edit.user, people.value) }} />
        <span class="edits-what">{timeline.textOf(edit)}</span>
        <span class="edits-when">{timeText(edit.ended, Date.now() / 1000)}</span>
      </button>
    </li>
  );
}
