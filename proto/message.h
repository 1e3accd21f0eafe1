/* message.h - every message of the wire as a C struct, and its encoding. README.md beside this file
 * is the specification; names of fields and words are the same there and here.
 *
 * A frame is one WebSocket message: one or more MessagePack maps back to back. gz_decode takes them
 * out one at a time. Ownership: a decoded message points into the frame's bytes (texts) and into
 * the arena (arrays): it lives as long as both. gz_encode keeps no pointer to a message. Memory: a
 * refused message took at most GZ_DECODE_FACTOR_MAX times its bytes from the arena; an accepted one
 * takes what its elements need, at most gz_decode_bytes_max(its bytes). The arena may be reset
 * between the messages of a frame. Units and frames: glTF 2.0's, as in base/linear.h; pixels from
 * the top left; times are Unix seconds. Errors: GZ_BAD_MESSAGE (form), GZ_BAD_VALUE (an invalid
 * value), GZ_UNKNOWN_OP, GZ_UNKNOWN_HANDLE, GZ_TOO_MANY (a list of more than GZ_NODES_MAX, or
 * GZ_SERVER_LIST_MAX from the server), GZ_TOO_LARGE (more than the arena may hold), GZ_NO_MEMORY;
 * the text names the field. The session checks what a decoder cannot know: whether a node or an
 * earlier ref exists, rights, state. Threads: any, one frame at a time. */
#ifndef GZ_PROTO_MESSAGE_H
#define GZ_PROTO_MESSAGE_H

#include <assert.h>
#include <stdint.h>

#include "proto/base/buffer.h"
#include "proto/base/linear.h"
#include "proto/base/wire_vocabulary.h"

#define GZ_PROTOCOL_VERSION 1
#define GZ_SUBPROTOCOL "gizmod.v1"

/* UTF-8, not terminated, without NUL. */
struct gz_text {
    const char *bytes;
    size_t size;
};

struct gz_ids {
    const uint64_t *ids;
    size_t count;
};

/* The value of a drag, typed or dragged: metres, radians or a factor; two for planes and the view
 * plane. */
struct gz_value {
    double numbers[2];
    uint32_t count; /* 1 or 2; 0 for none */
};

enum gz_op {
    /* client to server */
    GZ_OP_HELLO,
    GZ_OP_CAMERA,
    GZ_OP_TOOL,
    GZ_OP_SELECT,
    GZ_OP_POINTER,
    GZ_OP_GRAB,
    GZ_OP_WHEEL,
    GZ_OP_HOLD,
    GZ_OP_POSE,
    GZ_OP_RELEASE,
    GZ_OP_CANCEL,
    GZ_OP_SET,
    GZ_OP_CREATE,
    GZ_OP_DELETE,
    GZ_OP_PICK,
    GZ_OP_UNDO,
    GZ_OP_REDO,
    GZ_OP_HISTORY,
    GZ_OP_AT,
    GZ_OP_RESTORE,
    GZ_OP_REVERT,
    GZ_OP_CHECKPOINT,
    GZ_OP_CHECKPOINTS,
    GZ_OP_PATH,
    GZ_OP_INTEREST,
    GZ_OP_NOTE,
    GZ_OP_TOKEN,
    GZ_OP_ACCESS,
    GZ_OP_ACCESSES,
    GZ_OP_LINK,
    GZ_OP_WHO,
    GZ_OP_PING,
    GZ_OP_CLIENT_COUNT,
    /* server to client */
    GZ_OP_WELCOME = GZ_OP_CLIENT_COUNT,
    GZ_OP_DELTA,
    GZ_OP_SAVED,
    GZ_OP_GIZMO,
    GZ_OP_VIEW /* "camera" */,
    GZ_OP_PRESENCE,
    GZ_OP_CROWD,
    GZ_OP_NOTES,
    GZ_OP_CHECKPOINT_NEWS /* "checkpoints" */,
    GZ_OP_EDIT,
    GZ_OP_OK,
    GZ_OP_ERROR,
    GZ_OP_BYE,
    /* server to client, in the packed form */
    GZ_OP_MOVES,
    GZ_OP_PERSON,
    GZ_OP_PEOPLE,
    GZ_OP_MOTION,
    GZ_OP_PACKED_DELTA,
    GZ_OP_COUNT
};

/* The sender: "camera" and "checkpoints" are different messages in each direction. */
enum gz_side { GZ_FROM_CLIENT, GZ_FROM_SERVER };

/* Which optional fields are present: bits in `has` of the struct that holds the fields. Each record
 * has its own bits, GZ_HAS_RECORD_FIELD; those of a message are in struct gz_message beside
 * GZ_HAS_RID and GZ_HAS_KEY, except `edit`, which has its own. A required field needs no bit. A
 * field has the same bit in each record. */
enum gz_has {
    /* any message */
    GZ_HAS_RID = 1 << 0,
    GZ_HAS_KEY = 1 << 1,
    /* hello */
    GZ_HAS_HELLO_TOKEN = 1 << 2,
    GZ_HAS_HELLO_EDIT = 1 << 3,
    GZ_HAS_HELLO_ROLE = 1 << 4,
    GZ_HAS_HELLO_RESUME = 1 << 5,
    /* camera */
    GZ_HAS_CAMERA_TARGET = 1 << 2,
    /* tool */
    GZ_HAS_TOOL_MODE = 1 << 2,
    GZ_HAS_TOOL_SPACE = 1 << 3,
    GZ_HAS_TOOL_PIVOT = 1 << 4,
    GZ_HAS_TOOL_SNAP = 1 << 5,
    GZ_HAS_TOOL_SNAP_T = 1 << 6,
    GZ_HAS_TOOL_SNAP_R = 1 << 7,
    GZ_HAS_TOOL_SNAP_S = 1 << 8,
    GZ_HAS_TOOL_SNAP_ON = 1 << 9,
    GZ_HAS_TOOL_SNAP_ABSOLUTE = 1 << 10,
    GZ_HAS_TOOL_SIZE = 1 << 11,
    GZ_HAS_TOOL_TOLERANCE = 1 << 12,
    GZ_HAS_TOOL_AXIS_METHOD = 1 << 13,
    GZ_HAS_TOOL_BALL = 1 << 14,
    GZ_HAS_TOOL_BALL_FIT = 1 << 15,
    GZ_HAS_TOOL_EDGE = 1 << 16,
    GZ_HAS_TOOL_ORBIT = 1 << 17,
    GZ_HAS_TOOL_SURFACE = 1 << 18,
    GZ_HAS_TOOL_MIRROR = 1 << 19,
    /* pointer, grab */
    GZ_HAS_POINTER_AT = 1 << 2,
    GZ_HAS_POINTER_RAY = 1 << 3,
    GZ_HAS_POINTER_N = 1 << 4,
    GZ_HAS_POINTER_NODES = 1 << 5,
    GZ_HAS_POINTER_VALUE = 1 << 6,
    /* wheel */
    GZ_HAS_WHEEL_AT = 1 << 2,
    /* set */
    GZ_HAS_SET_BASE = 1 << 2,
    /* hold */
    GZ_HAS_HOLD_PATH = 1 << 2,
    /* pose, release, cancel */
    GZ_HAS_POSE_N = 1 << 4,
    /* an element of set's and pose's nodes */
    GZ_HAS_SET_NODE_T = 1 << 2,
    GZ_HAS_SET_NODE_R = 1 << 3,
    GZ_HAS_SET_NODE_S = 1 << 4,
    GZ_HAS_SET_NODE_NAME = 1 << 5,
    GZ_HAS_SET_NODE_PARENT = 1 << 6,
    GZ_HAS_SET_NODE_EULER = 1 << 7,
    GZ_HAS_SET_NODE_X = 1 << 10,
    GZ_HAS_SET_NODE_Y = 1 << 11,
    GZ_HAS_SET_NODE_Z = 1 << 12,
    GZ_HAS_SET_NODE_XYZ = GZ_HAS_SET_NODE_X | GZ_HAS_SET_NODE_Y | GZ_HAS_SET_NODE_Z,
    /* an element of create's nodes */
    GZ_HAS_CREATE_NODE_T = 1 << 2,
    GZ_HAS_CREATE_NODE_R = 1 << 3,
    GZ_HAS_CREATE_NODE_S = 1 << 4,
    GZ_HAS_CREATE_NODE_NAME = 1 << 5,
    GZ_HAS_CREATE_NODE_PARENT = 1 << 6,
    GZ_HAS_CREATE_NODE_BOUNDS = 1 << 7,
    GZ_HAS_CREATE_NODE_PARENT_REF = 1 << 8,
    GZ_HAS_CREATE_NODE_REF = 1 << 9,
    GZ_HAS_CREATE_NODE_COPY = 1 << 10,
    /* pick */
    GZ_HAS_PICK_AT = 1 << 2,
    GZ_HAS_PICK_RAY = 1 << 3,
    GZ_HAS_PICK_RECT = 1 << 4,
    /* history */
    GZ_HAS_HISTORY_NODE = 1 << 2,
    GZ_HAS_HISTORY_USER = 1 << 3,
    GZ_HAS_HISTORY_CHANGES = 1 << 4,
    GZ_HAS_HISTORY_SINCE = 1 << 5,
    GZ_HAS_HISTORY_BEFORE = 1 << 6,
    GZ_HAS_HISTORY_LIMIT = 1 << 7,
    /* at, restore */
    GZ_HAS_AT_TIME = 1 << 2,
    GZ_HAS_AT_CHECKPOINT = 1 << 3,
    GZ_HAS_AT_SEQ = 1 << 4,
    GZ_HAS_AT_AFTER = 1 << 5,
    GZ_HAS_AT_LIMIT = 1 << 7,
    /* checkpoint */
    GZ_HAS_CHECKPOINT_SEQ = 1 << 4,
    /* path */
    GZ_HAS_PATH_SINCE = 1 << 5,
    GZ_HAS_PATH_BEFORE = 1 << 6,
    GZ_HAS_PATH_LIMIT = 1 << 7,
    /* interest */
    GZ_HAS_INTEREST_BOX = 1 << 3,
    GZ_HAS_INTEREST_VIEW = 1 << 4,
    GZ_HAS_INTEREST_NODES = 1 << 5,
    /* note */
    GZ_HAS_NOTE_NODE = 1 << 2,
    GZ_HAS_NOTE_POINT = 1 << 3,
    GZ_HAS_NOTE_REPLY = 1 << 4,
    GZ_HAS_NOTE_TEXT = 1 << 6,
    GZ_HAS_NOTE_DONE = 1 << 7,
    GZ_HAS_NOTE_NOTE = 1 << 8,
    /* access */
    GZ_HAS_ACCESS_ROLE = 1 << 4,
    /* who */
    GZ_HAS_WHO_AFTER = 1 << 2,
    GZ_HAS_WHO_LIMIT = 1 << 7,
    /* struct gz_node_state */
    GZ_HAS_STATE_T = 1 << 2,
    GZ_HAS_STATE_R = 1 << 3,
    GZ_HAS_STATE_S = 1 << 4,
    GZ_HAS_STATE_NAME = 1 << 5,
    GZ_HAS_STATE_PARENT = 1 << 6,
    GZ_HAS_STATE_BOUNDS = 1 << 7,
    GZ_HAS_STATE_BY = 1 << 8,
    GZ_HAS_STATE_ASSET = 1 << 9,
    /* struct gz_move */
    GZ_HAS_MOVE_R = 1 << 3,
    GZ_HAS_MOVE_S = 1 << 4,
    GZ_HAS_MOVE_BY = 1 << 8,
    GZ_HAS_MOVE_X = 1 << 10,
    GZ_HAS_MOVE_Y = 1 << 11,
    GZ_HAS_MOVE_Z = 1 << 12,
    /* moves */
    GZ_HAS_MOVES_UNSAVED = 1 << 2,
    /* struct gz_motion_step */
    GZ_HAS_STEP_SHIFT = 1 << 2,
    GZ_HAS_STEP_TURN = 1 << 3,
    GZ_HAS_STEP_PIVOT = 1 << 4,
    /* person */
    GZ_HAS_PERSON_SPOT = 1 << 2,
    GZ_HAS_PERSON_RAY = 1 << 3,
    GZ_HAS_PERSON_VIEW = 1 << 4,
    GZ_HAS_PERSON_LENS = 1 << 5,
    GZ_HAS_PERSON_SELECTION = 1 << 6,
    GZ_HAS_PERSON_TOOL = 1 << 7,
    GZ_HAS_PERSON_LOCKS = 1 << 8,
    GZ_HAS_PERSON_NAME = 1 << 9,
    GZ_HAS_PERSON_POSE = 1 << 10,
    GZ_HAS_PERSON_VIEWPORT = 1 << 11,
    GZ_HAS_PERSON_USER = 1 << 12,
    GZ_HAS_PERSON_COLOUR = 1 << 13,
    GZ_HAS_PERSON_ROLE = 1 << 14,
    /* gizmo */
    GZ_HAS_GIZMO_HOVER = 1 << 2,
    GZ_HAS_GIZMO_BOX = 1 << 3,
    GZ_HAS_GIZMO_ACTIVE = 1 << 4,
    GZ_HAS_GIZMO_START = 1 << 5,
    GZ_HAS_GIZMO_VALUE = 1 << 6,
    GZ_HAS_GIZMO_ARM = 1 << 7,
    GZ_HAS_GIZMO_AXIS = 1 << 8,
    GZ_HAS_GIZMO_LINES = 1 << 9,
    GZ_HAS_GIZMO_TURN_AXES = 1 << 10,
    GZ_HAS_GIZMO_SCALE_AXES = 1 << 11,
    /* an element of presence's users */
    GZ_HAS_PRESENCE_AT = 1 << 2,
    GZ_HAS_PRESENCE_RAY = 1 << 3,
    GZ_HAS_PRESENCE_VIEW = 1 << 4,
    GZ_HAS_PRESENCE_LENS = 1 << 5,
    GZ_HAS_PRESENCE_SELECTION = 1 << 6,
    GZ_HAS_PRESENCE_TOOL = 1 << 7,
    GZ_HAS_PRESENCE_LOCKS = 1 << 8,
    GZ_HAS_PRESENCE_NAME = 1 << 9,
    /* an element of notes */
    GZ_HAS_NOTE_STATE_NODE = 1 << 2,
    GZ_HAS_NOTE_STATE_POINT = 1 << 3,
    GZ_HAS_NOTE_STATE_REPLY = 1 << 4,
    /* a change of the history */
    GZ_HAS_CHANGE_AFTER = 1 << 2,
    GZ_HAS_CHANGE_NAME = 1 << 5,
    GZ_HAS_CHANGE_BEFORE = 1 << 6,
    /* edit, and an element of history's edits */
    GZ_HAS_EDIT_HANDLE = 1 << 2,
    GZ_HAS_EDIT_RESIDUAL = 1 << 3,
    GZ_HAS_EDIT_CHANGES = 1 << 4,
    GZ_HAS_EDIT_NAME = 1 << 5,
    GZ_HAS_EDIT_VALUE = 1 << 6,
    GZ_HAS_EDIT_TOTAL = 1 << 7,
    /* an element of path */
    GZ_HAS_PATH_POINT_PARENT = 1 << 6,
    /* ok */
    GZ_HAS_OK_HANDLE = 1 << 2,
    GZ_HAS_OK_EDIT = 1 << 3,
    GZ_HAS_OK_SEQ = 1 << 4,
    GZ_HAS_OK_NODES = 1 << 5,
    GZ_HAS_OK_HIT = 1 << 6,
    GZ_HAS_OK_IDS = 1 << 7,
    GZ_HAS_OK_NOTE = 1 << 8,
    GZ_HAS_OK_HITS = 1 << 9,
    GZ_HAS_OK_EDITS = 1 << 10,
    GZ_HAS_OK_CHECKPOINTS = 1 << 11,
    GZ_HAS_OK_PATH = 1 << 12,
    GZ_HAS_OK_ACCESSES = 1 << 13,
    GZ_HAS_OK_TOKEN = 1 << 14,
    GZ_HAS_OK_PEOPLE = 1 << 15,
    /* error */
    GZ_HAS_ERROR_HOLDER = 1 << 2,
    GZ_HAS_ERROR_NODES = 1 << 5,
    /* bye */
    GZ_HAS_BYE_RETRY_S = 1 << 2,
    GZ_HAS_BYE_SCENE = 1 << 3,
    GZ_HAS_BYE_CODE = 1 << 4,
    GZ_HAS_BYE_URL = 1 << 5,
};

/* ---- client to server ---- */

struct gz_hello {
    uint64_t v;
    struct gz_text scene, user, token;
    enum gz_role role;
    bool create, draw;
    bool packed;  /* the form that the client reads: packed in place of plain */
    bool is_json; /* set by gz_decode_json: the client reads and writes JSON */
    uint64_t resume_epoch, resume_seq, resume_edit;
    struct gz_text resume_secret; /* of the earlier welcome; empty for none */
};

struct gz_camera_message {
    double view[16], proj[16], viewport[4];
    gz_vec3 target; /* TARGET */
    bool ndc_y_down, left_handed;
};

struct gz_tool_message {
    enum gz_mode mode;
    enum gz_space space;
    enum gz_pivot pivot; /* GZ_PIVOT_POINT: at pivot_point */
    gz_vec3 pivot_point;
    double snap_t, snap_r, snap_s;
    bool snap_on, snap_absolute;
    double size, tolerance;
    double edge; /* radians */
    enum gz_axis_method axis_method;
    enum gz_ball ball;
    enum gz_ball_fit ball_fit;
    enum gz_orbit_law orbit;
    bool surface, mirror;
};

struct gz_select {
    struct gz_ids nodes;
    enum gz_how how;
};

/* pointer and grab; exactly one of at and ray is present (a pointer with phase up or cancel and a
 * grab with VALUE may have neither). KEY in a pointer is the key of the edit that its `up`
 * makes. */
struct gz_pointer_message {
    enum gz_phase phase; /* grab: GZ_PHASE_DOWN */
    double at[2], ray[6];
    uint64_t n;
    uint64_t mods;         /* 1 << enum gz_mod */
    enum gz_handle handle; /* grab */
    struct gz_ids nodes;   /* grab, optional */
    struct gz_value value; /* grab, optional */
};

struct gz_wheel {
    double dy, at[2];
};

struct gz_hold_message {
    uint64_t hold; /* the client's number for it; 0 if it is left out */
    struct gz_ids nodes;
    bool path; /* PATH; recorded without it */
};

struct gz_set_node {
    uint64_t has;
    uint64_t id;
    gz_trs trs; /* T: t; without it X, Y and Z: single coordinates of it. EULER becomes r, and R is
                   set as well; never encoded as euler */
    struct gz_text name; /* this, `parent` and `keep` only in set */
    uint64_t parent;     /* 0 is the root */
    bool keep;           /* with PARENT: the place in the world stays */
};

/* pose, and without nodes release and cancel */
struct gz_pose_message {
    uint64_t hold; /* as in struct gz_hold_message */
    const struct gz_set_node *nodes;
    size_t count;
    uint64_t n;
};

struct gz_set {
    const struct gz_set_node *nodes;
    size_t count;
    uint64_t base;
};

struct gz_create_node {
    uint64_t has;
    uint64_t copy; /* COPY: an existing node; fields that are left out are copied from it, also its
                      mesh */
    struct gz_text ref; /* a name by which later nodes of the message can name their parent */
    struct gz_text parent_ref; /* PARENT_REF: an earlier ref; else `parent` */
    uint64_t parent;           /* 0 is the root */
    struct gz_text name;       /* NAME; without COPY it is always used, and encoded */
    gz_trs trs;
    gz_box bounds;
};

struct gz_create {
    const struct gz_create_node *nodes;
    size_t count;
};

struct gz_pick {
    double at[2], ray[6], rect[4]; /* rect: smaller x, y first, after decoding */
    bool inside, surface;
};

struct gz_history {
    uint64_t node;
    struct gz_text user;
    double since, before;
    uint64_t limit;
    bool changes; /* CHANGES: whether the answer has changes; without it, it has */
    bool alone;   /* of each edit only the change of `node` */
};

/* at, restore: a moment of the past. Exactly one of SEQ, TIME (at only) and CHECKPOINT. */
struct gz_at {
    uint64_t seq;
    double time;
    struct gz_text checkpoint;
    uint64_t after, limit; /* at: AFTER, LIMIT: a page of the nodes, by id */
};

/* Takes back one edit of any user. */
struct gz_revert {
    uint64_t edit;
    bool force;
};

/* Gives a name to a seq (SEQ absent: the present one), or removes it. */
struct gz_checkpoint {
    struct gz_text name;
    uint64_t seq;
    bool gone;
};

/* Asks for the path of a node. */
struct gz_path {
    uint64_t node;
    double since, before;
    uint64_t limit;
};

/* The part of the scene to follow: at most one of `nodes`, `box` and `view`; without them the whole
 * scene. */
struct gz_interest {
    struct gz_ids nodes; /* NODES: their subtrees */
    gz_box box;          /* BOX: in the world */
    bool view;           /* VIEW: the view of the session's camera */
};

/* Creates a note, which needs TEXT, or changes one, if NOTE is present. */
struct gz_note {
    uint64_t note;
    struct gz_text text;
    uint64_t node;   /* NODE: the node that it is pinned to */
    gz_vec3 point;   /* POINT: in the node's own space, or in the world without a node */
    uint64_t reply;  /* REPLY: the note that it answers */
    bool done, gone; /* DONE: whether it is resolved. gone: delete it */
};

/* Gives a role to the users that a pattern matches, or, with `gone`, takes it away. */
struct gz_access {
    struct gz_text user; /* the pattern */
    enum gz_role role;   /* ROLE */
    bool gone;
};

/* An invitation to the scene. */
struct gz_link {
    enum gz_role role;
    double expires_s;
};

/* Asks for the users in the scene: the first `limit` whose sessions come after `after`. */
struct gz_who {
    uint64_t after; /* AFTER; without it from the first */
    uint64_t limit; /* LIMIT */
};

/* ---- server to client ---- */

struct gz_welcome {
    uint64_t v, session, epoch, seq;
    struct gz_text scene, server;
    struct gz_text secret;    /* to resume this session with; empty for none */
    struct gz_text read_only; /* why the scene cannot be edited; empty if it can */
    bool resumed;
    enum gz_role role;
    uint64_t message_bytes, messages_per_s, nodes; /* limits */
};

/* A node in a delta, in an answer to `at`, and each side of a history change: the fields in
 * `has`. */
struct gz_node_state {
    uint64_t has;
    uint64_t id;
    uint64_t by;
    gz_trs trs;
    struct gz_text name;
    uint64_t parent; /* 0 is the root */
    gz_box bounds;
    uint64_t asset;
};

struct gz_ack {
    uint64_t session, n;
};

struct gz_delta {
    uint64_t from, seq, saved;
    double time;
    bool more;
    const struct gz_node_state *nodes;
    size_t count;
    struct gz_ids gone;
    const struct gz_ack *acks;
    size_t ack_count;
};

struct gz_line {
    double ends[6];
    uint32_t rgb; /* 0xRRGGBB */
};

struct gz_gizmo_message {
    enum gz_mode mode;
    enum gz_space space;
    gz_vec3 origin, axes[3];
    gz_vec3 turn_axes[3], scale_axes[3]; /* TURN_AXES, SCALE_AXES: axes of the rings and of the
                                            scale handles, if they differ from `axes` */
    gz_vec3 box[4]; /* BOX: the centre of the bounds, and from there to the centres of the faces
                       bxp, byp and bzp */
    double size;
    uint64_t handles; /* 1 << enum gz_handle */
    enum gz_handle hover, active;
    struct gz_value value; /* VALUE: of the running drag, since its beginning */
    gz_vec3 start;         /* START: `origin` when the drag began */
    gz_vec3 arm, axis;     /* ARM, AXIS: of a ring; unit. From `start` to the grabbed point, and the
                              axis of rotation */
    const struct gz_line *lines;
    size_t line_count;
};

struct gz_presence_user {
    uint64_t has;
    uint64_t session;
    struct gz_text user;
    struct gz_text name; /* NAME: shown instead of the user */
    uint32_t rgb;        /* on the wire "#rrggbb" */
    enum gz_role role;
    double at[2], ray[6], view[16];
    double lens[4]; /* LENS: left, right, bottom, top of the image that `view` shows */
    bool parallel;  /* an orthographic camera: the lens is the same at every distance */
    struct gz_ids selection;
    enum gz_mode tool;
    struct gz_ids locks;
};

struct gz_presence {
    const struct gz_presence_user *users;
    size_t count;
    struct gz_ids left;
    bool all; /* forget the users of earlier messages: this message and those that follow hold all
                 users */
};

/* ---- the packed form: client/c/packed.h turns it into the messages above ---- */

/* A node that moved: of t only the coordinates with X, Y and Z. */
struct gz_move {
    uint64_t has;
    uint64_t id, by;
    gz_trs trs;
};

/* A motion since its beginning: TURN (about PIVOT; without it each node about its own origin), then
 * SHIFT. */
struct gz_motion_step {
    uint64_t has;
    uint64_t motion;
    gz_quat turn;
    gz_vec3 pivot, shift;
};

/* A delta that holds only nodes that the viewer has. */
struct gz_moves {
    uint64_t from;    /* the seq that it leads from, modulo GZ_MOVES_FROM */
    uint64_t step;    /* from there to the seq that it leads to */
    uint64_t ms;      /* milliseconds since the time of the delta before */
    uint64_t unsaved; /* UNSAVED: seqs after the saved one; without it the saved seq is the same as
                         before */
    const struct gz_move *nodes;
    size_t count;
    const struct gz_ack *acks;
    size_t ack_count;
    const struct gz_motion_step *steps;
    size_t step_count;
};

/* Nodes with the same parent that a drag moves by one motion; replaces the nodes that had this
 * number. */
struct gz_motion_message {
    uint64_t motion;              /* 1 to GZ_MOTIONS_MAX */
    uint64_t by;                  /* the session that drags */
    struct gz_ids nodes;          /* still as at the drag's beginning, */
    const struct gz_move *starts; /* or sent as they were then: X, Y, Z and R */
    size_t start_count;
};

/* The changes of one session's record in `presence`. */
struct gz_person {
    uint64_t session;
    double spot[2];     /* SPOT: across and down the viewport, GZ_SPOT_STEPS from edge to edge */
    double pose[7];     /* POSE: `view` as its translation, and its rotation in 1 / GZ_TURN_STEPS */
    double ray[6];      /* RAY */
    double lens[5];     /* LENS: as in presence; then 1 if it is parallel. All 0: no lens */
    double viewport[4]; /* VIEWPORT */
    double view[16];    /* VIEW: in place of POSE, if the view is no rigid motion */
    enum gz_mode tool;
    struct gz_ids selection, locks;
    struct gz_text user;
    struct gz_text name; /* NAME: empty for none */
    uint32_t rgb;
    enum gz_role role;
};

struct gz_people_message {
    struct gz_ids left;
    bool all;
};

/* A whole note. */
struct gz_note_state {
    uint64_t has; /* NODE, POINT, REPLY */
    uint64_t id;
    struct gz_text user, text;
    uint64_t node;
    gz_vec3 point;
    uint64_t reply;
    bool done;
    double made, changed; /* Unix seconds */
};

struct gz_notes {
    const struct gz_note_state *notes;
    size_t count;
    struct gz_ids gone;
    bool all;  /* forget the content of earlier messages */
    bool more; /* others follow at once */
};

struct gz_change_message {
    uint64_t id;
    uint64_t has;        /* BEFORE absent: created by this edit; AFTER absent: deleted by it */
    struct gz_text name; /* NAME: the node's name at that time */
    struct gz_node_state before, after; /* their ids are not on the wire */
};

/* `edit`, and an element of history's `edits`. */
struct gz_edit_message {
    uint64_t has;
    uint64_t id, by, seq;
    struct gz_text user;
    enum gz_edit_kind kind;
    enum gz_handle handle;
    struct gz_ids nodes;
    struct gz_text name;   /* NAME: the node's name at that time, in an edit of one node */
    struct gz_value value; /* VALUE: typed for a drag */
    double residual, began, ended;
    /* Only in the history: */
    bool undone;
    uint64_t total; /* TOTAL: how many nodes the edit changed, in an answer about one node */
    const struct gz_change_message *changes; /* CHANGES */
    size_t change_count;
};

struct gz_hit {
    uint64_t id;
    double distance;
    gz_vec3 point;
};

struct gz_checkpoint_state {
    struct gz_text name, user;
    uint64_t seq;
    double made; /* Unix seconds */
    bool gone;   /* the name was removed: by `user`, at `made` */
};

struct gz_checkpoints {
    const struct gz_checkpoint_state *checkpoints;
    size_t count;
    bool all; /* forget the content of earlier messages */
};

/* A node after an edit, or at a recorded sample of a drag. */
struct gz_path_point {
    uint64_t has; /* PARENT */
    uint64_t seq, edit;
    double time;
    gz_trs trs; /* local to its parent at that time */
    uint64_t parent;
};

struct gz_access_state {
    struct gz_text user, by; /* user: a pattern; by: the user that gave the role */
    enum gz_role role;
    double made; /* Unix seconds */
};

struct gz_ok {
    uint64_t seq, edit, hit, note;
    enum gz_handle handle;
    struct gz_ids ids;
    const struct gz_hit *hits;
    size_t hit_count;
    const struct gz_edit_message *edits;
    size_t edit_count;
    const struct gz_node_state *nodes;
    size_t node_count;
    const struct gz_checkpoint_state *checkpoints;
    size_t checkpoint_count;
    const struct gz_path_point *path;
    size_t path_count;
    const struct gz_access_state *accesses;
    size_t access_count;
    const struct gz_presence_user *people; /* without camera, pointer, tool, selection and locks */
    size_t people_count;
    struct gz_text token;
    bool more;
};

struct gz_error_message {
    enum gz_status code;
    struct gz_text message;
    struct gz_ids nodes;
    uint64_t holder;
    bool fatal;
};

struct gz_bye {
    struct gz_text reason;
    double retry_s;
    bool fatal;           /* do not reconnect */
    struct gz_text scene; /* SCENE: the scene's name now, if it was renamed */
    enum gz_status code;  /* CODE: as in an error, for programs */
    struct gz_text url;   /* URL: where the scene goes on, an address of HTTP */
};

struct gz_message {
    enum gz_op op;
    uint64_t has;
    uint64_t rid;
    struct gz_text key;
    union {
        struct gz_hello hello;
        struct gz_camera_message camera;
        struct gz_tool_message tool;
        struct gz_select select;
        struct gz_pointer_message pointer; /* pointer and grab */
        struct gz_wheel wheel;
        struct gz_hold_message hold;
        struct gz_pose_message pose; /* pose, release, cancel */
        struct gz_set set;
        struct gz_create create;
        struct gz_ids remove; /* delete */
        struct gz_pick pick;
        bool force; /* undo, redo */
        struct gz_history history;
        struct gz_at at;
        struct gz_at restore;
        struct gz_revert revert;
        struct gz_checkpoint checkpoint;
        struct gz_path path;
        struct gz_interest interest;
        struct gz_note note;
        struct gz_text token;
        struct gz_access access;
        struct gz_link link;
        struct gz_who who;
        struct gz_welcome welcome;
        struct gz_delta delta;
        uint64_t saved_seq;
        struct gz_gizmo_message gizmo;
        double view[16];
        struct gz_presence presence;
        uint64_t here; /* crowd */
        struct gz_notes notes;
        struct gz_checkpoints checkpoint_news;
        struct gz_edit_message edit;
        struct gz_ok ok;
        struct gz_error_message error;
        struct gz_bye bye;
        struct gz_moves moves;
        struct gz_person person;
        struct gz_people_message people;
        struct gz_motion_message motion;
    };
};

/* The most that decoding a frame of this size may take from the arena. */
size_t gz_decode_bytes_max(size_t frame_size);

/* Takes the next message of a frame. *offset is where it begins (0 at first) and afterwards where
 * the next one does; the frame is done when *offset == size. After an error *offset is past the
 * message if its end could be found, so that the others of the frame can still be read, and equals
 * size if not. message->op, has and rid are filled on errors too: op is GZ_OP_COUNT if it is
 * unknown, has holds RID if a rid could be read. */
GZ_MUST_USE enum gz_status gz_decode(enum gz_side side, const uint8_t *bytes, size_t size,
                                     size_t *offset, struct gz_arena *arena,
                                     struct gz_message *message, struct gz_error *error);

/* Appends a message to `out`. On an error (GZ_TOO_LARGE, GZ_NO_MEMORY) `out` is as it was. */
GZ_MUST_USE enum gz_status gz_encode(struct gz_buffer *out, const struct gz_message *message);

/* The word of an op: "hello" ... "bye"; "" for GZ_OP_COUNT. */
const char *gz_op_word(enum gz_op op);

#endif
