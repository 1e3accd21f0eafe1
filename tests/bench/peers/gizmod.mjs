// gizmod.mjs - gizmod itself, and the floor: a bare server on epoll with gizmod's protocol, which
// sends each change at once (floor_bench.c). What clients ask for is what the client package does.
import { pack } from "msgpackr";
import { ADDRESS, mark, nodeOf, places } from "./scene.mjs";

/** Looks along -z from (0, 0, 10), so that there is a gizmo. */
const CAMERA = {
  op: "camera",
  view: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -10, 1],
  proj: [1.3, 0, 0, 0, 0, 1.7, 0, 0, 0, 0, -1.002, -1, 0, 0, -0.2, 0],
  viewport: [0, 0, 800, 600],
};

const hello = (role) => ({
  op: "hello",
  v: 1,
  scene: "scene",
  user: role,
  role,
  create: role === "editor",
  form: "packed",
});

function plan(scene) {
  const create = places(scene).map((x) => ({ name: "node", t: [x, 0, 0] }));
  let n = 0;
  return {
    paths: ["/ws"],
    greeting: [pack(hello("editor")), pack(CAMERA)],
    hello: [pack(hello("viewer"))],
    setup: [pack({ op: "create", nodes: create })],
    // A typed value is a way from where the node began.
    move: (editor, x) =>
      pack({
        op: "grab",
        phase: "down",
        handle: "tx",
        n: ++n,
        nodes: [nodeOf(editor, scene) + 1],
        value: [x - mark(editor)],
      }),
  };
}

export const gizmod = (name, program) => ({
  name,
  plan,
  command: (folder) => [
    ...[program, "--listen", `${ADDRESS}:0`, "--data", folder],
    ...["--web", "none", "--log-level", "error"],
  ],
});

/** Its scene has at most 16 nodes. */
export const floor = (program) => ({
  name: "floor",
  plan,
  nodes_max: 16,
  command: () => [program, "-f"],
});
