// hocuspocus.mjs - a Hocuspocus server with a Yjs document: a map of nodes, each a map of its own.
import { Server } from "@hocuspocus/server";
import * as encoding from "lib0/encoding";
import * as sync from "y-protocols/sync";
import * as Y from "yjs";
import { ADDRESS, nodeOf, places } from "./scene.mjs";

export const name = "Hocuspocus";

const DOCUMENT = "scene";
/** Of Hocuspocus' protocol. */
const SYNC = 0;
const AUTHENTICATION = 2;

/** The same on all sides, so that an editor knows the document before it has come. */
function begin(scene) {
  const document = new Y.Doc();
  document.clientID = 1;
  document.transact(() => {
    const nodes = document.getMap("nodes");
    places(scene).forEach((x, id) => {
      nodes.set(String(id), new Y.Map(Object.entries({ x, y: 0, z: 0 })));
    });
  });
  return document;
}

export async function serve(scene) {
  const server = new Server({
    address: ADDRESS,
    port: 0,
    quiet: true,
    onLoadDocument: async ({ document }) => {
      Y.applyUpdate(document, Y.encodeStateAsUpdate(begin(scene)));
    },
  });
  await server.listen();
  return server.address.port;
}

function message(type, write) {
  const encoder = encoding.createEncoder();
  encoding.writeVarString(encoder, DOCUMENT);
  encoding.writeVarUint(encoder, type);
  write(encoder);
  return encoding.toUint8Array(encoder);
}

/** The document of an editor, and what Yjs says of its last change. */
function editor(number, start) {
  const document = new Y.Doc();
  const told = { document, update: new Uint8Array() };
  Y.applyUpdate(document, start);
  document.clientID = 100 + number;
  document.on("update", (update) => {
    told.update = update;
  });
  return told;
}

export function plan(scene) {
  const start = Y.encodeStateAsUpdate(begin(scene));
  const editors = Array.from({ length: scene.editors }, (_, number) => editor(number, start));
  const hello = [
    message(AUTHENTICATION, (encoder) => {
      encoding.writeVarUint(encoder, 0);
      encoding.writeVarString(encoder, "");
      encoding.writeVarString(encoder, "4.7.0");
    }),
    message(SYNC, (encoder) => sync.writeSyncStep1(encoder, new Y.Doc())),
  ];
  return {
    paths: ["/"],
    hello,
    move: (number, x) => {
      const { document } = editors[number];
      document.getMap("nodes").get(String(nodeOf(number, scene))).set("x", x);
      return message(SYNC, (encoder) => sync.writeUpdate(encoder, editors[number].update));
    },
  };
}
