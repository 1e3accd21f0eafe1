// tokenform.tsx - the field into which a person pastes a link with a token, and its dialog in the
// editor: the token of this tab expires, or the server takes it no longer.
import { useSignal } from "@preact/signals";

import { useEditor } from "../context";
import type { Editor } from "../editor";
import { errorText } from "../errortext";
import { Dialog, closeDialog, closeOver } from "../panels/dialog";
import { count } from "../past/edittext";
import { claimsOf, currentToken, keepToken, tokenIn } from "../token";
import { waitsForToken } from "./expiry";
import "./tokenform.css";

/** @param use goes on with a token; resolves to a text that says why it cannot */
export function TokenForm({ use }: { use: (token: string) => Promise<string | null> }) {
  const text = useSignal("");
  const fault = useSignal("");
  const submit = async (form: EventTarget | null) => {
    const token = tokenIn(text.value);
    fault.value = token ? "" : "This is not a link with a token. Copy the whole link.";
    if (!token) return;
    const why = await use(token);
    if (why === null) closeDialog(form);
    else fault.value = why;
  };
  return (
    <form
      class="token-form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(event.currentTarget);
      }}
    >
      <input
        autofocus
        class="input"
        type="password"
        aria-label="Link or token"
        aria-describedby="token-fault"
        placeholder="https://…#token=…"
        spellcheck={false}
        autocomplete="off"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          fault.value = "";
        }}
      />
      <button type="submit" class="button primary">
        Use link
      </button>
      <p id="token-fault" class="token-fault" role="alert">
        {fault.value}
      </p>
    </form>
  );
}

export function TokenDialog() {
  const editor = useEditor();
  const status = editor.status.value;
  const ended = waitsForToken(status) || status.phase === "closed";
  const waiting = editor.unsaved.value;
  return (
    <Dialog title="Use a new link" onClose={() => closeOver(editor, "token")}>
      {ended && <p class="dialog-text">{errorText(status.reason ?? "")}.</p>}
      <p class="dialog-text">
        Ask for a new link to this scene. Open it in this tab, or paste it here.
        {waiting > 0 && ` ${count(waiting, "waiting edit")} will be saved then.`}
      </p>
      <TokenForm use={(token) => useToken(editor, token)} />
    </Dialog>
  );
}

/** Goes on with another token. @returns why that is not possible, in words */
export async function useToken(editor: Editor, token: string): Promise<string | null> {
  const { session } = editor;
  if (session.unsaved > 0 && claimsOf(token)?.role === "viewer")
    return "This link is view-only, but edits are waiting to be saved. Use a link for editing.";
  if (session.status.phase === "closed") {
    keepToken(token);
    location.reload();
    return null;
  }
  try {
    const isAway = session.status.phase !== "online";
    await session.setToken(token);
    keepToken(token);
    return isAway ? await answerOf(editor) : null;
  } catch (error) {
    return errorText((error as Error).message);
  }
}

/** Waits for what the server says of the token that a new connection begins with. */
function answerOf({ session }: Editor): Promise<string | null> {
  return new Promise((resolve) => {
    const off = session.on("status", (status) => {
      if (status.phase !== "online" && !waitsForToken(status) && status.phase !== "closed") return;
      off();
      resolve(status.phase === "online" ? null : errorText(status.reason ?? ""));
    });
  });
}

/** The token of a link that was opened in this tab. */
export async function takeLink(editor: Editor, token: string): Promise<void> {
  if (token === currentToken()) return;
  const why = await useToken(editor, token);
  if (why === null) editor.say("info", "This page continues with the new link.");
  else editor.say("error", why);
}
