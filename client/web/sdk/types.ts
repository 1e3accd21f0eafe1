// types.ts - the shapes that the client package takes and gives. What the fields mean on the wire
// is in proto/README.md; all are in glTF's terms: right-handed, +Y up, metres, radians, quaternions
// [x, y, z, w], matrices column by column, pixels from the top left, times in Unix seconds.

export type Id = number;
export type Vec2 = [x: number, y: number];
export type Vec3 = [x: number, y: number, z: number];
export type Quat = [x: number, y: number, z: number, w: number];
/** The least x, y, z, then the largest. */
export type Box = [x0: number, y0: number, z0: number, x1: number, y1: number, z1: number];
/** Origin and direction, in the world. */
export type Ray = [x: number, y: number, z: number, dx: number, dy: number, dz: number];
/** 16 numbers, column by column. */
export type Mat4 = ArrayLike<number>;

export type Role = "viewer" | "editor" | "admin";
export type Mode =
  | "none"
  | "translate"
  | "rotate"
  | "scale"
  | "bounds"
  | "universal"
  | "arcball"
  | "orbit";
export type Space = "world" | "local" | "parent" | "view";
export type Pivot = "median" | "active" | "each" | "bounds" | Vec3;
export type EulerOrder = "XYZ" | "XZY" | "YXZ" | "YZX" | "ZXY" | "ZYX";
export type Modifier = "snap" | "fine" | "add" | "orbit";
export type EditKind =
  | "translate"
  | "rotate"
  | "scale"
  | "ball"
  | "wheel"
  | "set"
  | "create"
  | "delete"
  | "undo"
  | "redo"
  | "restore"
  | "import";

export interface SceneNode {
  readonly id: Id;
  name: string;
  parent: Id | null;
  t: Vec3;
  r: Quat;
  s: Vec3;
  /** In the node's own space. */
  bounds?: Box;
  /** The index of its node in the scene's glTF; copies have the same. */
  asset?: number;
  /** The session that changed it last. */
  by?: number;
  /** Ids of those that hang below it, ascending. */
  readonly children: readonly Id[];
}

/** What one frame of the server changed, or, with `all`, that everything may be another. */
export interface SceneChange {
  all: boolean;
  added: Id[];
  gone: Id[];
  /**
   * Those whose t, r or s changed, or whose parent did; what hangs below them moved with them and
   * is not listed.
   */
  moved: Id[];
  /** Those whose name or parent changed. */
  structure: Id[];
}

export interface Person {
  session: number;
  user: string;
  /** #rrggbb */
  colour: string;
  role: Role;
  /** Oneself. */
  me: boolean;
  at?: Vec2;
  ray?: Ray;
  view?: number[];
  /** Left, right, bottom, top of what is seen at 1 m before the eye, in metres. */
  lens?: [number, number, number, number];
  /** An orthographic camera: the edges of `lens` hold at every distance. */
  parallel?: boolean;
  selection?: Id[];
  tool?: Mode;
  /** Nodes that are held. */
  locks?: Id[];
}

export interface Note {
  id: number;
  user: string;
  text: string;
  node?: Id;
  /** In the space of `node`, or of the world without one. */
  point?: Vec3;
  reply?: number;
  done?: boolean;
  made: number;
  changed: number;
}

export interface Gizmo {
  mode: Mode;
  space: Space;
  origin: Vec3;
  /** Three unit vectors in the world: what `tx` to `tv` move along. */
  axes: number[];
  /** What rings turn about, where it is not `axes`. */
  turn_axes?: number[];
  /** Where scale handles are, where it is not `axes`. */
  scale_axes?: number[];
  /**
   * In the mode `bounds`: the middle of the box, and three vectors from there to the middle of the
   * faces `bxp`, `byp` and `bzp`.
   */
  box?: number[];
  /** The length of an axis, in metres: constant in pixels. */
  size: number;
  /** Those that are drawn. */
  handles: string[];
  hover?: string;
  active?: string;
  /** While a drag runs: how far it went, as in `grab.value`. */
  value?: number[];
  /** While a drag runs: where the origin was at its beginning. */
  start?: Vec3;
  /** While a ring is dragged: from `start` to where it was grabbed, a unit vector. */
  arm?: Vec3;
  /** While a ring is dragged: what it turns about, right-handed. */
  axis?: Vec3;
}

export interface NodeState {
  t?: Vec3;
  r?: Quat;
  s?: Vec3;
  name?: string;
  parent?: Id | null;
}

export interface Edit {
  id: number;
  by: number;
  user: string;
  kind: EditKind;
  handle?: string;
  /** Where it was typed: one or two numbers, as in `grab`. */
  value?: number[];
  nodes: Id[];
  /**
   * Of an edit of one node: what the node was called right after it, or before it if the edit
   * deleted the node.
   */
  name?: string;
  residual?: number;
  seq: number;
  began: number;
  ended: number;
  /** In answers of `history` only: taken back as things stand. */
  undone?: boolean;
  /** In answers of `history` only. `name` is what the node was called then. */
  changes?: { id: Id; name?: string; before?: NodeState; after?: NodeState }[];
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

export interface Checkpoint {
  name: string;
  seq: number;
  user: string;
  made: number;
}

export interface Snap {
  /** Metres. */
  t?: number;
  /** Radians. */
  r?: number;
  /** Step of the factor. */
  s?: number;
  on?: boolean;
  absolute?: boolean;
}

/** What the next drag does; only the fields that are given change. */
export interface Tool {
  mode?: Mode;
  space?: Space;
  pivot?: Pivot;
  snap?: Snap;
  /** Length of a handle in pixels. */
  size?: number;
  /** Pixels beside a handle, or beside what is thin, at which a press still takes it. */
  tolerance?: number;
  /** Whether a press selects what is seen, by triangles, or by bounds. */
  surface?: boolean;
  edge?: number;
  axis_method?: "screen" | "closest" | "plane";
  ball?: "exact" | "shoemake" | "bell" | "chen";
  ball_fit?: "object" | "circle" | "ellipse";
  orbit?: "ball" | "turntable";
  /**
   * Whether a scale dragged past its fixed point turns negative; it stops just above 0 otherwise.
   */
  mirror?: boolean;
}

export interface Camera {
  /** World to eye. */
  view: Mat4;
  /** Eye to clip. */
  proj: Mat4;
  /** x, y, width, height in pixels. */
  viewport: ArrayLike<number>;
  /** What an orbit turns about; without it the middle of the selection or of the scene. */
  target?: Vec3;
}

/** A pointer on the screen in pixels of the camera's viewport, or a ray in the world. */
export interface Place {
  at?: Vec2;
  ray?: Ray;
  mods?: Modifier[];
}

export interface NodeChange {
  id: Id;
  t?: Vec3;
  r?: Quat;
  s?: Vec3;
  euler?: Vec3;
  order?: EulerOrder;
  name?: string;
  parent?: Id | null;
}

export type NewNode = {
  /** By which later ones of the list can name this one as their parent. */
  ref?: string;
  parent?: Id | string | null;
  t?: Vec3;
  r?: Quat;
  s?: Vec3;
  bounds?: Box;
} & (
  | { name: string; copy?: undefined }
  /** What is left out is as that node has it, its mesh too; not what is below it. */
  | { name?: string; copy: Id }
);

export interface Hit {
  id: Id;
  distance: number;
  point: Vec3;
}

/** What the answer to an edit says: `edit` is not there where nothing changed. */
export interface Done {
  seq: number;
  edit?: number;
}

export type Phase = "connecting" | "online" | "offline" | "closed";

export interface Status {
  phase: Phase;
  /** In words, for people: why it is offline or closed. */
  reason?: string;
  /** Closed: the code of the error that says why, or "closed". */
  code?: string;
  /** Closed because the scene was renamed: its new name. */
  scene?: string;
  /** Offline: when the next attempt is made, in milliseconds of Date.now(). */
  retryAt?: number;
  /** Online again with nothing missed, rather than from a new snapshot. */
  resumed?: boolean;
  /**
   * Online again, but the server has an earlier state than one that it said was saved: its file was
   * replaced, by a backup say.
   */
  older?: boolean;
  /** While the scene is being loaded: nodes that have come so far. */
  loaded?: number;
}

export interface ConnectOptions {
  /**
   * The daemon's address, `http://host:port/`, or that of its WebSocket, `ws://host:port/ws`. In a
   * page its own host is the default.
   */
  url?: string;
  scene: string;
  user: string;
  role?: Role;
  token?: string;
  /** Make the scene if it is not there. */
  create?: boolean;
  /** The WebSocket to use where there is no global one (Node before 22: the package ws). */
  WebSocket?: unknown;
}

export interface SceneListing {
  name: string;
  nodes: number;
  seq: number;
  users: number;
  /** Whether the daemon has it open. */
  open: boolean;
  /** When its last edit ended, or it was made. Unix seconds. */
  changed: number;
}
