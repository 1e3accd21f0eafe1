// states.tsx - what the page says over the view: connecting, offline, the past, toasts.
export function States() {
  return null;
}
