// view_bench.js - what the page costs the processor in a scene of 2,000 nodes with 20 people in it: milliseconds of its main thread for each picture. The pictures
// themselves are drawn by another process, here in software: how long they take says something of this machine's and nothing of a graphics processor.
// GIZMOD_DAEMON=... node view_bench.js [NODES [PEOPLE]]
import { Browser } from "./support/browser.js";
import { Daemon } from "./support/daemon.js";

const [nodes, people] = [2000, 20].map((value, i) => Number(process.argv[2 + i] ?? value));
const MEASURE_MS = 6000;

/** Boxes in a square of a metre each, under groups of a hundred. */
async function build({ page }) {
  await page.evaluate(async (count) => {
    const { session } = window.gizmod;
    const side = Math.ceil(Math.sqrt(count));
    for (let first = 0; first < count; first += 100) {
      const boxes = Array.from({ length: Math.min(100, count - first) }, (_, i) => ({
        parent: "group", name: `box ${first + i}`, t: [((first + i) % side) - side / 2, 0.3, Math.floor((first + i) / side) - side / 2],
        bounds: [-0.3, -0.3, -0.3, 0.3, 0.3, 0.3],
      }));
      await session.create([{ ref: "group", name: `group ${first / 100}` }, ...boxes]);
    }
  }, nodes);
}

/** Others, all in one page: each has a camera, a selection, and moves the pointer; every fourth drags what is selected. */
async function crowd({ page }) {
  await page.evaluate(async (count) => {
    const { session } = window.gizmod;
    const boxes = [...session.scene.nodes.values()].filter(({ bounds }) => bounds);
    const others = Array.from({ length: count }, (_, i) => new session.constructor({ scene: session.sceneName, user: `Person ${i}` }));
    await Promise.all(others.map(({ ready }) => ready));
    for (const [i, other] of others.entries()) {
      const { id } = boxes[Math.floor((i * boxes.length) / count)];
      other.setCamera({ ...session.camera });
      await other.select([id]);
      if (i % 4 === 0) await other.grab("tv", { nodes: [id], at: [200, 200] });
    }
    let turn = 0;
    setInterval(() => {
      turn++;
      for (const [i, other] of others.entries()) {
        const at = [200 + 40 * Math.sin(turn / 20 + i), 200 + 40 * Math.cos(turn / 20 + i)];
        if (i % 4 === 0) other.move({ at });
        else other.hover({ at });
      }
    }, 16);
  }, people - 1);
}

/** Runs `each` in the page before each picture, and says what that cost. */
async function measure(ada, what, each) {
  const cdp = await ada.page.context().newCDPSession(ada.page);
  await cdp.send("Performance.enable");
  const read = async () => Object.fromEntries((await cdp.send("Performance.getMetrics")).metrics.map(({ name, value }) => [name, value]));
  const before = await read();
  const { pictures, ms } = await ada.page.evaluate(([body, length]) => new Promise((done) => {
    const step = new Function("editor", "i", body);
    const began = performance.now();
    let pictures = 0;
    const next = () => {
      const ms = performance.now() - began;
      if (ms > length) return done({ pictures, ms });
      step(window.gizmod, pictures++);
      requestAnimationFrame(next);
    };
    next();
  }), [each, MEASURE_MS]);
  const after = await read();
  const script = 1000 * (after.ScriptDuration - before.ScriptDuration);
  const layout = 1000 * (after.LayoutDuration + after.RecalcStyleDuration - before.LayoutDuration - before.RecalcStyleDuration);
  const columns = [script / pictures, layout / pictures, (1000 * script) / ms, (1000 * layout) / ms, (1000 * pictures) / ms];
  console.log(what.padEnd(46) + columns.map((value) => value.toFixed(2).padStart(10)).join(""));
}

const daemon = await Daemon.start(["--open", "bench"]);
const browser = new Browser();
try {
  const ada = await browser.person();
  await ada.join(daemon, "bench", "Ada");
  await build(ada);
  await ada.page.evaluate(() => window.gizmod.rig.frame(window.gizmod.session.scene.box(window.gizmod.session.scene.roots)));
  console.log("ms of the page's main thread".padEnd(46) + "  for each picture      in each second  pictures");
  console.log(`${nodes} nodes, ${people} people`.padEnd(46) + "    script    layout    script    layout  a second");
  await measure(ada, "alone, nothing moves", "");
  await measure(ada, "alone, panning", "editor.rig.pan(i % 2 ? 1 : -1, 0)");
  const others = await browser.person();
  await others.join(daemon, "bench", "Bob");
  await crowd(others);
  await measure(ada, "others move", "");
  await measure(ada, "others move, panning", "editor.rig.pan(i % 2 ? 1 : -1, 0)");
  await ada.page.evaluate(() => window.gizmod.session.select(window.gizmod.session.scene.roots.slice(0, 10)));
  await measure(ada, "others move, a thousand are selected, panning", "editor.rig.pan(i % 2 ? 1 : -1, 0)");
  for (const error of browser.errors) console.log(error);
} finally {
  await browser.close();
  await daemon.stop();
}
