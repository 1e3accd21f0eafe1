// share.ts - links to this scene, or to a note in it, for other people, who choose their own name.
import type { EditorState } from "../editorstate";
import { serverUrl } from "../serverurl";

/**
 * What a link opens: this scene, with the note `note`, or for viewing only. `token` lets others in;
 * it stands after the "#", which no request contains.
 */
interface Link {
  note?: number;
  role?: "viewer";
  token?: string;
}

export function linkTo(editor: EditorState, { note, role, token }: Link): string {
  const link = new URL(serverUrl());
  link.searchParams.set("scene", editor.session.sceneName);
  if (role) link.searchParams.set("role", role);
  if (note !== undefined) link.searchParams.set("note", String(note));
  if (token) link.hash = `token=${token}`;
  return link.href;
}

/** The note that the page's address names; 0 for none. */
export function askedNote(): number {
  return Number(new URLSearchParams(location.search).get("note"));
}

/** Copies a link to a note, for people who have access to the scene. */
export async function shareNote(editor: EditorState, note: number): Promise<void> {
  const link = linkTo(editor, { note });
  if (await copy(link)) editor.say("info", "Link copied.");
  else editor.say("info", `The link: ${link}`);
}

/** @returns whether the browser lets the page copy */
export async function copy(text: string): Promise<boolean> {
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
  // What is outside of an open dialog cannot be selected.
  (document.querySelector("dialog[open]") ?? document.body).append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  focused?.focus();
  return copied;
}
