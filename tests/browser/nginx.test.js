// The editor behind a real nginx, set up as server/OPERATING.md says: https, a password, and the user's name from the proxy.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { get } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Browser } from "./support/browser.js";
import { Daemon } from "./support/daemon.js";
import { dragArrow, settled } from "./support/gestures.js";

const NAME = "scenes.example";
const PASSWORD = "a password";
const CLIENT = "127.0.0.5";
const MANUAL = new URL("../../server/OPERATING.md", import.meta.url);

let folder, port, daemon, nginx, browser;

const freePort = () =>
  new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

/** The manual's block for nginx, with the files, ports and addresses of this test in place of its own. */
async function settings() {
  const [, block] = /```nginx\n(map [^`]*)```/.exec(await readFile(MANUAL, "utf8"));
  const told = block
    .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
    .replace("127.0.0.1:7432", `127.0.0.1:${daemon.port}`)
    .replace(/\/etc\/ssl\/scenes\.example/g, join(folder, "scenes.example"))
    .replace("/etc/nginx/gizmod.passwd", join(folder, "passwd"));
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join("\n");
  return `daemon off; master_process off; pid ${folder}/pid; error_log stderr;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${told}\n}\n`;
}

/** What the proxy answers to a request with these headers, without a browser, from another address of this machine. */
const ask = (path, headers = {}) =>
  new Promise((done, fail) => {
    get({ host: "127.0.0.1", localAddress: CLIENT, port, path, rejectUnauthorized: false, headers: { Host: NAME, ...headers } }, (response) => {
      response.resume();
      done(response.statusCode);
    }).on("error", fail);
  });

async function listening() {
  for (let i = 0; i < 100; i++) {
    try {
      return await ask("/healthz");
    } catch {
      await new Promise((done) => setTimeout(done, 100));
    }
  }
  throw new Error("nginx does not listen");
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "gizmod-nginx-"));
  port = await freePort();
  daemon = await Daemon.start(["--sample", "--allow-origin", `https://${NAME}:${port}`, "--trusted-proxy", "127.0.0.1/32", "--trust-header", "X-Remote-User"]);
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", `/CN=${NAME}`, "-keyout", join(folder, `${NAME}.key`), "-out", join(folder, `${NAME}.pem`)], { stdio: "ignore" });
  await writeFile(join(folder, "passwd"), `ada:${execFileSync("openssl", ["passwd", "-apr1", PASSWORD])}`);
  await writeFile(join(folder, "nginx.conf"), await settings());
  nginx = spawn("/usr/sbin/nginx", ["-p", folder, "-c", join(folder, "nginx.conf")], { stdio: ["ignore", "inherit", "inherit"] });
  await listening();
  browser = new Browser();
});

after(async () => {
  await browser?.close();
  const ended = nginx && new Promise((done) => nginx.once("exit", done));
  nginx?.kill();
  await ended;
  await daemon?.stop();
  await rm(folder, { recursive: true, force: true });
});

test("nginx_a_drag_in_the_editor_works_by_https_and_the_user_is_the_one_that_the_proxy_knows", async () => {
  const ada = await browser.person({
    engine: "chromium", args: [`--host-resolver-rules=MAP ${NAME} 127.0.0.1`], ignoreHTTPSErrors: true, httpCredentials: { username: "ada", password: PASSWORD },
  });
  await ada.join({ url: `https://${NAME}:${port}` }, "robot-arm", "Mallory");
  const { id, t } = await ada.node("forearm");
  await ada.select(id);
  await dragArrow(ada, 0, 60);
  await settled(ada);
  assert.notEqual((await ada.node("forearm")).t[0], t[0]);
  const [latest] = await ada.page.evaluate(() => window.gizmod.session.history({ limit: 1 }));
  assert.equal(latest.user, "ada");
  assert.deepEqual(browser.errors, []);
});

test("nginx_keeps_out_who_has_no_password_and_lets_no_other_name_through", async () => {
  const authorization = `Basic ${Buffer.from(`ada:${PASSWORD}`).toString("base64")}`;
  assert.equal(await ask("/scenes"), 401);
  assert.equal(await ask("/scenes", { authorization }), 200);
  assert.equal(await ask("/scenes", { authorization, "X-Remote-User": "Mallory" }), 200);
  // The address in the log is the one that nginx saw, whatever the client says.
  assert.equal(await ask("/scenes/no.db/asset", { authorization, "X-Forwarded-For": "203.0.113.9" }), 400);
  while (!daemon.log.includes("HTTP 400 to ")) await new Promise((done) => setTimeout(done, 20));
  assert.match(daemon.log, /HTTP 400 to 127\.0\.0\.5: /);
  assert.equal((await fetch(`${daemon.url}/scenes`)).status, 401);
});
