// tools.tsx - tools, space, pivot and snap.
export function Tools() {
  return null;
}
