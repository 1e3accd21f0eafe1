// checkpoints.tsx - named moments of the past: the dialog that adds one, and the menu of all.
import { useSignal } from "@preact/signals";

import type { Checkpoint } from "../../sdk/types.js";
import { useEditor } from "../context";
import type { Editor } from "../editor";
import { Dialog } from "../panels/dialog";
import type { MenuItem } from "../panels/menu";
import { timeText } from "./edittext";

const NAME_BYTES_MAX = 64;

/** All checkpoints, the newest first, and the actions on the one that is shown. */
export function checkpointItems({ timeline, role }: Editor): MenuItem[] {
  const all = [...timeline.history.checkpoints.peek()].reverse();
  if (all.length === 0) return [{ label: "No checkpoints yet", disabled: true }];
  const at = timeline.checkpoint();
  const items: MenuItem[] = all.map((checkpoint) => ({
    label: checkpoint.name,
    icon: "flag",
    keys: whenOf(checkpoint, timeline.timeOf(checkpoint)),
    run: () => timeline.goTo(checkpoint),
  }));
  if (!at) return items;
  const editable = role.peek() !== "viewer";
  return [
    ...items,
    ...checkpointActions(timeline, at, editable).map((item, i) => ({ ...item, line: i === 0 })),
  ];
}

export function checkpointActions(
  timeline: Editor["timeline"],
  checkpoint: Checkpoint,
  editable: boolean,
): MenuItem[] {
  return [
    {
      label: `Restore “${checkpoint.name}”`,
      icon: "reset",
      disabled: !editable,
      run: () => void timeline.restore({ checkpoint: checkpoint.name }),
    },
    {
      label: `Delete checkpoint “${checkpoint.name}”`,
      icon: "trash",
      danger: true,
      disabled: !editable,
      run: () => void timeline.removeCheckpoint(checkpoint.name),
    },
  ];
}

const whenOf = ({ user }: Checkpoint, time: number): string =>
  `${timeText(time, Date.now() / 1000, false)}, ${user}`;

export function NameCheckpoint({ onClose }: { onClose: () => void }) {
  const { timeline, past } = useEditor();
  const name = useSignal("");
  const words = name.value.trim();
  const problem = problemOf(words, timeline.history.checkpoints.value);
  const handleSubmit = (event: Event): void => {
    event.preventDefault();
    if (words === "" || problem) return;
    void timeline.addCheckpoint(words);
    onClose();
  };
  return (
    <Dialog title="Add checkpoint" onClose={onClose}>
      <form onSubmit={handleSubmit}>
        <p class="checkpoint-hint">
          The scene as it{" "}
          {past.value ? `was at ${timeText(past.value.time, Date.now() / 1000)}` : "is now"} can be
          viewed and restored later by this name.
        </p>
        <input
          autofocus
          class="input checkpoint-name"
          aria-label="Name of the checkpoint"
          placeholder="before the redesign"
          maxLength={NAME_BYTES_MAX}
          value={name.value}
          aria-invalid={problem !== ""}
          aria-describedby="checkpoint-problem"
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
        <p id="checkpoint-problem" class="checkpoint-problem" role="status">
          {problem}
        </p>
        <div class="dialog-buttons">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={words === "" || problem !== ""}>
            Add
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Why the server would refuse a name; empty if the name is valid. */
function problemOf(name: string, taken: readonly Checkpoint[]): string {
  if (taken.some((checkpoint) => checkpoint.name === name))
    return "Another checkpoint has this name.";
  if (/^\d+$/.test(name)) return "A name cannot be a number only.";
  if (new TextEncoder().encode(name).length > NAME_BYTES_MAX) return "This name is too long.";
  return "";
}
