// dialogs.tsx - the windows over the page: questions, shortcuts, the command palette.
import { useEditor } from "../context";
import { Dialog } from "./dialog";

export function Dialogs() {
  const { dialog, question } = useEditor();
  const close = () => (dialog.value = null);
  if (question.value) return <Ask key={question.value.title} />;
  if (dialog.value === "shortcuts") return <Dialog title="Keyboard shortcuts" onClose={close}>{null}</Dialog>;
  return null;
}

function Ask() {
  const { question } = useEditor();
  const asked = question.value;
  if (!asked) return null;
  return (
    <Dialog title={asked.title} onClose={() => asked.answer(false)}>
      <p>{asked.text}</p>
      <div class="dialog-buttons">
        <button type="button" class="button" onClick={() => asked.answer(false)}>
          Cancel
        </button>
        <button type="button" class={`button ${asked.danger ? "danger" : "primary"}`} onClick={() => asked.answer(true)}>
          {asked.yes}
        </button>
      </div>
    </Dialog>
  );
}
