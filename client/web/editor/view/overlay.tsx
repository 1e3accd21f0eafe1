// overlay.tsx - the elements of the page that lie over the view.
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
