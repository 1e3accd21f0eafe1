// importwarnings.ts - what of an imported file could not be used, in words: told at once, or on the
// page of the new scene.
import { keep, recall } from "../storage";

interface Imported {
  warnings?: readonly string[];
  residual: number;
}

/** The scene and its text wait here while the page goes to the scene. */
const KEY = "gizmod.imported";
/** Matrices of float32 numbers are off by less. */
const RESIDUAL_SAID = 1e-6;
const SHOWN = 3;

/** Null if all of the file was used. */
export function warningText(file: string, { warnings = [], residual }: Imported): string | null {
  const said = [...warnings];
  if (residual > RESIDUAL_SAID)
    said.unshift(
      "a matrix shears, which a translation, a rotation and a scale cannot; what is kept is off " +
        `by up to ${residual.toPrecision(2)} of its size`,
    );
  if (said.length === 0) return null;
  const more = said.length > SHOWN ? `; and ${said.length - SHOWN} more` : "";
  return `Not all of ${file} could be used: ${said.slice(0, SHOWN).join("; ")}${more}.`;
}

export function keepWarning(scene: string, text: string | null): void {
  keep(KEY, text && JSON.stringify([scene, text]), "tab");
}

/** The text that was kept for the scene, once. */
export function takeWarning(scene: string): string | null {
  const kept = recall(KEY, "tab");
  if (kept === null) return null;
  keep(KEY, null, "tab");
  try {
    const [of, text] = JSON.parse(kept) as [string, string];
    return of === scene ? text : null;
  } catch {
    return null;
  }
}
