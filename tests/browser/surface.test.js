// A click selects what is seen: at places all over the picture of the engine, whatever three.js meets there, which reads the file by itself.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";

import { Raycaster, Vector3 } from "../../client/web/node_modules/three/build/three.module.js";
import { ENGINE } from "./support/daemon.js";
import { loadGltf } from "./support/gltf.js";
import { browser, daemon, open } from "./support/stage.js";

const COLUMNS = 8;
const ROWS = 6;
/** Within these a click finds what is thin. */
const TOLERANCE_PX = 8;
let ada, model;

before(async () => {
  await open([]);
  await daemon.import("engine", ENGINE);
  model = await loadGltf(await readFile(ENGINE));
  ada = await browser.person();
  await ada.join(daemon, "engine", "Ada");
  await ada.page.evaluate(() => window.gizmod.rig.look([420, 330, 620], [0, -40, 0]));
  await ada.rested();
});

/** The index in the file of the node that three.js meets first along a ray. */
function metBy(ray) {
  const [first] = new Raycaster(new Vector3(...ray.slice(0, 3)), new Vector3(...ray.slice(3))).intersectObjects(model.meshes, false);
  return first && model.nodeOf(first.object);
}

/** The same at pixels of the view. */
async function metAt(...places) {
  const rays = await ada.page.evaluate((places) => places.map((at) => window.gizmod.rig.rayAt(at)), places);
  return rays.map(metBy);
}

/** What is met about a pixel, not further than so many. */
async function metAbout([x, y], reach) {
  const angles = Array.from({ length: 24 }, (_, i) => (i * Math.PI) / 12);
  const places = [0.35, 0.7, 1].flatMap((part) => angles.map((angle) => [x + part * reach * Math.cos(angle), y + part * reach * Math.sin(angle)]));
  return new Set((await metAt(...places)).filter((node) => node !== undefined));
}

/** Clicks at a pixel of the view while something is selected that is not in it. @returns the index in the file of what is selected then */
async function click([x, y]) {
  await ada.page.evaluate(() => {
    const { session } = window.gizmod;
    return session.select([[...session.scene.nodes.keys()].find((id) => session.scene.get(id).name === "node 81")]);
  });
  await ada.drawn();
  const [left, top] = await ada.corner();
  await ada.page.mouse.click(left + x, top + y);
  await ada.until(() => {
    const { session, selection } = window.gizmod;
    return selection.value.every((id) => session.scene.get(id).name !== "node 81");
  });
  return ada.page.evaluate(() => {
    const { session, selection } = window.gizmod;
    return selection.value.map((id) => session.scene.get(id).asset)[0];
  });
}

test("a click selects what is seen there, and clears where nothing is", async () => {
  const counts = { met: 0, otherwise: 0, beside: 0, nothing: 0 };
  const { width, height } = await ada.page.getByRole("application", { name: "View of the scene" }).boundingBox();
  const [left, top] = await ada.corner();
  for (let column = 1; column <= COLUMNS; column++) {
    for (let row = 1; row <= ROWS; row++) {
      const at = [Math.round((width * (column + 0.5)) / (COLUMNS + 2)), Math.round((height * (row + 0.5)) / (ROWS + 2))];
      const isFree = await ada.page.evaluate(([x, y]) => document.elementFromPoint(x, y).closest("[role=application]") !== null, [left + at[0], top + at[1]]);
      if (!isFree) continue;
      const [[met], selected] = [await metAt(at), await click(at)];
      const [byBounds] = await ada.page.evaluate((at) => window.gizmod.session.pick({ at }).then((hits) => hits.map(({ id }) => window.gizmod.session.scene.get(id).asset)), at);
      if (met !== undefined) {
        assert.equal(selected, met, `at ${at}`);
        counts.met++;
        if (byBounds !== met) counts.otherwise++;
      } else if (selected !== undefined) {
        assert.ok((await metAbout(at, TOLERANCE_PX + 1)).has(selected), `at ${at}`);
        counts.beside++;
      } else {
        assert.deepEqual([...(await metAbout(at, TOLERANCE_PX - 1))], [], `at ${at}`);
        counts.nothing++;
      }
    }
  }
  assert.ok(counts.met >= 12 && counts.otherwise >= 5 && counts.nothing >= 8, JSON.stringify(counts));
});

test("nobody's console has an error", () => {
  assert.deepEqual(browser.errors, []);
});
