// display.js - a display in memory, for what draws on a display only: Firefox has no WebGL without one, WebKitGTK no window.
import { spawn } from "node:child_process";

export class Display {
  #child;

  /** Starts one under a number that is free; `name` is what programs find it by. */
  static async start() {
    const display = new Display();
    display.#child = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "1600x1200x24", "-nolisten", "tcp", "-noreset"], { stdio: ["ignore", "ignore", "pipe", "pipe"] });
    process.once("exit", () => display.#child.kill());
    const [, , errors, number] = display.#child.stdio;
    let said = "";
    errors.on("data", (chunk) => (said += chunk));
    display.name = await new Promise((resolve, reject) => {
      let digits = "";
      number.on("data", (chunk) => {
        digits += chunk;
        if (digits.endsWith("\n")) resolve(`:${digits.trim()}`);
      });
      display.#child.once("error", (error) => reject(new Error(`Xvfb does not start (Debian: xvfb): ${error.message}`)));
      display.#child.once("exit", (code) => reject(new Error(`Xvfb ended (${code}): ${said}`)));
    });
    return display;
  }

  async stop() {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill();
    await ended;
  }
}
