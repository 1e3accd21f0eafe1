// proxy.js - a reverse proxy that serves a daemon below a path, which it strips: /gizmo/ws there is /ws here. All else is 404.
import { createServer, request } from "node:http";

export class Proxy {
  /** What it answered with 404, or asked for outside of the path. */
  strays = [];

  /** @param {string} prefix "/gizmo" */
  static async start(daemon, prefix) {
    const proxy = new Proxy();
    const inside = (path) => (path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : null);
    const pass = ({ method, url, headers }) => request({ port: daemon.port, host: "127.0.0.1", method, path: inside(url), headers });
    proxy.server = createServer((asked, answer) => {
      if (inside(asked.url) === null) {
        proxy.strays.push(asked.url);
        return answer.writeHead(404).end();
      }
      const further = pass(asked);
      further.on("response", (said) => said.pipe(answer.writeHead(said.statusCode, said.headers)));
      further.on("error", () => answer.writeHead(502).end());
      asked.pipe(further);
    });
    proxy.server.on("upgrade", (asked, socket) => proxy.#upgrade(asked, socket, inside, pass));
    await new Promise((resolve) => proxy.server.listen(0, "127.0.0.1", resolve));
    proxy.url = `http://127.0.0.1:${proxy.server.address().port}${prefix}`;
    return proxy;
  }

  #upgrade(asked, socket, inside, pass) {
    socket.on("error", () => {});
    if (inside(asked.url) === null) {
      this.strays.push(asked.url);
      return socket.destroy();
    }
    const further = pass(asked);
    further.on("error", () => socket.destroy());
    further.on("response", () => socket.destroy());
    further.on("upgrade", ({ statusCode, statusMessage, rawHeaders }, other, head) => {
      const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
      for (let i = 0; i < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
      socket.write(`${lines.join("\r\n")}\r\n\r\n`);
      socket.write(head);
      other.on("error", () => socket.destroy());
      socket.on("close", () => other.destroy());
      other.on("close", () => socket.destroy());
      other.pipe(socket).pipe(other);
    });
    further.end();
  }

  async stop() {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
