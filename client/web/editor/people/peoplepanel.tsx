// peoplepanel.tsx - the panel of people: who is here, what they do, and a button to follow their
// view.
import { computed, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";

import { useEditor } from "../context";
import type { Editor } from "../editor";
import { IconButton } from "../iconbutton";
import { inkOn, initials } from "./colour";
import { Activity, type Row, lostRows, roster, sameRows } from "./roster";
import "./peoplepanel.css";

const TICK_MS = 30_000;

export function PeoplePanel() {
  const editor = useEditor();
  const { rows, watching, tick } = useMemo(() => startRoster(editor), [editor]);
  useEffect(() => {
    const timer = setInterval(() => tick.value++, TICK_MS);
    return () => clearInterval(timer);
  }, [tick]);
  return (
    <section class="panel people" aria-label="People">
      <h2 class="panel-title">
        People <span class="people-count">{rows.value.length + watching.value}</span>
        <span class="grow" />
        <ShowOthers />
        <IconButton
          icon="link"
          name="Share"
          side="end"
          onClick={() => (editor.dialog.value = "share")}
        />
      </h2>
      <ul class="people-list" role="list" aria-label="People">
        {rows.value.map((row) => (
          <PersonRow key={row.session} row={row} />
        ))}
      </ul>
      {watching.value > 0 && (
        <p class="people-watching">
          and {watching.value.toLocaleString("en")} who {watching.value === 1 ? "watches" : "watch"}
        </p>
      )}
    </section>
  );
}

/**
 * The rows change only if their text does, so that the panel is not drawn again 20 times a second.
 */
function startRoster(editor: Editor) {
  const activity = new Activity();
  const tick = signal(0);
  let last: Row[] = [];
  const rows = computed(() => {
    tick.value;
    editor.structure.value;
    const now = Date.now();
    activity.update(editor.people.value, now);
    const here = roster(
      editor.people.value,
      activity,
      now,
      editor.names.value,
      (id) => editor.session.scene.get(id)?.name,
    );
    const next = editor.status.value.phase === "online" ? here : lostRows(here);
    if (!sameRows(last, next)) last = next;
    return last;
  });
  const watching = computed(() =>
    editor.status.value.phase === "online" ? editor.here.value - editor.people.value.length : 0,
  );
  return { rows, watching, tick };
}

function ShowOthers() {
  const { showPeople } = useEditor();
  return (
    <IconButton
      icon="eye"
      name="Show others in the view"
      tip="Show others' cameras, pointers and names"
      side="end"
      pressed={showPeople.value}
      onClick={() => (showPeople.value = !showPeople.value)}
    />
  );
}

function PersonRow({ row }: { row: Row }) {
  const { session, name, colour, role, me, doing, looks, idle } = row;
  return (
    <li
      class={idle ? "people-row people-idle" : "people-row"}
      data-session={session}
      aria-label={`${name}${me ? ", you" : ""}, ${doing}`}
    >
      <span
        class="people-mark"
        aria-hidden="true"
        style={{ background: colour, color: inkOn(colour) }}
      >
        {initials(name)}
      </span>
      <span class="people-words">
        <span class="people-name">
          <b>{name}</b>
          {me && <span class="people-note">you</span>}
          {role !== "editor" && (
            <span class="people-note">{role === "viewer" ? "view only" : "admin"}</span>
          )}
        </span>
        <span class="people-doing">{doing}</span>
      </span>
      {!me && looks && <FollowButton session={session} user={name} />}
    </li>
  );
}

function FollowButton({ session, user }: { session: number; user: string }) {
  const { following, drawer } = useEditor();
  const follows = following.value === session;
  return (
    <button
      type="button"
      class="button quiet people-follow"
      aria-pressed={follows}
      aria-label={follows ? `Stop following ${user}` : `Follow ${user}`}
      onClick={() => {
        following.value = follows ? null : session;
        drawer.value = null;
      }}
    >
      {follows ? "Following" : "Follow"}
    </button>
  );
}
