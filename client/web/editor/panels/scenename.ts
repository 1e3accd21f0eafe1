// scenename.ts - valid names of scenes: lower-case letters, digits, - and _, beginning with a
// letter or digit, at most 64. Pure.

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Says what is wrong with a name; null if it is valid. */
export function nameFault(name: string): string | null {
  if (name === "") return "A scene needs a name.";
  if (name.length > 64) return "A name has at most 64 letters.";
  return NAME.test(name)
    ? null
    : "Small letters, digits, - and _ only, the first a letter or digit.";
}

/** The valid name nearest to a text such as the name of a file. */
export function toSceneName(text: string): string {
  const plain = text
    .replace(/\.(glb|gltf)$/i, "")
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "");
  const name = plain
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, "-")
    .replace(/^[-_]+|-+$/g, "")
    .slice(0, 64);
  return name || "scene";
}

/** A similar name that is not in `taken`. */
export function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  for (let n = 2; ; n++) {
    const next = `${name.slice(0, 60)}-${n}`;
    if (!taken.includes(next)) return next;
  }
}
