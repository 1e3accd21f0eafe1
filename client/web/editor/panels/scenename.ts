// scenename.ts - names that a scene may have: small letters, digits, - and _, beginning with a letter or digit, 64 at most. Pure.

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** What is wrong with a name, in words; null where nothing is. */
export function nameFault(name: string): string | null {
  if (name === "") return "A scene needs a name.";
  if (name.length > 64) return "A name has at most 64 letters.";
  return NAME.test(name)
    ? null
    : "Small letters, digits, - and _ only, the first a letter or digit.";
}

/** The name that comes nearest to a text, such as that of a file. */
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

/** A name like this one that none of `taken` is. */
export function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  for (let n = 2; ; n++) {
    const next = `${name.slice(0, 60)}-${n}`;
    if (!taken.includes(next)) return next;
  }
}
