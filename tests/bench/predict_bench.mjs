// predict_bench.mjs - prints what the solvers in the page cost: milliseconds until they are ready,
// and microseconds of a pointer event, alone and with the gizmo that follows from it.
//
//   node tests/bench/predict_bench.mjs        after a build of the editor
import { readFile } from "node:fs/promises";

import { Solver } from "../../client/web/sdk/solver.js";

const EVENTS = 50_000;
const CAMERA = {
  view: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -10, 1],
  proj: [1.8, 0, 0, 0, 0, 1.8, 0, 0, 0, 0, -1, -1, 0, 0, -0.2, 0],
  viewport: [0, 0, 800, 800],
};

/** Microseconds of one call, after as many calls as it takes to be compiled well. */
function measure(act, count) {
  const place = { at: [0, 0] };
  const all = () => {
    for (let i = 0; i < count; i++) {
      place.at[0] = 300 + (i % 300);
      place.at[1] = 300 + (i % 200);
      act(place);
    }
  };
  all();
  const begin = performance.now();
  all();
  return ((performance.now() - begin) * 1000) / count;
}

const bytes = await readFile(new URL("../../client/web/sdk/predict.wasm", import.meta.url));
const begin = performance.now();
const solver = await Solver.load(bytes);
console.log(`ready after ${(performance.now() - begin).toFixed(1)} ms`);
solver.setCamera(CAMERA);
solver.setTool({ mode: "universal" });
for (const nodes of [1, 10, 1000]) {
  const node = (_, i) => ({ t: [i / nodes, 0, 0], r: [0, 0, 0, 1], s: [1, 1, 1], above: [] });
  for (const handle of ["tx", "rx", "sx", "rb"]) {
    solver.setTargets(Array.from({ length: nodes }, node), nodes - 1);
    solver.press(handle, { at: [430, 410] });
    const move = (place) => solver.move(place) && solver.poses();
    const alone = measure(move, EVENTS / nodes);
    const shown = measure((place) => move(place) && solver.gizmo(), EVENTS / nodes);
    solver.end();
    console.log(`${nodes} nodes, ${handle}: ${alone.toFixed(2)} us, with gizmo ${shown.toFixed(2)} us`);
  }
}
console.log(`pick: ${measure((place) => solver.pick(place), EVENTS).toFixed(2)} us`);
