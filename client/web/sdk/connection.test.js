// The connection against a network that dies without a word. Time is the test's.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { decode, encode } from "./codec.js";
import { Connection } from "./connection.js";

const real = { setInterval: globalThis.setInterval, clearInterval: globalThis.clearInterval };
let beat;

before(() => {
  globalThis.setInterval = (run) => (beat = run);
  globalThis.clearInterval = () => (beat = undefined);
});

after(() => Object.assign(globalThis, real));

/** A socket whose other end is the test. */
class Socket {
  static all = [];
  readyState = 0;
  sent = [];
  closed = false;

  constructor() {
    Socket.all.push(this);
  }

  open() {
    this.readyState = 1;
    this.onopen();
  }

  hear(...messages) {
    this.onmessage?.({ data: encode(...messages) });
  }

  send(frame) {
    this.sent.push(...decode(frame));
  }

  close() {
    this.closed = true;
  }
}

function connect() {
  const told = [];
  const handlers = { hello: () => [{}], welcomed: () => {}, received: () => {}, status: (status) => told.push(status), unsaved: () => {} };
  const connection = new Connection("ws://nowhere", Socket, handlers);
  return { connection, told, socket: Socket.all.at(-1) };
}

const turn = () => new Promise((resolve) => setTimeout(resolve));

test("who says nothing is asked, and whoever answers stays", async () => {
  const { connection, told, socket } = connect();
  socket.open();
  socket.hear({ op: "welcome" });
  for (let i = 0; i < 20; i++) {
    beat();
    await turn();
    const asked = socket.sent.at(-1);
    if (asked.op === "ping") socket.hear({ op: "ok", rid: asked.rid });
  }
  assert.ok(socket.sent.some(({ op }) => op === "ping"));
  assert.equal(socket.closed, false);
  assert.deepEqual(told, []);
  connection.close();
});

test("a connection that died without a word is lost after a while; edits wait for the next one", async () => {
  const { connection, told, socket } = connect();
  socket.open();
  socket.hear({ op: "welcome" });
  const edit = connection.ask({ op: "set", key: "k" });
  for (let i = 0; i < 5; i++) beat();
  assert.equal(socket.closed, true);
  assert.equal(told.at(-1).phase, "offline");
  assert.equal(connection.unsaved, 1);
  socket.hear({ op: "error", fatal: true, code: "late", message: "from the dead" });
  assert.equal(told.at(-1).phase, "offline");

  connection.retry();
  const next = Socket.all.at(-1);
  assert.notEqual(next, socket);
  next.open();
  next.hear({ op: "welcome" });
  await turn();
  const again = next.sent.find(({ op }) => op === "set");
  next.hear({ op: "ok", rid: again.rid, edit: 1 });
  assert.equal((await edit)[0].edit, 1);
  connection.close();
  assert.equal(beat, undefined);
});

test("a connection that is never made is given up too", () => {
  const { connection, told, socket } = connect();
  for (let i = 0; i < 5; i++) beat();
  assert.equal(socket.closed, true);
  assert.equal(told.at(-1).phase, "offline");
  connection.close();
});
