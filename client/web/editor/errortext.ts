// errortext.ts - what the server says is wrong, in words for who looks at the scene: it speaks of fields, ids and numbers of edits as well, which programs need. Pure.

/** A name may have brackets of its own: what stands behind it says where it ends. */
const LABEL = /node \d+ \((.+)\)(?= is held by | since\b| and \d+ more since\b)/;

export function errorText(message: string): string {
  const words = message
    .replace(/^[a-z_]+(?:[.[][\w.[\]]*)?: /, "")
    .replace(/ \(edit \d+\)$/, " then");
  const named = words.replace(LABEL, "$1");
  // A name that comes first stays as it was given.
  return words.search(LABEL) === 0 ? named : named.charAt(0).toUpperCase() + named.slice(1);
}
