// The daemon behind a real nginx and a real Caddy, set up as server/OPERATING.md says: https at a port that is not the usual
// one, a password, and the user's name from the proxy. The editor and gizmoctl pass through.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { get } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Browser } from "./support/browser.js";
import { Daemon, ctl } from "./support/daemon.js";
import { dragArrow, settled } from "./support/gestures.js";

const NAME = "scenes.example";
const PASSWORD = "a password";
const CLIENT = "127.0.0.5";
const MANUAL = new URL("../../server/OPERATING.md", import.meta.url);

let folder, ports, daemon, browser;
const proxies = [];

const freePort = () =>
  new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

/** The manual's block for nginx, with the files, ports and addresses of this test in place of its own. */
async function nginxSettings() {
  const [, block] = /```nginx\n(map [^`]*)```/.exec(await readFile(MANUAL, "utf8"));
  const told = block
    .replace("listen 443 ssl", `listen 127.0.0.1:${ports.nginx} ssl`)
    .replace("127.0.0.1:7432", `127.0.0.1:${daemon.port}`)
    .replace(/\/etc\/ssl\/scenes\.example/g, join(folder, "scenes.example"))
    .replace("/etc/nginx/gizmod.passwd", join(folder, "passwd"));
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join("\n");
  return `daemon off; master_process off; pid ${folder}/pid; error_log stderr;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${told}\n}\n`;
}

/** The manual's block for Caddy, likewise. */
async function caddySettings() {
  const [, block] = /```\n(scenes\.example \{\n    basicauth [^`]*)```/.exec(await readFile(MANUAL, "utf8"));
  const hash = execFileSync("caddy", ["hash-password", "--plaintext", PASSWORD]).toString().trim();
  const told = block
    .replace("scenes.example {", `https://${NAME}:${ports.caddy}, https://127.0.0.1:${ports.caddy} {\n    bind 127.0.0.1\n    tls ${folder}/${NAME}.pem ${folder}/${NAME}.key`)
    .replace("127.0.0.1:7432", `127.0.0.1:${daemon.port}`)
    .replace("$2a$14$...", hash);
  return `{\n    admin off\n    auto_https disable_redirects\n    skip_install_trust\n}\n${told}`;
}

const AUTHORIZATION = `Basic ${Buffer.from(`ada:${PASSWORD}`).toString("base64")}`;

/** What a proxy answers to a request with these headers, without a browser, from another address of this machine. */
const ask = (proxy, path, headers = {}) =>
  new Promise((done, fail) => {
    const port = ports[proxy];
    const request = { host: "127.0.0.1", servername: NAME, localAddress: CLIENT, port, path, rejectUnauthorized: false };
    get({ ...request, headers: { Host: `${NAME}:${port}`, ...headers } }, (response) => {
      response.resume();
      done(response.statusCode);
    }).on("error", fail);
  });

async function listening(proxy) {
  for (let i = 0; i < 100; i++) {
    try {
      return await ask(proxy, "/healthz");
    } catch {
      await new Promise((done) => setTimeout(done, 100));
    }
  }
  throw new Error(`${proxy} does not listen`);
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "gizmod-nginx-"));
  ports = { nginx: await freePort(), caddy: await freePort() };
  daemon = await Daemon.start(["--sample", "--allow-origin", `https://${NAME}`, "--trusted-proxy", "127.0.0.1/32", "--trust-header", "X-Remote-User"]);
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", `/CN=${NAME}`, "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", join(folder, `${NAME}.key`), "-out", join(folder, `${NAME}.pem`)], { stdio: "ignore" });
  await writeFile(join(folder, "passwd"), `ada:${execFileSync("openssl", ["passwd", "-apr1", PASSWORD])}`);
  await writeFile(join(folder, "nginx.conf"), await nginxSettings());
  await writeFile(join(folder, "Caddyfile"), await caddySettings());
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const start = (program, ...words) => proxies.push(spawn(program, words, { env, stdio: ["ignore", "inherit", "ignore"] }));
  start("/usr/sbin/nginx", "-p", folder, "-c", join(folder, "nginx.conf"));
  start("caddy", "run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile"));
  await listening("nginx");
  await listening("caddy");
  browser = new Browser();
});

after(async () => {
  await browser?.close();
  for (const proxy of proxies) {
    const ended = new Promise((done) => proxy.once("exit", done));
    proxy.kill();
    await ended;
  }
  await daemon?.stop();
  await rm(folder, { recursive: true, force: true });
});

for (const proxy of ["nginx", "caddy"]) {
  test(`${proxy}_a_drag_in_the_editor_works_by_https_and_the_user_is_the_one_that_the_proxy_knows`, async () => {
    const ada = await browser.person({
      engine: "chromium", args: [`--host-resolver-rules=MAP ${NAME} 127.0.0.1`], ignoreHTTPSErrors: true, httpCredentials: { username: "ada", password: PASSWORD },
    });
    await ada.join({ url: `https://${NAME}:${ports[proxy]}` }, "robot-arm", "Mallory");
    const { id, t } = await ada.node("forearm");
    await ada.select(id);
    await dragArrow(ada, 0, 60);
    await settled(ada);
    assert.notEqual((await ada.node("forearm")).t[0], t[0]);
    const [latest] = await ada.page.evaluate(() => window.gizmod.session.history({ limit: 1 }));
    assert.equal(latest.user, "ada");
    assert.deepEqual(browser.errors, []);
  });

  test(`${proxy}_gizmoctl_passes_with_the_password_in_its_url_or_in_a_header`, async () => {
    const url = (login) => `https://${login}127.0.0.1:${ports[proxy]}/`;
    const variables = { GIZMOD_CA: join(folder, `${NAME}.pem`), USER: "mallory" };
    const said = (...words) => ctl(words, variables).catch(({ stderr }) => stderr);
    const login = `ada:${encodeURIComponent(PASSWORD)}@`;
    assert.match(await said("ls", "--server", url(login)), /robot-arm +16 nodes/);
    assert.match(await said("who", "robot-arm", "--server", url(login)), /^ada /m);
    assert.match(await said("who", "robot-arm", "--server", url(""), "--header", `Authorization: ${AUTHORIZATION}`), /^ada /m);
    assert.match(await said("ls", "--server", url("")), /HTTP status 401/);
    assert.match(await said("ls", "robot-arm", "--server", url("ada:wrong@")), /HTTP status 401/);
    assert.doesNotMatch(await said("ls", "robot-arm", "--server", url("ada:wrong@")), /wrong/, "errors do not show the password");
  });

  test(`${proxy}_keeps_out_who_has_no_password_and_lets_no_other_name_through`, async () => {
    const authorization = AUTHORIZATION;
    assert.equal(await ask(proxy, "/scenes"), 401);
    assert.equal(await ask(proxy, "/scenes", { authorization }), 200);
    assert.equal(await ask(proxy, "/scenes", { authorization, "X-Remote-User": "Mallory" }), 200);
    // The address in the log is the one that the proxy saw, whatever the client says.
    const seen = daemon.log.length;
    assert.equal(await ask(proxy, "/scenes/no.db/asset", { authorization, "X-Forwarded-For": "203.0.113.9" }), 400);
    while (!daemon.log.includes("HTTP 400 to ", seen)) await new Promise((done) => setTimeout(done, 20));
    assert.match(daemon.log.slice(seen), /HTTP 400 to 127\.0\.0\.5: /);
    assert.equal((await fetch(`${daemon.url}/scenes`)).status, 401);
  });
}
