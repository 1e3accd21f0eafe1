// tree.tsx - the tree of the scene. Only visible rows are in the page, so a scene may have any
// size. The row with the keyboard focus is named by aria-activedescendant, as in ARIA's tree
// pattern with multiple selection.
import { type ReadonlySignal, useComputed, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";

import type { Id } from "../../sdk/types.js";
import { useEditor } from "../context";
import { Icon } from "../icons";
import { IconButton } from "../iconbutton";
import { keysOf } from "../input/chord";
import { frameSelected } from "../input/views";
import { createNode, deleteNodes, duplicateNodes, renameNode, reparentNodes } from "./nodeactions";
import { type NodeUser, nodeUsers } from "./nodeusers";
import { Menu, type MenuItem } from "./menu";
import { dragRows, rowOf } from "./treedrag";
import { handleTreeKey } from "./treekeys";
import { TreeState } from "./treestate";
import { type Row, nameOf } from "./treerows";
import "./tree.css";

/** Rows beyond the visible ones that are drawn as well. */
const MORE_ROWS = 8;
/**
 * The indentation of each level in pixels; less if the deepest row would otherwise be narrower than
 * ROOM_PX, so that no row leaves the panel.
 */
const INDENT = 12;
const ROOM_PX = 120;

type NodeUsers = ReadonlySignal<ReadonlyMap<Id, readonly NodeUser[]>>;

export function Tree() {
  const editor = useEditor();
  const tree = useMemo(() => new TreeState(editor), [editor]);
  const users = useMemo(() => nodeUsers(editor), [editor]);
  return (
    <section class="tree-panel">
      <h2 class="panel-title">
        Scene
        <span class="tree-count">
          {(editor.structure.value, editor.scene.value.nodes.size.toLocaleString("en"))}
        </span>
        <span class="grow" />
        <IconButton
          icon="plus"
          name="New node"
          side="end"
          disabled={!editor.editable.value}
          onClick={async () => {
            const id = await createNode(editor, null);
            if (id !== undefined) tree.renaming.value = id;
          }}
        />
      </h2>
      <Search tree={tree} />
      <List tree={tree} users={users} />
    </section>
  );
}

function Search({ tree }: { tree: TreeState }) {
  const clear = () => (tree.search.value = "");
  return (
    <div class="tree-search">
      <Icon name="search" />
      <input
        class="input"
        type="search"
        aria-label="Search nodes"
        placeholder="Search"
        value={tree.search.value}
        onInput={(event) => (tree.search.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === "Escape") clear();
          if (event.key === "ArrowDown")
            (
              event.currentTarget
                .closest(".tree-panel")
                ?.querySelector("[role=tree]") as HTMLElement | null
            )?.focus();
        }}
      />
    </div>
  );
}

function List({ tree, users }: { tree: TreeState; users: NodeUsers }) {
  const { editor } = tree;
  const list = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const size = useSignal({ width: 250, height: 400, row: 26 });
  const deepest = useComputed(() =>
    tree.rows.value.reduce((depth, one) => Math.max(depth, one.depth), 1),
  );
  const menu = useSignal<{ id: Id; x: number; y: number } | null>(null);
  useSize(list, size);
  useReveal(tree, list, size);
  const rows = tree.rows.value;
  const { width, height, row } = size.value;
  const first = Math.max(0, Math.floor(top.value / row) - MORE_ROWS);
  const seen = rows.slice(first, Math.ceil((top.value + height) / row) + MORE_ROWS);
  if (rows.length === 0) return <Empty tree={tree} />;
  const active = tree.active.value;
  const indent = Math.min(INDENT, Math.max(0, width - ROOM_PX) / deepest.value);
  return (
    <>
      <div
        ref={list}
        class="tree"
        role="tree"
        aria-label="Scene tree"
        aria-multiselectable="true"
        tabIndex={0}
        data-target={tree.target.value === "root" ? "root" : undefined}
        aria-activedescendant={
          active !== null && seen.some(({ id }) => id === active) ? `tree-${active}` : undefined
        }
        onScroll={(event) => (top.value = event.currentTarget.scrollTop)}
        onKeyDown={(event) => handleTreeKey(tree, event, openMenu(menu), Math.floor(height / row))}
        onPointerDown={(event) => dragRows(tree, event)}
        onDblClick={(event) => {
          const id = rowOf(event.target);
          if (
            id !== null &&
            editor.editable.peek() &&
            !(event.target as HTMLElement).closest("[data-twist]")
          )
            tree.renaming.value = id;
        }}
        onContextMenu={(event) => {
          event.preventDefault();
          const id = rowOf(event.target);
          if (id === null) return;
          if (!editor.selection.peek().includes(id)) tree.choose(id, "set");
          menu.value = { id, x: event.clientX, y: event.clientY };
        }}
      >
        <div class="tree-all" role="presentation" style={{ height: `${rows.length * row}px` }}>
          {seen.map((one, i) => (
            <TreeRow
              key={one.id}
              tree={tree}
              row={one}
              y={(first + i) * row}
              indent={indent}
              users={users.value.get(one.id)}
            />
          ))}
        </div>
      </div>
      {menu.value && (
        <Menu
          name="Node"
          place={menu.value}
          items={nodeMenu(tree, menu.value.id)}
          onClose={() => {
            menu.value = null;
            if (tree.renaming.peek() === null) list.current?.focus();
          }}
        />
      )}
    </>
  );
}

function Empty({ tree }: { tree: TreeState }) {
  const { editor } = tree;
  if (tree.search.value !== "") return <p class="tree-empty">No node has this name.</p>;
  return (
    <p class="tree-empty">
      {editor.status.value.phase === "online" ? "There are no nodes yet." : ""}
    </p>
  );
}

interface RowProps {
  tree: TreeState;
  row: Row;
  y: number;
  /** Of each level, in pixels. */
  indent: number;
  users: readonly NodeUser[] | undefined;
}

function TreeRow({ tree, row, y, indent, users = [] }: RowProps) {
  const { editor } = tree;
  const { id, depth, open } = row;
  const node = editor.scene.value.get(id);
  const selected = tree.selected.value.has(id);
  const name = nameOf(editor.scene.value, id);
  const state = [
    row.aside && "aside",
    tree.cut.value.has(id) && "cut",
    tree.active.value === id && "active",
    tree.target.value === id && "target",
  ];
  return (
    <div
      id={`tree-${id}`}
      class={`tree-row ${state.filter(Boolean).join(" ")}`}
      role="treeitem"
      data-node={id}
      style={{ transform: `translateY(${y}px)`, paddingLeft: `${4 + indent * depth}px` }}
      aria-selected={selected}
      aria-expanded={open}
      aria-level={depth + 1}
      aria-setsize={row.count}
      aria-posinset={row.place}
      aria-label={label(name, users)}
    >
      <span class="tree-twist" data-twist={open === undefined ? undefined : ""}>
        {open !== undefined && <Icon name={open ? "down" : "right"} />}
      </span>
      <span class="tree-kind">
        <Icon name={node?.bounds ? "cube" : node?.children.length ? "group" : "empty"} />
      </span>
      {tree.renaming.value === id ? (
        <Rename tree={tree} id={id} />
      ) : (
        <span class="tree-name" title={name}>
          {name}
        </span>
      )}
      {users.map((person) => (
        <span
          key={person.name}
          class={`tree-mark${person.holds ? " held" : ""}`}
          style={{ "--colour": person.colour }}
          title={`${person.holds ? "held" : "selected"} by ${person.name}`}
        >
          {person.holds && <Icon name="lock" />}
        </span>
      ))}
    </div>
  );
}

function label(name: string, users: readonly NodeUser[]): string {
  return [
    name,
    ...users.map((person) => `${person.holds ? "held" : "selected"} by ${person.name}`),
  ].join(", ");
}

function Rename({ tree, id }: { tree: TreeState; id: Id }) {
  const { editor } = tree;
  const input = useRef<HTMLInputElement>(null);
  const over = useRef(false);
  useLayoutEffect(() => {
    input.current?.focus({ preventScroll: true });
    input.current?.select();
  }, []);
  const end = (save: boolean) => {
    if (over.current) return;
    over.current = true;
    const name = input.current?.value ?? "";
    (input.current?.closest("[role=tree]") as HTMLElement | null)?.focus();
    tree.renaming.value = null;
    if (save) void renameNode(editor, id, name);
  };
  return (
    <input
      ref={input}
      class="input tree-rename"
      aria-label="Name of the node"
      defaultValue={editor.session.scene.get(id)?.name}
      maxLength={256}
      onBlur={() => end(true)}
      onPointerDown={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") end(true);
        if (event.key === "Escape") end(false);
      }}
    />
  );
}

function nodeMenu(tree: TreeState, id: Id): MenuItem[] {
  const { editor } = tree;
  const ids = tree.about(id);
  const disabled = !editor.editable.peek();
  const cut = [...tree.cut.peek()];
  const hang = (parent: Id | null) => {
    tree.cut.value = new Set();
    void reparentNodes(editor, cut, parent, "world");
  };
  return [
    { label: "Frame in view", icon: "frame", keys: "F", run: () => frameSelected(editor) },
    { label: "Rename", keys: "F2", line: true, disabled, run: () => (tree.renaming.value = id) },
    { label: "New child node", icon: "plus", disabled, run: () => void createInside(tree, id) },
    {
      label: "Duplicate",
      icon: "copy",
      keys: keysOf("Mod+D").join("+"),
      disabled,
      run: () => void duplicateNodes(editor, ids),
    },
    {
      label: "Cut",
      keys: keysOf("Mod+X").join("+"),
      line: true,
      disabled,
      run: () => (tree.cut.value = new Set(ids)),
    },
    {
      label: "Paste as child",
      icon: "paste",
      keys: keysOf("Mod+V").join("+"),
      disabled: disabled || cut.length === 0,
      run: () => hang(id),
    },
    {
      label: "Move to top level",
      disabled,
      run: () => void reparentNodes(editor, ids, null, "world"),
    },
    {
      label: "Expand all children",
      line: true,
      run: () => tree.setOpen(editor.scene.peek().below(id), true),
    },
    {
      label: "Collapse all children",
      run: () => tree.setOpen(editor.scene.peek().below(id), false),
    },
    {
      label: "Delete",
      icon: "trash",
      keys: "Del",
      line: true,
      danger: true,
      disabled,
      run: () => void deleteNodes(editor, ids),
    },
  ];
}

async function createInside(tree: TreeState, parent: Id): Promise<void> {
  tree.setOpen([parent], true);
  const id = await createNode(tree.editor, parent);
  if (id !== undefined) tree.renaming.value = id;
}

function openMenu(menu: { value: { id: Id; x: number; y: number } | null }) {
  return (id: Id) => {
    const box = document.getElementById(`tree-${id}`)?.getBoundingClientRect() ?? new DOMRect();
    menu.value = { id, x: box.left + 24, y: box.bottom };
  };
}

function useSize(
  list: { current: HTMLElement | null },
  size: { value: { width: number; height: number; row: number } },
): void {
  const there = list.current !== null;
  useLayoutEffect(() => {
    if (!list.current) return;
    const element = list.current;
    const measure = () =>
      (size.value = {
        width: element.clientWidth,
        height: element.clientHeight,
        row: element.querySelector<HTMLElement>(".tree-row")?.offsetHeight || 26,
      });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [there]);
}

/** Scrolls to a node that was selected elsewhere, and to the row with the keyboard focus. */
function useReveal(
  tree: TreeState,
  list: { current: HTMLElement | null },
  size: { value: { width: number; height: number; row: number } },
): void {
  const { selection } = tree.editor;
  const last = selection.value.at(-1);
  const searching = tree.search.value !== "";
  useEffect(() => {
    if (last !== undefined && !searching) tree.reveal(last);
  }, [last, searching]);
  const place = tree.active.value === null ? undefined : tree.placeOf.value.get(tree.active.value);
  useEffect(() => {
    const element = list.current;
    if (!element || place === undefined) return;
    const { row } = size.value;
    const y = place * row;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y + row > element.scrollTop + element.clientHeight)
      element.scrollTop = y + row - element.clientHeight;
  }, [tree.active.value, searching, place === undefined]);
}
