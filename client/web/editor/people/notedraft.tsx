// notedraft.tsx - asks over the view where a new note belongs, and shows the form for its text
// beside its pin.
import { useLayoutEffect, useRef } from "preact/hooks";

import { useEditor } from "../context";
import type { Editor } from "../editor";
import { IconButton } from "../iconbutton";
import { nameOf } from "../panels/treerows";
import type { NoteTarget } from "./noteplace";
import { NoteForm } from "./noteform";
import "./notedraft.css";

const GAP_PX = 12;
/** How far a pin extends from its point. */
const PIN_PX = 26;

export function NoteDraft() {
  const editor = useEditor();
  const { draft, placing } = editor.notesModel;
  if (placing.value) return <PlacingBar />;
  return draft.value && <Card key={JSON.stringify(draft.value)} target={draft.value} />;
}

function PlacingBar() {
  const editor = useEditor();
  const [only, ...others] = editor.selection.value;
  const onNode = only !== undefined && others.length === 0;
  return (
    <div class="draft-bar" role="status">
      <span>Click where the note belongs</span>
      {onNode && (
        <button type="button" class="button" onClick={() => editor.notesModel.writeAtSelection()}>
          On {nameOf(editor.session.scene, only)}
        </button>
      )}
      <button type="button" class="button" onClick={() => editor.notesModel.write({})}>
        On the whole scene
      </button>
      <IconButton icon="close" name="Cancel" keys="Esc" onClick={() => editor.notesModel.leave()} />
    </div>
  );
}

function Card({ target }: { target: NoteTarget }) {
  const editor = useEditor();
  const { notesModel, session } = editor;
  const card = useRef<HTMLDivElement>(null);
  const at = notesModel.draftAt.value;
  useLayoutEffect(() => {
    if (card.current && at) putBeside(card.current, at);
  }, [at]);
  const send = async (text: string) => {
    notesModel.made(await session.note({ text, ...target }));
  };
  return (
    <>
      {at && <span class="draft-pin" style={{ transform: `translate(${at[0]}px, ${at[1]}px)` }} />}
      <div
        ref={card}
        class={at ? "draft-card" : "draft-card draft-afloat"}
        role="dialog"
        aria-label="New note"
      >
        <p class="draft-about">{aboutText(editor, target)}</p>
        <NoteForm
          name="New note"
          send="Add note"
          focus
          onSend={send}
          onClose={() => notesModel.leave()}
        />
      </div>
    </>
  );
}

function aboutText({ session }: Editor, { node, point }: NoteTarget): string {
  if (node !== undefined) return `On ${nameOf(session.scene, node)}`;
  return point ? "At this place" : "On the whole scene";
}

/**
 * Puts the card to the right of the pin, or else to the left, below or above; all of it is within
 * the view.
 */
function putBeside(card: HTMLElement, [x, y]: readonly [number, number]): void {
  const { clientWidth, clientHeight } = card.parentElement as HTMLElement;
  const { offsetWidth, offsetHeight } = card;
  const right = x + GAP_PX + PIN_PX;
  const left = right + offsetWidth + GAP_PX <= clientWidth ? right : x - GAP_PX - offsetWidth;
  const beside = left >= GAP_PX;
  const below =
    y + GAP_PX + offsetHeight <= clientHeight ? y + GAP_PX : y - PIN_PX - GAP_PX - offsetHeight;
  const inside = (at: number, room: number) => Math.max(GAP_PX, Math.min(at, room - GAP_PX));
  const at = [
    inside(beside ? left : x - offsetWidth / 2, clientWidth - offsetWidth),
    inside(beside ? y - PIN_PX : below, clientHeight - offsetHeight),
  ];
  card.style.transform = `translate(${at[0]}px, ${at[1]}px)`;
}
