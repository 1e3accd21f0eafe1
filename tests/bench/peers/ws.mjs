// ws.mjs - the least that a server of one's own does: the package ws, and JSON that is passed on to
// everybody else as it came. Who comes is sent the scene.
import { WebSocket, WebSocketServer } from "ws";
import { ADDRESS, BACKLOG, nodeOf, places } from "./scene.mjs";

export const name = "ws";

export function serve(scene) {
  const xs = places(scene);
  const server = new WebSocketServer({ host: ADDRESS, port: 0, backlog: BACKLOG });
  server.on("connection", (socket) => {
    socket.send(JSON.stringify({ nodes: xs.map((x, id) => ({ id, x, y: 0, z: 0 })) }));
    socket.on("message", (data) => {
      const { id, x } = JSON.parse(data);
      xs[id] = x;
      for (const client of server.clients)
        if (client !== socket && client.readyState === WebSocket.OPEN)
          client.send(data, { binary: false });
    });
  });
  return new Promise((resolve) => server.on("listening", () => resolve(server.address().port)));
}

export const plan = (scene) => ({
  text: true,
  paths: ["/"],
  move: (editor, x) => JSON.stringify({ id: nodeOf(editor, scene), x }),
});
