// webkit.js - somebody in WebKit (Debian: webkit2gtk-driver), driven by WebDriver over HTTP: as much of a person of browser.js as gestures.js and a short story need.
// The driver lets go of the left button only, so there is no other one here.
import { spawn } from "node:child_process";
import { createServer } from "node:net";

import { SIZE, Person } from "./browser.js";
import { Display } from "./display.js";

const MINI_BROWSER = `/usr/lib/${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu/webkit2gtk-4.1/MiniBrowser`;
const WAIT_MS = 60_000;
const POLL_MS = 50;
/** What the keys are called that are no letters: https://www.w3.org/TR/webdriver2/#keyboard-actions */
const KEYS = { Enter: "\uE007", Escape: "\uE00C", Control: "\uE009" };

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export class WebKit {
  #ends = [];

  /** A person with a browser of their own, whose window is as large as those of the others or a little lower. */
  static async person() {
    const webkit = new WebKit();
    try {
      const page = await webkit.#start();
      const person = new WebKitPerson(page);
      person.close = () => webkit.#end();
      return person;
    } catch (error) {
      await webkit.#end();
      throw error;
    }
  }

  async #start() {
    const display = await Display.start();
    this.#ends.unshift(() => display.stop());
    const port = await freePort();
    const driver = spawn("WebKitWebDriver", [`--port=${port}`], { env: { ...process.env, DISPLAY: display.name }, stdio: "ignore" });
    const gone = new Promise((resolve) => driver.once("exit", resolve).once("error", resolve));
    process.once("exit", () => driver.kill());
    this.#ends.unshift(() => driver.kill() && gone);
    const base = `http://127.0.0.1:${port}`;
    await Promise.race([listening(base), gone.then(() => Promise.reject(new Error("WebKitWebDriver does not start (Debian: webkit2gtk-driver)")))]);
    const options = { binary: process.env.WEBKIT ?? MINI_BROWSER, args: ["--automation"] };
    const { sessionId } = await ask(base, "POST", "/session", { capabilities: { alwaysMatch: { browserName: "MiniBrowser", "webkitgtk:browserOptions": options } } });
    const page = new WebKitPage((method, path, body) => ask(base, method, `/session/${sessionId}${path}`, body));
    this.#ends.unshift(() => page.close());
    await page.resize(SIZE);
    return page;
  }

  async #end() {
    for (const end of this.#ends) await end();
  }
}

async function listening(base) {
  for (const end = Date.now() + WAIT_MS; Date.now() < end; await pause(POLL_MS)) if (await fetch(`${base}/status`).catch(() => null)) return;
  throw new Error("WebKitWebDriver does not answer");
}

async function ask(base, method, path, body) {
  const response = await fetch(base + path, { method, body: body === undefined ? undefined : JSON.stringify(body) });
  const { value } = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
  return value;
}

/** What the others do with a page of Playwright. */
class WebKitPage {
  #ask;

  constructor(ask) {
    this.#ask = ask;
    const pointer = (action) => this.#act({ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions: [action] });
    this.mouse = {
      move: (x, y) => pointer({ type: "pointerMove", duration: 0, x: Math.round(x), y: Math.round(y), origin: "viewport" }),
      down: () => pointer({ type: "pointerDown", button: 0 }),
      up: () => pointer({ type: "pointerUp", button: 0 }),
      click: async (x, y) => {
        await this.mouse.move(x, y);
        await this.mouse.down();
        await this.mouse.up();
      },
    };
    this.keyboard = {
      press: (chord) => this.#press(chord.split("+")),
      type: async (text) => {
        for (const letter of text) await this.#press([letter]);
      },
    };
  }

  goto(url) {
    return this.#ask("POST", "/url", { url });
  }

  resize({ width, height }) {
    return this.#ask("POST", "/window/rect", { x: 0, y: 0, width, height });
  }

  /** Runs a function in the page, with what it is given there, and waits for what it promises. */
  async evaluate(run, argument) {
    const script = `const [argument, done] = arguments;
      Promise.resolve().then(() => (${run})(argument)).then((value) => done({ value }), (error) => done({ error: String(error) + "\\n" + error.stack }));`;
    const { value, error } = await this.#ask("POST", "/execute/async", { script, args: [argument ?? null] });
    if (error) throw new Error(error);
    return value;
  }

  async waitForFunction(condition, argument) {
    for (const end = Date.now() + WAIT_MS; Date.now() < end; await pause(POLL_MS)) if (await this.evaluate(condition, argument)) return;
    throw new Error(`never: ${condition}`);
  }

  /** Where the first element of a selector is, and how large. */
  async box(selector) {
    const box = await this.evaluate((selector) => document.querySelector(selector)?.getBoundingClientRect().toJSON(), selector);
    if (!box) throw new Error(`there is no ${selector}`);
    return box;
  }

  async click(selector) {
    const { x, y, width, height } = await this.box(selector);
    await this.mouse.click(x + width / 2, y + height / 2);
  }

  async screenshot() {
    return Buffer.from(await this.#ask("GET", "/screenshot"), "base64");
  }

  close() {
    return this.#ask("DELETE", "");
  }

  #press(keys) {
    const values = keys.map((key) => KEYS[key] ?? key);
    const actions = [...values.map((value) => ({ type: "keyDown", value })), ...values.reverse().map((value) => ({ type: "keyUp", value }))];
    return this.#act({ type: "key", id: "keys", actions });
  }

  #act(source) {
    return this.#ask("POST", "/actions", { actions: [source] });
  }
}

class WebKitPerson extends Person {
  /** Joins as others do, and keeps what the page says as an error from then on. */
  async join(daemon, scene, user) {
    await this.page.goto(`${daemon.url}/?scene=${scene}&user=${user}`);
    await this.page.evaluate(() => {
      window.errors = [];
      const say = console.error;
      console.error = (...words) => {
        window.errors.push(words.join(" "));
        say(...words);
      };
      addEventListener("error", ({ message }) => window.errors.push(message));
      addEventListener("unhandledrejection", ({ reason }) => window.errors.push(String(reason)));
    });
    await this.online();
    await this.drawn();
  }

  async corner() {
    const { x, y } = await this.page.box("canvas[role=application]");
    return [x, y];
  }

  /** WebKit does not say that there is no graphics processor: the picture is never finer than the screen. */
  async rested() {
    await this.page.evaluate(() => {
      window.finestSince = Infinity;
    });
    await this.until(() => {
      const canvas = document.querySelector("canvas[role=application]");
      window.finestSince = canvas.width >= canvas.clientWidth - 1 ? Math.min(window.finestSince, performance.now()) : Infinity;
      return performance.now() - window.finestSince > 600;
    });
  }
}
