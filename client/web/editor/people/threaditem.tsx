// threaditem.tsx - one thread of notes in the list: its first words, or if it is open all notes
// with their actions.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import type { Note } from "../../sdk/types.js";
import { useEditor } from "../context";
import type { Editor } from "../editor";
import { Icon } from "../icons";
import { IconButton } from "../iconbutton";
import { MenuButton, type MenuItem } from "../panels/menu";
import { nameOf } from "../panels/treerows";
import { colourOf, initials, inkOn } from "./colour";
import { frameNote, placeInScene } from "./noteplace";
import { shareNote } from "./share";
import { ago } from "../past/edittext";
import type { Thread } from "./threads";
import { NoteForm } from "./noteform";

export function ThreadItem({ thread, now }: { thread: Thread; now: number }) {
  const editor = useEditor();
  const { root, replies } = thread;
  const open = editor.openNote.value === root.id;
  const unread = editor.notesModel.unread.value.has(root.id);
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (open && item.current) showInPanel(item.current);
  }, [open]);
  useEffect(() => {
    if (open && unread) editor.notesModel.read(thread);
  }, [open, unread, thread]);
  return (
    <li
      ref={item}
      class={open ? "notes-item notes-open" : "notes-item"}
      data-note={root.id}
      data-done={root.done}
    >
      <NoteText note={root} now={now} open={open} unread={unread} thread={thread} />
      <div class="notes-about">
        <About note={root} />
        {replies.length > 0 && !open && (
          <span>{replies.length === 1 ? "1 answer" : `${replies.length} answers`}</span>
        )}
        {thread.beheaded && <span>answers a note that is gone</span>}
      </div>
      {open && <Answers thread={thread} now={now} />}
    </li>
  );
}

/**
 * Scrolls the panel only. `scrollIntoView` would also scroll the page while a drawer is sliding in.
 */
function showInPanel(item: HTMLElement): void {
  const panel = item.closest("aside");
  const title = item.closest("section")?.querySelector(".panel-title");
  if (!panel || !title) return;
  const [frame, box] = [panel.getBoundingClientRect(), item.getBoundingClientRect()];
  const above = frame.top + title.clientHeight - box.top;
  const below = box.bottom - frame.bottom;
  if (above > 0) panel.scrollTop -= above;
  else if (below > 0) panel.scrollTop += Math.min(below, -above);
}

function Answers({ thread: { root, replies }, now }: { thread: Thread; now: number }) {
  const { notesModel, session } = useEditor();
  return (
    <>
      {replies.length > 0 && (
        <ul class="notes-answers" role="list" aria-label="Replies">
          {replies.map((note) => (
            <li key={note.id} data-note={note.id}>
              <NoteText note={note} now={now} open unread={false} />
            </li>
          ))}
        </ul>
      )}
      {notesModel.mayWrite && (
        <NoteForm
          name="Reply"
          send="Reply"
          onSend={(text) => session.note({ text, reply: root.id })}
        />
      )}
    </>
  );
}

interface WordsProps {
  note: Note;
  now: number;
  open: boolean;
  unread: boolean;
  /** Set for the first note of a thread, whose head opens and closes the thread. */
  thread?: Thread;
}

function NoteText({ note, now, open, unread, thread }: WordsProps) {
  const editor = useEditor();
  const editing = useSignal(false);
  const colour = useComputed(() => colourOf(note.user, editor.people.value)).value;
  const time = new Date(1000 * note.made).toLocaleString();
  const head = (
    <>
      <span
        class="notes-mark"
        aria-hidden="true"
        style={{ background: colour, color: inkOn(colour) }}
      >
        {initials(note.user)}
      </span>
      <b>{note.user}</b>
      <time title={time}>{ago(note.made, now)}</time>
      {note.changed > note.made + 1 && !note.done && <span>changed</span>}
      {unread && <span class="notes-new">new</span>}
    </>
  );
  return (
    <article class="notes-words">
      <header>
        {thread ? (
          <button
            type="button"
            class="notes-head"
            aria-expanded={open}
            onClick={() => editor.notesModel.open(open ? null : note.id)}
          >
            {head}
          </button>
        ) : (
          <span class="notes-head">{head}</span>
        )}
        {thread && <Done note={note} />}
        {open && !editing.value && (
          <MenuButton
            name={`Menu of the note by ${note.user}`}
            side="end"
            items={() => menuOf(editor, note, () => (editing.value = true))}
          >
            <Icon name="more" />
          </MenuButton>
        )}
      </header>
      {editing.value ? (
        <NoteForm
          name="Text of the note"
          send="Save"
          text={note.text}
          focus
          onSend={(text) =>
            text === note.text ? Promise.resolve() : editor.session.note({ id: note.id, text })
          }
          onClose={() => (editing.value = false)}
        />
      ) : (
        <p
          class={open ? "notes-text" : "notes-text notes-short"}
          onClick={() => !open && editor.notesModel.open(note.id)}
        >
          {note.text}
        </p>
      )}
    </article>
  );
}

function menuOf(editor: Editor, note: Note, edit: () => void): MenuItem[] {
  const { notesModel, session } = editor;
  const link: MenuItem = {
    label: "Copy link",
    icon: "link",
    run: () => void shareNote(editor, note.id),
  };
  if (!notesModel.owns(note)) return [link];
  const items: MenuItem[] = [link, { label: "Edit", run: edit }];
  const [only, ...others] = editor.selection.peek();
  if (note.reply === undefined && only !== undefined && others.length === 0 && only !== note.node) {
    const run = () => void editor.try(() => session.note({ id: note.id, node: only }));
    items.push({ label: `Move to ${nameOf(session.scene, only)}`, run });
  }
  items.push({
    label: "Delete",
    icon: "trash",
    danger: true,
    line: true,
    run: () => void remove(editor, note),
  });
  return items;
}

async function remove(editor: Editor, note: Note): Promise<void> {
  if (editor.openNote.peek() === note.id) editor.notesModel.open(null);
  if ((await editor.try(() => editor.session.note({ id: note.id, gone: true }))) !== undefined)
    offerBack(editor, note);
}

/** The server does not keep a deleted note, but its text can be written again. */
function offerBack(editor: Editor, { user, text, node, point, reply }: Note): void {
  const own = user === editor.session.user;
  const run = () => void editor.try(() => editor.session.note({ text, node, point, reply }));
  editor.say(
    "info",
    `${own ? "Your" : `${user}'s`} note was deleted.`,
    own ? { label: "Restore note", run } : undefined,
  );
}

/** What the note is pinned to; a click frames it. */
function About({ note }: { note: Note }) {
  const editor = useEditor();
  editor.structure.value;
  const { node, point } = note;
  if (node === undefined && !point) return <span>the whole scene</span>;
  if (!placeInScene(note, editor.scene.value))
    return <span>{editor.past.value ? "a node that did not exist then" : "a deleted node"}</span>;
  const name = node === undefined ? "a place" : nameOf(editor.scene.value, node);
  return (
    <button
      type="button"
      class="notes-chip"
      aria-label={`Show ${name} in the view`}
      onClick={() => frameNote(editor, note)}
    >
      <Icon name="frame" />
      <span>{name}</span>
    </button>
  );
}

function Done({ note }: { note: Note }) {
  const editor = useEditor();
  const toggle = () =>
    void editor.try(() => editor.session.note({ id: note.id, done: !note.done }));
  const name = note.done ? "Reopen" : "Mark as done";
  return (
    <IconButton
      icon="check"
      name="Done"
      tip={name}
      side="end"
      class="notes-done"
      pressed={note.done ?? false}
      disabled={!editor.notesModel.mayWrite}
      onClick={toggle}
    />
  );
}
