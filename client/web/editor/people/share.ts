// share.ts - a link to this scene, or to a note in it, for others: they choose their own name.
import type { Editor } from "../editor";
import { home } from "../home";

function linkTo(editor: Editor, note?: number): string {
  const link = new URL(home());
  link.searchParams.set("scene", editor.session.sceneName);
  if (note !== undefined) link.searchParams.set("note", String(note));
  return link.href;
}

/** The note that the page's address asks for; 0 for none. */
export function askedNote(): number {
  return Number(new URLSearchParams(location.search).get("note"));
}

export async function shareLink(editor: Editor, note?: number): Promise<void> {
  const link = linkTo(editor, note);
  if (await copy(link)) editor.say("info", "The link is in the clipboard: who opens it joins this scene.");
  else editor.say("info", `The link: ${link}`);
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyFromField(text);
  }
}

/** Pages that came over plain HTTP from another machine have no clipboard of their own. */
function copyFromField(text: string): boolean {
  const field = document.createElement("textarea");
  const focused = document.activeElement as HTMLElement | null;
  field.value = text;
  field.className = "visually-hidden";
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  focused?.focus();
  return copied;
}
