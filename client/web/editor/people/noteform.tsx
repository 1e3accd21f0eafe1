// noteform.tsx - a field for the text of a note: Ctrl+Enter sends it, Escape cancels. The text
// stays until the server has accepted it.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

import { useEditor } from "../context";

/** The longest text that the server accepts, in bytes. */
const BYTES_MAX = 2000;
const BYTES_SAID = 1800;

interface Props {
  name: string;
  /** The label of the button. */
  send: string;
  text?: string;
  focus?: boolean;
  onSend: (text: string) => Promise<unknown>;
  onClose?: () => void;
}

export function NoteForm({ name, send, text = "", focus = false, onSend, onClose }: Props) {
  const editor = useEditor();
  const field = useRef<HTMLTextAreaElement>(null);
  const words = useSignal(text);
  const sending = useSignal(false);
  useLayoutEffect(() => grow(field.current, focus), []);

  const bytes = new TextEncoder().encode(words.value.trim()).length;
  const may = bytes > 0 && bytes <= BYTES_MAX && !sending.value;
  const leave = () => {
    words.value = text;
    field.current?.blur();
    onClose?.();
  };
  const submit = async () => {
    if (!may) return;
    sending.value = true;
    const sent = await editor.try(async () => (await onSend(words.value.trim()), true));
    sending.value = false;
    if (sent) leave();
  };
  const key = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape") leave();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void submit();
  };
  return (
    <form
      class="notes-writer"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <textarea
        ref={field}
        class="input"
        rows={1}
        aria-label={name}
        placeholder={onClose ? undefined : `${name}…`}
        value={words.value}
        readOnly={sending.value}
        onKeyDown={key}
        onInput={(event) => {
          words.value = event.currentTarget.value;
          grow(event.currentTarget);
        }}
      />
      {(words.value !== "" || onClose) && (
        <div class="notes-send">
          <State bytes={bytes} sending={sending.value} />
          <button type="button" class="button quiet" onClick={leave}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={!may}>
            {send}
          </button>
        </div>
      )}
    </form>
  );
}

/** The room that is left, if it is little, and whether the note waits for the connection. */
function State({ bytes, sending }: { bytes: number; sending: boolean }) {
  const { status } = useEditor();
  return (
    <>
      {bytes > BYTES_SAID && (
        <span class={bytes > BYTES_MAX ? "notes-long" : undefined}>{BYTES_MAX - bytes} left</span>
      )}
      {sending && status.value.phase !== "online" && <span>waits for the server</span>}
      <span class="grow" />
    </>
  );
}

/** Makes the field as high as its text. */
function grow(field: HTMLTextAreaElement | null, focus = false): void {
  if (!field) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
  if (!focus) return;
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}
