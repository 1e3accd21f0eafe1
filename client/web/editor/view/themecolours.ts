// themecolours.ts - gives WebGL the colours of style/base.css.
import * as THREE from "three";

export function themeColour(name: string): THREE.Color {
  return new THREE.Color(getComputedStyle(document.documentElement).getPropertyValue(name).trim());
}

/** Calls `apply` now and after each change of the theme. @returns a function that ends this */
export function followTheme(apply: () => void): () => void {
  const observer = new MutationObserver(apply);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  apply();
  return () => observer.disconnect();
}
