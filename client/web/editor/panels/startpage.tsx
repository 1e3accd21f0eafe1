// startpage.tsx - the page without a scene, or without a name to join it under: who one is, ways to begin, and the scenes that there are.
import { type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { listScenes } from "../../sdk/index.js";
import type { SceneListing } from "../../sdk/types.js";
import { serverUrl } from "../serverurl";
import { keep, recall } from "../storage";
import type { Join, WithUser } from "./startactions";
import { NewScene } from "./newscene";
import { SceneList } from "./scenelist";
import "./startpage.css";

const USER_KEY = "gizmod.user";
/** The list is asked for anew so often, so that it says who is where. */
const REFRESH_MS = 5000;
const LOST = "The server cannot be reached.";

/** What somebody wants to do who did not give their name yet: it is done once they have. */
interface Wish {
  label: string;
  go: (user: string) => void;
}

/** @param scene the one that a link led to; null where all are to choose from */
export function StartPage({ scene }: { scene: string | null }) {
  const user = useSignal(recall(USER_KEY) ?? "");
  const scenes = useSignal<readonly SceneListing[] | null>(null);
  const fault = useSignal("");
  const wish = useSignal<Wish | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const refresh = useList(scenes, fault);
  const withUser: WithUser = (label, go) => {
    const name = user.peek().trim();
    if (name === "") {
      wish.value = { label, go };
      fault.value = "Enter your name first. Others see it next to your edits.";
      field.current?.focus();
      return;
    }
    wish.value = null;
    keep(USER_KEY, name);
    go(name);
  };
  const join: Join = (name, create = false) =>
    withUser(create ? `Create ${name}` : `Join ${name}`, (user) => {
      const words = new URLSearchParams(name === scene ? location.search : "");
      words.set("scene", name);
      words.set("user", user);
      if (create) words.set("create", "");
      location.search = words.toString();
    });
  const submit = () => {
    if (wish.value) withUser(wish.value.label, wish.value.go);
    else if (scene) join(scene);
  };
  const label = wish.value?.label ?? (scene && `Join ${scene}`);
  return (
    <main class="start">
      <header class="start-head">
        <img src="icon.svg" alt="" width="40" height="40" />
        <h1>gizmod</h1>
        <p>Edit 3D scenes together, live.</p>
        <Who
          user={user}
          field={field}
          label={label}
          submit={submit}
          edited={() => (fault.value = "")}
        />
      </header>
      <p class="start-fault" role="alert">
        {fault.value}
      </p>
      <NewScene
        primary={label === null}
        taken={scenes.value?.map(({ name }) => name) ?? []}
        withUser={withUser}
        join={join}
      />
      <SceneList scenes={scenes.value} withUser={withUser} join={join} changed={refresh} />
    </main>
  );
}

interface WhoProps {
  user: Signal<string>;
  field: RefObject<HTMLInputElement | null>;
  /** What the form does; null for nothing. */
  label: string | null;
  submit: () => void;
  edited: () => void;
}

function Who({ user, field, label, submit, edited }: WhoProps) {
  return (
    <form
      class="start-who"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <label for="start-user">Your name</label>
      <input
        ref={field}
        id="start-user"
        class="input"
        autocomplete="nickname"
        maxLength={64}
        value={user.value}
        placeholder="for example Ada"
        onInput={(event) => {
          user.value = event.currentTarget.value;
          edited();
        }}
      />
      {label && (
        <button type="submit" class="button primary">
          {label}
        </button>
      )}
    </form>
  );
}

/** Keeps the list up to date. @returns what asks for it at once */
function useList(
  scenes: Signal<readonly SceneListing[] | null>,
  fault: Signal<string>,
): () => void {
  const ask = async () => {
    if (document.hidden) return;
    try {
      scenes.value = await listScenes(serverUrl());
      if (fault.value === LOST) fault.value = "";
    } catch {
      fault.value = LOST;
    }
  };
  useEffect(() => {
    void ask();
    const timer = setInterval(() => void ask(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return () => void ask();
}
