// errortext.ts - rewords an error of the server for a person who looks at the scene: field names,
// ids and numbers of edits, which programs need, are left out. Pure.

/** The name of a node may contain brackets, so the words after the name tell where it ends. */
const LABEL = /node \d+ \((.+)\)(?= is held by | since\b| and \d+ more since\b)/;

export function errorText(message: string): string {
  const words = message
    .replace(/^[a-z_]+(?:[.[][\w.[\]]*)?: /, "")
    .replace(/ \(edit \d+\)$/, " then");
  const named = words.replace(LABEL, "$1");
  // A name at the beginning keeps its case.
  return words.search(LABEL) === 0 ? named : named.charAt(0).toUpperCase() + named.slice(1);
}
