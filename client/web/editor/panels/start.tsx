// start.tsx - the page without a scene, or without a name to join it under: who one is, what scenes there are, a new one, one from a file.
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { importScene, listScenes } from "../../sdk/index.js";
import type { SceneListing } from "../../sdk/types.js";
import { home } from "../home";
import { Icon } from "../icons";
import { keep, recall } from "../storage";
import { namedFiles, useDrop } from "./drop";
import { ACCEPTED, type NamedFile, oneFile } from "./gltffiles";
import { freeName, nameFault, toSceneName } from "./scenename";
import "./start.css";

const USER_KEY = "gizmod.user";
/** The list is asked for anew so often, so that it says who is where. */
const REFRESH_MS = 5000;

/** @param scene the one that a link led to; null where all are to choose from */
export function Start({ scene }: { scene: string | null }) {
  const user = useSignal(recall(USER_KEY) ?? "");
  const scenes = useSignal<readonly SceneListing[] | null>(null);
  const fault = useSignal("");
  const wish = useSignal<Wish | null>(null);
  const field = useRef<HTMLInputElement>(null);
  useList(scenes, fault);
  const named: Named = (label, go) => {
    const name = user.peek().trim();
    if (name === "") {
      wish.value = { label, go };
      fault.value = "Say first who you are: others see that name beside what you do.";
      field.current?.focus();
      return;
    }
    wish.value = null;
    keep(USER_KEY, name);
    go(name);
  };
  const join = (name: string, create = false) =>
    named(create ? `Create ${name}` : `Join ${name}`, (user) => {
      const words = new URLSearchParams(name === scene ? location.search : "");
      words.set("scene", name);
      words.set("user", user);
      if (create) words.set("create", "");
      location.search = words.toString();
    });
  const label = wish.value?.label ?? (scene && `Join ${scene}`);
  return (
    <main class="start">
      <header class="start-head">
        <img src="icon.svg" alt="" width="40" height="40" />
        <h1>gizmod</h1>
        <p>One scene, several hands: what you move, everybody here sees move.</p>
      </header>
      <form
        class="start-who"
        onSubmit={(event) => {
          event.preventDefault();
          if (wish.value) named(wish.value.label, wish.value.go);
          else if (scene) join(scene);
        }}
      >
        <label for="start-user">Your name</label>
        <input
          ref={field} id="start-user" class="input" autocomplete="nickname" maxLength={64} value={user.value} placeholder="such as Ada"
          onInput={(event) => {
            user.value = event.currentTarget.value;
            fault.value = "";
          }}
        />
        {label && (
          <button type="submit" class="button primary">
            {label}
          </button>
        )}
      </form>
      <p class="start-fault" role="alert">
        {fault.value}
      </p>
      <Scenes scenes={scenes.value} join={join} />
      <NewScene taken={scenes.value?.map(({ name }) => name) ?? []} named={named} join={join} />
    </main>
  );
}

type Join = (name: string, create?: boolean) => void;

/** What somebody wants to do who did not say yet who they are: it is done once they have. */
interface Wish {
  label: string;
  go: (user: string) => void;
}
type Named = (label: string, go: (user: string) => void) => void;

function Scenes({ scenes, join }: { scenes: readonly SceneListing[] | null; join: Join }) {
  if (scenes === null) return <p class="start-none">Looking for scenes…</p>;
  if (scenes.length === 0) return <p class="start-none">There is no scene yet. Make one below.</p>;
  return (
    <section aria-labelledby="start-scenes">
      <h2 id="start-scenes">Scenes</h2>
      <ul class="start-list">
        {scenes.map((scene) => (
          <li key={scene.name}>
            <button type="button" class="start-scene" onClick={() => join(scene.name)}>
              <span class="start-name">{scene.name}</span>
              <span class="start-about">{about(scene)}</span>
              {scene.users > 0 && (
                <span class="chip start-here">
                  <Icon name="people" />
                  {scene.users} here now
                </span>
              )}
              <Icon name="right" />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function about({ nodes, changed }: SceneListing): string {
  const count = `${nodes.toLocaleString("en")} node${nodes === 1 ? "" : "s"}`;
  return `${count}, changed ${ago(changed)}`;
}

const AGO: [number, Intl.RelativeTimeFormatUnit][] = [[60, "second"], [3600, "minute"], [86400, "hour"], [30 * 86400, "day"], [365 * 86400, "month"], [Infinity, "year"]];

function ago(time: number): string {
  const seconds = Math.max(0, Date.now() / 1000 - time);
  if (seconds < 60) return "just now";
  const i = AGO.findIndex(([limit]) => seconds < limit);
  return new Intl.RelativeTimeFormat("en").format(-Math.floor(seconds / AGO[i - 1][0]), AGO[i][1]);
}

interface Upload {
  file: string;
  /** 0 to 1; 1 while the server reads it. */
  part: number;
}

function NewScene({ taken, named, join }: { taken: readonly string[]; named: Named; join: Join }) {
  const name = useSignal("");
  const fault = useSignal("");
  const upload = useSignal<Upload | null>(null);
  const over = useSignal(false);
  const take = async (files: readonly NamedFile[]) => {
    if (upload.peek()) return;
    try {
      const file = await oneFile(files);
      const scene = name.value || freeName(toSceneName(file.name), taken);
      fault.value = nameFault(scene) ?? "";
      if (fault.value === "") named(`Import ${file.name}`, (user) => void send(scene, file, user));
    } catch (error) {
      fault.value = (error as Error).message;
    }
  };
  const send = async (scene: string, file: File, user: string) => {
    if (upload.peek()) return;
    const progress = (part: number) => (upload.value = { file: file.name, part });
    progress(0);
    try {
      await importScene(scene, file, { base: home(), user, progress });
      join(scene);
    } catch (error) {
      fault.value = (error as Error).message;
    }
    upload.value = null;
  };
  useDrop(over, (files) => void take(files));
  const create = () => {
    fault.value = (taken.includes(name.value) ? `There is a scene ${name.value} already.` : nameFault(name.value)) ?? "";
    if (fault.value === "") join(name.value, true);
  };
  const { value: sent } = upload;
  return (
    <section class={`start-new${over.value ? " over" : ""}`} aria-labelledby="start-new">
      <h2 id="start-new">New scene</h2>
      <NewForm name={name} create={create} take={(files) => void take(files)} edited={() => (fault.value = "")} />
      <p class="start-hint">{sent ? said(sent) : "Or drop a .glb, or a .gltf with its files or their folder, anywhere on this page."}</p>
      {sent && <progress aria-label={`Sending ${sent.file}`} max={1} value={sent.part < 1 ? sent.part : undefined} />}
      <p class="start-fault" role="alert">
        {fault.value}
      </p>
    </section>
  );
}

interface NewFormProps {
  name: Signal<string>;
  create: () => void;
  take: (files: readonly NamedFile[]) => void;
  edited: () => void;
}

function NewForm({ name, create, take, edited }: NewFormProps) {
  const files = useRef<HTMLInputElement>(null);
  const submit = (event: Event) => {
    event.preventDefault();
    create();
  };
  const edit = (text: string) => {
    name.value = text;
    edited();
  };
  const chosen = (input: HTMLInputElement) => {
    if (input.files?.length) take(namedFiles(input.files));
    // The same file may be chosen again, once it is mended.
    input.value = "";
  };
  return (
    <form class="start-make" onSubmit={submit}>
      <input
        class="input" aria-label="Name of the new scene" placeholder="such as my-engine" maxLength={64} value={name.value} spellcheck={false} autocomplete="off"
        onInput={(event) => edit(event.currentTarget.value)}
      />
      <button type="submit" class="button">
        Create empty
      </button>
      <button type="button" class="button primary" onClick={() => files.current?.click()}>
        <Icon name="upload" />
        From a file…
      </button>
      <input ref={files} type="file" accept={ACCEPTED} multiple hidden onChange={(event) => chosen(event.currentTarget)} />
    </form>
  );
}

function said({ file, part }: Upload): string {
  return part < 1 ? `Sending ${file}: ${Math.floor(100 * part)} %` : `The server reads ${file}…`;
}

function useList(scenes: { value: readonly SceneListing[] | null }, fault: { value: string }): void {
  useEffect(() => {
    const ask = async () => {
      if (document.hidden) return;
      try {
        scenes.value = await listScenes(home());
        if (fault.value === LOST) fault.value = "";
      } catch {
        fault.value = LOST;
      }
    };
    void ask();
    const timer = setInterval(() => void ask(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
}

const LOST = "The server cannot be reached.";
