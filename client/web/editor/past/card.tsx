// card.tsx - the details of one edit: what it changed in each node, and the actions on it.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import type { Edit } from "../../sdk/types.js";
import { useEditor } from "../context";
import { Icon } from "../icons";
import { IconButton } from "../iconbutton";
import { selectNodes } from "../input/select";
import { INSTANT_S, momentAfter } from "./axis";
import { colourOf } from "../people/colour";
import { changeLines, count, durationText, timeText } from "./edittext";

const NODES_SHOWN = 12;
/** A larger residual, which is the part that the transform could not express, is mentioned. */
const RESIDUAL_TOLD = 1e-6;

export function EditCard() {
  const { timeline } = useEditor();
  const opened = timeline.opened.value;
  if (!opened) return null;
  return (
    <Card
      key={opened.id}
      edit={timeline.history.edits.value.find(({ id }) => id === opened.id) ?? opened}
    />
  );
}

function Card({ edit }: { edit: Edit }) {
  const { timeline, people } = useEditor();
  const details = useSignal<Edit | null>(null);
  const problem = useSignal("");
  useEffect(() => {
    timeline.history.details(edit).then(
      (found) => (details.value = found),
      (error: Error) => (problem.value = error.message),
    );
  }, [edit.id]);
  const known = details.value ?? edit;
  const lasted = edit.ended - edit.began;
  return (
    <section
      class="edit-card"
      aria-label="Edit details"
      onKeyDown={(event) => event.key === "Escape" && (timeline.opened.value = null)}
    >
      <header>
        <span class="edit-person" style={{ background: colourOf(edit.user, people.value) }} />
        <h2>{timeline.textOf(known)}</h2>
        <IconButton
          icon="close"
          name="Close"
          tip={false}
          onClick={() => (timeline.opened.value = null)}
        />
      </header>
      <p class="edit-when">
        {timeText(edit.ended, Date.now() / 1000)}
        {lasted >= INSTANT_S && `, for ${durationText(lasted)}`} · edit {edit.id}
        {edit.value && " · typed"}
        {edit.undone && " · undone since"}
        {(edit.residual ?? 0) > RESIDUAL_TOLD && " · the shape changed slightly"}
      </p>
      <Changes edit={details.value} problem={problem.value} />
      <Actions edit={edit} />
    </section>
  );
}

function Changes({ edit, problem }: { edit: Edit | null; problem: string }) {
  const { timeline } = useEditor();
  if (problem) return <p class="edit-problem">{problem}</p>;
  if (!edit) return <p class="edit-when">Loading…</p>;
  const changes = edit.changes ?? [];
  return (
    <div class="edit-changes" tabIndex={0} role="group" aria-label="Changes">
      {changes.slice(0, NODES_SHOWN).map((change) => (
        <dl key={change.id}>
          <dt>
            {change.name || timeline.nameOf(change.id)}
            {!change.before && <span class="edit-flag">created</span>}
            {!change.after && <span class="edit-flag">deleted</span>}
          </dt>
          {changeLines(change, timeline.nameOf).map(({ label, before, after }) => (
            <dd key={label}>
              <span class="edit-label">{label}</span>
              {change.before && <span>{before}</span>}
              {change.after && (
                <span>
                  {change.before && <span class="edit-arrow">→ </span>}
                  {after}
                </span>
              )}
            </dd>
          ))}
        </dl>
      ))}
      {changes.length > NODES_SHOWN && (
        <p class="edit-when">and {count(changes.length - NODES_SHOWN)} more</p>
      )}
      {changes.length === 0 && <p class="edit-when">No changes.</p>}
    </div>
  );
}

function Actions({ edit }: { edit: Edit }) {
  const editor = useEditor();
  const { timeline, session } = editor;
  const there = edit.nodes.filter((id) => session.scene.get(id));
  const before = timeline.before(edit);
  return (
    <div class="edit-actions">
      <button
        type="button"
        class="button"
        disabled={!before}
        onClick={() => before && timeline.player.seek(before)}
      >
        Show before
      </button>
      <button type="button" class="button" onClick={() => timeline.player.seek(momentAfter(edit))}>
        Show after
      </button>
      <button
        type="button"
        class="button"
        disabled={there.length === 0}
        onClick={() => selectNodes(editor, there)}
      >
        Select {there.length === 1 ? "node" : "nodes"}
      </button>
      {timeline.canRevert(edit) && (
        <button type="button" class="button" onClick={() => void timeline.revert(edit)}>
          <Icon name="undo" />
          Revert
        </button>
      )}
    </div>
  );
}
