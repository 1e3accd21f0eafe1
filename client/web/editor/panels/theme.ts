// theme.ts - the dark or the light theme: that of the system or the one that the person chose. The
// root element has it as data-theme.
import { signal } from "@preact/signals";

import { keep, recall } from "../storage";

export type Theme = "system" | "dark" | "light";

const KEY = "gizmod.theme";
const light = matchMedia("(prefers-color-scheme: light)");

/** The choice of the person. */
export const theme = signal<Theme>((recall(KEY) as Theme | null) ?? "system");

export function setTheme(chosen: Theme): void {
  theme.value = chosen;
  keep(KEY, chosen === "system" ? null : chosen);
  apply();
}

/** Follows the system from now on, unless the person chose a theme. */
export function startTheme(): void {
  light.addEventListener("change", apply);
  apply();
}

function apply(): void {
  const chosen = theme.peek();
  document.documentElement.dataset.theme =
    chosen === "system" ? (light.matches ? "light" : "dark") : chosen;
}
