// overlay.tsx - what stands over the view in words: labels, read-outs, the rectangle of a selection.
import { Compass } from "../input/compass";
import { Hand } from "../input/hand";
import { HowToNavigate } from "../input/how";

export function Overlay() {
  return (
    <>
      <Hand />
      <Compass />
      <HowToNavigate />
    </>
  );
}
