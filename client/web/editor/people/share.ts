// share.ts - a link to this scene for others: they choose their own name.
import type { Editor } from "../editor";

export function sceneLink(editor: Editor): string {
  const link = new URL(location.pathname, location.origin);
  link.searchParams.set("scene", editor.session.sceneName);
  return link.href;
}

export async function shareLink(editor: Editor): Promise<void> {
  const link = sceneLink(editor);
  if (await copy(link)) editor.say("info", `Copied ${link}`);
  else editor.say("warn", `The browser would not copy it. The link is ${link}`);
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
