// chord.ts - the keys that are down, as one text: "Mod+Shift+Z". Mod is Ctrl, and Command on
// Apple's keyboards. Pure.

const APPLE = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.platform);

type KeyEvent = Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

/**
 * Letters follow the keyboard layout if it has Latin letters; digits may come from the number pad.
 */
export function chordOf(event: KeyEvent): string {
  const [, digit] = /^(?:Digit|Numpad)(\d)$/.exec(event.code) ?? [];
  const [, letter] = /^Key([A-Z])$/.exec(event.code) ?? [];
  const plain = digit ?? (/^[a-z]$/i.test(event.key) ? event.key.toUpperCase() : letter);
  const key = plain ?? event.key;
  const shift = event.shiftKey && (plain !== undefined || key.length > 1);
  return [
    event.ctrlKey || event.metaKey ? "Mod+" : "",
    event.altKey ? "Alt+" : "",
    shift ? "Shift+" : "",
    key,
  ].join("");
}

const SHOWN: Record<string, string> = {
  Escape: "Esc",
  Delete: "Del",
  ArrowUp: "\u2191",
  ArrowDown: "\u2193",
  ArrowLeft: "\u2190",
  ArrowRight: "\u2192",
  Mod: APPLE ? "\u2318" : "Ctrl",
  Alt: APPLE ? "\u2325" : "Alt",
  Shift: APPLE ? "\u21e7" : "Shift",
  "-": "\u2212",
};

/** The keys of a chord as they are printed on the keyboard. */
export function keysOf(chord: string): string[] {
  const keys =
    chord === "+" || chord.endsWith("++")
      ? [...chord.slice(0, -1).split("+").filter(Boolean), "+"]
      : chord.split("+");
  return keys.map((key) => SHOWN[key] ?? key);
}
