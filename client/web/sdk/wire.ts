// wire.ts - the messages of the plain form, as proto/README.md describes them. Made from
// proto/gizmod.cddl by tests/wire/make.mjs: do not edit.

export type GizmodMessage = ClientMessage | ServerMessage;
export type ClientMessage =
  | HelloMessage
  | CameraMessage
  | ToolMessage
  | SelectMessage
  | PointerMessage
  | GrabMessage
  | WheelMessage
  | HoldMessage
  | PoseMessage
  | ReleaseMessage
  | CancelMessage
  | SetMessage
  | CreateMessage
  | DeleteMessage
  | PickMessage
  | UndoMessage
  | RedoMessage
  | HistoryMessage
  | AtMessage
  | RestoreMessage
  | RevertMessage
  | CheckpointMessage
  | CheckpointsMessage
  | PathMessage
  | InterestMessage
  | NoteMessage
  | TokenMessage
  | AccessMessage
  | AccessesMessage
  | LinkMessage
  | WhoMessage
  | PingMessage;
export type Count = number;
export type SceneName = string;
export type Role = "viewer" | "editor" | "admin";
export type Mode =
  "none" | "translate" | "rotate" | "scale" | "bounds" | "universal" | "arcball" | "orbit";
export type Space = "world" | "local" | "parent" | "view";
export type Id = number;
export type How = "set" | "add" | "remove" | "toggle";
export type Phase = "hover" | "down" | "move" | "up" | "cancel";
export type Modifier = "snap" | "fine" | "add" | "orbit" | "picked";
export type Handle =
  | "tx"
  | "ty"
  | "tz"
  | "txy"
  | "tyz"
  | "tzx"
  | "tv"
  | "rx"
  | "ry"
  | "rz"
  | "rv"
  | "rb"
  | "sx"
  | "sy"
  | "sz"
  | "sxy"
  | "syz"
  | "szx"
  | "su"
  | "bxn"
  | "bxp"
  | "byn"
  | "byp"
  | "bzn"
  | "bzp"
  | "bnnn"
  | "bnnp"
  | "bnpn"
  | "bnpp"
  | "bpnn"
  | "bpnp"
  | "bppn"
  | "bppp";
export type Order = "XYZ" | "XZY" | "YXZ" | "YZX" | "ZXY" | "ZYX";
export type ServerMessage =
  | WelcomeMessage
  | DeltaMessage
  | SavedMessage
  | GizmoMessage
  | ServerCameraMessage
  | PresenceMessage
  | CrowdMessage
  | NotesMessage
  | ServerCheckpointsMessage
  | EditMessage
  | OkMessage
  | ErrorMessage
  | ByeMessage;
/**
 * @minItems 2
 * @maxItems 2
 */
export type Ack = [Count, Count];
/**
 * @minItems 7
 * @maxItems 7
 */
export type Line = [number, number, number, number, number, number, number];
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
  | "import"
  | "pose";
export type Code =
  | "bad_message"
  | "bad_value"
  | "bad_state"
  | "unknown_op"
  | "unknown_node"
  | "unknown_scene"
  | "unknown_handle"
  | "forbidden"
  | "unauthorised"
  | "locked"
  | "conflict"
  | "too_large"
  | "too_many"
  | "rate_limited"
  | "storage"
  | "version"
  | "internal";

export interface HelloMessage {
  op: "hello";
  rid?: Count;
  v: Count;
  scene: SceneName;
  user: string;
  token?: string;
  role?: Role;
  create?: boolean;
  resume?: HelloResume;
  draw?: boolean;
  form?: "plain" | "packed";
}
export interface HelloResume {
  epoch: Count;
  seq: Count;
  edit?: Count;
  secret?: string;
}
export interface CameraMessage {
  op: "camera";
  rid?: Count;
  /**
   * @minItems 16
   * @maxItems 16
   */
  view: [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number
  ];
  /**
   * @minItems 16
   * @maxItems 16
   */
  proj: [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number
  ];
  /**
   * width and height, greater than 0
   *
   * @minItems 4
   * @maxItems 4
   */
  viewport: [number, number, number, number];
  ndc_y?: "up" | "down";
  left_handed?: boolean;
  /**
   * magnitudes up to 1e15
   *
   * @minItems 3
   * @maxItems 3
   */
  target?: [number, number, number];
}
export interface ToolMessage {
  op: "tool";
  rid?: Count;
  mode?: Mode;
  space?: Space;
  pivot?: ("median" | "active" | "each" | "bounds") | [number, number, number];
  snap?: ToolSnap;
  /**
   * greater than 0
   */
  size?: number;
  /**
   * 0 or greater
   */
  tolerance?: number;
  /**
   * 0 or greater
   */
  edge?: number;
  axis_method?: "screen" | "closest" | "plane";
  ball?: "exact" | "shoemake" | "bell" | "chen";
  ball_fit?: "object" | "circle" | "ellipse";
  orbit?: "ball" | "turntable";
  surface?: boolean;
  mirror?: boolean;
}
export interface ToolSnap {
  /**
   * greater than 0
   */
  t?: number;
  /**
   * greater than 0
   */
  r?: number;
  /**
   * greater than 0
   */
  s?: number;
  on?: boolean;
  absolute?: boolean;
}
export interface SelectMessage {
  op: "select";
  rid?: Count;
  nodes: Id[];
  how: How;
}
export interface PointerMessage {
  op: "pointer";
  rid?: Count;
  key?: string;
  phase: Phase;
  /**
   * magnitudes up to 1e15
   *
   * @minItems 2
   * @maxItems 2
   */
  at?: [number, number];
  /**
   * origin and direction; the direction is not zero
   *
   * @minItems 6
   * @maxItems 6
   */
  ray?: [number, number, number, number, number, number];
  n?: Count;
  mods?: Modifier[];
}
export interface GrabMessage {
  op: "grab";
  rid?: Count;
  handle: Handle;
  nodes?: Id[];
  /**
   * magnitudes up to 1e15
   */
  value?: number | [number] | [number, number];
  phase?: Phase;
  /**
   * magnitudes up to 1e15
   *
   * @minItems 2
   * @maxItems 2
   */
  at?: [number, number];
  /**
   * origin and direction; the direction is not zero
   *
   * @minItems 6
   * @maxItems 6
   */
  ray?: [number, number, number, number, number, number];
  n?: Count;
  mods?: Modifier[];
}
export interface WheelMessage {
  op: "wheel";
  rid?: Count;
  /**
   * magnitudes up to 1e15
   */
  dy: number;
  /**
   * magnitudes up to 1e15
   *
   * @minItems 2
   * @maxItems 2
   */
  at?: [number, number];
}
export interface HoldMessage {
  op: "hold";
  rid?: Count;
  hold?: Count;
  nodes: Id[];
  path?: boolean;
}
export interface PoseMessage {
  op: "pose";
  rid?: Count;
  hold?: Count;
  nodes: PosedNode[];
  n?: Count;
}
export interface PosedNode {
  id: Id;
  /**
   * magnitudes up to 1e15
   *
   * @minItems 3
   * @maxItems 3
   */
  t?: [number, number, number];
  /**
   * not zero; the server normalises it
   *
   * @minItems 4
   * @maxItems 4
   */
  r?: [number, number, number, number];
  /**
   * 0, or magnitudes from 1e-15 to 1e15
   *
   * @minItems 3
   * @maxItems 3
   */
  s?: [number, number, number];
  /**
   * magnitudes up to 1e15
   */
  x?: number;
  /**
   * magnitudes up to 1e15
   */
  y?: number;
  /**
   * magnitudes up to 1e15
   */
  z?: number;
  /**
   * @minItems 3
   * @maxItems 3
   */
  euler?: [number, number, number];
  order?: Order;
}
export interface ReleaseMessage {
  op: "release";
  rid?: Count;
  key?: string;
  hold?: Count;
  n?: Count;
}
export interface CancelMessage {
  op: "cancel";
  rid?: Count;
  hold?: Count;
  n?: Count;
}
export interface SetMessage {
  op: "set";
  rid?: Count;
  key?: string;
  nodes: SetNode[];
  base?: Count;
}
export interface SetNode {
  id: Id;
  /**
   * magnitudes up to 1e15
   *
   * @minItems 3
   * @maxItems 3
   */
  t?: [number, number, number];
  /**
   * not zero; the server normalises it
   *
   * @minItems 4
   * @maxItems 4
   */
  r?: [number, number, number, number];
  /**
   * 0, or magnitudes from 1e-15 to 1e15
   *
   * @minItems 3
   * @maxItems 3
   */
  s?: [number, number, number];
  /**
   * magnitudes up to 1e15
   */
  x?: number;
  /**
   * magnitudes up to 1e15
   */
  y?: number;
  /**
   * magnitudes up to 1e15
   */
  z?: number;
  /**
   * @minItems 3
   * @maxItems 3
   */
  euler?: [number, number, number];
  order?: Order;
  name?: string;
  parent?: Id | null;
  keep?: boolean;
}
export interface CreateMessage {
  op: "create";
  rid?: Count;
  key?: string;
  nodes: CreateNode[];
}
export interface CreateNode {
  ref?: string;
  parent?: Id | string | null;
  name?: string;
  /**
   * magnitudes up to 1e15
   *
   * @minItems 3
   * @maxItems 3
   */
  t?: [number, number, number];
  /**
   * not zero; the server normalises it
   *
   * @minItems 4
   * @maxItems 4
   */
  r?: [number, number, number, number];
  /**
   * 0, or magnitudes from 1e-15 to 1e15
   *
   * @minItems 3
   * @maxItems 3
   */
  s?: [number, number, number];
  /**
   * the least x, y, z, then the greatest
   *
   * @minItems 6
   * @maxItems 6
   */
  bounds?: [number, number, number, number, number, number];
  copy?: Id;
}
export interface DeleteMessage {
  op: "delete";
  rid?: Count;
  key?: string;
  nodes: Id[];
}
export interface PickMessage {
  op: "pick";
  rid?: Count;
  /**
   * magnitudes up to 1e15
   *
   * @minItems 2
   * @maxItems 2
   */
  at?: [number, number];
  /**
   * origin and direction; the direction is not zero
   *
   * @minItems 6
   * @maxItems 6
   */
  ray?: [number, number, number, number, number, number];
  /**
   * two corners
   *
   * @minItems 4
   * @maxItems 4
   */
  rect?: [number, number, number, number];
  inside?: boolean;
  surface?: boolean;
}
export interface UndoMessage {
  op: "undo";
  rid?: Count;
  key?: string;
  force?: boolean;
}
export interface RedoMessage {
  op: "redo";
  rid?: Count;
  key?: string;
  force?: boolean;
}
export interface HistoryMessage {
  op: "history";
  rid?: Count;
  node?: Id;
  user?: string;
  since?: number;
  before?: number;
  limit?: number;
  changes?: boolean;
  alone?: boolean;
}
export interface AtMessage {
  op: "at";
  rid?: Count;
  seq?: Count;
  time?: number;
  checkpoint?: string;
  after?: Count;
  limit?: number;
}
export interface RestoreMessage {
  op: "restore";
  rid?: Count;
  key?: string;
  seq?: Count;
  checkpoint?: string;
}
export interface RevertMessage {
  op: "revert";
  rid?: Count;
  key?: string;
  edit: Id;
  force?: boolean;
}
export interface CheckpointMessage {
  op: "checkpoint";
  rid?: Count;
  name: string;
  seq?: Count;
  gone?: boolean;
}
export interface CheckpointsMessage {
  op: "checkpoints";
  rid?: Count;
}
export interface PathMessage {
  op: "path";
  rid?: Count;
  node: Id;
  since?: number;
  before?: number;
  limit?: number;
}
export interface InterestMessage {
  op: "interest";
  rid?: Count;
  nodes?: Id[];
  /**
   * the least x, y, z, then the greatest
   *
   * @minItems 6
   * @maxItems 6
   */
  box?: [number, number, number, number, number, number];
  view?: boolean;
}
export interface NoteMessage {
  op: "note";
  rid?: Count;
  key?: string;
  id?: Id;
  text?: string;
  node?: Id;
  /**
   * magnitudes up to 1e15
   *
   * @minItems 3
   * @maxItems 3
   */
  point?: [number, number, number];
  reply?: Id;
  done?: boolean;
  gone?: boolean;
}
export interface TokenMessage {
  op: "token";
  rid?: Count;
  token: string;
}
export interface AccessMessage {
  op: "access";
  rid?: Count;
  user: string;
  role?: Role;
  gone?: boolean;
}
export interface AccessesMessage {
  op: "accesses";
  rid?: Count;
}
export interface LinkMessage {
  op: "link";
  rid?: Count;
  role: Role;
  /**
   * greater than 0
   */
  expires_s: number;
}
export interface WhoMessage {
  op: "who";
  rid?: Count;
  after?: Count;
  limit?: number;
}
export interface PingMessage {
  op: "ping";
  rid?: Count;
}
export interface WelcomeMessage {
  op: "welcome";
  v: Count;
  session: Count;
  scene: string;
  epoch: Count;
  seq: Count;
  resumed: boolean;
  role: Role;
  limits: WelcomeLimits;
  server: string;
  secret?: string;
  read_only?: string;
}
export interface WelcomeLimits {
  message_bytes: Count;
  messages_per_s: Count;
  nodes: Count;
}
export interface DeltaMessage {
  op: "delta";
  from: Count;
  seq: Count;
  time: number;
  more?: boolean;
  saved: Count;
  nodes: NodeState[];
  gone?: Id[];
  acks?: Ack[];
}
export interface NodeState {
  id: Id;
  by?: Count;
  /**
   * magnitudes up to 1e15
   *
   * @minItems 3
   * @maxItems 3
   */
  t?: [number, number, number];
  /**
   * not zero; the server normalises it
   *
   * @minItems 4
   * @maxItems 4
   */
  r?: [number, number, number, number];
  /**
   * 0, or magnitudes from 1e-15 to 1e15
   *
   * @minItems 3
   * @maxItems 3
   */
  s?: [number, number, number];
  name?: string;
  parent?: Id | null;
  /**
   * the least x, y, z, then the greatest
   *
   * @minItems 6
   * @maxItems 6
   */
  bounds?: [number, number, number, number, number, number];
  asset?: Count;
}
export interface SavedMessage {
  op: "saved";
  seq: Count;
}
export interface GizmoMessage {
  op: "gizmo";
  mode: Mode;
  space: Space;
  /**
   * magnitudes up to 1e15
   *
   * @minItems 3
   * @maxItems 3
   */
  origin: [number, number, number];
  /**
   * magnitudes up to 1e15
   *
   * @minItems 9
   * @maxItems 9
   */
  axes: [number, number, number, number, number, number, number, number, number];
  /**
   * magnitudes up to 1e15
   *
   * @minItems 9
   * @maxItems 9
   */
  turn_axes?: [number, number, number, number, number, number, number, number, number];
  /**
   * magnitudes up to 1e15
   *
   * @minItems 9
   * @maxItems 9
   */
  scale_axes?: [number, number, number, number, number, number, number, number, number];
  /**
   * magnitudes up to 1e15
   *
   * @minItems 12
   * @maxItems 12
   */
  box?: [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number
  ];
  size: number;
  handles: Handle[];
  hover?: Handle;
  active?: Handle;
  /**
   * magnitudes up to 1e15
   *
   * @minItems 1
   * @maxItems 2
   */
  value?: [number] | [number, number];
  /**
   * magnitudes up to 1e15
   *
   * @minItems 3
   * @maxItems 3
   */
  start?: [number, number, number];
  /**
   * magnitudes up to 1e15
   *
   * @minItems 3
   * @maxItems 3
   */
  arm?: [number, number, number];
  /**
   * magnitudes up to 1e15
   *
   * @minItems 3
   * @maxItems 3
   */
  axis?: [number, number, number];
  lines?: Line[];
}
export interface ServerCameraMessage {
  op: "camera";
  /**
   * @minItems 16
   * @maxItems 16
   */
  view: [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number
  ];
}
export interface PresenceMessage {
  op: "presence";
  users: PresenceUser[];
  left?: Id[];
  all?: boolean;
}
export interface PresenceUser {
  session: Count;
  user: string;
  name?: string;
  colour: string;
  role: Role;
  /**
   * magnitudes up to 1e15
   *
   * @minItems 2
   * @maxItems 2
   */
  at?: [number, number];
  /**
   * origin and direction; the direction is not zero
   *
   * @minItems 6
   * @maxItems 6
   */
  ray?: [number, number, number, number, number, number];
  /**
   * @minItems 16
   * @maxItems 16
   */
  view?: [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number
  ];
  /**
   * @minItems 4
   * @maxItems 4
   */
  lens?: [number, number, number, number];
  parallel?: boolean;
  selection?: Id[];
  tool?: Mode;
  locks?: Id[];
}
export interface CrowdMessage {
  op: "crowd";
  here: Count;
}
export interface NotesMessage {
  op: "notes";
  notes: NoteState[];
  gone?: Id[];
  all?: boolean;
  more?: boolean;
}
export interface NoteState {
  id: Id;
  user: string;
  text: string;
  node?: Id;
  /**
   * magnitudes up to 1e15
   *
   * @minItems 3
   * @maxItems 3
   */
  point?: [number, number, number];
  reply?: Id;
  done?: boolean;
  made: number;
  changed: number;
}
export interface ServerCheckpointsMessage {
  op: "checkpoints";
  checkpoints: CheckpointState[];
  all?: boolean;
}
export interface CheckpointState {
  name: string;
  seq: Count;
  user: string;
  made: number;
  gone?: boolean;
}
export interface EditMessage {
  op: "edit";
  id: Count;
  by: Count;
  user: string;
  kind: EditKind;
  handle?: Handle;
  /**
   * magnitudes up to 1e15
   */
  value?: number | [number] | [number, number];
  nodes: Id[];
  name?: string;
  residual?: number;
  seq: Count;
  began: number;
  ended: number;
}
export interface OkMessage {
  op: "ok";
  rid: Count;
  seq?: Count;
  edit?: Count;
  handle?: Handle;
  hit?: Id;
  note?: Id;
  ids?: Id[];
  hits?: Hit[];
  edits?: Edit[];
  nodes?: NodeState[];
  checkpoints?: CheckpointState[];
  path?: PathPoint[];
  token?: string;
  accesses?: AccessState[];
  people?: PresenceUser[];
  more?: boolean;
}
export interface Hit {
  id: Id;
  distance: number;
  /**
   * @minItems 3
   * @maxItems 3
   */
  point: [number, number, number];
}
export interface Edit {
  id: Count;
  by: Count;
  user: string;
  kind: EditKind;
  handle?: Handle;
  /**
   * magnitudes up to 1e15
   */
  value?: number | [number] | [number, number];
  nodes: Id[];
  name?: string;
  residual?: number;
  seq: Count;
  began: number;
  ended: number;
  undone?: boolean;
  total?: Count;
  changes?: Change[];
}
export interface Change {
  id: Id;
  name?: string;
  before?: Side;
  after?: Side;
}
export interface Side {
  /**
   * magnitudes up to 1e15
   *
   * @minItems 3
   * @maxItems 3
   */
  t?: [number, number, number];
  /**
   * not zero; the server normalises it
   *
   * @minItems 4
   * @maxItems 4
   */
  r?: [number, number, number, number];
  /**
   * 0, or magnitudes from 1e-15 to 1e15
   *
   * @minItems 3
   * @maxItems 3
   */
  s?: [number, number, number];
  name?: string;
  parent?: Id | null;
}
export interface PathPoint {
  seq: Count;
  edit: Count;
  time: number;
  /**
   * magnitudes up to 1e15
   *
   * @minItems 3
   * @maxItems 3
   */
  t: [number, number, number];
  /**
   * not zero; the server normalises it
   *
   * @minItems 4
   * @maxItems 4
   */
  r: [number, number, number, number];
  /**
   * 0, or magnitudes from 1e-15 to 1e15
   *
   * @minItems 3
   * @maxItems 3
   */
  s: [number, number, number];
  parent?: Id | null;
}
export interface AccessState {
  user: string;
  role: Role;
  by: string;
  made: number;
}
export interface ErrorMessage {
  op: "error";
  rid?: Count;
  code: Code;
  message: string;
  nodes?: Id[];
  holder?: Count;
  fatal?: boolean;
}
export interface ByeMessage {
  op: "bye";
  reason: string;
  /**
   * 0 or greater
   */
  retry_s?: number;
  fatal?: boolean;
  scene?: SceneName;
  code?: Code;
  url?: string;
}
