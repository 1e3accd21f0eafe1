// sharedialog.tsx - the dialog that lets others in: a link to the scene, which admins can make for
// guests until a time of their choice, and the list of who has access to the scene.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import type { Access, Role } from "../../sdk/types.js";
import { useEditor } from "../context";
import { errorText } from "../errortext";
import { IconButton } from "../iconbutton";
import { Dialog, closeOver } from "../panels/dialog";
import { currentToken } from "../token";
import { copy, linkTo } from "./share";
import { lastMoment, linkSeconds, untilText } from "./sharetime";
import "./sharedialog.css";

const ROLES: [Role, string][] = [
  ["viewer", "view"],
  ["editor", "edit"],
  ["admin", "administer"],
];

export function ShareDialog() {
  const editor = useEditor();
  const isOpen = currentToken() === undefined;
  const isAdmin = editor.role.value === "admin" && !isOpen;
  return (
    <Dialog
      title={`Share ${editor.session.sceneName}`}
      class="share"
      onClose={() => closeOver(editor, "share")}
    >
      {isOpen && (
        <p class="dialog-text">
          This server asks nobody for a token: everybody who can reach it may already edit this
          scene.
        </p>
      )}
      {!isOpen && !isAdmin && (
        <p class="dialog-text">
          This link is for people who have access already. Only an admin of this scene can let
          others in.
        </p>
      )}
      {isAdmin ? <Invitation /> : <PlainLink viewOnly={isOpen} />}
      {isAdmin && <AccessList />}
    </Dialog>
  );
}

/** What was done, or why not; screen readers announce it. */
function Said({ words }: { words: Signal<string> }) {
  return (
    <p class="share-said" role="status">
      {words.value}
    </p>
  );
}

/** A link that could not be copied, to be copied by hand. */
function LinkField({ link }: { link: string }) {
  if (link === "") return null;
  return (
    <input
      class="input share-link"
      readOnly
      aria-label="The link"
      value={link}
      onFocus={(event) => event.currentTarget.select()}
    />
  );
}

function PlainLink({ viewOnly }: { viewOnly: boolean }) {
  const editor = useEditor();
  const said = useSignal("");
  const shown = useSignal("");
  const give = async (role?: "viewer") => {
    const link = linkTo(editor, { role });
    const copied = await copy(link);
    shown.value = copied ? "" : link;
    said.value = copied ? `${role ? "View-only link" : "Link"} copied.` : "Copy this link:";
  };
  return (
    <section>
      <div class="share-row">
        <button type="button" class="button primary" autofocus onClick={() => void give()}>
          Copy link
        </button>
        {viewOnly && (
          <button type="button" class="button" onClick={() => void give("viewer")}>
            Copy view-only link
          </button>
        )}
      </div>
      <Said words={said} />
      <LinkField link={shown.value} />
    </section>
  );
}

function Invitation() {
  const editor = useEditor();
  const role = useSignal<"viewer" | "editor">("editor");
  const term = useSignal("day");
  const date = useSignal("");
  const said = useSignal("");
  const shown = useSignal("");
  const make = async () => {
    shown.value = "";
    const seconds = linkSeconds(term.value, date.value, Date.now());
    if (seconds === null) return (said.value = "Choose a date within the next 30 days.");
    try {
      const token = await editor.session.link(role.value, seconds);
      const link = linkTo(editor, { token });
      const copied = await copy(link);
      shown.value = copied ? "" : link;
      said.value = `${copied ? "Link copied." : "Copy this link."} ${untilText(token)}`;
    } catch (error) {
      said.value = errorText((error as Error).message);
    }
  };
  return (
    <section aria-labelledby="share-invite">
      <h3 id="share-invite">Invite with a link</h3>
      <form
        class="share-row"
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        <span aria-hidden="true">Guests may</span>
        <select
          class="select"
          aria-label="Guests may"
          autofocus
          value={role.value}
          onChange={(event) => (role.value = event.currentTarget.value as "viewer" | "editor")}
        >
          <option value="viewer">view</option>
          <option value="editor">edit</option>
        </select>
        <select
          class="select"
          aria-label="How long"
          value={term.value}
          onChange={(event) => (term.value = event.currentTarget.value)}
        >
          <option value="hour">for 1 hour</option>
          <option value="day">for 1 day</option>
          <option value="week">for 1 week</option>
          <option value="date">until a date…</option>
        </select>
        {term.value === "date" && (
          <input
            type="date"
            class="input"
            aria-label="The last day"
            required
            min={lastMoment(Date.now()).day}
            value={date.value}
            onInput={(event) => (date.value = event.currentTarget.value)}
          />
        )}
        <button type="submit" class="button primary">
          Copy a new link
        </button>
      </form>
      <Said words={said} />
      <LinkField link={shown.value} />
      <p class="share-hint">
        Whoever has the link can use it until then, under a name of their own choice.
      </p>
    </section>
  );
}

function AccessList() {
  const editor = useEditor();
  const accesses = useSignal<readonly Access[]>([]);
  const user = useSignal("");
  const role = useSignal<Role>("editor");
  const said = useSignal("");
  const refresh = async () => (accesses.value = await editor.session.accesses());
  const change = async (pattern: string, next: Role | null, words: string) => {
    try {
      await editor.session.access(pattern, next);
      said.value = words;
      user.value = next === null ? user.value : "";
      await refresh();
    } catch (error) {
      said.value = errorText((error as Error).message);
    }
  };
  useEffect(() => {
    refresh().catch((error: Error) => (said.value = errorText(error.message)));
  }, []);
  return (
    <section aria-labelledby="share-access">
      <h3 id="share-access">Who has access to this scene</h3>
      <ul class="share-list" role="list" aria-labelledby="share-access">
        {accesses.value.map(({ user: pattern, role: has }) => (
          <li key={pattern} class="share-row">
            <span class="share-user">{pattern}</span>
            <RoleSelect
              name={`${pattern} may`}
              role={has}
              onRole={(next) => void change(pattern, next, `${pattern} may ${wordOf(next)} now.`)}
            />
            <IconButton
              icon="trash"
              name={`Remove ${pattern}`}
              side="end"
              onClick={() => change(pattern, null, `${pattern} was removed.`)}
            />
          </li>
        ))}
      </ul>
      <form
        class="share-row"
        onSubmit={(event) => {
          event.preventDefault();
          const pattern = user.value.trim();
          if (pattern)
            void change(pattern, role.value, `${pattern} may ${wordOf(role.value)} now.`);
        }}
      >
        <input
          class="input share-user"
          aria-label="User or pattern"
          placeholder="ada@example.com or *@example.com"
          maxLength={64}
          spellcheck={false}
          autocomplete="off"
          value={user.value}
          onInput={(event) => (user.value = event.currentTarget.value)}
        />
        <RoleSelect name="may" role={role.value} onRole={(next) => (role.value = next)} />
        <button type="submit" class="button">
          Add
        </button>
      </form>
      <Said words={said} />
      <p class="share-hint">
        People can also have access by their own tokens. In a pattern * is any characters, ? is one.
      </p>
    </section>
  );
}

const wordOf = (role: Role): string => ROLES.find(([value]) => value === role)?.[1] ?? role;

function RoleSelect(props: { name: string; role: Role; onRole: (role: Role) => void }) {
  return (
    <select
      class="select"
      aria-label={props.name}
      value={props.role}
      onChange={(event) => props.onRole(event.currentTarget.value as Role)}
    >
      {ROLES.map(([value, label]) => (
        <option key={value} value={value}>
          may {label}
        </option>
      ))}
    </select>
  );
}
