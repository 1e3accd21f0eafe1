// share.ts - links to this scene, or to a note in it, for other people, who choose their own name.
import type { EditorState } from "../editorstate";
import { serverUrl } from "../serverurl";
import type { MenuItem } from "../panels/menu";

/** What a link opens: this scene, with the note `note`, or for viewing only. */
interface Link {
  note?: number;
  role?: "viewer";
}

function linkTo(editor: EditorState, { note, role }: Link): string {
  const link = new URL(serverUrl());
  link.searchParams.set("scene", editor.session.sceneName);
  if (role) link.searchParams.set("role", role);
  if (note !== undefined) link.searchParams.set("note", String(note));
  return link.href;
}

/** The note that the page's address names; 0 for none. */
export function askedNote(): number {
  return Number(new URLSearchParams(location.search).get("note"));
}

export async function shareLink(editor: EditorState, to: Link = {}): Promise<void> {
  const link = linkTo(editor, to);
  if (await copy(link)) editor.say("info", `${to.role ? "View-only link" : "Link"} copied.`);
  else editor.say("info", `The link: ${link}`);
}

/** The menu items that copy a link. */
export function linkItems(editor: EditorState): MenuItem[] {
  return [
    { label: "Copy link", icon: "link", run: () => void shareLink(editor) },
    {
      label: "Copy view-only link",
      icon: "eye",
      run: () => void shareLink(editor, { role: "viewer" }),
    },
  ];
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyFromField(text);
  }
}

/** A page that was loaded by plain HTTP from another machine has no clipboard API. */
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
