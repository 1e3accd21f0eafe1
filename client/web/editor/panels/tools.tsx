// tools.tsx - the toolbar at the left and upper edge of the view: the tool, its space, pivot and
// snap steps.
import type { Mode, Pivot, Space } from "../../sdk/types.js";
import { useEditor } from "../context";
import type { Editor } from "../editor";
import type { IconName } from "../icons";
import { IconButton } from "../iconbutton";
import { keysOf } from "../input/chord";
import { COMMANDS } from "../input/commands";
import { SNAP_STEPS, setSnapDistance, toggleSnap, toggleSnapToGrid } from "../input/snap";
import { StepField } from "./stepfield";
import "./tools.css";

const MODES: { mode: Mode; name: string; icon: IconName }[] = [
  { mode: "none", name: "Select", icon: "select" },
  { mode: "translate", name: "Move", icon: "move" },
  { mode: "rotate", name: "Rotate", icon: "rotate" },
  { mode: "scale", name: "Scale", icon: "scale" },
  { mode: "bounds", name: "Bounds", icon: "bounds" },
  { mode: "universal", name: "Universal", icon: "universal" },
  { mode: "arcball", name: "Arcball", icon: "arcball" },
];
const SPACES: [Space, string][] = [
  ["world", "World"],
  ["local", "Local"],
  ["parent", "Parent"],
  ["view", "View"],
];
const PIVOTS: [Pivot & string, string][] = [
  ["median", "Median point"],
  ["active", "Active node"],
  ["each", "Individual origins"],
  ["bounds", "Bounds centre"],
];

export function Tools() {
  const editor = useEditor();
  return (
    <div class="tools" role="toolbar" aria-label="Tools" onKeyDown={moveFocus}>
      <div class="tools-modes">
        {MODES.map(({ mode, name, icon }) => (
          <IconButton
            key={mode}
            icon={icon}
            name={name}
            keys={keysFor(editor, name)}
            side="right"
            pressed={mode === (editor.editable.value ? editor.tool.value.mode : "none")}
            disabled={!editor.editable.value && mode !== "none"}
            onClick={() => editor.setTool({ mode })}
          />
        ))}
      </div>
      {/* Always there, so that the view has the same height in the past as in the present. */}
      <fieldset class="tools-options" aria-label="Tool options" disabled={!editor.editable.value}>
        <Choice
          name="Space"
          options={SPACES}
          value={editor.tool.value.space ?? "world"}
          choose={(space) => editor.setTool({ space })}
        />
        <Choice
          name="Pivot"
          options={PIVOTS}
          value={String(editor.tool.value.pivot ?? "median")}
          choose={(pivot) => editor.setTool({ pivot })}
        />
        <Snap editor={editor} />
      </fieldset>
    </div>
  );
}

function Choice<T extends string>({
  name,
  options,
  value,
  choose,
}: {
  name: string;
  options: [T, string][];
  value: string;
  choose: (value: T) => void;
}) {
  const known = options.some(([option]) => option === value);
  return (
    <span data-tip={name}>
      <select
        class="select tools-select"
        aria-label={name}
        value={known ? value : ""}
        onChange={(event) => choose(event.currentTarget.value as T)}
      >
        {!known && <option value="">Custom point</option>}
        {options.map(([option, label]) => (
          <option key={option} value={option}>
            {label}
          </option>
        ))}
      </select>
    </span>
  );
}

function Snap({ editor }: { editor: Editor }) {
  const { snap = {} } = editor.tool.value;
  const on = snap.on === true;
  return (
    <>
      <IconButton
        icon="snap"
        name="Snap"
        tip="Snap to increments"
        keys={`${keysFor(editor, "Snap")}, or hold ${keysOf("Mod").join("")}`}
        pressed={on}
        onClick={() => toggleSnap(editor)}
      />
      {on && (
        <>
          <StepField
            name="Snap distance"
            tip={
              editor.input.snapDistance.value === null
                ? "Snap distance, follows the zoom"
                : "Snap distance. Clear it to follow the zoom"
            }
            quantity="length"
            value={snap.t ?? SNAP_STEPS.t}
            onValue={(t) => setSnapDistance(editor, t)}
            onEmpty={() => setSnapDistance(editor, null)}
          />
          <StepField
            name="Snap angle"
            quantity="angle"
            value={snap.r ?? SNAP_STEPS.r}
            onValue={(r) => editor.setTool({ snap: { r } })}
          />
          <StepField
            name="Snap scale"
            quantity="factor"
            value={snap.s ?? SNAP_STEPS.s}
            onValue={(s) => editor.setTool({ snap: { s } })}
          />
          <IconButton
            icon="grid"
            name="Snap to the grid"
            tip={
              snap.absolute ? "Snaps to the absolute grid" : "Snaps in increments from the start"
            }
            keys={keysOf("Shift+M").join("+")}
            pressed={snap.absolute === true}
            onClick={() => toggleSnapToGrid(editor)}
          />
        </>
      )}
    </>
  );
}

/** The shortcut of the tool with this name. */
function keysFor(editor: Editor, name: string): string | undefined {
  const chord = COMMANDS.find((command) => command.group === "Tools" && command.label === name)
    ?.keys[editor.input.keymap.value][0];
  return chord && keysOf(chord).join("+");
}

/** Arrow keys move from one button to the next; in a field or a list they keep their meaning. */
function moveFocus(event: KeyboardEvent): void {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const target = event.target as HTMLElement;
  if (step === undefined || target.tagName !== "BUTTON") return;
  event.preventDefault();
  const controls = [
    ...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>(
      ":is(button, select, input):not(:disabled)",
    ),
  ];
  controls.at((controls.indexOf(target) + step) % controls.length)?.focus();
}
