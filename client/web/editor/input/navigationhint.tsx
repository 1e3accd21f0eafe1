// navigationhint.tsx - explains how to orbit, pan and zoom until the person has done so; a button
// below the compass shows the hint again.
import { useEditor } from "../context";
import type { Editor } from "../editor";
import { IconButton } from "../iconbutton";
import { keysOf } from "./chord";
import "./navigationhint.css";

const MOUSE: readonly [string, readonly string[]][] = [
  ["Orbit", ["middle drag", `${keysOf("Alt")[0]} + left drag`]],
  ["Pan", ["right drag"]],
  ["Zoom", ["wheel"]],
];
const FINGERS: readonly [string, readonly string[]][] = [
  ["Orbit", ["one finger"]],
  ["Pan and zoom", ["two fingers"]],
];

/**
 * Whether there is room for the hint: not during a drag, nor in the past, whose banner takes its
 * place.
 */
export const roomForHint = ({ input, past }: Editor): boolean =>
  input.dragged.value === null && past.value === null;

export function NavigationHint() {
  const editor = useEditor();
  const { input } = editor;
  if (!input.showsHint.value || !roomForHint(editor)) return null;
  const ways = input.finger.value || matchMedia("(pointer: coarse)").matches ? FINGERS : MOUSE;
  return (
    <div class="navigation-hint" role="note" aria-label="How to orbit, pan and zoom">
      {ways.map(([what, hows]) => (
        <span key={what}>
          <b>{what}</b> {hows.join(" or ")}
        </span>
      ))}
      <IconButton icon="close" name="Got it" onClick={() => input.setHint(false)} />
    </div>
  );
}
