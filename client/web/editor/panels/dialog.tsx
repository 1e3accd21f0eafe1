// dialog.tsx - a window over the page that has to be answered or put away; the browser keeps the focus in it and gives it back.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

import type { Editor } from "../editor";
import { Icon } from "../icons";
import "./dialog.css";

interface Props {
  title: string;
  /** With what a button gave to `closeDialog`; empty where it was put away. */
  onClose: (answer: string) => void;
  class?: string;
  /** The title is only told, not shown. */
  bare?: boolean;
  children: ComponentChildren;
}

/** Closes the window that an element is in. */
export function closeDialog(inside: EventTarget | null, answer = ""): void {
  (inside as HTMLElement | null)?.closest("dialog")?.close(answer);
}

/** The page forgets a window that was closed, unless another one was opened meanwhile. */
export function closeOver(editor: Editor, which: "shortcuts" | "palette"): void {
  if (editor.dialog.peek() === which) editor.dialog.value = null;
}

export function Dialog({ title, onClose, class: look = "", bare = false, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the next key: what is typed at once is for the dialog.
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
            <button
              type="button"
              class="icon-button"
              aria-label="Close"
              onClick={() => dialog.current?.close()}
            >
              <Icon name="close" />
            </button>
          </header>
        )}
        {children}
      </div>
    </dialog>
  );
}
