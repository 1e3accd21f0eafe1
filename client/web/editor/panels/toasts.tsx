// toasts.tsx - what was done and what went wrong, at the edge of the view, with what can be done about it.
import { useEditor } from "../context";
import type { Toast } from "../editor";
import { Icon } from "../icons";
import "./toasts.css";

export function Toasts() {
  const { toasts } = useEditor();
  return (
    <div class="toasts">
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
    <div class="toast" data-level={toast.level} role={toast.level === "error" ? "alert" : "status"}>
      <Icon name={toast.level === "info" ? "info" : "warn"} />
      <span class="toast-text">{toast.text}</span>
      {action && (
        <button type="button" class="button toast-action" onClick={act}>
          {action.label}
        </button>
      )}
      <button type="button" class="icon-button" aria-label="Dismiss" onClick={() => editor.dismiss(toast.id)}>
        <Icon name="close" />
      </button>
    </div>
  );
}
