// Encoded line ends through a real nginx and a real Caddy, set up as server/OPERATING.md says, but without a password: whoever asks
// has no name. No browser is needed: the requests are written by hand.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { Daemon } from "./support/daemon.js";

const NGINX = "/usr/sbin/nginx";
const CADDY = "/usr/bin/caddy";
const TARGETS = [
  "/scenes%0aX-Remote-User:zed", "/scenes%0d%0aX-Remote-User:zed", "/scenes?%0aX-Remote-User:zed", "/scenes?a=%0dX-Remote-User:zed",
  "/ws%0aX-Remote-User:zed", "/ws?%0aX-Remote-User:zed", "/scenes/robot-arm/backup%0aX-Remote-User:zed", "/scenes/robot-arm%0d.x?y", "/scenes%0aHos",
];

let folder, daemon;
const children = [];

const freePort = () =>
  new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

/** The status of the answer to a request that is written by hand; 0 for none. */
const ask = (port, line, headers = "") =>
  new Promise((done) => {
    let text = "";
    const end = () => done(Number(/^HTTP\/1\.\d (\d+)/.exec(text)?.[1] ?? 0));
    const socket = connect(port, "127.0.0.1", () => socket.write(`${line} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`));
    socket.setEncoding("latin1").on("data", (part) => {
      text += part;
      if (text.includes("\r\n\r\n")) socket.end(), end();
    });
    socket.on("error", end).on("close", end);
  });

async function listening(port) {
  for (let i = 0; i < 200; i++) {
    if ((await ask(port, "GET /healthz")) === 200) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error("the proxy does not listen");
}

/** Starts a proxy with these settings, and returns its port. */
async function start(command, args, file, settings) {
  const port = await freePort();
  await writeFile(join(folder, file), settings(port));
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "ignore"], env: { ...process.env, HOME: folder } });
  children.push(child);
  await listening(port);
  return port;
}

function startNginx() {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join("\n");
  return start(NGINX, ["-p", folder, "-c", join(folder, "nginx.conf")], "nginx.conf", (port) => `daemon off; master_process off; pid ${folder}/pid; error_log stderr;
events {}
http { access_log off; ${temporary}
  map $http_upgrade $connection_upgrade { default upgrade; "" ""; }
  server { listen 127.0.0.1:${port};
    location / {
      proxy_pass http://127.0.0.1:${daemon.port};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Remote-User $remote_user;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
    } } }
`);
}

function startCaddy() {
  return start(CADDY, ["run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")], "Caddyfile", (port) => `{
  admin off
}
http://127.0.0.1:${port} {
  reverse_proxy 127.0.0.1:${daemon.port} {
    header_up -X-Remote-User
  }
}
`);
}

async function tryAll(port) {
  const upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: gizmod.v1\r\n";
  assert.equal(await ask(port, "GET /scenes"), 401);
  assert.equal(await ask(port, "GET /ws", upgrade), 401);
  assert.equal(await ask(port, "GET /scenes", "X-Remote-User: zed\r\n"), 401);
  for (const target of TARGETS) {
    for (const method of ["GET", "PUT", "DELETE"]) assert.equal(await ask(port, `${method} ${target}`), 400, `${method} ${target}`);
    assert.equal(await ask(port, `GET ${target}`, upgrade), 400, `upgrade ${target}`);
  }
  assert.equal(await ask(port, "GET /healthz"), 200);
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "gizmod-behind-"));
  daemon = await Daemon.start(["--sample", "--trusted-proxy", "127.0.0.1/32", "--trust-header", "X-Remote-User"]);
});

after(async () => {
  for (const child of children) child.kill();
  await daemon?.stop();
  await rm(folder, { recursive: true, force: true });
});

test("behind_nginx_an_encoded_line_end_is_refused", { skip: !existsSync(NGINX) && "nginx is not installed" }, async () => {
  await tryAll(await startNginx());
});

test("behind_caddy_an_encoded_line_end_is_refused", { skip: !existsSync(CADDY) && "Caddy is not installed" }, async () => {
  await tryAll(await startCaddy());
});
