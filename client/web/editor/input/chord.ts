// chord.ts - the keys that are down, as one text: "Mod+Shift+Z". Mod is Ctrl, and Command on
// Apple's keyboards. Pure.

const APPLE = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.platform);

type KeyEvent = Pick<
  KeyboardEvent,
  "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey"
> & { getModifierState?(key: string): boolean };

/**
 * A letter is what the keyboard's layout prints if that is a Latin one; where the layout prints a
 * letter of another script, or an accent that waits for one, it is the one at that place of an
 * English keyboard. A digit is the place, as some layouts print it with Shift only; it may come
 * from the number pad. Any other sign is what is printed. AltGr belongs to what it prints: a sign
 * that is written with it is that sign, a letter or a digit with it is neither.
 */
export function chordOf(event: KeyEvent): string {
  const { key } = event;
  if (event.getModifierState?.("AltGraph") && key.length === 1)
    return /[\p{L}\d]/u.test(key) ? `AltGr+${key}` : key;
  const [, digit] = /^(?:Digit|Numpad)(\d)$/.exec(event.code) ?? [];
  const plain = digit ?? latin(event);
  const shift = event.shiftKey && (plain !== undefined || key.length > 1);
  return [
    event.ctrlKey || event.metaKey ? "Mod+" : "",
    event.altKey ? "Alt+" : "",
    shift ? "Shift+" : "",
    plain ?? key,
  ].join("");
}

function latin({ key, code }: KeyEvent): string | undefined {
  if (/^[a-z]$/i.test(key)) return key.toUpperCase();
  const other = key === "Dead" || (key.length === 1 && /\p{L}/u.test(key));
  return other ? /^Key([A-Z])$/.exec(code)?.[1] : undefined;
}

/** What a key writes; null if it writes nothing, as with Ctrl, Command or Alt. */
export function writtenBy(event: KeyEvent): string | null {
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  const writes = plain || event.getModifierState?.("AltGraph") === true;
  return writes && event.key.length === 1 ? event.key : null;
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
