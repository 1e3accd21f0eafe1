// types.ts - the types that the client package accepts and returns. proto/README.md describes the
// fields on the wire. All are in glTF's terms: right-handed, +Y up, metres, radians, quaternions
// [x, y, z, w], matrices by columns; pixels from the top left, times in Unix seconds.

import type {
  AccessState,
  Change,
  CheckpointState,
  EditKind,
  Id,
  Mode,
  NoteState,
  PointerMessage,
  PosedNode,
  PresenceUser,
  Role,
  SetNode,
  Space,
  ToolMessage,
  ToolSnap,
} from "./wire.js";

export type Vec2 = [x: number, y: number];
export type Vec3 = [x: number, y: number, z: number];
export type Quat = [x: number, y: number, z: number, w: number];
/** The least x, y, z, then the greatest. */
export type Box = [x0: number, y0: number, z0: number, x1: number, y1: number, z1: number];
/** Origin and direction, in the world. */
export type Ray = [x: number, y: number, z: number, dx: number, dy: number, dz: number];
/** 16 numbers, by columns. */
export type Mat4 = ArrayLike<number>;

export type {
  ClientMessage,
  EditKind,
  Order as EulerOrder,
  Hit,
  Id,
  Mode,
  Modifier,
  Side as NodeState,
  Role,
  ServerMessage,
  Space,
} from "./wire.js";
export type Pivot = NonNullable<ToolMessage["pivot"]>;

export interface SceneNode {
  readonly id: Id;
  name: string;
  parent: Id | null;
  /** While the node is dragged here, its t, r and s are written again: copy what you keep. */
  t: Vec3;
  r: Quat;
  s: Vec3;
  /** In the node's own space. */
  bounds?: Box;
  /**
   * The number of the glTF node that it came from; copies of a node have the same number. Less the
   * `first` of its file (`listAssets`) it is the index in the file. In a scene of one file `first`
   * is 0.
   */
  asset?: number;
  /** The session that last changed the node. */
  by?: number;
  /** Ids of the children, ascending. */
  readonly children: readonly Id[];
}

/**
 * What one frame of the server changed, or this page; with `all` anything may have changed. It is
 * valid during the call of the listener: the next change may be written into it.
 */
export interface SceneChange {
  all: boolean;
  added: Id[];
  gone: Id[];
  /** Nodes whose t, r, s or parent changed; nodes below them moved as well and are not listed. */
  moved: Id[];
  /** Nodes whose name or parent changed. */
  structure: Id[];
  /** Where those of `moved` were before that the server moved below the same parent. */
  from: Map<Id, Transform>;
}

export interface Transform {
  t: Vec3;
  r: Quat;
  s: Vec3;
}

export interface Person extends Omit<PresenceUser, "view"> {
  /** What others see in place of `user`, if the user's token says so. */
  name?: string;
  /** #rrggbb */
  colour: string;
  /** Whether this is the session itself. */
  me: boolean;
  view?: number[];
  /** Left, right, bottom and top of the picture at 1 m before the eye, in metres. */
  lens?: [number, number, number, number];
  /** An orthographic camera: the edges of `lens` hold at every distance. */
  parallel?: boolean;
  /** Nodes that the session holds. */
  locks?: Id[];
}

export interface Note extends NoteState {
  /** In the space of `node`, or of the world if there is no node. */
  point?: Vec3;
}

/**
 * A gizmo is valid until the session's has changed twice: two objects are written in turn, so that
 * each change is another object than the one before.
 */
export interface Gizmo {
  mode: Mode;
  space: Space;
  origin: Vec3;
  /** Three unit vectors in the world, along which the handles `tx` to `tv` move. */
  axes: number[];
  /** The axes of the rings, if they differ from `axes`. */
  turn_axes?: number[];
  /** The axes of the scale handles, if they differ from `axes`. */
  scale_axes?: number[];
  /**
   * In the mode `bounds`: the middle of the box, and three vectors from there to the middle of the
   * faces `bxp`, `byp` and `bzp`.
   */
  box?: number[];
  /** The length of an axis, in metres: constant in pixels. */
  size: number;
  /** The handles to draw. */
  handles: string[];
  hover?: string;
  active?: string;
  /** While a drag runs: its amount, as in `grab.value`. */
  value?: number[];
  /** While a drag runs: the origin at its beginning. */
  start?: Vec3;
  /** While a ring is dragged: the direction from `start` to where it was grabbed, a unit vector. */
  arm?: Vec3;
  /** While a ring is dragged: its axis, right-handed. */
  axis?: Vec3;
}

export interface Edit {
  id: number;
  by: number;
  user: string;
  kind: EditKind;
  handle?: string;
  /** The typed number or numbers, as in `grab`, if the amount was typed. */
  value?: number[];
  nodes: Id[];
  /**
   * For an edit of one node: its name after the edit, or before it if the edit deleted the node.
   */
  name?: string;
  residual?: number;
  seq: number;
  began: number;
  ended: number;
  /** In answers of `history` only: whether the edit is undone at present. */
  undone?: boolean;
  /** In answers of `history` with `alone` only: how many nodes the edit changed. */
  total?: number;
  /** In answers of `history` only. `name` is the name of the node at that time. */
  changes?: Change[];
}

export interface PathPoint {
  seq: number;
  edit: number;
  time: number;
  t: Vec3;
  r: Quat;
  s: Vec3;
  parent: Id | null;
}

export type Checkpoint = Omit<CheckpointState, "gone">;

/** A role in the scene that was given to the users whose names match a pattern. */
export interface Access extends AccessState {
  /** The pattern: `*` is any characters or none, `?` is one. */
  user: string;
}

export interface Snap extends ToolSnap {
  /** Metres. */
  t?: number;
  /** Radians. */
  r?: number;
  /** The step of a scale factor. */
  s?: number;
}

/** The settings of the next drag; only the given fields change. */
export interface Tool extends Omit<ToolMessage, "op" | "rid"> {
  snap?: Snap;
  /** The length of a handle in pixels. */
  size?: number;
  /** How far from a handle, or from something thin, a press still takes it, in pixels. */
  tolerance?: number;
  /** Whether a press selects what is visible, by triangles, or selects by bounds. */
  surface?: boolean;
  /**
   * Whether a scale that is dragged past its pivot becomes negative; otherwise it stops just above
   * 0.
   */
  mirror?: boolean;
}

export interface Camera {
  /** From the world to the eye. */
  view: Mat4;
  /** From the eye to clip space. */
  proj: Mat4;
  /** x, y, width, height in pixels. */
  viewport: ArrayLike<number>;
  /** Which way y goes after the projection; `up` by default. */
  ndc_y?: "up" | "down";
  /** The eye space is left-handed. */
  left_handed?: boolean;
  /**
   * The point that an orbit turns about; by default the middle of the selection or of the scene.
   */
  target?: Vec3;
}

/** A pointer on the screen in pixels of the camera's viewport, or a ray in the world. */
export type Place = Pick<PointerMessage, "at" | "ray" | "mods">;

/** Where a node is to be: what is not said stays as it is. */
export interface NodePose extends PosedNode {
  /** Single coordinates, in place of `t`. */
  x?: number;
  y?: number;
  z?: number;
}

export interface NodeChange extends NodePose, SetNode {
  /** With `parent`, and without numbers: the node stays where it is in the world. */
  keep?: boolean;
}

export type NewNode = {
  /** A reference by which later nodes of the list can name this one as their parent. */
  ref?: string;
  parent?: Id | string | null;
  t?: Vec3;
  r?: Quat;
  s?: Vec3;
  bounds?: Box;
} & (
  | { name: string; copy?: undefined }
  /**
   * The node to copy, with its mesh but without its children; given fields replace those of the
   * copy.
   */
  | { name?: string; copy: Id }
);

/** The answer to an edit; without `edit` if nothing changed. */
export interface Done {
  seq: number;
  edit?: number;
}

export type Phase = "connecting" | "online" | "offline" | "closed";

export interface Status {
  phase: Phase;
  /** Why the session is offline or closed, in words for people. */
  reason?: string;
  /**
   * Closed: the code of the error that is the reason, or "closed". Offline: "unauthorised" or
   * "forbidden" if the server takes the token no longer; the session then waits for `setToken`.
   */
  code?: string;
  /** Closed because the scene was renamed: its new name. */
  scene?: string;
  /** Offline: the time of the next attempt, in milliseconds as Date.now(). */
  retryAt?: number;
  /** Online again without having missed a change; otherwise the scene was sent again. */
  resumed?: boolean;
  /**
   * Online again, but the server has an earlier state than it said was saved: its file was
   * replaced, for example by a backup.
   */
  older?: boolean;
  /** While the scene is loading: the number of nodes received so far. */
  loaded?: number;
}

/** A token, or a function that gives the token of now; it may be asked several times. */
export type TokenOption = string | (() => string | undefined | Promise<string | undefined>);

export interface ConnectOptions {
  /**
   * The daemon's address, `http://host:port/`, or that of its WebSocket, `ws://host:port/ws`. In a
   * page the default is the page's own host. Several, such as the members of a cluster, are tried
   * in turn: a list, or a text with commas between them.
   */
  url?: string | readonly string[];
  scene: string;
  user: string;
  role?: Role;
  /**
   * Says who the user is, on a server that asks for it. A function is asked before each connection,
   * and again before its token expires.
   */
  token?: TokenOption;
  /** Create the scene if it does not exist. */
  create?: boolean;
  /**
   * Whether what the user does shows at once, before the server answers; true by default. It needs
   * predict.wasm: its address, a response or its bytes, if it is not beside this package's files.
   * Without it everything works as with false.
   */
  predict?: boolean | string | URL | Response | BufferSource;
  /**
   * The form in which the server tells; "packed" by default, which takes a tenth of the bytes. It
   * rounds the views and pointers of others to less than a pixel, and a running drag of many nodes
   * to 1e-9 of what it is until it ends. In "plain" they are exact.
   */
  form?: "packed" | "plain";
  /** The WebSocket class, if there is no global one (Node before 22: the package ws). */
  WebSocket?: unknown;
}

/** A glTF file that nodes of a scene came from. */
export interface SceneAsset {
  /** Its nodes have the numbers from `first` on, `count` of them, in the order of the file. */
  first: number;
  count: number;
  /** Of the edit that brought it first. */
  seq: number;
  bytes: number;
  sha256: string;
}

/** What came of an import. */
export interface ImportResult {
  scene: string;
  nodes: number;
  matrices: number;
  residual: number;
  seq: number;
  /** The ids of the nodes that are roots in the file. */
  roots: Id[];
  /** What of the file cannot be used, in words. */
  warnings?: string[];
}

export interface SceneListing {
  name: string;
  nodes: number;
  seq: number;
  users: number;
  /** Whether the daemon has the scene open. */
  open: boolean;
  /** When its last edit ended, or when it was created. Unix seconds. */
  changed: number;
}
