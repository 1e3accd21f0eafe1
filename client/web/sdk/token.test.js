// The token of a session: from a text or a function, in hello and by HTTP, sent again before it
// expires, and what happens when the server takes it no longer. The server is the test's.
import assert from "node:assert/strict";
import { test } from "node:test";

import { decode, encode } from "./codec.js";
import {
  Session,
  connect,
  deleteScene,
  fetchScene,
  importScene,
  listScenes,
  renameScene,
} from "./index.js";
import { tokenClaims, tokenExpiry } from "./token.js";

/** A token that nobody has signed. */
function tokenOf(claims) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "HS256" })}.${part(claims)}.c2lnbmF0dXJl`;
}

const unixIn = (seconds) => Date.now() / 1000 + seconds;

/** A server for as many sockets as are opened; `refuses` says why it takes a token, or does not. */
function server(refuses = () => null) {
  const hellos = [];
  const sockets = [];
  const heard = [];
  class Socket {
    readyState = 1;
    constructor() {
      sockets.push(this);
      queueMicrotask(() => this.onopen?.());
    }
    send(frame) {
      for (const message of decode(frame)) this.hear(message);
    }
    hear(message) {
      heard.push(message);
      const { op, rid, token } = message;
      if (op === "hello") return this.#welcome(message);
      const why = op === "token" ? refuses(token) : null;
      if (rid === undefined) return;
      if (why) this.say({ op: "error", rid, code: "unauthorised", message: why });
      else this.say({ op: "ok", rid, seq: 2, edit: 7 });
    }
    #welcome(hello) {
      hellos.push(hello.token);
      const why = refuses(hello.token);
      if (why) return this.end({ op: "error", fatal: true, code: "unauthorised", message: why });
      this.say(
        { op: "welcome", session: sockets.length, role: "editor", epoch: 5, seq: 1, limits: {} },
        { op: "delta", from: 0, seq: 1, nodes: [] },
        {
          op: "presence",
          all: true,
          users: [
            { session: sockets.length, user: "ada@example.com", name: "Ada", role: "editor" },
          ],
        },
      );
    }
    say(...messages) {
      queueMicrotask(() => this.onmessage?.({ data: encode(...messages) }));
    }
    end(...messages) {
      this.say(...messages);
      setTimeout(() => this.onclose?.());
    }
    close() {}
  }
  return { Socket, hellos, sockets, heard };
}

const join = (Socket, token, more = {}) =>
  connect({ url: "ws://nowhere", scene: "arm", user: "me", WebSocket: Socket, token, ...more });

/** Resolves with the first status for which `accept` is true. */
const status = (session, accept) =>
  new Promise((resolve) => {
    const off = session.on("status", (told) => {
      if (!accept(told)) return;
      off();
      resolve(told);
    });
  });
const parked = ({ phase, retryAt }) => phase === "offline" && retryAt === undefined;
const isOnline = ({ phase }) => phase === "online";
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

test("a token is a text, or comes from a function that may take its time", async () => {
  for (const token of ["abc", () => "abc", async () => (await pause(5), "abc")]) {
    const { Socket, hellos } = server();
    const session = await join(Socket, token);
    assert.deepEqual(hellos, ["abc"]);
    assert.equal(session.user, "ada@example.com", "the token's user, not that of the options");
    assert.equal(session.people[0].name, "Ada");
    session.close();
  }
});

test("without a token none is sent", async () => {
  const { Socket, heard } = server();
  const session = await join(Socket, undefined);
  assert.equal("token" in heard[0], false);
  assert.equal(session.expires, undefined);
  session.close();
});

test("a token function that fails is asked again, and no socket is opened without it", async () => {
  const { Socket, hellos, sockets } = server();
  let asked = 0;
  const session = new Session({
    url: "ws://nowhere",
    scene: "arm",
    user: "me",
    WebSocket: Socket,
    token: async () => {
      if (++asked === 1) throw new Error("the identity provider is away");
      return "abc";
    },
  });
  const said = await status(session, ({ phase }) => phase === "offline");
  assert.match(said.reason, /the identity provider is away/);
  assert.equal(sockets.length, 0);
  await session.ready;
  assert.deepEqual([asked, hellos], [2, ["abc"]]);
  session.close();
});

test("a refused first token rejects in words, and nothing is tried again", async () => {
  const { Socket, hellos } = server(() => "token: it is for another audience");
  await assert.rejects(join(Socket, "abc"), {
    code: "unauthorised",
    message: "token: it is for another audience",
  });
  await pause(600);
  assert.equal(hellos.length, 1);
});

test("a newer token is asked for before the old one expires, and the session goes on", async () => {
  const old = tokenOf({ exp: unixIn(3) });
  const next = tokenOf({ exp: unixIn(3000) });
  const given = [old, old, next];
  const { Socket, heard, hellos } = server();
  const session = await join(Socket, () => given.shift() ?? next);
  assert.equal(session.expires, tokenExpiry(old));
  while (session.expires === tokenExpiry(old)) await pause(20);
  assert.deepEqual(
    heard.filter(({ op }) => op === "token").map(({ token }) => token),
    [next],
    "the same token is not sent again",
  );
  assert.equal(hellos.length, 1);
  session.close();
});

test("an expired token ends the attempts, edits wait, and go on with another token", async () => {
  let taken = "old";
  const { Socket, hellos, sockets, heard } = server((token) =>
    token === taken ? null : "token: it has expired",
  );
  const session = await join(Socket, "old");
  taken = "new";
  const out = status(session, parked);
  sockets.at(-1).end({
    op: "bye",
    reason: "the token has expired",
    fatal: true,
    code: "unauthorised",
  });
  const said = await out;
  assert.deepEqual([said.code, said.reason], ["unauthorised", "the token has expired"]);
  const edit = session.set([{ id: 1, t: [0, 1, 0] }]);
  session.retry();
  await pause(700);
  assert.equal(sockets.length, 1, "no attempt with the same token");
  assert.equal(session.unsaved, 1);

  const online = status(session, isOnline);
  await session.setToken("new");
  await online;
  assert.equal((await edit).edit, 7);
  assert.deepEqual(hellos, ["old", "new"]);
  assert.equal(heard.filter(({ op }) => op === "set").length, 1);
  session.close();
});

test("a token function is asked once when the server takes its token no longer", async () => {
  let taken = "old";
  let given = "old";
  let asked = 0;
  const { Socket, hellos, sockets } = server((token) =>
    token === taken ? null : "token: it has expired",
  );
  const session = await join(Socket, () => (asked++, given));
  for (const next of ["old", "new"]) {
    const before = asked;
    taken = "new";
    given = next;
    const reached = status(session, next === "new" ? isOnline : parked);
    if (next === "old")
      sockets.at(-1).end({ op: "error", fatal: true, code: "unauthorised", message: "no" });
    else session.retry();
    await reached;
    assert.equal(asked, before + 1);
  }
  assert.deepEqual(hellos, ["old", "new"]);
  session.close();
});

test("a running session keeps its token if the server refuses another one", async () => {
  const { Socket, hellos, sockets } = server((token) =>
    token === "other" ? "token: is of another user" : null,
  );
  const session = await join(Socket, "mine");
  await assert.rejects(session.setToken("other"), { code: "unauthorised" });
  const online = status(session, isOnline);
  sockets.at(-1).onclose();
  await online;
  assert.deepEqual(hellos, ["mine", "mine"]);
  session.close();
});

test("every request by HTTP says the token in a header, and nowhere else", async (t) => {
  const asked = [];
  const { fetch } = globalThis;
  t.after(() => Object.assign(globalThis, { fetch }));
  globalThis.fetch = async (url, { headers } = {}) => {
    asked.push({ url: String(url), authorization: headers?.authorization });
    return new Response("[]");
  };
  const more = { base: "http://host", token: async () => "s3cret" };
  await listScenes("http://host", more);
  for (const what of ["asset", "export", "backup"]) await fetchScene("arm", what, more);
  await importScene("arm", new ArrayBuffer(1), more);
  await renameScene("arm", "leg", more);
  await deleteScene("arm", more);
  assert.equal(asked.length, 7);
  for (const { url, authorization } of asked) {
    assert.equal(authorization, "Bearer s3cret", url);
    assert.ok(!url.includes("s3cret"));
  }
  asked.length = 0;
  await listScenes("http://host");
  assert.equal(asked[0].authorization, undefined);
});

test("what is not a token has no claims", () => {
  for (const text of [undefined, "", "abc", "a.b.c", "a.bnVsbA.c", "a.!!.c"])
    assert.equal(tokenClaims(text), null, text);
  assert.deepEqual(tokenClaims(tokenOf({ sub: "Zoë" })), { sub: "Zoë" });
  assert.equal(tokenExpiry(tokenOf({ exp: "soon" })), undefined);
});
