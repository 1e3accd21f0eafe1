// colyseus.mjs - a Colyseus room whose state is a schema: a message moves a node, and what changed
// is sent at the rate of the moves, 60 times a second (its default is 20).
import { Room, Server } from "@colyseus/core";
import { Encoder, schema, t } from "@colyseus/schema";
import { WebSocketTransport } from "@colyseus/ws-transport";
import { pack } from "msgpackr";
import { createServer } from "node:http";
import { ADDRESS, BACKLOG, nodeOf, places } from "./scene.mjs";

export const name = "Colyseus";

const Node = schema({ x: t.float64(), y: t.float64(), z: t.float64() }, "Node");
const State = schema({ nodes: t.map(Node) }, "State");

// As Colyseus asks for when a state is large.
Encoder.BUFFER_SIZE = 2 ** 20;

/** Of Colyseus' protocol. */
const JOIN_ROOM = 10;
const ROOM_DATA = 13;

class SceneRoom extends Room {
  patchRate = 1000 / 60;
  seatReservationTimeout = 120;

  onCreate({ scene }) {
    this.state = new State();
    places(scene).forEach((x, id) => {
      this.state.nodes.set(String(id), new Node().assign({ x, y: 0, z: 0 }));
    });
    this.onMessage("move", (_, { id, x }) => {
      this.state.nodes.get(id).x = x;
    });
  }
}

export async function serve(scene) {
  const http = createServer();
  const transport = new WebSocketTransport({ server: http });
  const server = new Server({ greet: false, transport });
  server.define("scene", SceneRoom, { scene });
  await server.listen(0, ADDRESS, BACKLOG);
  return http.address().port;
}

/** The path of a connection's seat, which is asked for by HTTP. */
async function seat(port) {
  const url = `http://${ADDRESS}:${port}/matchmake/joinOrCreate/scene`;
  const headers = { "Content-Type": "application/json" };
  const answer = await (await fetch(url, { method: "POST", headers, body: "{}" })).json();
  const { processId, roomId, sessionId } = answer;
  if (!sessionId) throw new Error(`no seat: ${JSON.stringify(answer)}`);
  return `/${processId}/${roomId}?sessionId=${sessionId}`;
}

export async function plan(scene, { port, connections }) {
  const paths = [await seat(port)];
  const began = performance.now();
  while (paths.length < connections) {
    const more = Math.min(50, connections - paths.length);
    paths.push(...(await Promise.all(Array.from({ length: more }, () => seat(port)))));
  }
  const head = Buffer.from([ROOM_DATA, ...pack("move")]);
  return {
    paths,
    seats_s: (performance.now() - began) / 1000, // counts as a part of the joins
    waits: true,
    hello: [[JOIN_ROOM]],
    move: (editor, x) => Buffer.concat([head, pack({ id: String(nodeOf(editor, scene)), x })]),
  };
}
