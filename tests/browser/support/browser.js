// browser.js - a real Chromium or Firefox with a profile of its own, and the editor's page in it. What the page says on its console as an error is a failure of the test.
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, firefox } from "playwright-core";

import { Display } from "./display.js";

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
  "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--force-color-profile=srgb",
];
export const SIZE = { width: 1100, height: 700 };
export const FIREFOX = process.env.FIREFOX ?? "/usr/bin/firefox-esr";
/** Playwright adds this style sheet to the page for each screenshot in Firefox. The policy of the page refuses it, and Firefox says so by the sheet's hash. */
const SHEET = "body {}";
const SHEET_REFUSED = `sha256-${createHash("sha256").update(SHEET).digest("base64")}`;
const WAIT_MS = 60_000;
const LAUNCH_MS = 60_000;

export class Browser {
  #errors = [];
  /** What is to be ended, the latest first. */
  #ends = [];
  #display = null;

  /**
   * A person with a browser and a profile of their own. `options` are those of a context in Playwright, `args` more of Chromium's, `ignore`: errors that the test is about, and
   * `engine`: "chromium" or "firefox"; without it what GIZMOD_BROWSER says, or Chromium.
   */
  async person({ ignore = [], engine = process.env.GIZMOD_BROWSER ?? "chromium", ...options } = {}) {
    const context = await (engine === "firefox" ? this.#firefox(options) : this.#chromium(options));
    const page = context.pages()[0] ?? (await context.newPage());
    page.setDefaultTimeout(WAIT_MS);
    const hear = (text) => !text.includes(SHEET_REFUSED) && this.#errors.push(text);
    page.on("pageerror", (error) => hear(`${error.stack ?? error}`));
    page.on("console", (message) => {
      if (message.type() === "error" && !ignore.some((pattern) => pattern.test(message.text()))) hear(message.text());
    });
    return new Person(page);
  }

  async #chromium({ args = [], ...options }) {
    const profile = await mkdtemp(join(tmpdir(), "gizmod-chromium-"));
    this.#ends.unshift(() => rm(profile, { recursive: true, force: true }));
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: [...FLAGS, ...args], viewport: SIZE, ...options,
    });
    this.#ends.unshift(() => context.close());
    return context;
  }

  /** Firefox as it is installed: Playwright drives it by WebDriver BiDi, which does not know of colour schemes yet. Each has a new profile. */
  async #firefox({ colorScheme, ...options }) {
    this.#display ??= await Display.start();
    const browser = await firefox.launch({
      channel: "moz-firefox", executablePath: FIREFOX, headless: false, timeout: LAUNCH_MS,
      env: { ...process.env, DISPLAY: this.#display.name }, firefoxUserPrefs: { "layout.css.prefers-color-scheme.content-override": colorScheme === "dark" ? 0 : 1 },
    });
    this.#ends.unshift(() => browser.close());
    return browser.newContext({ viewport: SIZE, ...options });
  }

  /** Errors of all pages so far, in words. */
  get errors() {
    return this.#errors;
  }

  async close() {
    for (const end of this.#ends) await end();
    await this.#display?.stop();
  }
}

/** Somebody who looks at the editor. */
export class Person {
  constructor(page) {
    this.page = page;
  }

  /** Joins a scene and waits until it is drawn. */
  async join(daemon, scene, user, more = "") {
    await this.page.goto(`${daemon.url}/?scene=${scene}&user=${user}${more}`);
    await this.online();
    await this.drawn();
  }

  async online() {
    await this.page.waitForFunction(() => window.gizmod?.status.value.phase === "online");
  }

  /** Waits until a picture was made of all that came so far. */
  async drawn() {
    await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));
  }

  /** Waits until nothing moves and the picture is as fine as it gets: where WebGL runs in software it is coarser before. */
  async rested() {
    await this.page.evaluate(() => {
      window.finestSince = Infinity;
    });
    await this.until(() => {
      const canvas = document.querySelector("canvas[role=application]");
      const finest = canvas.width >= 2 * canvas.clientWidth - 1;
      window.finestSince = finest ? Math.min(window.finestSince, performance.now()) : Infinity;
      return performance.now() - window.finestSince > 600;
    });
  }

  /** Waits until this is true in the page; `argument` is handed over. */
  async until(condition, argument) {
    await this.page.waitForFunction(condition, argument, { polling: 50 });
  }

  /** The node of this name. */
  async node(name) {
    return this.page.evaluate((name) => {
      for (const { id, t, r, s, parent } of window.gizmod.session.scene.nodes.values()) {
        if (window.gizmod.session.scene.get(id).name === name) return { id, t, r, s, parent };
      }
      return null;
    }, name);
  }

  /** Where the middle of the view begins, in pixels of the page. */
  async corner() {
    const box = await this.page.getByRole("application", { name: "View of the scene" }).boundingBox();
    return [box.x, box.y];
  }

  /** Where a point of the world is, in pixels of the page. */
  async project(point) {
    const [x, y] = await this.page.evaluate((point) => window.gizmod.rig.project(point), point);
    const [left, top] = await this.corner();
    return [left + x, top + y];
  }

  /** The middle of a node's own box in the world, or its origin. */
  async middle(id) {
    return this.page.evaluate((id) => {
      const box = window.gizmod.session.scene.box([id]);
      return [(box[0] + box[3]) / 2, (box[1] + box[4]) / 2, (box[2] + box[5]) / 2];
    }, id);
  }

  /** Selects by id and waits for the gizmo. */
  async select(...ids) {
    await this.page.evaluate((ids) => window.gizmod.session.select(ids), ids);
    await this.until(() => window.gizmod.gizmo.value !== null);
    await this.drawn();
  }

  async screenshot(path) {
    return this.page.screenshot(path ? { path } : {});
  }
}
