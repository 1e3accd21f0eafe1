// clipboard.ts - copies and pastes a transform as text, in the terms of the protocol, so that other
// programs can read and write it.
import type { NodeState } from "../../sdk/types.js";
import type { Editor } from "../editor";
import { keep, recall } from "../storage";

const KEY = "gizmod.transform";

export async function copyTransform(editor: Editor): Promise<void> {
  const node = editor.scene.peek().get(editor.selection.peek().at(-1) ?? 0);
  if (!node) return;
  const text = JSON.stringify({ t: node.t, r: node.r, s: node.s });
  keep(KEY, text, "tab");
  // A page that was not loaded by https has no clipboard; the copy within this tab still works.
  await navigator.clipboard?.writeText(text).catch(() => undefined);
  editor.say("info", `Copied the transform of ${node.name || `node ${node.id}`}.`);
}

export async function pasteTransform(editor: Editor): Promise<void> {
  const text =
    (await navigator.clipboard?.readText?.().catch(() => null)) ?? recall(KEY, "tab") ?? "";
  const state = parseTransform(text) ?? parseTransform(recall(KEY, "tab") ?? "");
  if (!state) return editor.say("warn", "There is no transform in the clipboard.");
  const changes = editor.selection.peek().map((id) => ({ id, ...state }));
  await editor.try(() => editor.session.set(changes));
}

function parseTransform(text: string): Pick<NodeState, "t" | "r" | "s"> | null {
  try {
    const { t, r, s } = JSON.parse(text) as NodeState;
    const holds = (list: unknown, count: number) =>
      Array.isArray(list) &&
      list.length === count &&
      list.every((value) => typeof value === "number");
    return holds(t, 3) && holds(r, 4) && holds(s, 3) ? { t, r, s } : null;
  } catch {
    return null;
  }
}
