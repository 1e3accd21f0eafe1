// notespanel.tsx - the panel of notes: the threads, the one with the newest note first.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { useEditor } from "../context";
import { Icon } from "../icons";
import { IconButton } from "../iconbutton";
import { MenuButton, type MenuItem } from "../panels/menu";
import type { NotesModel } from "./notesmodel";
import { ThreadItem } from "./threaditem";
import type { Filter } from "./threads";
import "./notespanel.css";

/** The number of threads shown at first, and added each time. */
const PAGE = 50;
const TICK_MS = 60_000;

const FILTERS: { filter: Filter; label: string; none: string }[] = [
  { filter: "open", label: "Open", none: "No open notes." },
  { filter: "done", label: "Done", none: "Nothing is done yet." },
  { filter: "all", label: "All", none: "No notes yet." },
];

export function NotesPanel() {
  const { notesModel } = useEditor();
  const most = useSignal(PAGE);
  const now = useSignal(Date.now() / 1000);
  useEffect(() => {
    const timer = setInterval(() => (now.value = Date.now() / 1000), TICK_MS);
    return () => clearInterval(timer);
  }, [now]);
  const threads = notesModel.shown.value;
  return (
    <section class="panel notes" aria-label="Notes">
      <NotesTitle notesModel={notesModel} />
      <NotesFilter notesModel={notesModel} />
      {threads.length === 0 && <p class="notes-none">{noneText(notesModel)}</p>}
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

function NotesTitle({ notesModel }: { notesModel: NotesModel }) {
  const unread = notesModel.unread.value.size;
  return (
    <h2 class="panel-title">
      Notes
      {unread > 0 && <span class="notes-unread">{unread} new</span>}
      <span class="grow" />
      {notesModel.mayWrite && (
        <IconButton
          icon="plus"
          name="Add note"
          keys="N"
          side="end"
          pressed={notesModel.placing.value}
          disabled={!notesModel.editor.editable.value}
          onClick={() => (notesModel.placing.value ? notesModel.leave() : notesModel.place())}
        />
      )}
      <MenuButton name="Notes menu" tip="Notes options" side="end" items={() => menuOf(notesModel)}>
        <Icon name="more" />
      </MenuButton>
    </h2>
  );
}

function NotesFilter({ notesModel }: { notesModel: NotesModel }) {
  const count = (filter: Filter) =>
    notesModel.threads.value.filter(
      ({ root }) => filter === "all" || (root.done ?? false) === (filter === "done"),
    ).length;
  if (notesModel.threads.value.length === 0) return null;
  return (
    <div class="notes-filter" role="group" aria-label="Filter notes">
      {FILTERS.map(({ filter, label }) => (
        <button
          key={filter}
          type="button"
          class="button quiet"
          aria-pressed={notesModel.filter.value === filter}
          onClick={() => (notesModel.filter.value = filter)}
        >
          {label} <span class="notes-count">{count(filter)}</span>
        </button>
      ))}
      <span class="grow" />
      <IconButton
        icon="select"
        name="Only notes on the selection"
        side="end"
        pressed={notesModel.selectedOnly.value}
        onClick={() => (notesModel.selectedOnly.value = !notesModel.selectedOnly.value)}
      />
    </div>
  );
}

function menuOf(notesModel: NotesModel): MenuItem[] {
  return [
    {
      label: "Show pins in the view",
      on: notesModel.pinned.value,
      run: () => (notesModel.pinned.value = !notesModel.pinned.value),
    },
    {
      label: "Mark all as read",
      icon: "check",
      line: true,
      disabled: notesModel.unread.value.size === 0,
      run: () => notesModel.readAll(),
    },
  ];
}

function noneText(notesModel: NotesModel): string {
  if (notesModel.selectedOnly.value)
    return notesModel.editor.selection.value.length > 0
      ? "No such notes on the selection."
      : "Nothing is selected.";
  if (notesModel.threads.value.length > 0)
    return FILTERS.find(({ filter }) => filter === notesModel.filter.value)?.none ?? "";
  return notesModel.mayWrite
    ? "No notes yet. To pin one to a part, press + or N, then the part."
    : "No notes yet.";
}

/** The arrow keys move from thread to thread. */
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
