// scenelist.tsx - the list of scenes on the start page: their size, when they changed, and who is
// in them. Scenes are opened, renamed and deleted here.
import { useSignal } from "@preact/signals";

import { deleteScene, renameScene } from "../../sdk/index.js";
import type { SceneListing } from "../../sdk/types.js";
import { atServer } from "../serverurl";
import { claimsOf, currentToken, isGuestBelow } from "../token";
import { Icon } from "../icons";
import { ago } from "../past/edittext";
import { errorText } from "../errortext";
import { Dialog, closeDialog } from "./dialog";
import { Ask } from "./dialogs";
import { type Download, type SceneFile, downloadItem } from "./download";
import { MenuButton, type MenuItem } from "./menu";
import type { Join, WithUser } from "./startactions";
import { nameFault } from "./scenename";

interface Props {
  /** Null until the list has arrived. */
  scenes: readonly SceneListing[] | null;
  withUser: WithUser;
  join: Join;
  /** Called after a scene was renamed or deleted. */
  changed: () => void;
}

/** A question about a scene. */
interface Asked {
  what: "rename" | "delete";
  scene: SceneListing;
  /** The acting user. */
  user: string;
}
type AskAbout = (what: Asked["what"], scene: SceneListing) => void;
type FileItem = (what: SceneFile) => MenuItem;

export function SceneList({ scenes, withUser, join, changed }: Props) {
  const asked = useSignal<Asked | null>(null);
  const fault = useSignal("");
  const download = useSignal<Download | null>(null);
  const remove = async (scene: string, user: string) => {
    fault.value = "";
    try {
      await deleteScene(scene, { ...atServer(), user });
    } catch (error) {
      fault.value = errorText((error as Error).message);
    }
    changed();
  };
  const close = () => (asked.value = null);
  const ask: AskAbout = (what, scene) => {
    const label = `${what === "rename" ? "Rename" : "Delete"} ${scene.name}`;
    withUser(label, (user) => (asked.value = { what, scene, user }));
  };
  const fileOf = ({ name }: SceneListing, what: SceneFile) =>
    downloadItem(name, what, (now, error) => {
      download.value = now;
      fault.value = error ? errorText(error.message) : "";
    });
  const { what, scene, user = "" } = asked.value ?? {};
  return (
    <section aria-labelledby="start-scenes">
      <h2 id="start-scenes">Scenes</h2>
      {scenes?.length ? (
        <Table
          scenes={scenes}
          join={join}
          menuOf={(scene) => menuOf(scene, join, ask, (what) => fileOf(scene, what))}
        />
      ) : (
        <p class="start-none">
          {scenes ? "No scenes yet. Open the sample scene, or import a file." : "Loading…"}
        </p>
      )}
      {download.value && (
        <progress
          aria-label={`Downloading ${download.value.file}`}
          max={1}
          value={download.value.part}
        />
      )}
      <p class="start-fault" role="alert">
        {fault.value}
      </p>
      {what === "rename" && scene && (
        <Rename scene={scene} user={user} renamed={changed} onClose={close} />
      )}
      {what === "delete" && scene && (
        <Delete scene={scene} yes={() => void remove(scene.name, user)} onClose={close} />
      )}
    </section>
  );
}

interface TableProps {
  scenes: readonly SceneListing[];
  join: Join;
  menuOf: (scene: SceneListing) => MenuItem[];
}

function Table({ scenes, join, menuOf }: TableProps) {
  return (
    <table class="start-list">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col" class="start-number">
            Nodes
          </th>
          <th scope="col">Last change</th>
          <th scope="col">People</th>
          <th scope="col">
            <span class="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {scenes.map((scene) => (
          <Row key={scene.name} scene={scene} join={join} items={() => menuOf(scene)} />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  scene: SceneListing;
  join: Join;
  items: () => MenuItem[];
}

function Row({ scene: { name, nodes, changed, users }, join, items }: RowProps) {
  return (
    <tr>
      <th scope="row">
        <button type="button" class="start-scene" onClick={() => join(name)}>
          {name}
        </button>
      </th>
      <td class="start-number">{nodes.toLocaleString("en")}</td>
      <td title={new Date(changed * 1000).toLocaleString("en-GB")}>
        {ago(changed, Date.now() / 1000)}
      </td>
      <td>
        {users > 0 && (
          <span class="chip start-here">
            <Icon name="people" />
            {users} here now
          </span>
        )}
      </td>
      <td class="start-menu">
        <MenuButton name={`Menu of ${name}`} side="end" items={items}>
          <Icon name="more" />
        </MenuButton>
      </td>
    </tr>
  );
}

/** Disables an item that a guest's link does not allow. */
function needs(role: "editor" | "admin"): Partial<MenuItem> {
  const claims = claimsOf(currentToken());
  return {
    disabled: isGuestBelow(claims, role),
    why: `Your link is for guests who are ${claims?.role}s.`,
  };
}

function menuOf(scene: SceneListing, join: Join, ask: AskAbout, file: FileItem): MenuItem[] {
  const { name } = scene;
  return [
    { label: "Open", icon: "right", run: () => join(name) },
    { ...file("export"), line: true },
    { ...file("backup"), ...needs("editor") },
    { label: "Rename…", line: true, run: () => ask("rename", scene), ...needs("admin") },
    {
      label: "Delete…",
      icon: "trash",
      danger: true,
      run: () => ask("delete", scene),
      ...needs("admin"),
    },
  ];
}

function Delete({
  scene: { name, users },
  yes,
  onClose,
}: {
  scene: SceneListing;
  yes: () => void;
  onClose: () => void;
}) {
  const here = users > 0 ? ` ${users} ${users === 1 ? "person is" : "people are"} in it now.` : "";
  const answer = (sure: boolean) => {
    onClose();
    if (sure) yes();
  };
  const text =
    `The scene, its history and its notes are deleted for everybody.${here} ` +
    "This cannot be undone. Download a backup first if you may need it again.";
  return <Ask asked={{ title: `Delete ${name}?`, text, yes: "Delete", danger: true, answer }} />;
}

function Rename({
  scene,
  user,
  renamed,
  onClose,
}: {
  scene: SceneListing;
  user: string;
  renamed: () => void;
  onClose: () => void;
}) {
  const name = useSignal(scene.name);
  const fault = useSignal("");
  const rename = async (form: EventTarget | null) => {
    fault.value = nameFault(name.value) ?? "";
    if (fault.value !== "" || name.value === scene.name) return;
    try {
      await renameScene(scene.name, name.value, { ...atServer(), user });
      renamed();
      closeDialog(form);
    } catch (error) {
      fault.value = errorText((error as Error).message);
    }
  };
  return (
    <Dialog title={`Rename ${scene.name}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void rename(event.currentTarget);
        }}
      >
        <input
          autofocus
          class="input start-rename"
          aria-label="New name"
          maxLength={64}
          spellcheck={false}
          autocomplete="off"
          value={name.value}
          aria-describedby="start-rename-fault"
          onInput={(event) => {
            name.value = event.currentTarget.value;
            fault.value = "";
          }}
        />
        <p id="start-rename-fault" class="start-fault" role="alert">
          {fault.value}
        </p>
        <div class="dialog-buttons">
          <button
            type="button"
            class="button"
            onClick={(event) => closeDialog(event.currentTarget)}
          >
            Cancel
          </button>
          <button type="submit" class="button primary">
            Rename
          </button>
        </div>
      </form>
    </Dialog>
  );
}
