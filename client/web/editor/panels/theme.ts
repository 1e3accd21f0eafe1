// theme.ts - dark or light: as the system says, or as the person chose for good. It stands as data-theme on the root element.
import { signal } from "@preact/signals";

import { keep, recall } from "../storage";

export type Theme = "system" | "dark" | "light";

const KEY = "gizmod.theme";
const light = matchMedia("(prefers-color-scheme: light)");

/** What the person chose. */
export const theme = signal<Theme>((recall(KEY) as Theme | null) ?? "system");

export function setTheme(chosen: Theme): void {
  theme.value = chosen;
  keep(KEY, chosen === "system" ? null : chosen);
  apply();
}

/** Follows the system from now on, where nothing was chosen. */
export function startTheme(): void {
  light.addEventListener("change", apply);
  apply();
}

function apply(): void {
  const chosen = theme.peek();
  document.documentElement.dataset.theme =
    chosen === "system" ? (light.matches ? "light" : "dark") : chosen;
}
