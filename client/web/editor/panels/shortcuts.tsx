// shortcuts.tsx - the dialog of all shortcuts in the current keymap, and the choice of the keymap.
import { useEditor } from "../context";
import { keysOf } from "../input/chord";
import { COMMANDS, type Command } from "../input/commands";
import type { Keymap } from "../input/inputstate";
import { Dialog, closeOver } from "./dialog";
import "./shortcuts.css";

const [MOD] = keysOf("Mod");
const KEYMAPS: [Keymap, string][] = [
  ["common", "Maya and Unity"],
  ["blender", "Blender"],
];

/** Actions of mouse, fingers and the tree that are not commands. */
const OTHERS: [string, [string, string][]][] = [
  [
    "Mouse and fingers",
    [
      ["Drag a handle, select a node, or select a rectangle", "left"],
      ["Orbit", "middle, or Alt+left"],
      ["Pan", "right, or Shift+middle"],
      ["With V on: orbit; pan; zoom", `left; Shift+left; ${MOD}+left`],
      ["Zoom to the pointer", "wheel"],
      ["Orbit; pan and zoom", "one finger; two"],
    ],
  ],
  [
    "Tree",
    [
      ["Rename", "F2"],
      ["Cut, then paste as child", `${MOD}+X ${MOD}+V`],
      ["Add to the selection; select a range", `${MOD}+click; Shift+click`],
      ["Keep the local transform when dropped", "Alt"],
    ],
  ],
  [
    "Fields",
    [
      ["Change a number by dragging", "its letter"],
      ["Arithmetic and units", "1.5+0.2  30mm  1/3 turn"],
      ["Change each value by an amount", "+=0.1  -=  *=  /="],
      ["Step; smaller steps", "\u2191 \u2193; with Shift"],
    ],
  ],
];

export function Shortcuts() {
  const editor = useEditor();
  const { input } = editor;
  const keymap = input.keymap.value;
  const groups = [...new Set(COMMANDS.map(({ group }) => group))];
  return (
    <Dialog
      title="Keyboard shortcuts"
      class="shortcuts"
      onClose={() => closeOver(editor, "shortcuts")}
    >
      <div class="shortcuts-keymap" role="radiogroup" aria-label="Keymap">
        <span aria-hidden="true">Keymap</span>
        {KEYMAPS.map(([value, label]) => (
          <label key={value} class="shortcuts-choice">
            <input
              type="radio"
              name="keymap"
              checked={keymap === value}
              onChange={() => input.setKeymap(value)}
            />
            {label}
          </label>
        ))}
      </div>
      <div class="shortcuts-groups">
        {groups.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {COMMANDS.filter(
                (command) => command.group === group && command.keys[keymap].length > 0,
              ).map((command) => (
                <Line key={command.id} command={command} keymap={keymap} />
              ))}
            </dl>
          </section>
        ))}
        {OTHERS.map(([title, lines]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {lines.map(([what, how]) => (
                <div key={what}>
                  <dt>{what}</dt>
                  <dd>{how}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function Line({ command, keymap }: { command: Command; keymap: Keymap }) {
  // The keys of a command without `run` belong together; of the others any one runs the command.
  const chords = command.keys[keymap];
  return (
    <div>
      <dt>{command.label}</dt>
      <dd>
        {chords.map((chord, i) => (
          <span key={chord + i}>
            {i > 0 && command.run ? " or " : " "}
            <Keys chord={chord} />
          </span>
        ))}
      </dd>
    </div>
  );
}

function Keys({ chord }: { chord: string }) {
  return (
    <>
      {keysOf(chord).map((key) => (
        <kbd key={key} class="shortcuts-key">
          {key}
        </kbd>
      ))}
    </>
  );
}
