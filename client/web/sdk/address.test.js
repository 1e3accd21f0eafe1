// Where the daemon's paths and its WebSocket are, from what an application says.
import assert from "node:assert/strict";
import { test } from "node:test";

import { socketUrl, socketUrls } from "./address.js";
import { connect, sceneUrl } from "./index.js";
import { healthUrl } from "./reachable.js";

/** Runs something as if it were in a page, or in a program without some globals. */
function withGlobals(globals, run) {
  const before = Object.keys(globals).map((name) => [
    name,
    Object.getOwnPropertyDescriptor(globalThis, name),
  ]);
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  try {
    return run();
  } finally {
    for (const [name, was] of before) {
      if (was) Object.defineProperty(globalThis, name, was);
      else delete globalThis[name];
    }
  }
}

test("address_a_base_may_end_in_a_slash_or_not_and_have_a_path", () => {
  assert.equal(sceneUrl("arm", "asset"), "/scenes/arm/asset");
  assert.equal(sceneUrl("arm", "asset", "http://host:1"), "http://host:1/scenes/arm/asset");
  assert.equal(sceneUrl("arm", "asset", "http://host:1/"), "http://host:1/scenes/arm/asset");
  assert.equal(
    sceneUrl("a b", "export", "https://host/gizmo/"),
    "https://host/gizmo/scenes/a%20b/export",
  );
});

test("address_the_websocket_is_below_the_same_path", () => {
  assert.equal(socketUrl("https://host/gizmo/"), "wss://host/gizmo/ws");
  assert.equal(socketUrl("http://host:1"), "ws://host:1/ws");
  assert.equal(
    socketUrl("http://host:1/ws"),
    "ws://host:1/ws",
    "an http address of the WebSocket's path",
  );
  assert.equal(socketUrl("https://host/gizmo/ws/"), "wss://host/gizmo/ws");
  assert.equal(
    socketUrl("http://host/laws"),
    "ws://host/laws/ws",
    "a path that only ends in these letters",
  );
  assert.equal(
    socketUrl("ws://host:1/other"),
    "ws://host:1/other",
    "a WebSocket's own address stays",
  );
  const page = { location: new URL("https://host/page/here") };
  assert.equal(
    withGlobals(page, () => socketUrl()),
    "wss://host/ws",
  );
  assert.throws(() => socketUrl(), /outside of a web page connect needs a url/);
});

test("address_several_are_a_list_or_have_commas_between", () => {
  assert.deepEqual(socketUrls("http://a, wss://b/ws,"), ["ws://a/ws", "wss://b/ws"]);
  assert.deepEqual(socketUrls(["http://a/", "http://b"]), ["ws://a/ws", "ws://b/ws"]);
  assert.throws(() => socketUrls(" , "), /has no address/);
  assert.throws(() => socketUrls([]), /has no address/);
});

test("address_whether_the_server_is_there_is_asked_beside_its_websocket", () => {
  const page = { location: new URL("https://host/gizmo/?scene=a") };
  assert.equal(
    withGlobals(page, () => healthUrl("wss://host/gizmo/ws")),
    "https://host/gizmo/healthz",
  );
  assert.equal(
    withGlobals(page, () => healthUrl("wss://other/gizmo/ws")),
    null,
  );
  assert.equal(healthUrl("ws://host/ws"), null);
});

test("address_without_any_websocket_the_error_says_to_pass_one", async () => {
  const joined = withGlobals({ WebSocket: undefined }, () =>
    connect({ url: "ws://127.0.0.1:1/ws", scene: "a", user: "Ada" }),
  );
  await assert.rejects(joined, /there is no global WebSocket.*pass one.*package ws/);
});
