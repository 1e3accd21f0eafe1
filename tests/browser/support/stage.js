// stage.js - the daemon and the browser that the tests of a file have in common; they end with the last of these.
import { after } from "node:test";

import { Browser } from "./browser.js";
import { Daemon } from "./daemon.js";

export let daemon, browser;

/** Starts both. @param {string[]} [options] further ones for the daemon's command line */
export async function open(options) {
  daemon = await Daemon.start(options);
  browser = new Browser();
}

after(async () => {
  await browser?.close();
  await daemon?.stop();
});
