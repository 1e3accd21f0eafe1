// storage.ts - values that the browser keeps for the page. If it cannot keep any (storage blocked
// or full), the page works without them.

/** `tab`: until the tab is closed. */
export type Where = "browser" | "tab";

function storeOf(where: Where): Storage {
  return where === "browser" ? localStorage : sessionStorage;
}

export function recall(key: string, where: Where = "browser"): string | null {
  try {
    return storeOf(where).getItem(key);
  } catch {
    return null;
  }
}

/** Stores a value; null deletes it. */
export function keep(key: string, value: string | null, where: Where = "browser"): void {
  try {
    if (value === null) storeOf(where).removeItem(key);
    else storeOf(where).setItem(key, value);
  } catch {
    // The value is lost, which the page can live with.
  }
}
