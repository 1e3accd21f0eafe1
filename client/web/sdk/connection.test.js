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

  constructor(url) {
    this.url = url;
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

function connect(drags = () => false, urls = ["ws://nowhere"]) {
  const told = [];
  const handlers = {
    hello: () => [{}],
    drags,
    holds: () => false,
    welcomed: () => {},
    received: () => {},
    status: (status) => told.push(status),
    unsaved: () => {},
  };
  const connection = new Connection(urls, Socket, handlers);
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

/** Beats until the socket was asked and answered so many times. */
async function answer(socket, times) {
  const beats = [];
  for (let i = 1; beats.length < times && i < 100; i++) {
    const { length } = socket.sent;
    beat();
    await turn();
    if (socket.sent.length === length) continue;
    beats.push(i);
    socket.hear({ op: "ok", rid: socket.sent.at(-1).rid });
    await turn();
  }
  return beats;
}

test("who only answers is asked less and less often, until there is news", async () => {
  const { connection, socket } = connect();
  socket.open();
  socket.hear({ op: "welcome" });
  assert.deepEqual(await answer(socket, 4), [2, 5, 10, 15]);
  socket.hear({ op: "saved", seq: 7 });
  assert.deepEqual(await answer(socket, 2), [2, 5]);
  connection.close();
});

test("in a drag a dead connection is found out as soon as after news", async () => {
  let dragging = false;
  const { connection, socket } = connect(() => dragging);
  socket.open();
  socket.hear({ op: "welcome" });
  await answer(socket, 4);
  dragging = true;
  assert.deepEqual(await answer(socket, 3), [2, 4, 6]);
  dragging = false;
  await answer(socket, 3);
  for (let i = 0; i < 4; i++) beat();
  dragging = true;
  beat();
  assert.equal(socket.sent.at(-1).op, "ping", "it is asked before it is given up");
  for (let i = 0; i < 3; i++) beat();
  assert.equal(socket.closed, true);
  connection.close();
});

test("a connection that died silently is lost after a while; edits wait for the next", async () => {
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

test("a deleted or renamed scene ends the connection for good; another bye does not", () => {
  for (const fatal of [true, undefined]) {
    const { connection, told, socket } = connect();
    socket.open();
    socket.hear({ op: "welcome" });
    socket.hear({ op: "bye", reason: "this scene was deleted by ada", fatal });
    socket.onclose();
    assert.equal(told.at(-1).phase, fatal ? "closed" : "offline");
    if (fatal)
      assert.deepEqual(told.at(-1), {
        phase: "closed",
        code: "unknown_scene",
        reason: "this scene was deleted by ada",
      });
    connection.close();
  }
});

test("the status after a scene was renamed has its new name", () => {
  const { told, socket } = connect();
  socket.open();
  socket.hear({ op: "welcome" });
  socket.hear({
    op: "bye",
    reason: "this scene was renamed by ada",
    fatal: true,
    scene: "motor-2",
  });
  socket.onclose();
  assert.deepEqual([told.at(-1).phase, told.at(-1).scene], ["closed", "motor-2"]);
});

/** A page that came from the server, whose answers to HTTP are the test's; what it asked for. */
function inPage(t) {
  const { location, fetch } = globalThis;
  const asked = [];
  globalThis.location = { protocol: "http:", host: "nowhere", origin: "http://nowhere" };
  globalThis.fetch = (url, { signal }) =>
    new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("aborted")));
      asked.push({ url, resolve, reject });
    });
  t.after(() => Object.assign(globalThis, { location, fetch }));
  return asked;
}

/** Lets so many attempts fail, one after the other. */
function fail(connection, attempts) {
  for (let i = 0; i < attempts; i++) {
    if (i > 0) connection.retry();
    Socket.all.at(-1).onclose();
  }
}

test("while a server is down HTTP is asked, and a socket opened once it answers", async (t) => {
  const asked = inPage(t);
  const { connection, told } = connect();
  fail(connection, 4);
  assert.equal(asked.length, 0);
  const sockets = Socket.all.length;
  for (let i = 0; i < 3; i++) {
    connection.retry();
    connection.retry();
    assert.equal(told.at(-1).phase, "connecting");
    assert.equal(asked.length, i + 1, "one question at a time");
    asked.at(-1).reject(new TypeError("refused"));
    await turn();
    assert.equal(told.at(-1).phase, "offline");
  }
  assert.equal(Socket.all.length, sockets);
  connection.retry();
  assert.equal(asked.at(-1).url, "http://nowhere/healthz");
  asked.at(-1).resolve({});
  await turn();
  assert.equal(Socket.all.length, sockets + 1);
  Socket.all.at(-1).open();
  Socket.all.at(-1).hear({ op: "welcome" });
  Socket.all.at(-1).onclose();
  connection.retry();
  assert.equal(Socket.all.length, sockets + 2, "a connection that was lost is not asked about");
  connection.close();
});

test("who closes while HTTP is asked connects no more", async (t) => {
  const asked = inPage(t);
  const { connection, told } = connect();
  fail(connection, 4);
  connection.retry();
  const sockets = Socket.all.length;
  connection.close();
  asked.at(-1).resolve({});
  await turn();
  assert.equal(Socket.all.length, sockets);
  assert.equal(told.at(-1).phase, "closed");
});

test("a page that came from elsewhere asks nothing by HTTP", (t) => {
  const asked = inPage(t);
  globalThis.location.host = "elsewhere";
  const { connection } = connect();
  fail(connection, 8);
  assert.equal(asked.length, 0);
  connection.close();
});

test("a connection goes first where the server says that the scene goes on, once", () => {
  const { connection, told, socket } = connect(undefined, ["ws://a", "ws://b:1/ws"]);
  const bye = (at, url) => {
    at.open();
    at.hear({ op: "welcome" });
    at.hear({ op: "bye", reason: "moved", retry_s: 60, url });
    at.onclose();
    assert.ok(told.at(-1).retryAt - Date.now() <= 250, "the scene is there");
    connection.retry();
    return Socket.all.at(-1);
  };
  const named = bye(socket, "http://c:2");
  assert.equal(named.url, "ws://c:2/ws");
  beat(); // not even the handshake
  assert.equal(named.closed, true);
  connection.retry();
  const own = Socket.all.at(-1);
  assert.equal(own.url, "ws://a");
  const known = bye(own, "http://b:1/");
  assert.equal(known.url, "ws://b:1/ws", "one of its own");
  const secure = bye(known, "https://d");
  assert.equal(secure.url, "wss://d/ws");
  const stays = bye(secure, "http://e");
  assert.equal(stays.url, "ws://b:1/ws", "TLS is not given up");
  assert.equal(bye(stays, "no address").url, "ws://a");
  connection.close();
});

test("a connection goes on to the next address, at once, and waits after the last", async () => {
  const { connection, told, socket } = connect(undefined, ["ws://a", "ws://b", "ws://c"]);
  socket.open();
  socket.hear({ op: "welcome" });
  assert.equal(socket.url, "ws://a");
  const edit = connection.ask({ op: "set", key: "k" });
  socket.hear({ op: "bye", reason: "restarts", retry_s: 60 });
  socket.onclose();
  assert.ok(told.at(-1).retryAt - Date.now() <= 250, "the others may be there");
  connection.retry();
  assert.equal(Socket.all.at(-1).url, "ws://b");
  beat(); // frozen: nothing comes, not even the handshake
  assert.equal(Socket.all.at(-1).closed, true);
  connection.retry();
  const last = Socket.all.at(-1);
  assert.equal(last.url, "ws://c");
  last.open();
  last.hear({ op: "bye", reason: "restarts", retry_s: 60 });
  last.onclose();
  assert.ok(told.at(-1).retryAt - Date.now() > 59_000, "all of them said no");
  connection.retry();
  const again = Socket.all.at(-1);
  assert.equal(again.url, "ws://a");
  again.open();
  again.hear({ op: "welcome" });
  again.hear({ op: "ok", rid: 1, seq: 9 });
  assert.deepEqual(
    (await edit).map(({ seq }) => seq),
    [9],
  );
  connection.close();
});
