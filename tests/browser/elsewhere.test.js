// Pages from elsewhere, in a real browser: what another origin, another port, a sandbox and a rebound name try against a daemon, and that an allowed origin may.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";

import { Browser } from "./support/browser.js";
import { Daemon } from "./support/daemon.js";

/** All names are this machine, as in a DNS that an attacker runs. */
const NAMES = ["--host-resolver-rules=MAP *.example 127.0.0.1"];
const SCENE = "robot-arm";

let site, port, daemon, browser, person;

/** A server of somebody else, and its port. */
async function serve() {
  const server = createServer((_, response) => response.setHeader("content-type", "text/html").end("<!doctype html><title>a page from elsewhere</title><body>"));
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return [server, server.address().port];
}

before(async () => {
  [site, port] = await serve();
  daemon = await Daemon.start(["--sample", "--allow-origin", `http://allowed.example:${port}`]);
  browser = new Browser();
  person = await browser.person({ engine: "chromium", args: NAMES, ignore: [/./] });
});

after(async () => {
  await browser?.close();
  await daemon?.stop();
  site?.close();
});

/** What a script can try: for each way whether it did what it was for. Runs in a page. */
async function attack(target) {
  const element = (name, attributes) =>
    new Promise((done) => {
      const made = Object.assign(document.createElement(name), attributes, { onload: () => done(true), onerror: () => done(false) });
      document.body.append(made);
    });
  const ask = (path, options) =>
    fetch(target + path, options).then(({ ok, type }) => ok || type === "opaque", () => false);
  const body = JSON.stringify({ asset: { version: "2.0" }, scenes: [{ nodes: [0] }], nodes: [{ name: "planted" }] });
  const socket = new Promise((done) => {
    const made = new WebSocket(`${target.replace("http", "ws")}/ws`, "gizmod.v1");
    made.onopen = () => (made.close(), done(true));
    made.onerror = () => done(false);
  });
  return {
    "WebSocket": await socket,
    "GET scenes": await ask("/scenes"),
    "GET export": await ask("/scenes/robot-arm/export"),
    "GET backup": await ask("/scenes/robot-arm/backup"),
    "GET metrics": await ask("/metrics"),
    "PUT": await ask("/scenes/planted", { method: "PUT", body }),
    "PATCH": await ask("/scenes/planted", { method: "PATCH", body: '{"name": "moved"}' }),
    "DELETE": await ask("/scenes/moved", { method: "DELETE" }),
    "picture with crossorigin": await element("img", { crossOrigin: "anonymous", src: `${target}/icon.svg` }),
    "no-cors GET": await ask("/scenes/robot-arm/export", { mode: "no-cors" }),
    "no-cors POST": await ask("/scenes/planted", { method: "POST", mode: "no-cors", body }),
    "picture": await element("img", { src: `${target}/icon.svg` }),
    "picture of a backup": await element("img", { src: `${target}/scenes/robot-arm/backup` }),
    "script": await element("script", { src: `${target}/draco/draco_wasm_wrapper.js` }),
    "script of the scenes": await element("script", { src: `${target}/scenes` }),
    "style sheet": await element("link", { rel: "stylesheet", href: `${target}/scenes` }),
  };
}

/** What works for a page whose origin is allowed; the rest sends no Origin, and works for nobody. */
const BY_ORIGIN = ["WebSocket", "GET scenes", "GET export", "GET backup", "GET metrics", "PUT", "PATCH", "DELETE", "picture with crossorigin"];

const successes = (results) => Object.keys(results).filter((way) => results[way]);
const scenes = async (of) => (await (await fetch(`${of.url}/scenes`)).json()).map(({ name, seq }) => `${name} ${seq}`);

async function visit(url) {
  await person.page.goto(url);
  return person.page;
}

for (const host of ["evil.example", "127.0.0.1", "localhost"]) {
  test(`elsewhere_scripts_of_${host}_at_another_port_do_nothing`, async () => {
    const before = await scenes(daemon);
    const page = await visit(`http://${host}:${port}/`);
    assert.deepEqual(successes(await page.evaluate(attack, daemon.url)), []);
    assert.deepEqual(await scenes(daemon), before);
  });
}

test("elsewhere_scripts_of_an_allowed_origin_do_what_they_ask", async () => {
  const page = await visit(`http://allowed.example:${port}/`);
  assert.deepEqual(successes(await page.evaluate(attack, daemon.url)), BY_ORIGIN);
});

test("elsewhere_scripts_in_a_sandbox_do_nothing", async () => {
  const page = await visit(`http://allowed.example:${port}/`);
  const results = await page.evaluate(
    ([code, target]) =>
      new Promise((done) => {
        addEventListener("message", ({ data }) => done(data));
        const srcdoc = `<body><script>(${code})(${JSON.stringify(target)}).then((results) => parent.postMessage(results, "*"))</script>`;
        document.body.append(Object.assign(document.createElement("iframe"), { sandbox: "allow-scripts", srcdoc }));
      }),
    [attack.toString(), daemon.url],
  );
  assert.deepEqual(successes(results), []);
});

/** The page comes from the attacker's server; then its name and port are the daemon's. What its scripts do then. */
async function rebind(name, address, ...options) {
  const [attacker, at] = await serve();
  const page = await visit(`http://${name}:${at}/`);
  attacker.closeAllConnections();
  await new Promise((done) => attacker.close(done));
  const bound = await Daemon.start(["--sample", "--listen", `${address}:${at}`, ...options]);
  const results = successes(await page.evaluate(attack, `http://${name}:${at}`));
  const log = bound.log;
  await bound.stop();
  return [results, log];
}

test("elsewhere_a_rebound_name_is_not_ours", async () => {
  for (const where of [["127.0.0.1"], ["0.0.0.0", "--insecure"]]) {
    const [results, log] = await rebind("rebound.example", ...where);
    assert.deepEqual(results, []);
    assert.match(log, /HTTP 403 to 127\.0\.0\.1: GET \/\S*: forbidden: Host/);
    // The same by the daemon's own address is no attack.
    const [own] = await rebind("127.0.0.1", ...where);
    for (const way of BY_ORIGIN) assert.ok(own.includes(way), way);
  }
});

test("elsewhere_links_and_forms_are_refused", async () => {
  const ways = {
    "a link": (url) => Object.assign(document.createElement("a"), { href: `${url}/scenes/robot-arm/export` }),
    "a download": (url) => Object.assign(document.createElement("a"), { href: `${url}/scenes/robot-arm/backup`, download: "robot-arm.db" }),
    "a form": (url) => Object.assign(document.createElement("form"), { method: "post", action: `${url}/scenes/planted`, enctype: "text/plain" }),
  };
  for (const [way, make] of Object.entries(ways)) {
    const page = await visit(`http://evil.example:${port}/`);
    const [response] = await Promise.all([
      page.waitForResponse((response) => response.url().startsWith(daemon.url)),
      page.evaluate(`{
        const made = (${make})(${JSON.stringify(daemon.url)});
        document.body.append(made);
        made.submit ? made.submit() : made.click();
      }`),
    ]);
    assert.equal(response.status(), 403, way);
    await page.waitForURL((url) => url.href.startsWith(daemon.url));
  }
  assert.deepEqual((await scenes(daemon)).length, 1);
  const typed = await person.page.context().request.get(`${daemon.url}/scenes/${SCENE}/export`);
  assert.equal(typed.status(), 200);
});

/** Whether the editor stands in a frame of a page. */
async function frames(host) {
  const page = await visit(`http://${host}:${port}/`);
  await page.evaluate(
    (src) => new Promise((done) => document.body.append(Object.assign(document.createElement("iframe"), { src, onload: done }))),
    `${daemon.url}/`,
  );
  return page.frames()[1].evaluate(() => document.getElementById("app") !== null);
}

test("elsewhere_only_allowed_origins_frame_the_editor", async () => {
  assert.equal(await frames("evil.example"), false);
  assert.equal(await frames("127.0.0.1"), false);
  assert.equal(await frames("allowed.example"), true);
});

test("elsewhere_nobody_holds_on_to_a_window_of_the_editor", async () => {
  const page = await visit(`http://evil.example:${port}/`);
  const [opened] = await Promise.all([
    page.waitForEvent("popup"),
    page.evaluate((url) => {
      window.opened = window.open(url);
    }, `${daemon.url}/`),
  ]);
  await opened.getByLabel("Your name").waitFor();
  assert.equal(await opened.evaluate(() => window.opener), null);
  assert.equal(await page.evaluate(() => window.opened.closed), true);
  await opened.close();
});
