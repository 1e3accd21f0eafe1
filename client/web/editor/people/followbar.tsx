// followbar.tsx - a frame around the view in the colour of the person whose view is followed, and a
// button to stop. Following ends if the person leaves; it continues if they only lost their
// connection and come back.
import { useEffect } from "preact/hooks";

import { useEditor } from "../context";
import type { Person } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { inkOn } from "./colour";
import { isSamePerson } from "./names";
import "./followbar.css";

/** How long a person who left may take to come back. */
const RETURN_MS = 10_000;

export function FollowBar() {
  const editor = useEditor();
  useEffect(() => watchFollowed(editor), [editor]);
  const person = editor.people.value.find(({ session }) => session === editor.following.value);
  if (!person) return null;
  const { session, colour } = person;
  const name = editor.names.value.get(session);
  return (
    <div class="follow-frame" style={{ "--person": colour, "--ink": inkOn(colour) }}>
      <div class="follow-bar" role="status">
        <span>Following {name}</span>
        <button
          type="button"
          aria-label={`Stop following ${name}`}
          onClick={() => (editor.following.value = null)}
        >
          Stop
        </button>
      </div>
    </div>
  );
}

/** @returns a function that ends this */
function watchFollowed(editor: Editor): () => void {
  let followed: Person | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const lost = () => {
    editor.following.value = null;
    editor.say("info", `${followed?.user} left the scene.`);
  };
  const stop = editor.people.subscribe((people) => follow(people.length > 0));
  const stopToo = editor.following.subscribe(() => follow(true));

  function follow(known: boolean): void {
    const session = editor.following.peek();
    const people = editor.people.peek();
    const person = people.find((one) => one.session === session);
    const chosen = followed?.session !== session;
    // After a restart of the server the number may be somebody else's.
    if (session === null || (person && (chosen || isSamePerson(person, followed ?? undefined)))) {
      clearTimeout(timer);
      timer = undefined;
      followed = person ?? null;
      return;
    }
    const back = people.find((one) => !one.me && followed && isSamePerson(one, followed));
    if (back) editor.following.value = back.session;
    else if (known) timer ??= setTimeout(lost, RETURN_MS);
  }

  return () => {
    clearTimeout(timer);
    stop();
    stopToo();
  };
}
