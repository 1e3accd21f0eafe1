// The container's files, as far as they go without a registry: the daemon with the words of the Containerfile and of the compose file, behind a Caddy with the Caddyfile that
// is in the guide. Names of services become addresses of this machine, and ports free ones; all else is as it stands.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url));
const GUIDES = join(root, "server/guides");
const read = (path) => readFile(join(root, path), "utf8");
const ended = (child) => new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));
const WAIT_MS = 20_000;
let folder, port, front, gizmod, caddy;

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The words of a list in JSON's form, which YAML and Containerfiles share. */
const words = (text, name) => JSON.parse(new RegExp(`${name}:? (\\[.*\\])$`, "m").exec(text)[1]);

/** What happens in the container: the entry point with the service's command, as it stands but for names, ports and the folder. */
async function commandLine(compose) {
  const [program, ...entry] = words(await read(".ci/Containerfile"), "ENTRYPOINT");
  assert.equal(program, "gizmod");
  const command = words(await readFile(join(GUIDES, compose), "utf8"), "command");
  const places = { "0.0.0.0:7432": `127.0.0.1:${port}`, "/var/lib/gizmod": join(folder, "scenes"), "172.30.7.0/24": "127.0.0.0/8" };
  return [...entry, ...command].map((word) => (places[word] ?? word).replaceAll("${HOST}", `localhost:${front}`));
}

/** Asks Caddy. @returns {Promise<{ status: number, body: string }>} */
function ask(path, { auth, headers, method = "GET", text = "" } = {}) {
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", servername: "localhost", port: front, path, auth, method, rejectUnauthorized: false, headers: { host: `localhost:${front}`, ...headers } }, (answer) => {
      let body = "";
      answer.on("data", (chunk) => (body += chunk)).on("end", () => resolve({ status: answer.statusCode, body }));
    })
      .on("error", reject)
      .end(text);
  });
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "gizmod-container-"));
  [port, front] = [await freePort(), await freePort()];
  gizmod = spawn(process.env.GIZMOD_DAEMON ?? join(root, "build/release/bin/gizmod"), [...(await commandLine("compose.caddy.yaml")), "--sample"], { stdio: "inherit" });
  const hash = (await promisify(execFile)("caddy", ["hash-password", "--plaintext", "secret"])).stdout.trim();
  await writeFile(join(folder, "people"), `ada ${hash}\n`);
  const admin = `{\n    admin off\n    skip_install_trust\n    auto_https disable_redirects\n}\n`;
  await writeFile(join(folder, "Caddyfile"), admin + (await read("server/guides/Caddyfile")));
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOST: `localhost:${front}`, MEMBERS: `127.0.0.1:${port}` };
  caddy = spawn("caddy", ["run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")], { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  caddy.stderr.on("data", (chunk) => (said += chunk));
  for (const end = Date.now() + WAIT_MS; ; await new Promise((resolve) => setTimeout(resolve, 100))) {
    const { status } = await ask("/healthz", { auth: "ada:secret" }).catch(() => ({}));
    if (status === 200) return;
    assert.ok(Date.now() < end, `it never answered:\n${said}`);
  }
});

after(async () => {
  for (const child of [caddy, gizmod]) if (child?.exitCode === null) child.kill();
  await rm(folder, { recursive: true, force: true });
});

test("whoever_has_no_password_gets_nothing_and_nobody_gets_another_name", async () => {
  assert.equal((await ask("/scenes")).status, 401);
  assert.equal((await ask("/scenes", { auth: "ada:wrong" })).status, 401);
  const { status, body } = await ask("/scenes", { auth: "ada:secret" });
  assert.equal(status, 200);
  assert.match(body, /robot-arm/);
  const text = '[{"op":"set","nodes":[{"id":1,"t":[1,2,3]}]}]';
  const edited = await ask("/scenes/robot-arm/edits", { auth: "ada:secret", headers: { "x-remote-user": "bob" }, method: "POST", text });
  assert.equal(edited.status, 200, edited.body);
  const { edits } = JSON.parse((await ask("/scenes/robot-arm/history?limit=1", { auth: "ada:secret" })).body);
  assert.equal(edits[0].user, "ada");
  assert.equal((await ask("/", { auth: "ada:secret" })).status, 200);
});

test("the_health_check_of_the_image_finds_the_daemon_well", async () => {
  const check = /HEALTHCHECK [^]*?CMD (.*)/.exec(await read(".ci/Containerfile"))[1].replaceAll(":7432", `:${port}`);
  const run = (line) => promisify(execFile)("sh", ["-c", line]).then(({ stdout }) => stdout);
  assert.match(await run(check), /^ok/);
  await assert.rejects(run(check.replaceAll(`:${port}`, ":1")));
});

test("without_options_the_image_says_in_words_who_has_to_be_named", async () => {
  const [, ...entry] = words(await read(".ci/Containerfile"), "ENTRYPOINT");
  const child = spawn(process.env.GIZMOD_DAEMON ?? join(root, "build/release/bin/gizmod"), entry.map((word) => (word === "/var/lib/gizmod" ? join(folder, "none") : word)), { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk) => (said += chunk));
  assert.notEqual(await ended(child), 0);
  assert.match(said, /--keys/);
  assert.match(said, /--insecure/);
});

test("sigterm_ends_it_with_0", async () => {
  const end = ended(gizmod);
  gizmod.kill("SIGTERM");
  assert.equal(await end, 0);
});
