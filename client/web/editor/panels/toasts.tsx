// toasts.tsx - messages at the edge of the view, with an action. The list is always in the page,
// because screen readers announce additions to a live region that they know.
import { useEditor } from "../context";
import type { Toast } from "../editorstate";
import { Icon } from "../icons";
import { IconButton } from "../iconbutton";
import "./toasts.css";

export function Toasts() {
  const { toasts } = useEditor();
  return (
    <div class="toasts" role="log" aria-label="Messages">
      {toasts.value.map((toast) => (
        <Item key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function Item({ toast }: { toast: Toast }) {
  const editor = useEditor();
  const { action } = toast;
  const act = () => {
    editor.dismiss(toast.id);
    action?.run();
  };
  return (
    <div
      class="toast"
      data-level={toast.level}
      role={toast.level === "error" ? "alert" : undefined}
    >
      <Icon name={toast.level === "info" ? "info" : "warn"} />
      <span class="toast-text">{toast.text}</span>
      {action && (
        <button type="button" class="button toast-action" onClick={act}>
          {action.label}
        </button>
      )}
      <IconButton
        icon="close"
        name="Dismiss"
        tip={false}
        onClick={() => editor.dismiss(toast.id)}
      />
    </div>
  );
}
