// The example: a three.js application that the client package makes multi-user. One drags a block of it by mouse, a session in another process sees it move; what that one does
// is seen in the application.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";

import { connect } from "../../client/web/sdk/index.js";
import { Browser, SIZE } from "./support/browser.js";
import { Daemon } from "./support/daemon.js";
import { glide } from "./support/gestures.js";
import { centroid, decode } from "./support/pixels.js";

const WebSocket = createRequire(new URL("../../client/web/sdk/index.js", import.meta.url))("ws");
const AXIS_PX = 96;
const WAIT_MS = 20_000;
let daemon, browser, ada, bob;

before(async () => {
  daemon = await Daemon.start([]);
  browser = new Browser();
  ada = await browser.person();
  await ada.page.goto(`${daemon.url}/example/?user=Ada`);
  await ada.page.getByText("Ada (you)").waitFor();
  bob = await connect({ url: daemon.socket, scene: "blocks", user: "Bob", WebSocket });
});

after(async () => {
  bob?.close();
  await browser?.close();
  await daemon?.stop();
});

async function until(condition) {
  for (const end = Date.now() + WAIT_MS; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 20))) if (condition()) return;
  assert.fail(`never: ${condition}`);
}

const person = () => bob.people.find(({ user }) => user === "Ada");
const node = (name) => [...bob.scene.nodes.values()].find((candidate) => candidate.name === name);

/** Where a place of the world is on Ada's screen, by what everybody is told of her view; and how many metres a pixel is there. */
function onScreen(place) {
  const { view, lens: [left, right, bottom, top] } = person();
  const [x, y, z] = [0, 1, 2].map((row) => view[row] * place[0] + view[4 + row] * place[1] + view[8 + row] * place[2] + view[12 + row]);
  const at = [((x / -z - left) / (right - left)) * SIZE.width, ((top - y / -z) / (top - bottom)) * SIZE.height];
  return { at, metresPerPx: ((top - bottom) * -z) / SIZE.height };
}

test("a click selects a block, a drag of its arrow moves it for everybody, as one edit", async () => {
  await until(() => node("cube") && person()?.view && person()?.lens);
  const { id, t } = node("cube");
  const { at, metresPerPx } = onScreen(t);
  await ada.page.mouse.click(...at);
  await until(() => person().selection?.includes(id));
  await ada.drawn();
  const arrow = onScreen([t[0], t[1] + 0.85 * AXIS_PX * metresPerPx, t[2]]).at;
  await ada.page.mouse.move(...arrow);
  await until(() => person().at !== undefined);
  await ada.drawn();
  await ada.page.mouse.down();
  await until(() => person().locks?.includes(id));
  await glide(ada, arrow, [arrow[0], arrow[1] - 60]);
  await until(() => node("cube").t[1] > t[1] + 0.3);
  await ada.page.mouse.up();
  await until(() => bob.scene.saved === bob.scene.seq && !person().locks?.length);
  assert.deepEqual([node("cube").t[0], node("cube").t[2]], [t[0], t[2]], "an axis moves nothing else");
  const [latest] = await bob.history({ limit: 1 });
  assert.deepEqual([latest.user, latest.kind, latest.handle, latest.nodes], ["Ada", "translate", "ty", [id]]);
});

/** Attaches the cube, which lies at its first place again, and hovers over the arrow of its y axis. @returns where the arrow is */
async function reachArrow(onPage = (at) => at) {
  const { id } = node("cube");
  await bob.set([{ id, t: [-2.2, 0.5, 0.6] }]);
  const { at, metresPerPx } = onScreen([-2.2, 0.5, 0.6]);
  await ada.page.mouse.click(...onPage(at));
  await until(() => person().selection?.includes(id));
  await ada.drawn();
  const arrow = onPage(onScreen([-2.2, 0.5 + 0.85 * AXIS_PX * metresPerPx, 0.6]).at);
  await ada.page.mouse.move(...arrow);
  await ada.drawn();
  return { id, arrow, metresPerPx };
}

/** Presses the arrow and moves it up a little, the button still down. `mouse` says things of the buttons that a hand could not do. */
async function carryArrow() {
  const { id, arrow: [x, y] } = await reachArrow();
  const devtools = await ada.page.context().newCDPSession(ada.page);
  const mouse = (type, up, buttons, button = "none") => devtools.send("Input.dispatchMouseEvent", { type, x, y: y - up, buttons, button, clickCount: button === "none" ? 0 : 1 });
  const move = (up) => ada.page.mouse.move(x, y - up);
  await ada.page.mouse.down();
  await until(() => person().locks?.includes(id));
  await move(30);
  await until(() => node("cube").t[1] > 0.6);
  return { id, mouse, move };
}

const WAYS = {
  "the release was never heard": ({ mouse }) => mouse("mouseMoved", 40, 0),
  "the left button is released while the right one is down": async ({ mouse }) => {
    await mouse("mousePressed", 30, 3, "right");
    await mouse("mouseReleased", 30, 2, "left");
    await mouse("mouseReleased", 30, 0, "right");
  },
  "the window goes to the back": () => ada.page.evaluate(() => void window.dispatchEvent(new Event("blur"))),
  "the application takes the pointer": async ({ move }) => {
    await ada.page.evaluate(() => document.querySelector("canvas").releasePointerCapture(1));
    await move(40);
  },
};

for (const [way, lose] of Object.entries(WAYS)) {
  test(`a drag ends where it stands if ${way}`, async () => {
    const drag = await carryArrow();
    await lose(drag);
    await until(() => !person().locks?.length);
    await until(() => bob.scene.saved === bob.scene.seq);
    const rest = node("cube").t[1];
    assert.ok(rest > 0.6, `it stands at ${rest}`);
    await ada.page.mouse.up();
    await drag.move(60);
    await ada.drawn();
    assert.equal(node("cube").t[1], rest, "what comes later moves nothing");
  });
}

test("a pointer that is locked drags by its movement", async () => {
  const { id, arrow: [x, y] } = await reachArrow();
  await ada.page.evaluate(() => document.querySelector("canvas").requestPointerLock());
  await ada.page.waitForFunction(() => document.pointerLockElement !== null);
  // Three's OrbitControls, which the application uses as well, wants to capture it.
  const ignored = browser.errors.length;
  await ada.page.mouse.down();
  await until(() => person().locks?.includes(id));
  await ada.page.mouse.move(x, y - 40, { steps: 4 });
  await until(() => node("cube").t[1] > 0.6);
  await ada.page.mouse.up();
  await until(() => !person().locks?.length);
  await ada.page.evaluate(() => document.exitPointerLock());
  assert.deepEqual(browser.errors.splice(ignored).filter((error) => !/InvalidStateError/.test(error)), []);
});

test("a canvas that CSS turns, scales and frames is pressed and dragged where it is seen", async () => {
  const style = { transform: "rotate(20deg) scale(0.6, 0.7)", border: "9px solid", padding: "6px 14px" };
  await ada.page.evaluate((style) => Object.assign(document.querySelector("canvas").style, style), style);
  await ada.drawn();
  // The picture is stretched into the room that the frame leaves, and the page's middle stays the middle.
  const [cosine, sine] = [Math.cos(Math.PI / 9), Math.sin(Math.PI / 9)];
  const onPage = ([x, y]) => {
    const [right, down] = [0.6 * (SIZE.width - 46) * (x / SIZE.width - 0.5), 0.7 * (SIZE.height - 30) * (y / SIZE.height - 0.5)];
    return [SIZE.width / 2 + cosine * right - sine * down, SIZE.height / 2 + sine * right + cosine * down];
  };
  await until(() => Math.abs((person().lens[1] - person().lens[0]) / (person().lens[3] - person().lens[2]) - (SIZE.width - 46) / (SIZE.height - 30)) < 1e-6);
  const { id, arrow: [x, y] } = await reachArrow(onPage);
  await ada.page.mouse.down();
  await until(() => person().locks?.includes(id));
  const [along, up] = [sine * 0.7 * 40, -cosine * 0.7 * 40];
  await glide(ada, [x, y], [x + along, y + up]);
  await until(() => node("cube").t[1] > 0.6);
  await ada.page.mouse.up();
  await until(() => !person().locks?.length);
  // Where the arrow now is, the pointer is.
  const seen = onPage(onScreen([-2.2, node("cube").t[1] + 0.85 * AXIS_PX * onScreen(node("cube").t).metresPerPx * (SIZE.height / (SIZE.height - 30)), 0.6]).at);
  assert.ok(Math.hypot(seen[0] - x - along, seen[1] - y - up) < 6, `${seen} and not ${[x + along, y + up]}`);
  await ada.page.evaluate(() => document.querySelector("canvas").removeAttribute("style"));
});

const CANVASES = {
  "as it is": ["", ""],
  "scaled": ["transform: scale(0.5); transform-origin: 0 0", ""],
  "scaled unevenly, mirrored": ["transform: scale(-0.8, 0.4)", ""],
  "scaled around": ["", "transform: scale(1.5); transform-origin: 0 0"],
  "turned": ["transform: rotate(30deg)", ""],
  "turned by a property of its own": ["rotate: -90deg; scale: 0.6 0.9", "translate: 20px 80px"],
  "turned in something skewed": ["transform: rotate(20deg) scale(0.7)", "transform: skewX(15deg); rotate: 5deg; scale: 0.9 1.1"],
  "zoomed": ["zoom: 0.7", ""],
  "zoomed around and turned": ["transform: rotate(10deg)", "zoom: 1.3"],
  "framed": ["border: 7px solid red; border-left-width: 23px; padding: 4px 9px 15px 30px", ""],
  "framed within its size": ["box-sizing: border-box; border: 7px solid red; padding: 12px; transform: scale(0.9) rotate(5deg)", "zoom: 1.1"],
  "of a size that is no whole number": ["width: 301.4px; height: 199.7px", "padding-left: 10.3px"],
  "fitted": ["object-fit: contain; width: 400px; height: 150px", ""],
  "fitted at a corner": ["object-fit: contain; object-position: 100% 10px; width: 150px; height: 300px; padding: 5px", ""],
  "covering": ["object-fit: cover; width: 300px; height: 300px; transform: rotate(15deg)", ""],
  "neither fitted nor stretched": ["object-fit: none; width: 350px; height: 260px", ""],
  "scaled down": ["object-fit: scale-down; width: 120px; height: 200px; transform: scale(1.4)", ""],
  "in a page that was scrolled": ["margin-top: 500px", "overflow: auto; height: 300px"],
};

test("a place in the page is the place of the picture that is seen there, whatever CSS does", async () => {
  const page = await ada.page.context().newPage();
  const source = await readFile(new URL("../../client/web/sdk/canvasplace.js", import.meta.url), "utf8");
  await page.evaluate((source) => Object.assign(window, new Function(`${source.replaceAll("export ", "")}; return { placeOn, sizeOf };`)()), source);
  for (const [what, [own, around]] of Object.entries(CANVASES)) {
    await page.evaluate(([own, around]) => {
      document.body.style.cssText = "margin: 120px 0 0 140px; background: #fff";
      document.body.innerHTML = `<div style="width: 420px; ${around}"><canvas width="300" height="200" style="${own}"></canvas></div>`;
      document.querySelector("div").scrollTop = 1000;
      const paint = document.querySelector("canvas").getContext("2d");
      paint.fillStyle = "#00f";
      paint.fillRect(207, 117, 12, 12);
    }, [own, around]);
    const blue = (r, g, b) => b > 160 && r < 120 && g < 120;
    const seen = centroid(decode(await page.screenshot()), [350, 300], 350, blue);
    const [x, y] = await page.evaluate(([clientX, clientY]) => {
      const canvas = document.querySelector("canvas"), { width, height } = sizeOf(canvas);
      const [x, y] = placeOn(canvas, { clientX, clientY });
      return [(x / width) * canvas.width, (y / height) * canvas.height];
    }, seen);
    assert.ok(Math.hypot(x - 213, y - 123) < 1.2, `${what}: ${x}, ${y} is seen where 213, 123 is`);
  }
  await page.close();
});

test("what another one does is seen in the application", async () => {
  const red = (r, g, b) => r > 110 && r > 1.6 * g && r > 1.6 * b;
  const middle = [SIZE.width / 2, SIZE.height / 2], reach = SIZE.width / 2;
  const { id } = node("cube");
  await bob.set([{ id, t: [-2.2, 0.5, 0.6] }]);
  await ada.drawn();
  const before = centroid(decode(await ada.screenshot()), middle, reach, red);
  await bob.set([{ id, t: [-2.2, 2, 0.6] }]);
  await ada.drawn();
  const after = centroid(decode(await ada.screenshot()), middle, reach, red);
  const [from, to] = [onScreen([-2.2, 0.5, 0.6]).at, onScreen([-2.2, 2, 0.6]).at];
  assert.ok(Math.abs(after[1] - before[1] - (to[1] - from[1])) < 12, `${after[1] - before[1]} px, not ${to[1] - from[1]}`);
});

test("a block that another holds is not taken away, and the page says who has it", async () => {
  const { id, t } = node("cylinder");
  await bob.select([id]);
  await bob.grab("tx", { value: [0.25] });
  const middle = onScreen([t[0] + 0.25, t[1], t[2]]).at;
  await ada.page.mouse.move(...middle);
  await ada.drawn();
  await ada.page.mouse.click(...middle);
  await until(() => person().selection?.includes(id));
  const { metresPerPx } = onScreen(node("cylinder").t);
  const arrow = onScreen([t[0] + 0.25, t[1] + 0.85 * AXIS_PX * metresPerPx, t[2]]).at;
  await ada.drawn();
  await ada.page.mouse.move(...arrow);
  await ada.drawn();
  await ada.page.mouse.down();
  await ada.page.getByText(/held by Bob/).waitFor();
  await ada.page.mouse.up();
  await bob.cancel();
});

test("nobody's console has an error", () => {
  assert.deepEqual(browser.errors, []);
});
