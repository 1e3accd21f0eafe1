// overlay.tsx - what stands over the view in words: labels, read-outs, the rectangle of a selection.
import { Compass } from "../input/compass";
import { PointerOverlay } from "../input/pointeroverlay";
import { NavigationHint } from "../input/navigationhint";

export function Overlay() {
  return (
    <>
      <PointerOverlay />
      <Compass />
      <NavigationHint />
    </>
  );
}
