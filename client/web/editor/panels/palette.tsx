// palette.tsx - the command palette: finds commands, actions of the scene menu, and nodes by name.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";

import { useEditor } from "../context";
import type { SceneModel } from "../../sdk/index.js";
import type { Id } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { Icon, type IconName } from "../icons";
import { keysOf } from "../input/chord";
import { COMMANDS, runCommand } from "../input/commands";
import { selectNodes } from "../input/select";
import { Dialog, closeOver } from "./dialog";
import { matchScore } from "./matchscore";
import { sceneMenu } from "./scenemenu";
import { type Theme, setTheme } from "./theme";
import { nodesOf } from "./nodewords";
import { nameOf } from "./treerows";
import "./palette.css";

interface Entry {
  id: string;
  label: string;
  group: string;
  keys?: string;
  icon?: IconName;
  disabled?: boolean;
  run: () => void;
}

const NODES_MAX = 20;

export function Palette() {
  const editor = useEditor();
  const words = useSignal("");
  const at = useSignal(0);
  const list = useRef<HTMLDivElement>(null);
  const chosen = useRef<Entry | null>(null);
  const commands = useMemo(
    () => [...commandEntries(editor), ...sceneEntries(editor), ...themeEntries()],
    [editor],
  );
  const entries = useMemo(() => find(editor, commands, words.value), [words.value]);
  useEffect(
    () => list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }),
    [at.value, words.value],
  );
  const run = (entry: Entry | undefined, from: EventTarget | null) => {
    if (!entry || entry.disabled) return;
    chosen.current = entry;
    (from as HTMLElement).closest("dialog")?.close();
  };
  const handleKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") run(entries[at.value], event.currentTarget);
    if (step === undefined || entries.length === 0) return;
    event.preventDefault();
    at.value = (at.value + step + entries.length) % entries.length;
  };
  // The command runs after the focus has returned to where it was.
  const closed = () => {
    closeOver(editor, "palette");
    chosen.current?.run();
  };
  return (
    <Dialog title="Commands" class="palette" bare onClose={closed}>
      <div class="palette-search">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Find a command or a node"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-autocomplete="list"
          autocomplete="off"
          spellcheck={false}
          autofocus
          aria-activedescendant={entries[at.value] ? `palette-${entries[at.value].id}` : undefined}
          placeholder="Find a command or a node"
          value={words.value}
          onInput={(event) => {
            words.value = event.currentTarget.value;
            at.value = 0;
          }}
          onKeyDown={handleKey}
        />
      </div>
      <div ref={list} id="palette-list" class="palette-list" role="listbox" aria-label="Results">
        {entries.map((entry, i) => (
          <div
            key={entry.id}
            id={`palette-${entry.id}`}
            class="palette-entry"
            role="option"
            aria-selected={i === at.value}
            aria-disabled={entry.disabled}
            onPointerMove={() => (at.value = i)}
            onClick={(event) => run(entry, event.currentTarget)}
          >
            <span class="palette-group">{entry.group}</span>
            <span class="palette-label">{entry.label}</span>
            {entry.keys && <kbd>{entry.keys}</kbd>}
          </div>
        ))}
      </div>
      {entries.length === 0 && <p class="palette-none">No match.</p>}
    </Dialog>
  );
}

function commandEntries(editor: Editor): Entry[] {
  const keymap = editor.input.keymap.peek();
  return COMMANDS.filter(({ id, run }) => run && id !== "palette").map((command) => ({
    id: command.id,
    label: command.label,
    group: command.group,
    keys: command.keys[keymap][0] && keysOf(command.keys[keymap][0]).join(" "),
    disabled: command.possible?.(editor) === false,
    run: () => runCommand(editor, command.id),
  }));
}

function sceneEntries(editor: Editor): Entry[] {
  return sceneMenu(editor).map(({ label, disabled, href, download, run }, i) => ({
    id: `scene-${i}`,
    label,
    group: "Scene",
    disabled,
    run: () => {
      if (href)
        Object.assign(document.createElement("a"), { href, download: download ?? "" }).click();
      else run?.();
    },
  }));
}

function themeEntries(): Entry[] {
  const themes: [Theme, string][] = [
    ["system", "system"],
    ["dark", "dark"],
    ["light", "light"],
  ];
  return themes.map(([theme, words]) => ({
    id: `theme-${theme}`,
    label: `Theme: ${words}`,
    group: "Page",
    run: () => setTheme(theme),
  }));
}

function find(editor: Editor, commands: readonly Entry[], words: string): Entry[] {
  if (words.trim() === "") return [...commands];
  const scored = commands
    .map((entry) => ({ entry, score: matchScore(`${entry.label} ${entry.group}`, words) }))
    .filter((found) => found.score > 0);
  scored.sort((a, b) => b.score - a.score);
  return [...scored.map(({ entry }) => entry), ...findNodes(editor, words)];
}

/** First the nodes that the words mean, as gizmoctl reads them, then those that match. */
function findNodes(editor: Editor, words: string): Entry[] {
  const scene = editor.scene.peek();
  const found: { id: number; score: number }[] = [];
  const meant = new Set([words, words.trim()].flatMap((word) => nodesOf(scene.nodes, word)));
  const named = new Map<string, number>();
  for (const { id } of scene.nodes.values()) {
    const name = nameOf(scene, id);
    named.set(name, (named.get(name) ?? 0) + 1);
    const points = matchScore(name, words);
    if (points > 0 && !meant.has(id)) found.push({ id, score: points });
  }
  found.sort((a, b) => b.score - a.score || a.id - b.id);
  const ids = [...meant, ...found.map(({ id }) => id)];
  return ids.slice(0, NODES_MAX).map((id) => ({
    id: `node-${id}`,
    label: labelOf(
      scene,
      id,
      (named.get(nameOf(scene, id)) ?? 0) > 1 || (meant.size > 1 && meant.has(id)),
    ),
    group: "Node",
    run: () => goTo(editor, id),
  }));
}

/** Nodes of one name are told apart by where they are and by their numbers. */
function labelOf(scene: SceneModel, id: Id, shared: boolean): string {
  if (!shared) return nameOf(scene, id);
  const parent = scene.get(id)?.parent ?? null;
  const where = parent === null ? "" : ` in ${nameOf(scene, parent)}`;
  return `${nameOf(scene, id)}${where} (#${id})`;
}

function goTo(editor: Editor, id: number): void {
  selectNodes(editor, [id]);
  runCommand(editor, "frame-selected");
}
