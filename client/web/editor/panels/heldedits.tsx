// heldedits.tsx - asks what to do with edits that were made to a newer state of the scene than the
// server now has, for example after a backup was restored: apply them to the present state or
// discard them.
import { useEditor } from "../context";
import "./viewstatus.css";

export function HeldEdits() {
  const { held, session, status } = useEditor();
  const count = held.value;
  if (count === 0 || status.value.phase !== "online") return null;
  const waiting = `${count} waiting ${count === 1 ? "change was" : "changes were"}`;
  return (
    <div
      class="status-card"
      role="alertdialog"
      aria-labelledby="held-title"
      aria-describedby="held-words"
      data-part="held"
    >
      <h2 id="held-title">{waiting} made to a newer state of the scene</h2>
      <p id="held-words">The server now has an earlier state, without what was saved since.</p>
      <div class="status-buttons">
        <button type="button" class="button primary" onClick={() => session.applyHeld()}>
          Apply anyway
        </button>
        <button type="button" class="button" onClick={() => session.discardHeld()}>
          Discard
        </button>
      </div>
    </div>
  );
}
