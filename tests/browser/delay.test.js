// How far the handle that is dragged is from the cursor while the network is slow, in pixels of screenshots made during the drag, with and without prediction.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { Browser } from "./support/browser.js";
import { Daemon, ENGINE } from "./support/daemon.js";
import { Delay } from "./support/delay.js";
import { arrow, grab, settled } from "./support/gestures.js";
import { HELD, centroid, decode, extent } from "./support/pixels.js";

/** There and back, in milliseconds, a fifth more or less. */
const DELAYS = [0, 50, 100, 200, 400];
const JITTER = 0.2;
const PX_PER_S = 300;
const DRAG_PX = 240;
const TURNS = 4;
const PX_MAX = 1.5;
/** The mark that the test draws above the cursor. */
const MARK_ABOVE_PX = 70;
/** The handle is looked for so far along its axis, and so far across it. */
const REACH_PX = 300;
const ACROSS_PX = 15;
const MARK = (r, g, b) => r > 230 && g < 40 && b > 230;
const PICTURES = process.env.GIZMOD_PICTURES;
/** The delay that is shown in pictures, and how many pictures of how many pixels. */
const STRIP_MS = 200;
const STRIP = { count: 3, width: 380, height: 200 };
const table = [];
const strips = {};
let daemon, delay, browser;

before(async () => {
  daemon = await Daemon.start();
  await daemon.import("engine", ENGINE);
  delay = await Delay.start(daemon.port);
  browser = new Browser();
});

after(async () => {
  if (PICTURES && table.length === 2 * DELAYS.length) await publish();
  await browser?.close();
  await delay?.stop();
  await daemon?.stop();
});

/**
 * Draws a mark above the cursor into each picture of the view, when the page has drawn it. A mark of the page's own would be elsewhere: where WebGL runs in
 * software, the page is composed with a picture of the view that is some tenths of a second older.
 */
async function mark(page) {
  await page.addInitScript(({ above, half }) => {
    let cursor = null, drawn = null;
    window.addEventListener("pointermove", ({ clientX, clientY }) => (cursor = [clientX, clientY]), { capture: true });
    for (const name of ["drawElements", "drawArrays", "drawElementsInstanced", "drawArraysInstanced"]) {
      const draw = WebGL2RenderingContext.prototype[name];
      WebGL2RenderingContext.prototype[name] = function (...words) {
        if (this.canvas.isConnected) drawn = this;
        return draw.apply(this, words);
      };
    }
    const frame = window.requestAnimationFrame;
    window.requestAnimationFrame = (callback) => frame.call(window, (time) => {
      drawn = null;
      callback(time);
      if (drawn && cursor) paint(drawn);
    });
    const paint = (gl) => {
      const { left, top, width } = gl.canvas.getBoundingClientRect();
      const ratio = gl.canvas.width / width;
      const [x, y] = [(cursor[0] - left - half) * ratio, gl.canvas.height - (cursor[1] - top - above + half) * ratio];
      const before = { scissor: gl.isEnabled(gl.SCISSOR_TEST), box: gl.getParameter(gl.SCISSOR_BOX), colour: gl.getParameter(gl.COLOR_CLEAR_VALUE) };
      gl.enable(gl.SCISSOR_TEST);
      gl.scissor(Math.round(x), Math.round(y), Math.round(2 * half * ratio), Math.round(2 * half * ratio));
      gl.clearColor(1, 0, 1, 1);
      gl.clear(gl.COLOR_BUFFER_BIT);
      if (!before.scissor) gl.disable(gl.SCISSOR_TEST);
      gl.scissor(...before.box);
      gl.clearColor(...before.colour);
    };
  }, { above: MARK_ABOVE_PX, half: 4 });
}

/** How far the arrow's end is beyond the cursor, and where the cursor was, in one picture. */
function measure(image, along) {
  const cursor = centroid(image, [image.width / 2, image.height / 2], image.width, MARK, 20);
  if (!cursor) return null;
  const at = [cursor[0], cursor[1] + MARK_ABOVE_PX];
  const beyond = extent(image, at, REACH_PX, along, HELD, 4, ACROSS_PX);
  return beyond === null ? null : { at, beyond };
}

/** Films the page until the returned function is called, which gives the pictures. */
async function film(person) {
  const pictures = [];
  const chromium = await person.page.context().newCDPSession(person.page);
  chromium.on("Page.screencastFrame", ({ data, sessionId }) => {
    pictures.push(Buffer.from(data, "base64"));
    // The last picture may come after the end.
    chromium.send("Page.screencastFrameAck", { sessionId }).catch(() => {});
  });
  await chromium.send("Page.startScreencast", { format: "png" });
  return async () => {
    await chromium.send("Page.stopScreencast");
    await chromium.detach();
    return pictures;
  };
}

/** Drags the arrow back and forth along itself at a steady pace. @returns the pictures of the way */
async function drag(person, along, at) {
  const stop = await film(person);
  const began = performance.now();
  let seconds = 0;
  while (seconds < (TURNS * DRAG_PX) / PX_PER_S) {
    seconds = (performance.now() - began) / 1000;
    const turn = (seconds * PX_PER_S) / DRAG_PX;
    const way = DRAG_PX * (Math.floor(turn) % 2 === 0 ? turn % 1 : 1 - (turn % 1));
    await person.page.mouse.move(at[0] - along[0] * way, at[1] - along[1] * way);
    await sleep(8);
  }
  return stop();
}

const median = (numbers) => numbers.slice().sort((a, b) => a - b)[numbers.length >> 1];

/** Pictures of the first way there, with the cursor's place in each. */
function stripOf(found) {
  const there = found.findIndex((one, i) => found[i + 1] && way(found, i + 1) < way(found, i) - 5);
  const some = Array.from({ length: STRIP.count }, (_, i) => Math.round(((i + 1) * Math.max(there, STRIP.count)) / STRIP.count));
  return some.map((i) => found[i]);
}

const way = (found, i) => Math.hypot(found[i].at[0] - found[0].at[0], found[i].at[1] - found[0].at[1]);

/** Writes the table as Markdown, and the pictures side by side, with a cursor where it was. */
async function publish() {
  const cell = (ms, predict) => table.find((row) => row.ms === ms && row.predict === predict);
  const px = ({ median, worst }) => `${median.toFixed(1)} px (${worst.toFixed(1)})`;
  const lines = ["| network, there and back | with prediction | without |", "| --- | --- | --- |",
    ...DELAYS.map((ms) => `| ${ms} ms | ${px(cell(ms, true))} | ${px(cell(ms, false))} |`)];
  await mkdir(PICTURES, { recursive: true });
  await writeFile(join(PICTURES, "delay.md"), `${lines.join("\n")}\n`);
  const person = await browser.person({ viewport: { width: STRIP.count * (STRIP.width + 4), height: 2 * (STRIP.height + 28) } });
  const left = Math.min(...Object.values(strips).flat().map(({ at }) => at[0])) - 110;
  const top = Math.min(...Object.values(strips).flat().map(({ at }) => at[1])) - 90;
  const frame = ({ png, at }) => `<div class=frame><img src="data:image/png;base64,${png.toString("base64")}"><svg style="left:${at[0] - left}px;top:${at[1] - top}px"><path d="M0 0v17l4-4 3 7 3-1-3-7h6z" fill="#fff" stroke="#000"/></svg></div>`;
  const row = (which) => `<p>${STRIP_MS} ms there and back, ${which} prediction</p>${strips[which].map(frame).join("")}`;
  await person.page.setContent(`<style>body{margin:0;background:#111;color:#ddd;font:14px sans-serif}p{margin:0;height:24px;line-height:24px;padding-left:6px}
    .frame{position:relative;display:inline-block;overflow:hidden;width:${STRIP.width}px;height:${STRIP.height}px;margin:0 2px}
    .frame img{position:absolute;left:${-left}px;top:${-top}px}svg{position:absolute;overflow:visible;width:20px;height:24px}</style>${row("with")}${row("without")}`);
  await person.page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())));
  await person.screenshot(join(PICTURES, "delay.png"));
}

for (const predict of [true, false]) {
  for (const ms of DELAYS) {
    test(`${ms} ms there and back, ${predict ? "with" : "without"} prediction`, async (test) => {
      delay.set({});
      const person = await browser.person({ colorScheme: "dark" });
      await mark(person.page);
      await person.join(delay, "engine", "Ada", predict ? "" : "&predict=off");
      await person.page.evaluate(() => window.gizmod.rig.setParallel(true));
      await person.page.getByRole("button", { name: "Move", exact: true }).click();
      await person.select((await person.node("node 74")).id);
      delay.set({ ms, jitter: JITTER });
      const { at, along } = await arrow(person, 0);
      await grab(person, at);
      await person.rested();
      const beyond = extent(decode(await person.screenshot()), at, REACH_PX, along, HELD, 4, ACROSS_PX);
      const pictures = await drag(person, along, at);
      const found = pictures.map((png) => ({ png, ...measure(decode(png), along) })).filter(({ at }) => at);
      const distances = found.map((one) => Math.abs(one.beyond - beyond));
      await person.page.keyboard.press("Escape"); // the next drag begins where this one did
      await person.page.mouse.up();
      await settled(person);
      await person.page.close();
      assert.ok(distances.length >= 5, "pictures were made during the drag");
      const row = { ms, predict, worst: Math.max(...distances), median: median(distances) };
      table.push(row);
      test.diagnostic(`${row.worst.toFixed(1)} px at most, ${row.median.toFixed(1)} px in the median of ${distances.length} pictures`);
      if (ms === STRIP_MS) strips[predict ? "with" : "without"] = stripOf(found);
      if (predict) assert.ok(Math.max(...distances) <= PX_MAX, `${distances} px`);
    });
  }
}

test("nobody's console has an error", () => {
  assert.deepEqual(browser.errors, []);
});
