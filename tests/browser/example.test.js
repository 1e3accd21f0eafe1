// The example: a three.js application that the client package makes multi-user. One drags a block of it by mouse, a session in another process sees it move; what that one does
// is seen in the application.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";

import { connect } from "../../client/web/sdk/index.js";
import { Browser, SIZE } from "./support/browser.js";
import { Daemon } from "./support/daemon.js";
import { glide } from "./support/gestures.js";
import { centroid, decode } from "./support/pixels.js";

const WebSocket = createRequire(new URL("../../client/web/sdk/index.js", import.meta.url))("ws");
const AXIS_PX = 96;
const WAIT_MS = 60_000;
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
