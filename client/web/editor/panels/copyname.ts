// copyname.ts - unique names for copies: "rod" becomes "rod.001", and that "rod.002". Pure.
import type { SceneModel } from "../../sdk/index.js";

/** The longest name that the server accepts, in bytes. */
const NAME_BYTES_MAX = 256;

/**
 * Returns a function that names one copy after another from the name of the original. A node
 * without a name gets none.
 */
export function copyNames({ nodes }: SceneModel): (name: string) => string {
  const taken = new Set<string>();
  for (const { name } of nodes.values()) taken.add(name);
  const last = new Map<string, number>();
  return (name) => {
    if (name === "") return "";
    const base = name.replace(/\.\d{3,}$/, "");
    for (let n = (last.get(base) ?? 0) + 1; ; n++) {
      const next = numbered(base, n);
      if (taken.has(next)) continue;
      last.set(base, n);
      taken.add(next);
      return next;
    }
  };
}

/** Cuts a base that leaves no room for the number. */
function numbered(base: string, n: number): string {
  const suffix = `.${String(n).padStart(3, "0")}`;
  const room = NAME_BYTES_MAX - suffix.length;
  const bytes = new TextEncoder().encode(base);
  const cut =
    bytes.length <= room
      ? base
      : new TextDecoder().decode(bytes.slice(0, room)).replace(/\uFFFD+$/, "");
  return cut + suffix;
}
