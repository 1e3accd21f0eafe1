// daemon.js - a real daemon on a port of its own, with its scenes in a folder that goes with it.
// GIZMOD_DAEMON names the program, GIZMOD_CTL the command-line client; ctest sets both. Without them it is those of the release build.
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const ENGINE = "/usr/share/assimp/models/glTF2/2CylinderEngine-glTF-Binary/2CylinderEngine.glb";

const START_MS = 60_000;

function program(variable, name) {
  const path = process.env[variable] ?? fileURLToPath(new URL(`../../../build/release/bin/${name}`, import.meta.url));
  if (!existsSync(path)) throw new Error(`there is no ${path}: build a release, or name the program to test by ${variable}`);
  return path;
}

export class Daemon {
  #child = null;
  #log = "";

  /** @param {string[]} options further ones for its command line */
  static async start(options = ["--sample"]) {
    const daemon = new Daemon();
    daemon.options = options;
    daemon.folder = await mkdtemp(join(tmpdir(), "gizmod-"));
    daemon.port = 0;
    await daemon.run();
    return daemon;
  }

  /** Starts the program, again on the same port and scenes after `kill`. */
  async run() {
    const words = ["--listen", `127.0.0.1:${this.port}`, "--data", this.folder, ...this.options];
    this.#log = "";
    this.#child = spawn(program("GIZMOD_DAEMON", "gizmod"), words, { stdio: ["ignore", "pipe", "pipe"] });
    const listening = new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`the daemon does not listen:\n${this.#log}`)), START_MS);
      const read = (chunk) => {
        this.#log += chunk;
        const said = /listening wss?:\/\/[\d.]+:(\d+)\//.exec(this.#log);
        if (!said) return;
        clearTimeout(timer);
        resolve(Number(said[1]));
      };
      this.#child.stdout.on("data", read);
      this.#child.stderr.on("data", read);
      this.#child.once("exit", (code, signal) => reject(new Error(`the daemon ended (${code ?? signal}):\n${this.#log}`)));
    });
    this.port = await listening;
  }

  /** "s" if the daemon speaks TLS. */
  get #safe() {
    return this.options.includes("--cert") ? "s" : "";
  }

  get url() {
    return `http${this.#safe}://127.0.0.1:${this.port}`;
  }

  get socket() {
    return `ws${this.#safe}://127.0.0.1:${this.port}/ws`;
  }

  get log() {
    return this.#log;
  }

  /** Ends the program at once, as a crash does. */
  async kill(signal = "SIGKILL") {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }

  async stop() {
    await this.kill("SIGTERM");
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Makes a scene of a glTF file, with `replace` in place of what it holds. */
  async import(scene, file, { replace = false } = {}) {
    const response = await fetch(`${this.url}/scenes/${scene}?user=test${replace ? "&replace" : ""}`, { method: "PUT", body: await readFile(file) });
    if (!response.ok) throw new Error(`${file}: ${await response.text()}`);
    return response.json();
  }

  /** What gizmoctl prints. */
  async ctl(...words) {
    return ctl(words, { GIZMOD_URL: this.socket });
  }
}

/** What gizmoctl prints, with these variables besides those of the test. */
export async function ctl(words, variables = {}) {
  const { stdout } = await promisify(execFile)(program("GIZMOD_CTL", "gizmoctl"), words, { env: { ...process.env, ...variables } });
  return stdout;
}
