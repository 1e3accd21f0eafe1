// sharedb.mjs - a ShareDB server with its database in memory, and a scene that is one JSON document
// of the type json0. An operation comes without a version, as the plan cannot know it: the server
// takes the latest one, which saves it transforms.
import WebSocketJSONStream from "@teamwork/websocket-json-stream";
import ShareDB from "sharedb";
import { WebSocketServer } from "ws";
import { ADDRESS, BACKLOG, mark, nodeOf, places } from "./scene.mjs";

export const name = "ShareDB";

const COLLECTION = "scenes";
const DOCUMENT = "scene";

export async function serve(scene) {
  const backend = new ShareDB();
  const nodes = places(scene).map((x) => ({ x, y: 0, z: 0 }));
  const document = backend.connect().get(COLLECTION, DOCUMENT);
  await new Promise((resolve, reject) => {
    document.create({ nodes }, (error) => (error ? reject(error) : resolve()));
  });
  const server = new WebSocketServer({ host: ADDRESS, port: 0, backlog: BACKLOG });
  server.on("connection", (socket) => backend.listen(new WebSocketJSONStream(socket)));
  await new Promise((resolve) => server.on("listening", resolve));
  return server.address().port;
}

export function plan(scene) {
  const last = Array.from({ length: scene.editors }, (_, editor) => mark(editor));
  let seq = 0;
  const of = { c: COLLECTION, d: DOCUMENT };
  return {
    text: true,
    paths: ["/"],
    hello: [
      JSON.stringify({ a: "hs", id: null, protocol: 1, protocolMinor: 2 }),
      JSON.stringify({ a: "s", ...of, v: null }),
    ],
    move: (editor, x) => {
      const op = [{ p: ["nodes", nodeOf(editor, scene), "x"], od: last[editor], oi: x }];
      last[editor] = x;
      return JSON.stringify({ a: "op", ...of, v: null, seq: ++seq, x: {}, op });
    },
  };
}
