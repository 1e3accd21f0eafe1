// delay.js - a network between a daemon and its clients: it delivers late, with jitter, in order; it stalls; it breaks.
import { connect, createServer } from "node:net";

/** How long it may take until a delivery notices that a stall is over. */
const LOOK_MS = 20;

export class Delay {
  /** What came and was not delivered yet, on both ways. */
  waiting = 0;

  #wires = new Set();
  #stalled = 0;
  #closed = false;

  /**
   * @param {number} port of the daemon
   * @param {{ ms?: number, jitter?: number, random?: () => number }} [network] `ms` there and back; each piece takes as long, up to the share `jitter`
   * more or less
   */
  static async start(port, network = {}) {
    const delay = new Delay();
    delay.set(network);
    delay.server = createServer((socket) => delay.#join(socket, port));
    await new Promise((resolve) => delay.server.listen(0, "127.0.0.1", resolve));
    delay.port = delay.server.address().port;
    delay.url = `http://127.0.0.1:${delay.port}`;
    delay.socket = `ws://127.0.0.1:${delay.port}/ws`;
    return delay;
  }

  /** What is on its way keeps its time. */
  set({ ms = 0, jitter = 0, random = Math.random }) {
    Object.assign(this, { ms, jitter, random });
  }

  /** Nothing is delivered for so long, or until `goOn`. */
  stall(ms = Infinity) {
    this.#stalled = Math.max(this.#stalled, performance.now() + ms);
  }

  goOn() {
    this.#stalled = 0;
  }

  /** Every connection breaks; what is on its way is lost. */
  cut() {
    for (const wire of this.#wires) for (const end of wire) end.destroy();
  }

  /** New connections are refused while it is closed. */
  close(closed = true) {
    this.#closed = closed;
    if (closed) this.cut();
  }

  async stop() {
    this.close();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #join(near, port) {
    if (this.#closed) return near.destroy();
    const far = connect(port, "127.0.0.1");
    const wire = [near, far];
    this.#wires.add(wire);
    for (const end of wire) {
      end.setNoDelay(true);
      end.on("error", () => {});
      end.on("close", () => {
        this.#wires.delete(wire);
        for (const other of wire) other.destroy();
      });
    }
    this.#lay(near, far);
    this.#lay(far, near);
  }

  /** One way of a connection. */
  #lay(from, to) {
    const pieces = [];
    let last = 0,
      timer;
    const deliver = () => {
      timer = undefined;
      const now = performance.now();
      while (pieces.length > 0 && Math.max(pieces[0].due, this.#stalled) <= now) {
        this.waiting--;
        to.write(pieces.shift().bytes);
      }
      wait();
    };
    const wait = () => {
      if (pieces.length === 0 || timer) return;
      const rest = Math.max(pieces[0].due, this.#stalled) - performance.now();
      timer = setTimeout(deliver, Math.max(0, Math.min(rest, LOOK_MS)));
    };
    from.on("data", (bytes) => {
      const late = (this.ms / 2) * (1 + this.jitter * (2 * this.random() - 1));
      last = Math.max(last, performance.now() + late);
      pieces.push({ bytes, due: last });
      this.waiting++;
      wait();
    });
    from.on("close", () => {
      clearTimeout(timer);
      this.waiting -= pieces.length;
      pieces.length = 0;
    });
  }
}
