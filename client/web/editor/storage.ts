// storage.ts - what the browser keeps for the page. Where it keeps nothing (blocked, full), the page works all the same and forgets.

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

/** Null forgets it. */
export function keep(key: string, value: string | null, where: Where = "browser"): void {
  try {
    if (value === null) storeOf(where).removeItem(key);
    else storeOf(where).setItem(key, value);
  } catch {
    // It is as if it had been forgotten.
  }
}
