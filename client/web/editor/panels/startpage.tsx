// startpage.tsx - the page that is shown without a scene or without a name: it asks for the
// person's name, offers ways to start a scene, and lists the scenes.
import { type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { GizmodError, listScenes } from "../../sdk/index.js";
import type { SceneListing } from "../../sdk/types.js";
import { TokenForm } from "../people/tokenform";
import { errorText } from "../errortext";
import { atServer } from "../serverurl";
import { keep, recall } from "../storage";
import { type Claims, claimsOf, currentToken, keepToken, mayMakeScenes } from "../token";
import type { Join, WithUser } from "./startactions";
import { NewScene } from "./newscene";
import { SceneList } from "./scenelist";
import "./startpage.css";

const USER_KEY = "gizmod.user";
/** How often the list is fetched again, because people join and leave. */
const REFRESH_MS = 5000;
const LOST = "The server cannot be reached.";

/** An action that waits until the person has entered a name. */
interface Wish {
  label: string;
  go: (user: string) => void;
}

/** @param scene the scene that a link leads to; null to show all */
export function StartPage({ scene }: { scene: string | null }) {
  const claims = claimsOf(currentToken());
  const user = useSignal(claims?.name ?? recall(USER_KEY) ?? "");
  const scenes = useSignal<readonly SceneListing[] | null>(null);
  const fault = useSignal("");
  const wish = useSignal<Wish | null>(null);
  const field = useRef<HTMLInputElement>(null);
  /** Why the server wants another token; empty if it does not. */
  const refusal = useSignal("");
  const refresh = useList(scenes, fault, refusal);
  const withUser: WithUser = (label, go) => {
    const name = user.peek().trim();
    if (name === "") {
      wish.value = { label, go };
      fault.value = "Enter your name first. Others see it next to your edits.";
      field.current?.focus();
      return;
    }
    wish.value = null;
    if (!claims?.name) keep(USER_KEY, name);
    go(name);
  };
  const join: Join = (name, create = false) =>
    withUser(create ? `Create ${name}` : `Join ${name}`, (user) => {
      const words = new URLSearchParams(name === scene ? location.search : "");
      words.set("scene", name);
      // A new link can be opened in the tab of an address that says no user.
      if (claims && (claims.name || recall(USER_KEY) === user)) words.delete("user");
      else words.set("user", user);
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
          claims={claims}
          field={field}
          label={label}
          submit={submit}
          edited={() => (fault.value = "")}
        />
      </header>
      <p class="start-fault" role="alert">
        {fault.value}
      </p>
      {refusal.value !== "" ? (
        <NeedsToken why={refusal.value} />
      ) : (
        <>
          {mayMakeScenes(claims) && (
            <NewScene
              primary={label === null}
              taken={scenes.value?.map(({ name }) => name) ?? []}
              withUser={withUser}
              join={join}
            />
          )}
          <SceneList scenes={scenes.value} withUser={withUser} join={join} changed={refresh} />
        </>
      )}
    </main>
  );
}

/** Goes on with the token of a link that the person pastes. */
function NeedsToken({ why }: { why: string }) {
  const use = async (token: string) => {
    keepToken(token);
    location.reload();
    return null;
  };
  return (
    <section aria-labelledby="start-token">
      <h2 id="start-token">You need a link</h2>
      <p>{errorText(why)}. Open the link that you were given, or paste it here.</p>
      <TokenForm use={use} />
    </section>
  );
}

interface WhoProps {
  user: Signal<string>;
  /** Of the token of this tab; null for none. */
  claims: Claims | null;
  field: RefObject<HTMLInputElement | null>;
  /** The label of the button; null for no button. */
  label: string | null;
  submit: () => void;
  edited: () => void;
}

function Who({ user, claims, field, label, submit, edited }: WhoProps) {
  const known = claims?.name;
  return (
    <form
      class="start-who"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {known && (
        <span class="start-known">
          You are <b>{known}</b>
        </span>
      )}
      {!known && <label for="start-user">Your name</label>}
      {!known && (
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
      )}
      {claims && !known && user.value && (
        <span class="start-known">Others see “{user.value} (guest)”</span>
      )}
      {label && (
        <button type="submit" class="button primary">
          {label}
        </button>
      )}
    </form>
  );
}

/** Keeps the list up to date. @returns a function that fetches it at once */
function useList(
  scenes: Signal<readonly SceneListing[] | null>,
  fault: Signal<string>,
  refusal: Signal<string>,
): () => void {
  const ask = async () => {
    if (document.hidden || refusal.peek() !== "") return;
    const { base, ...more } = atServer();
    try {
      scenes.value = await listScenes(base, more);
      if (fault.value === LOST) fault.value = "";
    } catch (error) {
      const said = error instanceof GizmodError ? error : null;
      if (said?.code === "unauthorised") refusal.value = said.message;
      else fault.value = LOST;
    }
  };
  useEffect(() => {
    void ask();
    const timer = setInterval(() => void ask(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return () => void ask();
}
