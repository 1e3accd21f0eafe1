// dialogs.tsx - shows the dialog that is open: a question, the shortcuts, the command palette, who
// may come in, or the field for a new link.
import { useEditor } from "../context";
import type { Question } from "../editorstate";
import { ShareDialog } from "../people/sharedialog";
import { TokenDialog } from "../people/tokenform";
import { Dialog, closeDialog } from "./dialog";
import { Palette } from "./palette";
import { Shortcuts } from "./shortcuts";

export function Dialogs() {
  const { dialog, question } = useEditor();
  if (question.value) return <Ask key={question.value.title} asked={question.value} />;
  if (dialog.value === "shortcuts") return <Shortcuts />;
  if (dialog.value === "palette") return <Palette />;
  if (dialog.value === "share") return <ShareDialog />;
  if (dialog.value === "token") return <TokenDialog />;
  return null;
}

export function Ask({ asked }: { asked: Question }) {
  return (
    <Dialog title={asked.title} onClose={(answer) => asked.answer(answer === "yes")}>
      <p class="dialog-text">{asked.text}</p>
      <div class="dialog-buttons">
        <button
          type="button"
          class="button"
          autofocus={asked.danger}
          onClick={(event) => closeDialog(event.currentTarget)}
        >
          Cancel
        </button>
        <button
          type="button"
          class={`button ${asked.danger ? "danger" : "primary"}`}
          autofocus={!asked.danger}
          onClick={(event) => closeDialog(event.currentTarget, "yes")}
        >
          {asked.yes}
        </button>
      </div>
    </Dialog>
  );
}
