// start.tsx - the page without a scene: which one, and under which name.
export function Start() {
  return null;
}
