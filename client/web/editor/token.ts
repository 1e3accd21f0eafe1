// token.ts - the token of this tab, which says who the person is. A link brings it after the "#" of
// the address, which no request contains; from there it goes into the storage of the tab, before
// anything else runs, and the address and the history of the browser keep nothing of it.
import { tokenClaims } from "../sdk/token.js";
import { keep, recall } from "./storage";

const KEY = "gizmod.token";

/** The token, also if the browser stores nothing; null for none. */
let held: string | null = recall(KEY, "tab");

/** What the page reads of a token. Only the server verifies it. */
export interface Claims {
  /** The display name; null for a guest, who chooses one. */
  name: string | null;
  role: string | null;
  /** The names of scenes, or patterns for them. */
  scenes: string[];
}

/** The token of this tab; undefined for none. */
export function currentToken(): string | undefined {
  return held ?? undefined;
}

export function keepToken(token: string): void {
  held = token;
  keep(KEY, token, "tab");
}

/** Null if the text is not a token. */
export function claimsOf(token: string | undefined): Claims | null {
  const claims = tokenClaims(token);
  if (!claims) return null;
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : null);
  return {
    name: claims.guest === true ? null : (text(claims.name) ?? text(claims.sub) ?? "?"),
    role: text(claims.role),
    scenes: Array.isArray(claims.scenes) ? claims.scenes.map(String) : ["*"],
  };
}

const RANKS = ["viewer", "editor", "admin"];

/**
 * Whether a guest's link lacks a role. Of other people the page cannot say: a scene may give them
 * more than their token does.
 */
export function isGuestBelow(claims: Claims | null, role: "editor" | "admin"): boolean {
  return claims?.name === null && RANKS.indexOf(claims.role ?? "") < RANKS.indexOf(role);
}

/** Whether the person may make scenes, as far as the page can say. */
export function mayMakeScenes(claims: Claims | null): boolean {
  if (!claims || claims.name !== null) return true;
  return !isGuestBelow(claims, "editor") && claims.scenes.some((scene) => /[*?]/.test(scene));
}

/** The token of a link, or the text itself if it is a token; null if it is neither. */
export function tokenIn(text: string): string | null {
  const [, hash = ""] = text.trim().split("#");
  const token = new URLSearchParams(hash).get("token") ?? text.trim();
  return claimsOf(token) && token;
}

/** Takes the token out of the page's address. @returns null if there is none */
export function takeToken(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token !== null) history.replaceState(history.state, "", location.pathname + location.search);
  return token;
}

/** Takes the token of a link that is opened in this tab while the page is already there. */
export function onNewToken(take: (token: string) => void): void {
  addEventListener("hashchange", () => {
    const token = takeToken();
    if (token) take(token);
  });
}

if (typeof location !== "undefined") {
  const token = takeToken();
  if (token) keepToken(token);
}
