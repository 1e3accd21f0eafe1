// The moving picture of the README, made of the real thing: two people side by side in the engine of 82 nodes; one drags a cylinder head, the other sees it, turns the
// view and takes a part; the first takes back what was their own. Into GIZMOD_PICTURES, as an animated WebP by img2webp (Debian: webp).
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, test } from "node:test";
import { promisify } from "node:util";
import { PNG } from "pngjs";

import { ENGINE } from "./support/daemon.js";
import { arrow, grab, settled } from "./support/gestures.js";
import { decode } from "./support/pixels.js";
import { browser, daemon, open } from "./support/stage.js";

const folder = process.env.GIZMOD_PICTURES ?? "pictures";
const viewport = { width: 640, height: 520 };
const FRAME_MS = 80;
const LARGEST = 1_500_000;
const GAP = 4;
const MIDDLE = [330, 360];
/** On the cylinder that Bob takes, once he has turned the view. */
const BOBS = [250, 220];
const frames = [];
let ada, bob;

before(async () => {
  await mkdir(join(folder, "frames"), { recursive: true });
  await open();
  await daemon.import("engine", ENGINE);
  ada = await browser.person({ viewport, colorScheme: "dark" });
  bob = await browser.person({ viewport, colorScheme: "light" });
  await ada.join(daemon, "engine", "Ada");
  await bob.join(daemon, "engine", "Bob");
});

/** A cursor, which a browser without a screen does not draw. */
async function showCursor(person) {
  await person.page.evaluate(() => {
    const cursor = new Image(14, 20);
    const path = "M1 1v15l4-3.5 2.6 6 2.6-1.2-2.6-5.8H13z";
    cursor.src = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 14 20"><path d="${path}" fill="#fff" stroke="#000"/></svg>`)}`;
    Object.assign(cursor.style, { position: "fixed", zIndex: 9999, pointerEvents: "none", left: "-20px", top: "0" });
    document.body.append(cursor);
    window.addEventListener("pointermove", ({ clientX, clientY }) => Object.assign(cursor.style, { left: `${clientX}px`, top: `${clientY}px` }), true);
  });
}

/** Takes both pages as they are now, for so many pictures. */
async function frame(count = 1) {
  const name = String(frames.length).padStart(3, "0");
  const halves = [];
  for (const person of [ada, bob]) {
    await person.drawn();
    halves.push(decode(await person.screenshot()));
  }
  const both = new PNG({ width: 2 * viewport.width + GAP, height: viewport.height });
  both.data.fill(255);
  halves.forEach((half, i) => PNG.bitblt(half, both, 0, 0, viewport.width, viewport.height, i * (viewport.width + GAP), 0));
  const path = join(folder, "frames", `${name}.png`);
  await writeFile(path, PNG.sync.write(both));
  frames.push({ path, ms: count * FRAME_MS });
}

/** Moves a person's mouse there, step by step, with a picture for each. */
async function travel(person, from, to, steps) {
  for (let i = 1; i <= steps; i++) {
    const ease = (1 - Math.cos((Math.PI * i) / steps)) / 2;
    await person.page.mouse.move(from[0] + (to[0] - from[0]) * ease, from[1] + (to[1] - from[1]) * ease);
    await frame();
  }
  return to;
}

/** Selects what is at a place by a click, and drags it along its x axis by so many pixels. @returns where the mouse is then */
async function work(person, start, place, pixels) {
  await travel(person, start, place, 5);
  await person.page.mouse.click(...place);
  await person.until(() => window.gizmod.gizmo.value !== null);
  await frame(3);
  const { at, along } = await arrow(person, 0);
  await travel(person, place, at, 5);
  await grab(person, at);
  await frame();
  const end = await travel(person, at, [at[0] + along[0] * pixels, at[1] + along[1] * pixels], 12);
  await frame(4);
  await person.page.mouse.up();
  await settled(person);
  await frame(3);
  return end;
}

/** Turns the view, as the middle button does. */
async function turn(person, from, pixels) {
  await travel(person, from, MIDDLE, 3);
  await person.page.mouse.down({ button: "middle" });
  const end = await travel(person, MIDDLE, [MIDDLE[0] + pixels, MIDDLE[1] - 20], 10);
  await person.page.mouse.up({ button: "middle" });
  return end;
}

test("two people at work", async () => {
  for (const person of [ada, bob]) {
    await showCursor(person);
    await person.page.getByRole("button", { name: "Got it" }).click();
    await person.rested();
  }
  await frame(4);
  const ended = await work(ada, [60, 480], [450, 270], 80);
  const seen = await turn(bob, [580, 480], 220);
  await frame(2);
  await work(bob, seen, BOBS, -70);
  await travel(ada, ended, [400, 440], 3);
  await ada.page.keyboard.press("Control+z");
  await settled(ada);
  await frame(8);
  const edits = await ada.page.evaluate(() => window.gizmod.session.history().then((all) => all.map(({ user, kind }) => `${user} ${kind}`)));
  assert.deepEqual(edits.slice(0, 3), ["Ada undo", "Bob translate", "Ada translate"]);
});

test("the picture is an animation that is soon there", async () => {
  const path = join(folder, "atwork.webp");
  const words = frames.flatMap(({ path, ms }) => ["-d", `${ms}`, path]);
  await promisify(execFile)("img2webp", ["-loop", "0", "-lossy", "-q", "60", "-m", "4", ...words, "-o", path]);
  const bytes = await readFile(path);
  assert.ok(bytes.includes("ANMF"));
  assert.ok(bytes.length < LARGEST, `${bytes.length}`);
  await rm(join(folder, "frames"), { recursive: true });
});

test("nobody's console has an error", () => {
  assert.deepEqual(browser.errors, []);
});
