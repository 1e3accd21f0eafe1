// topbar.tsx - the bar at the top: the scene menu, undo and redo, commands, shortcuts and the
// theme.
import { useEditor } from "../context";
import { Icon } from "../icons";
import { IconButton } from "../iconbutton";
import { keysOf } from "../input/chord";
import { MenuButton } from "./menu";
import { sceneMenu } from "./scenemenu";
import { type Theme, setTheme, theme } from "./theme";
import "./topbar.css";

const THEMES: [Theme, string, "system" | "moon" | "sun"][] = [
  ["system", "System", "system"],
  ["dark", "Dark", "moon"],
  ["light", "Light", "sun"],
];

export function TopBar() {
  const editor = useEditor();
  return (
    <header class="topbar">
      <Drawer side="left" name="Scene panel" />
      <h1 class="visually-hidden">{editor.session.sceneName}</h1>
      <MenuButton
        name={`Scene menu: ${editor.session.sceneName}`}
        class="button quiet topbar-scene"
        items={() => sceneMenu(editor)}
      >
        <img class="topbar-logo" src="icon.svg" alt="" />
        <span>{editor.session.sceneName}</span>
        <Icon name="down" />
      </MenuButton>
      <Role />
      <span class="topbar-line" />
      <Undo />
      <span class="grow" />
      <button
        type="button"
        class="button topbar-search"
        aria-label="Find a command"
        aria-keyshortcuts="Control+K"
        onClick={() => (editor.dialog.value = "palette")}
      >
        <Icon name="search" />
        <span>Find a command</span>
        <kbd aria-hidden="true" data-keys={keysOf("Mod+K").join(" ")} />
      </button>
      <span class="topbar-line" />
      <IconButton
        icon="keyboard"
        name="Keyboard shortcuts"
        keys="?"
        side="end"
        class="topbar-spare"
        onClick={() => (editor.dialog.value = "shortcuts")}
      />
      <MenuButton
        name="Theme"
        tip="Theme"
        side="end"
        class="icon-button topbar-spare"
        items={() =>
          THEMES.map(([value, label, icon]) => ({
            label,
            icon,
            checked: theme.value === value,
            run: () => setTheme(value),
          }))
        }
      >
        <Icon name={THEMES.find(([value]) => value === theme.value)?.[2] ?? "system"} />
      </MenuButton>
      <Drawer side="right" name="Details panel" />
    </header>
  );
}

function Drawer({ side, name }: { side: "left" | "right"; name: string }) {
  const { drawer } = useEditor();
  const open = drawer.value === side;
  return (
    <button
      type="button"
      class="icon-button topbar-drawer"
      aria-label={name}
      aria-expanded={open}
      aria-controls={side === "left" ? "scene-panel" : "details-panel"}
      onClick={() => (drawer.value = open ? null : side)}
    >
      <Icon name={side === "left" ? "tree" : "sliders"} />
    </button>
  );
}

function Undo() {
  const editor = useEditor();
  const can = editor.editable.value;
  return (
    <>
      <IconButton
        icon="undo"
        name="Undo"
        keys={keysOf("Mod+Z").join("+")}
        disabled={!can}
        onClick={() => void editor.undo()}
      />
      <IconButton
        icon="redo"
        name="Redo"
        keys={keysOf("Mod+Y").join("+")}
        disabled={!can}
        onClick={() => void editor.redo()}
      />
    </>
  );
}

function Role() {
  const { role, status } = useEditor();
  if (role.value !== "viewer" || status.value.phase !== "online") return null;
  return (
    <span class="chip topbar-role">
      <Icon name="eye" />
      View only
    </span>
  );
}
