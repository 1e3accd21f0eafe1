// select.ts - choosing nodes by a click or a rectangle: the server says what is there.
import type { Id, Vec2 } from "../../sdk/types.js";
import type { Editor } from "../editor";

export type Choice = "set" | "add" | "toggle";

/** Shift adds, Ctrl turns round what is chosen. */
export function choiceOf(event: { shiftKey: boolean; ctrlKey: boolean; metaKey: boolean }): Choice {
  if (event.ctrlKey || event.metaKey) return "toggle";
  return event.shiftKey ? "add" : "set";
}

/** What is under this pixel; nothing clears the selection, where it is not added to. */
export async function select(editor: Editor, at: Vec2, choice: Choice): Promise<void> {
  await editor.try(async () => {
    const hit = (await editor.session.pick({ at }))[0];
    if (hit || choice === "set") await editor.session.select(hit ? [hit.id] : [], choice);
  });
}

/** What the rectangle touches. Groups that have no shape of their own are left out: who draws a rectangle means what is seen. */
export async function selectIn(editor: Editor, [x0, y0]: Vec2, [x1, y1]: Vec2, choice: Choice): Promise<void> {
  await editor.try(async () => {
    const hits = await editor.session.pick({ rect: [x0, y0, x1, y1] });
    await editor.session.select(hits.map(({ id }) => id).filter((id) => hasShape(editor, id)), choice);
  });
}

function hasShape(editor: Editor, id: Id): boolean {
  const node = editor.session.scene.get(id);
  return node !== undefined && (node.bounds !== undefined || node.children.length === 0);
}

/** What is selected is this now. */
export function choose(editor: Editor, ids: readonly Id[]): void {
  void editor.try(() => editor.session.select(ids));
}

export function selectParents(editor: Editor): void {
  const { scene } = editor.session;
  const parents = editor.selection.peek().map((id) => scene.get(id)?.parent ?? id);
  choose(editor, [...new Set(parents)]);
}

export function selectChildren(editor: Editor): void {
  const { scene } = editor.session;
  const children = editor.selection.peek().flatMap((id) => scene.get(id)?.children ?? []);
  if (children.length > 0) choose(editor, children);
}

/** All that can be seen and is not selected. */
export function invert(editor: Editor): void {
  const chosen = new Set(editor.selection.peek());
  choose(editor, [...editor.session.scene.nodes.keys()].filter((id) => !chosen.has(id) && hasShape(editor, id)));
}
