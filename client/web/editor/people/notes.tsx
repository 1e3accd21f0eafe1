// notes.tsx - what people say to each other about the scene: the threads, the newest words first.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { useEditor } from "../context";
import { Icon } from "../icons";
import { MenuButton, type MenuItem } from "../panels/menu";
import type { NoteDesk } from "./desk";
import { ThreadItem } from "./thread";
import type { Filter } from "./threads";
import "./notes.css";

/** So many are in the page at first; more when they are asked for. */
const PAGE = 50;
const TICK_MS = 60_000;

const FILTERS: { filter: Filter; label: string; none: string }[] = [
  { filter: "open", label: "Open", none: "No open notes." },
  { filter: "done", label: "Done", none: "Nothing is done yet." },
  { filter: "all", label: "All", none: "No notes yet." },
];

export function NotesPanel() {
  const { desk } = useEditor();
  const most = useSignal(PAGE);
  const now = useSignal(Date.now() / 1000);
  useEffect(() => {
    const timer = setInterval(() => (now.value = Date.now() / 1000), TICK_MS);
    return () => clearInterval(timer);
  }, [now]);
  const threads = desk.shown.value;
  return (
    <section class="panel notes" aria-label="Notes">
      <NotesTitle desk={desk} />
      <NotesFilter desk={desk} />
      {threads.length === 0 && <p class="notes-none">{noneWords(desk)}</p>}
      <ul class="notes-list" role="list" onKeyDown={walk}>
        {threads.slice(0, most.value).map((thread) => (
          <ThreadItem key={thread.root.id} thread={thread} now={now.value} />
        ))}
      </ul>
      {threads.length > most.value && (
        <button type="button" class="button quiet notes-more" onClick={() => (most.value += PAGE)}>
          Show {Math.min(PAGE, threads.length - most.value)} more
        </button>
      )}
    </section>
  );
}

function NotesTitle({ desk }: { desk: NoteDesk }) {
  const unread = desk.unread.value.size;
  return (
    <h2 class="panel-title">
      Notes
      {unread > 0 && <span class="notes-unread">{unread} new</span>}
      <span class="grow" />
      {desk.mayWrite && (
        <button
          type="button"
          class="icon-button"
          aria-label="Add note"
          aria-pressed={desk.placing.value}
          data-tip="Add note"
          data-keys="N"
          data-side="end"
          disabled={!desk.editor.editable.value}
          onClick={() => (desk.placing.value ? desk.leave() : desk.place())}
        >
          <Icon name="plus" />
        </button>
      )}
      <MenuButton name="Notes menu" tip="Notes options" side="end" items={() => menuOf(desk)}>
        <Icon name="more" />
      </MenuButton>
    </h2>
  );
}

function NotesFilter({ desk }: { desk: NoteDesk }) {
  const count = (filter: Filter) =>
    desk.threads.value.filter(
      ({ root }) => filter === "all" || (root.done ?? false) === (filter === "done"),
    ).length;
  if (desk.threads.value.length === 0) return null;
  return (
    <div class="notes-filter" role="group" aria-label="Filter notes">
      {FILTERS.map(({ filter, label }) => (
        <button
          key={filter}
          type="button"
          class="button quiet"
          aria-pressed={desk.filter.value === filter}
          onClick={() => (desk.filter.value = filter)}
        >
          {label} <span class="notes-count">{count(filter)}</span>
        </button>
      ))}
      <span class="grow" />
      <button
        type="button"
        class="icon-button"
        aria-label="Only notes on the selection"
        aria-pressed={desk.selectedOnly.value}
        data-tip="Only notes on the selection"
        data-side="end"
        onClick={() => (desk.selectedOnly.value = !desk.selectedOnly.value)}
      >
        <Icon name="select" />
      </button>
    </div>
  );
}

function menuOf(desk: NoteDesk): MenuItem[] {
  return [
    {
      label: "Show pins in the view",
      on: desk.pinned.value,
      run: () => (desk.pinned.value = !desk.pinned.value),
    },
    {
      label: "Mark all as read",
      icon: "check",
      line: true,
      disabled: desk.unread.value.size === 0,
      run: () => desk.readAll(),
    },
  ];
}

function noneWords(desk: NoteDesk): string {
  if (desk.selectedOnly.value)
    return desk.editor.selection.value.length > 0
      ? "No such notes on the selection."
      : "Nothing is selected.";
  if (desk.threads.value.length > 0)
    return FILTERS.find(({ filter }) => filter === desk.filter.value)?.none ?? "";
  return desk.mayWrite
    ? "No notes yet. To pin one to a part, press + or N, then the part."
    : "No notes yet.";
}

/** Up and down go from thread to thread. */
function walk(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const heads = [
    ...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>(".notes-head"),
  ];
  const at = heads.indexOf(event.target as HTMLElement);
  if (step === undefined || at < 0) return;
  event.preventDefault();
  heads[at + step]?.focus();
}
