// overlay.tsx - what stands over the view in words: labels, read-outs, the rectangle of a selection.
export function Overlay() {
  return null;
}
