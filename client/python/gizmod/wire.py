"""The messages of the plain form, as proto/README.md describes them. Made from proto/gizmod.cddl by
tests/wire/make.mjs: do not edit."""

from collections.abc import Sequence
from typing import Literal, NotRequired, TypeAlias, TypedDict, Union

Count: TypeAlias = int
SceneName: TypeAlias = str
Role: TypeAlias = Literal["viewer", "editor", "admin"]
Mode: TypeAlias = Literal[
    "none",
    "translate",
    "rotate",
    "scale",
    "bounds",
    "universal",
    "arcball",
    "orbit",
]
Space: TypeAlias = Literal["world", "local", "parent", "view"]
Id: TypeAlias = int
How: TypeAlias = Literal["set", "add", "remove", "toggle"]
Phase: TypeAlias = Literal["hover", "down", "move", "up", "cancel"]
Modifier: TypeAlias = Literal["snap", "fine", "add", "orbit", "picked"]
Handle: TypeAlias = Literal[
    "tx",
    "ty",
    "tz",
    "txy",
    "tyz",
    "tzx",
    "tv",
    "rx",
    "ry",
    "rz",
    "rv",
    "rb",
    "sx",
    "sy",
    "sz",
    "sxy",
    "syz",
    "szx",
    "su",
    "bxn",
    "bxp",
    "byn",
    "byp",
    "bzn",
    "bzp",
    "bnnn",
    "bnnp",
    "bnpn",
    "bnpp",
    "bpnn",
    "bpnp",
    "bppn",
    "bppp",
]
Order: TypeAlias = Literal["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"]
Ack: TypeAlias = Sequence[Count]
Line: TypeAlias = Sequence[float]
EditKind: TypeAlias = Literal[
    "translate",
    "rotate",
    "scale",
    "ball",
    "wheel",
    "set",
    "create",
    "delete",
    "undo",
    "redo",
    "restore",
    "import",
    "pose",
]
Code: TypeAlias = Literal[
    "bad_message",
    "bad_value",
    "bad_state",
    "unknown_op",
    "unknown_node",
    "unknown_scene",
    "unknown_handle",
    "forbidden",
    "unauthorised",
    "locked",
    "conflict",
    "too_large",
    "too_many",
    "rate_limited",
    "storage",
    "version",
    "internal",
]


class HelloResume(TypedDict):
    epoch: Count
    seq: Count
    edit: NotRequired[Count]
    secret: NotRequired[str]


class HelloMessage(TypedDict):
    op: Literal["hello"]
    rid: NotRequired[Count]
    v: Count
    scene: SceneName
    user: str
    token: NotRequired[str]
    role: NotRequired[Role]
    create: NotRequired[bool]
    resume: NotRequired[HelloResume]
    draw: NotRequired[bool]
    form: NotRequired[Literal["plain", "packed"]]


class CameraMessage(TypedDict):
    op: Literal["camera"]
    rid: NotRequired[Count]
    view: Sequence[float]
    proj: Sequence[float]
    viewport: Sequence[float]  # width and height, greater than 0
    ndc_y: NotRequired[Literal["up", "down"]]
    left_handed: NotRequired[bool]
    target: NotRequired[Sequence[float]]  # magnitudes up to 1e15


class ToolSnap(TypedDict):
    t: NotRequired[float]  # greater than 0
    r: NotRequired[float]  # greater than 0
    s: NotRequired[float]  # greater than 0
    on: NotRequired[bool]
    absolute: NotRequired[bool]


class ToolMessage(TypedDict):
    op: Literal["tool"]
    rid: NotRequired[Count]
    mode: NotRequired[Mode]
    space: NotRequired[Space]
    pivot: NotRequired[Literal["median", "active", "each", "bounds"] | Sequence[float]]
    snap: NotRequired[ToolSnap]
    size: NotRequired[float]  # greater than 0
    tolerance: NotRequired[float]  # 0 or greater
    edge: NotRequired[float]  # 0 or greater
    axis_method: NotRequired[Literal["screen", "closest", "plane"]]
    ball: NotRequired[Literal["exact", "shoemake", "bell", "chen"]]
    ball_fit: NotRequired[Literal["object", "circle", "ellipse"]]
    orbit: NotRequired[Literal["ball", "turntable"]]
    surface: NotRequired[bool]
    mirror: NotRequired[bool]


class SelectMessage(TypedDict):
    op: Literal["select"]
    rid: NotRequired[Count]
    nodes: Sequence[Id]
    how: How


class PointerMessage(TypedDict):
    op: Literal["pointer"]
    rid: NotRequired[Count]
    key: NotRequired[str]
    phase: Phase
    at: NotRequired[Sequence[float]]  # magnitudes up to 1e15
    ray: NotRequired[Sequence[float]]  # origin and direction; the direction is not zero
    n: NotRequired[Count]
    mods: NotRequired[Sequence[Modifier]]


class GrabMessage(TypedDict):
    op: Literal["grab"]
    rid: NotRequired[Count]
    handle: Handle
    nodes: NotRequired[Sequence[Id]]
    value: NotRequired[float | Sequence[float]]  # magnitudes up to 1e15
    phase: NotRequired[Phase]
    at: NotRequired[Sequence[float]]  # magnitudes up to 1e15
    ray: NotRequired[Sequence[float]]  # origin and direction; the direction is not zero
    n: NotRequired[Count]
    mods: NotRequired[Sequence[Modifier]]


class WheelMessage(TypedDict):
    op: Literal["wheel"]
    rid: NotRequired[Count]
    dy: float  # magnitudes up to 1e15
    at: NotRequired[Sequence[float]]  # magnitudes up to 1e15


class HoldMessage(TypedDict):
    op: Literal["hold"]
    rid: NotRequired[Count]
    hold: NotRequired[Count]
    nodes: Sequence[Id]
    path: NotRequired[bool]


class PosedNode(TypedDict):
    id: Id
    t: NotRequired[Sequence[float]]  # magnitudes up to 1e15
    r: NotRequired[Sequence[float]]  # not zero; the server normalises it
    s: NotRequired[Sequence[float]]  # 0, or magnitudes from 1e-15 to 1e15
    x: NotRequired[float]  # magnitudes up to 1e15
    y: NotRequired[float]  # magnitudes up to 1e15
    z: NotRequired[float]  # magnitudes up to 1e15
    euler: NotRequired[Sequence[float]]
    order: NotRequired[Order]


class PoseMessage(TypedDict):
    op: Literal["pose"]
    rid: NotRequired[Count]
    hold: NotRequired[Count]
    nodes: Sequence[PosedNode]
    n: NotRequired[Count]


class ReleaseMessage(TypedDict):
    op: Literal["release"]
    rid: NotRequired[Count]
    key: NotRequired[str]
    hold: NotRequired[Count]
    n: NotRequired[Count]


class CancelMessage(TypedDict):
    op: Literal["cancel"]
    rid: NotRequired[Count]
    hold: NotRequired[Count]
    n: NotRequired[Count]


class SetNode(TypedDict):
    id: Id
    t: NotRequired[Sequence[float]]  # magnitudes up to 1e15
    r: NotRequired[Sequence[float]]  # not zero; the server normalises it
    s: NotRequired[Sequence[float]]  # 0, or magnitudes from 1e-15 to 1e15
    x: NotRequired[float]  # magnitudes up to 1e15
    y: NotRequired[float]  # magnitudes up to 1e15
    z: NotRequired[float]  # magnitudes up to 1e15
    euler: NotRequired[Sequence[float]]
    order: NotRequired[Order]
    name: NotRequired[str]
    parent: NotRequired[Id | None]
    keep: NotRequired[bool]


class SetMessage(TypedDict):
    op: Literal["set"]
    rid: NotRequired[Count]
    key: NotRequired[str]
    nodes: Sequence[SetNode]
    base: NotRequired[Count]


class CreateNode(TypedDict):
    ref: NotRequired[str]
    parent: NotRequired[Id | str | None]
    name: NotRequired[str]
    t: NotRequired[Sequence[float]]  # magnitudes up to 1e15
    r: NotRequired[Sequence[float]]  # not zero; the server normalises it
    s: NotRequired[Sequence[float]]  # 0, or magnitudes from 1e-15 to 1e15
    bounds: NotRequired[Sequence[float]]  # the least x, y, z, then the greatest
    copy: NotRequired[Id]


class CreateMessage(TypedDict):
    op: Literal["create"]
    rid: NotRequired[Count]
    key: NotRequired[str]
    nodes: Sequence[CreateNode]


class DeleteMessage(TypedDict):
    op: Literal["delete"]
    rid: NotRequired[Count]
    key: NotRequired[str]
    nodes: Sequence[Id]


class PickMessage(TypedDict):
    op: Literal["pick"]
    rid: NotRequired[Count]
    at: NotRequired[Sequence[float]]  # magnitudes up to 1e15
    ray: NotRequired[Sequence[float]]  # origin and direction; the direction is not zero
    rect: NotRequired[Sequence[float]]  # two corners
    inside: NotRequired[bool]
    surface: NotRequired[bool]


class UndoMessage(TypedDict):
    op: Literal["undo"]
    rid: NotRequired[Count]
    key: NotRequired[str]
    force: NotRequired[bool]


class RedoMessage(TypedDict):
    op: Literal["redo"]
    rid: NotRequired[Count]
    key: NotRequired[str]
    force: NotRequired[bool]


class HistoryMessage(TypedDict):
    op: Literal["history"]
    rid: NotRequired[Count]
    node: NotRequired[Id]
    user: NotRequired[str]
    since: NotRequired[float]
    before: NotRequired[float]
    limit: NotRequired[int]
    changes: NotRequired[bool]
    alone: NotRequired[bool]


class AtMessage(TypedDict):
    op: Literal["at"]
    rid: NotRequired[Count]
    seq: NotRequired[Count]
    time: NotRequired[float]
    checkpoint: NotRequired[str]
    after: NotRequired[Count]
    limit: NotRequired[int]


class RestoreMessage(TypedDict):
    op: Literal["restore"]
    rid: NotRequired[Count]
    key: NotRequired[str]
    seq: NotRequired[Count]
    checkpoint: NotRequired[str]


class RevertMessage(TypedDict):
    op: Literal["revert"]
    rid: NotRequired[Count]
    key: NotRequired[str]
    edit: Id
    force: NotRequired[bool]


class CheckpointMessage(TypedDict):
    op: Literal["checkpoint"]
    rid: NotRequired[Count]
    name: str
    seq: NotRequired[Count]
    gone: NotRequired[bool]


class CheckpointsMessage(TypedDict):
    op: Literal["checkpoints"]
    rid: NotRequired[Count]


class PathMessage(TypedDict):
    op: Literal["path"]
    rid: NotRequired[Count]
    node: Id
    since: NotRequired[float]
    before: NotRequired[float]
    limit: NotRequired[int]


class InterestMessage(TypedDict):
    op: Literal["interest"]
    rid: NotRequired[Count]
    nodes: NotRequired[Sequence[Id]]
    box: NotRequired[Sequence[float]]  # the least x, y, z, then the greatest
    view: NotRequired[bool]


class NoteMessage(TypedDict):
    op: Literal["note"]
    rid: NotRequired[Count]
    key: NotRequired[str]
    id: NotRequired[Id]
    text: NotRequired[str]
    node: NotRequired[Id]
    point: NotRequired[Sequence[float]]  # magnitudes up to 1e15
    reply: NotRequired[Id]
    done: NotRequired[bool]
    gone: NotRequired[bool]


class TokenMessage(TypedDict):
    op: Literal["token"]
    rid: NotRequired[Count]
    token: str


class AccessMessage(TypedDict):
    op: Literal["access"]
    rid: NotRequired[Count]
    user: str
    role: NotRequired[Role]
    gone: NotRequired[bool]


class AccessesMessage(TypedDict):
    op: Literal["accesses"]
    rid: NotRequired[Count]


class LinkMessage(TypedDict):
    op: Literal["link"]
    rid: NotRequired[Count]
    role: Role
    expires_s: float  # greater than 0


class WhoMessage(TypedDict):
    op: Literal["who"]
    rid: NotRequired[Count]
    after: NotRequired[Count]
    limit: NotRequired[int]


class PingMessage(TypedDict):
    op: Literal["ping"]
    rid: NotRequired[Count]


class WelcomeLimits(TypedDict):
    message_bytes: Count
    messages_per_s: Count
    nodes: Count


class WelcomeMessage(TypedDict):
    op: Literal["welcome"]
    v: Count
    session: Count
    scene: str
    epoch: Count
    seq: Count
    resumed: bool
    role: Role
    limits: WelcomeLimits
    server: str
    secret: NotRequired[str]
    read_only: NotRequired[str]


class NodeState(TypedDict):
    id: Id
    by: NotRequired[Count]
    t: NotRequired[Sequence[float]]  # magnitudes up to 1e15
    r: NotRequired[Sequence[float]]  # not zero; the server normalises it
    s: NotRequired[Sequence[float]]  # 0, or magnitudes from 1e-15 to 1e15
    name: NotRequired[str]
    parent: NotRequired[Id | None]
    bounds: NotRequired[Sequence[float]]  # the least x, y, z, then the greatest
    asset: NotRequired[Count]


DeltaMessage = TypedDict(
    "DeltaMessage",
    {
        "op": Literal["delta"],
        "from": Count,
        "seq": Count,
        "time": float,
        "more": NotRequired[bool],
        "saved": Count,
        "nodes": Sequence[NodeState],
        "gone": NotRequired[Sequence[Id]],
        "acks": NotRequired[Sequence[Ack]],
    },
)


class SavedMessage(TypedDict):
    op: Literal["saved"]
    seq: Count


class GizmoMessage(TypedDict):
    op: Literal["gizmo"]
    mode: Mode
    space: Space
    origin: Sequence[float]  # magnitudes up to 1e15
    axes: Sequence[float]  # magnitudes up to 1e15
    turn_axes: NotRequired[Sequence[float]]  # magnitudes up to 1e15
    scale_axes: NotRequired[Sequence[float]]  # magnitudes up to 1e15
    box: NotRequired[Sequence[float]]  # magnitudes up to 1e15
    size: float
    handles: Sequence[Handle]
    hover: NotRequired[Handle]
    active: NotRequired[Handle]
    value: NotRequired[Sequence[float]]  # magnitudes up to 1e15
    start: NotRequired[Sequence[float]]  # magnitudes up to 1e15
    arm: NotRequired[Sequence[float]]  # magnitudes up to 1e15
    axis: NotRequired[Sequence[float]]  # magnitudes up to 1e15
    lines: NotRequired[Sequence[Line]]


class ServerCameraMessage(TypedDict):
    op: Literal["camera"]
    view: Sequence[float]


class PresenceUser(TypedDict):
    session: Count
    user: str
    name: NotRequired[str]
    colour: str
    role: Role
    at: NotRequired[Sequence[float]]  # magnitudes up to 1e15
    ray: NotRequired[Sequence[float]]  # origin and direction; the direction is not zero
    view: NotRequired[Sequence[float]]
    lens: NotRequired[Sequence[float]]
    parallel: NotRequired[bool]
    selection: NotRequired[Sequence[Id]]
    tool: NotRequired[Mode]
    locks: NotRequired[Sequence[Id]]


class PresenceMessage(TypedDict):
    op: Literal["presence"]
    users: Sequence[PresenceUser]
    left: NotRequired[Sequence[Id]]
    all: NotRequired[bool]


class CrowdMessage(TypedDict):
    op: Literal["crowd"]
    here: Count


class NoteState(TypedDict):
    id: Id
    user: str
    text: str
    node: NotRequired[Id]
    point: NotRequired[Sequence[float]]  # magnitudes up to 1e15
    reply: NotRequired[Id]
    done: NotRequired[bool]
    made: float
    changed: float


class NotesMessage(TypedDict):
    op: Literal["notes"]
    notes: Sequence[NoteState]
    gone: NotRequired[Sequence[Id]]
    all: NotRequired[bool]
    more: NotRequired[bool]


class CheckpointState(TypedDict):
    name: str
    seq: Count
    user: str
    made: float
    gone: NotRequired[bool]


class ServerCheckpointsMessage(TypedDict):
    op: Literal["checkpoints"]
    checkpoints: Sequence[CheckpointState]
    all: NotRequired[bool]


class EditMessage(TypedDict):
    op: Literal["edit"]
    id: Count
    by: Count
    user: str
    kind: EditKind
    handle: NotRequired[Handle]
    value: NotRequired[float | Sequence[float]]  # magnitudes up to 1e15
    nodes: Sequence[Id]
    name: NotRequired[str]
    residual: NotRequired[float]
    seq: Count
    began: float
    ended: float


class Hit(TypedDict):
    id: Id
    distance: float
    point: Sequence[float]


class Side(TypedDict):
    t: NotRequired[Sequence[float]]  # magnitudes up to 1e15
    r: NotRequired[Sequence[float]]  # not zero; the server normalises it
    s: NotRequired[Sequence[float]]  # 0, or magnitudes from 1e-15 to 1e15
    name: NotRequired[str]
    parent: NotRequired[Id | None]


class Change(TypedDict):
    id: Id
    name: NotRequired[str]
    before: NotRequired[Side]
    after: NotRequired[Side]


class Edit(TypedDict):
    id: Count
    by: Count
    user: str
    kind: EditKind
    handle: NotRequired[Handle]
    value: NotRequired[float | Sequence[float]]  # magnitudes up to 1e15
    nodes: Sequence[Id]
    name: NotRequired[str]
    residual: NotRequired[float]
    seq: Count
    began: float
    ended: float
    undone: NotRequired[bool]
    total: NotRequired[Count]
    changes: NotRequired[Sequence[Change]]


class PathPoint(TypedDict):
    seq: Count
    edit: Count
    time: float
    t: Sequence[float]  # magnitudes up to 1e15
    r: Sequence[float]  # not zero; the server normalises it
    s: Sequence[float]  # 0, or magnitudes from 1e-15 to 1e15
    parent: NotRequired[Id | None]


class AccessState(TypedDict):
    user: str
    role: Role
    by: str
    made: float


class OkMessage(TypedDict):
    op: Literal["ok"]
    rid: Count
    seq: NotRequired[Count]
    edit: NotRequired[Count]
    handle: NotRequired[Handle]
    hit: NotRequired[Id]
    note: NotRequired[Id]
    ids: NotRequired[Sequence[Id]]
    hits: NotRequired[Sequence[Hit]]
    edits: NotRequired[Sequence[Edit]]
    nodes: NotRequired[Sequence[NodeState]]
    checkpoints: NotRequired[Sequence[CheckpointState]]
    path: NotRequired[Sequence[PathPoint]]
    token: NotRequired[str]
    accesses: NotRequired[Sequence[AccessState]]
    people: NotRequired[Sequence[PresenceUser]]
    more: NotRequired[bool]


class ErrorMessage(TypedDict):
    op: Literal["error"]
    rid: NotRequired[Count]
    code: Code
    message: str
    nodes: NotRequired[Sequence[Id]]
    holder: NotRequired[Count]
    fatal: NotRequired[bool]


class ByeMessage(TypedDict):
    op: Literal["bye"]
    reason: str
    retry_s: NotRequired[float]  # 0 or greater
    fatal: NotRequired[bool]
    scene: NotRequired[SceneName]
    code: NotRequired[Code]
    url: NotRequired[str]


ClientMessage: TypeAlias = Union[
    HelloMessage,
    CameraMessage,
    ToolMessage,
    SelectMessage,
    PointerMessage,
    GrabMessage,
    WheelMessage,
    HoldMessage,
    PoseMessage,
    ReleaseMessage,
    CancelMessage,
    SetMessage,
    CreateMessage,
    DeleteMessage,
    PickMessage,
    UndoMessage,
    RedoMessage,
    HistoryMessage,
    AtMessage,
    RestoreMessage,
    RevertMessage,
    CheckpointMessage,
    CheckpointsMessage,
    PathMessage,
    InterestMessage,
    NoteMessage,
    TokenMessage,
    AccessMessage,
    AccessesMessage,
    LinkMessage,
    WhoMessage,
    PingMessage,
]


ServerMessage: TypeAlias = Union[
    WelcomeMessage,
    DeltaMessage,
    SavedMessage,
    GizmoMessage,
    ServerCameraMessage,
    PresenceMessage,
    CrowdMessage,
    NotesMessage,
    ServerCheckpointsMessage,
    EditMessage,
    OkMessage,
    ErrorMessage,
    ByeMessage,
]
