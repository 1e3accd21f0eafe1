// dialog.tsx - a window over the page that has to be answered or put away; the browser keeps the focus in it and gives it back.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { Icon } from "../icons";
import "./dialog.css";

interface Props {
  title: string;
  onClose: () => void;
  /** Beside the title. */
  class?: string;
  children: ComponentChildren;
}

export function Dialog({ title, onClose, class: look = "", children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog} class={`dialog ${look}`} aria-label={title} onClose={onClose}
      onKeyDown={(event) => event.stopPropagation()}
      onPointerDown={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <div class="dialog-inside">
        <header class="dialog-head">
          <h2>{title}</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={() => dialog.current?.close()}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
