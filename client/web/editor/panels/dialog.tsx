// dialog.tsx - a modal window; the browser keeps the focus in it and gives it back afterwards.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

import type { Editor } from "../editor";
import type { DialogName } from "../editorstate";
import { IconButton } from "../iconbutton";
import "./dialog.css";

interface Props {
  title: string;
  /** Receives the answer that a button gave to `closeDialog`; empty if the dialog was dismissed. */
  onClose: (answer: string) => void;
  class?: string;
  /** Screen readers announce the title; it is not shown. */
  bare?: boolean;
  children: ComponentChildren;
}

/** Closes the dialog that contains an element. */
export function closeDialog(inside: EventTarget | null, answer = ""): void {
  (inside as HTMLElement | null)?.closest("dialog")?.close(answer);
}

/** Clears the dialog that was closed, unless another one was opened meanwhile. */
export function closeOver(editor: Editor, which: DialogName): void {
  if (editor.dialog.peek() === which) editor.dialog.value = null;
}

export function Dialog({ title, onClose, class: look = "", bare = false, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the next key event, so that what is typed at once goes to the dialog.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class={`dialog ${look}`}
      aria-label={title}
      onClose={(event) => onClose(event.currentTarget.returnValue)}
      onKeyDown={(event) => event.stopPropagation()}
      onPointerDown={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <div class="dialog-inside">
        {!bare && (
          <header class="dialog-head">
            <h2>{title}</h2>
            <IconButton
              icon="close"
              name="Close"
              tip={false}
              onClick={() => dialog.current?.close()}
            />
          </header>
        )}
        {children}
      </div>
    </dialog>
  );
}
