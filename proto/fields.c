/* fields.c - the table of each message and record: which fields, in which order, and their rules.
 */
#include "proto/fields.h"
#include "proto/limits.h"

#include <stddef.h>

/* ---- How a row is written: key, struct, member, then what says that it is there ---- */

#define REQUIRED .required = true
#define IF(field) .has = GZ_HAS_##field
/* Written if it is true, or not empty. */
#define IF_ANY .has = 0

#define ROW(key_, kind_, type, member)                                                             \
    .key = key_, .key_size = sizeof key_ - 1, .kind = kind_, .offset = offsetof(type, member)
#define SIMPLE(kind, key, type, member, ...)                                                       \
    {                                                                                              \
        ROW(key, kind, struct type, member), __VA_ARGS__                                           \
    }
#define BOOL(key, type, member, ...) SIMPLE(GZ_KIND_BOOL, key, type, member, __VA_ARGS__)
#define COUNT(key, type, member, ...) SIMPLE(GZ_KIND_COUNT, key, type, member, __VA_ARGS__)
#define ID(key, type, member, ...) SIMPLE(GZ_KIND_ID, key, type, member, __VA_ARGS__)
#define IDS(key, type, member, ...) SIMPLE(GZ_KIND_IDS, key, type, member, __VA_ARGS__)
#define NUMBER(key, type, member, rule_, ...)                                                      \
    {                                                                                              \
        ROW(key, GZ_KIND_NUMBERS, struct type, member), .size_max = 1,                             \
                                                        .rule = GZ_FIELD_RULE_##rule_, __VA_ARGS__ \
    }
#define NUMBERS(key, type, member, rule_, ...)                                                     \
    {                                                                                              \
        ROW(key, GZ_KIND_NUMBERS, struct type, member),                                            \
            .size_max = sizeof(((struct type *)0)->member) / (sizeof(double)),                     \
            .rule = GZ_FIELD_RULE_##rule_, __VA_ARGS__                                             \
    }
#define VALUE(key, type, member, ...)                                                              \
    SIMPLE(GZ_KIND_VALUE, key, type, member, .rule = GZ_FIELD_RULE_COORDINATE, __VA_ARGS__)
#define VALUES(key, type, member, ...)                                                             \
    SIMPLE(GZ_KIND_VALUES, key, type, member, .rule = GZ_FIELD_RULE_COORDINATE, __VA_ARGS__)
#define TEXT(key, type, member, bytes_max, ...)                                                    \
    {                                                                                              \
        ROW(key, GZ_KIND_TEXT, struct type, member), .size_max = (bytes_max), __VA_ARGS__          \
    }
#define WORD(key, type, member, terms_, ...)                                                       \
    {                                                                                              \
        ROW(key, GZ_KIND_WORD, struct type, member), .terms = &(terms_), __VA_ARGS__               \
    }
#define WORDS(key, type, member, terms_, ...)                                                      \
    {                                                                                              \
        ROW(key, GZ_KIND_WORDS, struct type, member), .terms = &(terms_), __VA_ARGS__              \
    }
#define CHOICE(key, type, member, terms_, ...)                                                     \
    {                                                                                              \
        ROW(key, GZ_KIND_CHOICE, struct type, member), .terms = &(terms_), __VA_ARGS__             \
    }
#define GROUP(key_, record_, ...)                                                                  \
    {                                                                                              \
        .key = key_, .key_size = sizeof key_ - 1, .kind = GZ_KIND_GROUP, .record = &(record_),     \
        __VA_ARGS__                                                                                \
    }
#define RECORD(key, type, member, record_, ...)                                                    \
    {                                                                                              \
        ROW(key, GZ_KIND_RECORD, struct type, member), .record = &(record_), __VA_ARGS__           \
    }
#define RECORDS(key, type, member, count_, record_, ...)                                           \
    {                                                                                              \
        ROW(key, GZ_KIND_RECORDS, struct type, member),                                            \
            .count_offset = offsetof(struct type, count_), .record = &(record_), __VA_ARGS__       \
    }

#define OP                                                                                         \
    {                                                                                              \
        .key = "op", .key_size = 2, .kind = GZ_KIND_OP, REQUIRED                                   \
    }
#define RID COUNT("rid", gz_message, rid, IF(RID), .envelope = true)
#define KEY TEXT("key", gz_message, key, GZ_KEY_BYTES_MAX, IF(KEY), .envelope = true)

#define ROWS(rows_) .rows = rows_, .count = sizeof(rows_) / sizeof *(rows_)
#define GROUP_OF(rows_)                                                                            \
    {                                                                                              \
        ROWS(rows_)                                                                                \
    }
/* The second walk reads each element of a list into one union: no element may be larger. */
#define SIZE_OF(type)                                                                              \
    sizeof(struct type) +                                                                          \
        0 * sizeof(struct {                                                                        \
            static_assert(sizeof(struct type) <= sizeof(union gz_element), "an element's room");   \
            char none;                                                                             \
        })
#define RECORD_AS(name_, rows_, type)                                                              \
    ROWS(rows_), .name = name_, .size = SIZE_OF(type), .has_offset = offsetof(struct type, has)
#define RECORD_OF(rows_, type) RECORD_AS(#type, rows_, type)
/* All of its fields are required, or of those that are written if they are true. */
#define PLAIN_RECORD_OF(rows_, type)                                                               \
    {                                                                                              \
        ROWS(rows_), .name = #type, .size = SIZE_OF(type), .has_offset = SIZE_MAX                  \
    }
#define TUPLE_OF(rows_, type)                                                                      \
    {                                                                                              \
        ROWS(rows_), .name = #type, .size = SIZE_OF(type), .tuple = true                           \
    }

/* ---- Client to server ---- */

static const struct gz_row resume_rows[] = {
    COUNT("epoch", gz_hello, resume_epoch, REQUIRED),
    COUNT("seq", gz_hello, resume_seq, REQUIRED),
    COUNT("edit", gz_hello, resume_edit, IF(HELLO_EDIT)),
    TEXT("secret", gz_hello, resume_secret, GZ_SECRET_TEXT_BYTES_MAX, IF_ANY),
};
static const struct gz_record_type resume_group = GROUP_OF(resume_rows);

static const char *const form_words[] = {"plain", "packed"};
static const struct gz_vocabulary form_terms = {form_words, 2};

static const struct gz_row hello_rows[] = {
    OP,
    RID,
    COUNT("v", gz_hello, v, REQUIRED),
    TEXT("scene", gz_hello, scene, GZ_SCENE_NAME_BYTES_MAX, REQUIRED,
         .rule = GZ_FIELD_RULE_SCENE_NAME),
    TEXT("user", gz_hello, user, GZ_USER_BYTES_MAX, REQUIRED, .rule = GZ_FIELD_RULE_NOT_EMPTY),
    TEXT("token", gz_hello, token, GZ_TOKEN_BYTES_MAX, IF(HELLO_TOKEN)),
    WORD("role", gz_hello, role, gz_role_words, IF(HELLO_ROLE)),
    BOOL("create", gz_hello, create, IF_ANY),
    GROUP("resume", resume_group, IF(HELLO_RESUME)),
    BOOL("draw", gz_hello, draw, IF_ANY),
    CHOICE("form", gz_hello, packed, form_terms, IF_ANY),
};

static const char *const ndc_y_words[] = {"up", "down"};
static const struct gz_vocabulary ndc_y_terms = {ndc_y_words, 2};

static const struct gz_row camera_rows[] = {
    OP,
    RID,
    NUMBERS("view", gz_camera_message, view, NONE, REQUIRED),
    NUMBERS("proj", gz_camera_message, proj, NONE, REQUIRED),
    NUMBERS("viewport", gz_camera_message, viewport, VIEWPORT, REQUIRED),
    CHOICE("ndc_y", gz_camera_message, ndc_y_down, ndc_y_terms, IF_ANY),
    BOOL("left_handed", gz_camera_message, left_handed, IF_ANY),
    NUMBERS("target", gz_camera_message, target, COORDINATE, IF(CAMERA_TARGET)),
};

static const struct gz_row snap_rows[] = {
    NUMBER("t", gz_tool_message, snap_t, POSITIVE, IF(TOOL_SNAP_T)),
    NUMBER("r", gz_tool_message, snap_r, POSITIVE, IF(TOOL_SNAP_R)),
    NUMBER("s", gz_tool_message, snap_s, POSITIVE, IF(TOOL_SNAP_S)),
    BOOL("on", gz_tool_message, snap_on, IF(TOOL_SNAP_ON)),
    BOOL("absolute", gz_tool_message, snap_absolute, IF(TOOL_SNAP_ABSOLUTE)),
};
static const struct gz_record_type snap_group = GROUP_OF(snap_rows);

static const struct gz_row tool_rows[] = {
    OP,
    RID,
    WORD("mode", gz_tool_message, mode, gz_mode_words, IF(TOOL_MODE)),
    WORD("space", gz_tool_message, space, gz_space_words, IF(TOOL_SPACE)),
    {ROW("pivot", GZ_KIND_PIVOT, struct gz_tool_message, pivot), .terms = &gz_pivot_words,
     IF(TOOL_PIVOT)},
    GROUP("snap", snap_group, IF(TOOL_SNAP)),
    NUMBER("size", gz_tool_message, size, POSITIVE, IF(TOOL_SIZE)),
    NUMBER("tolerance", gz_tool_message, tolerance, NOT_NEGATIVE, IF(TOOL_TOLERANCE)),
    NUMBER("edge", gz_tool_message, edge, NOT_NEGATIVE, IF(TOOL_EDGE)),
    WORD("axis_method", gz_tool_message, axis_method, gz_axis_words, IF(TOOL_AXIS_METHOD)),
    WORD("ball", gz_tool_message, ball, gz_ball_words, IF(TOOL_BALL)),
    WORD("ball_fit", gz_tool_message, ball_fit, gz_fit_words, IF(TOOL_BALL_FIT)),
    WORD("orbit", gz_tool_message, orbit, gz_orbit_words, IF(TOOL_ORBIT)),
    BOOL("surface", gz_tool_message, surface, IF(TOOL_SURFACE)),
    BOOL("mirror", gz_tool_message, mirror, IF(TOOL_MIRROR)),
};

static const struct gz_row select_rows[] = {
    OP,
    RID,
    IDS("nodes", gz_select, nodes, REQUIRED),
    WORD("how", gz_select, how, gz_how_words, REQUIRED),
};

#define PLACE_ROWS(type, RECORD)                                                                   \
    NUMBERS("at", type, at, COORDINATE, IF(RECORD##_AT)),                                          \
        NUMBERS("ray", type, ray, RAY, IF(RECORD##_RAY))
#define POINTER_ROWS                                                                               \
    PLACE_ROWS(gz_pointer_message, POINTER), COUNT("n", gz_pointer_message, n, IF(POINTER_N)),     \
        WORDS("mods", gz_pointer_message, mods, gz_mod_words, IF_ANY)

static const struct gz_row pointer_rows[] = {
    OP, RID, KEY, WORD("phase", gz_pointer_message, phase, gz_phase_words, REQUIRED), POINTER_ROWS,
};

/* The phase of a grab is down, whether it is sent or not. */
static const struct gz_row grab_rows[] = {
    OP,
    RID,
    WORD("handle", gz_pointer_message, handle, gz_handle_words, REQUIRED),
    IDS("nodes", gz_pointer_message, nodes, IF(POINTER_NODES)),
    VALUE("value", gz_pointer_message, value, IF(POINTER_VALUE)),
    WORD("phase", gz_pointer_message, phase, gz_phase_words, IF_ANY),
    POINTER_ROWS,
};

static const struct gz_row wheel_rows[] = {
    OP,
    RID,
    NUMBER("dy", gz_wheel, dy, COORDINATE, REQUIRED),
    NUMBERS("at", gz_wheel, at, COORDINATE, IF(WHEEL_AT)),
};

#define TRS_ROWS(type, RECORD)                                                                     \
    {ROW("t", GZ_KIND_NUMBERS, struct type, trs.t), .size_max = 3,                                 \
     .rule = GZ_FIELD_RULE_COORDINATE, IF(RECORD##_T)},                                            \
        {ROW("r", GZ_KIND_NUMBERS, struct type, trs.r), .size_max = 4,                             \
         .rule = GZ_FIELD_RULE_QUATERNION, IF(RECORD##_R)},                                        \
    {                                                                                              \
        ROW("s", GZ_KIND_NUMBERS, struct type, trs.s), .size_max = 3, .rule = GZ_FIELD_RULE_SCALE, \
                                                       IF(RECORD##_S)                              \
    }
#define BOUNDS_ROW(type, RECORD)                                                                   \
    {                                                                                              \
        ROW("bounds", GZ_KIND_NUMBERS, struct type, bounds),                                       \
            .size_max = 6, .rule = GZ_FIELD_RULE_BOX, IF(RECORD##_BOUNDS)                          \
    }

/* A node, and where it is to be: the whole or parts of it. */
#define PLACED_ROWS                                                                                \
    ID("id", gz_set_node, id, REQUIRED), TRS_ROWS(gz_set_node, SET_NODE),                          \
        NUMBER("x", gz_set_node, trs.t.x, COORDINATE, IF(SET_NODE_X)),                             \
        NUMBER("y", gz_set_node, trs.t.y, COORDINATE, IF(SET_NODE_Y)),                             \
        NUMBER("z", gz_set_node, trs.t.z, COORDINATE, IF(SET_NODE_Z)),                             \
        {ROW("euler", GZ_KIND_EULER, struct gz_set_node, trs.r), IF(SET_NODE_EULER)},              \
    {                                                                                              \
        ROW("order", GZ_KIND_ORDER, struct gz_set_node, trs.r), .terms = &gz_euler_words, IF_ANY   \
    }

static const struct gz_row hold_rows[] = {
    OP,
    RID,
    COUNT("hold", gz_hold_message, hold, IF_ANY),
    IDS("nodes", gz_hold_message, nodes, REQUIRED),
    BOOL("path", gz_hold_message, path, IF(HOLD_PATH)),
};

static const struct gz_row posed_node_rows[] = {PLACED_ROWS};
static const struct gz_record_type posed_node_record = {
    RECORD_AS("posed_node", posed_node_rows, gz_set_node),
    .unique = true,
    .at_most_one = GZ_HAS_SET_NODE_R | GZ_HAS_SET_NODE_EULER,
    .rule = GZ_RECORD_SET_NODE,
};
static const struct gz_row pose_rows[] = {
    OP,
    RID,
    COUNT("hold", gz_pose_message, hold, IF_ANY),
    RECORDS("nodes", gz_pose_message, nodes, count, posed_node_record, REQUIRED),
    COUNT("n", gz_pose_message, n, IF(POSE_N)),
};
static const struct gz_row release_rows[] = {
    OP,
    RID,
    KEY,
    COUNT("hold", gz_pose_message, hold, IF_ANY),
    COUNT("n", gz_pose_message, n, IF(POSE_N)),
};
static const struct gz_row cancel_rows[] = {
    OP,
    RID,
    COUNT("hold", gz_pose_message, hold, IF_ANY),
    COUNT("n", gz_pose_message, n, IF(POSE_N)),
};

static const struct gz_row set_node_rows[] = {
    PLACED_ROWS,
    TEXT("name", gz_set_node, name, GZ_NAME_BYTES_MAX, IF(SET_NODE_NAME)),
    SIMPLE(GZ_KIND_PARENT, "parent", gz_set_node, parent, IF(SET_NODE_PARENT)),
    BOOL("keep", gz_set_node, keep, IF_ANY),
};
static const struct gz_record_type set_node_record = {
    RECORD_OF(set_node_rows, gz_set_node),
    .unique = true,
    .at_most_one = GZ_HAS_SET_NODE_R | GZ_HAS_SET_NODE_EULER,
    .rule = GZ_RECORD_SET_NODE,
};
static const struct gz_row set_rows[] = {
    OP,
    RID,
    KEY,
    RECORDS("nodes", gz_set, nodes, count, set_node_record, REQUIRED),
    COUNT("base", gz_set, base, IF(SET_BASE)),
};

static const struct gz_row create_node_rows[] = {
    TEXT("ref", gz_create_node, ref, GZ_NAME_BYTES_MAX, IF(CREATE_NODE_REF)),
    SIMPLE(GZ_KIND_PARENT_OR_REF, "parent", gz_create_node, parent, IF(CREATE_NODE_PARENT)),
    TEXT("name", gz_create_node, name, GZ_NAME_BYTES_MAX, REQUIRED,
         .unless = GZ_HAS_CREATE_NODE_COPY, IF(CREATE_NODE_NAME)),
    TRS_ROWS(gz_create_node, CREATE_NODE),
    BOUNDS_ROW(gz_create_node, CREATE_NODE),
    ID("copy", gz_create_node, copy, IF(CREATE_NODE_COPY)),
};
static const struct gz_record_type create_node_record = {
    RECORD_OF(create_node_rows, gz_create_node)};
static const struct gz_row create_rows[] = {
    OP,
    RID,
    KEY,
    RECORDS("nodes", gz_create, nodes, count, create_node_record, REQUIRED),
};

static const struct gz_row delete_rows[] = {
    OP,
    RID,
    KEY,
    {.key = "nodes", .key_size = 5, .kind = GZ_KIND_IDS, REQUIRED},
};

static const struct gz_row pick_rows[] = {
    OP,
    RID,
    PLACE_ROWS(gz_pick, PICK),
    NUMBERS("rect", gz_pick, rect, RECT, IF(PICK_RECT)),
    BOOL("inside", gz_pick, inside, IF_ANY),
    BOOL("surface", gz_pick, surface, IF_ANY),
};

static const struct gz_row undo_rows[] = {
    OP,
    RID,
    KEY,
    {.key = "force", .key_size = 5, .kind = GZ_KIND_BOOL, IF_ANY},
};

static const struct gz_row history_rows[] = {
    OP,
    RID,
    ID("node", gz_history, node, IF(HISTORY_NODE)),
    TEXT("user", gz_history, user, GZ_USER_BYTES_MAX, IF(HISTORY_USER)),
    NUMBER("since", gz_history, since, NONE, IF(HISTORY_SINCE)),
    NUMBER("before", gz_history, before, NONE, IF(HISTORY_BEFORE)),
    COUNT("limit", gz_history, limit, IF(HISTORY_LIMIT), .rule = GZ_FIELD_RULE_ROWS),
    BOOL("changes", gz_history, changes, IF(HISTORY_CHANGES)),
    BOOL("alone", gz_history, alone, IF_ANY),
};

static const struct gz_row at_rows[] = {
    OP,
    RID,
    COUNT("seq", gz_at, seq, IF(AT_SEQ)),
    NUMBER("time", gz_at, time, NONE, IF(AT_TIME)),
    TEXT("checkpoint", gz_at, checkpoint, GZ_CHECKPOINT_BYTES_MAX, IF(AT_CHECKPOINT)),
    COUNT("after", gz_at, after, IF(AT_AFTER)),
    COUNT("limit", gz_at, limit, IF(AT_LIMIT), .rule = GZ_FIELD_RULE_ROWS),
};

static const struct gz_row restore_rows[] = {
    OP,
    RID,
    KEY,
    COUNT("seq", gz_at, seq, IF(AT_SEQ)),
    TEXT("checkpoint", gz_at, checkpoint, GZ_CHECKPOINT_BYTES_MAX, IF(AT_CHECKPOINT)),
};

static const struct gz_row revert_rows[] = {
    OP, RID, KEY, ID("edit", gz_revert, edit, REQUIRED), BOOL("force", gz_revert, force, IF_ANY),
};

static const struct gz_row checkpoint_rows[] = {
    OP,
    RID,
    TEXT("name", gz_checkpoint, name, GZ_CHECKPOINT_BYTES_MAX, REQUIRED,
         .rule = GZ_FIELD_RULE_NOT_EMPTY),
    COUNT("seq", gz_checkpoint, seq, IF(CHECKPOINT_SEQ)),
    BOOL("gone", gz_checkpoint, gone, IF_ANY),
};

static const struct gz_row checkpoints_rows[] = {OP, RID};

static const struct gz_row token_rows[] = {
    OP,
    RID,
    {.key = "token", .key_size = 5, .kind = GZ_KIND_TEXT, .size_max = GZ_TOKEN_BYTES_MAX, REQUIRED},
};

static const struct gz_row access_rows[] = {
    OP,
    RID,
    TEXT("user", gz_access, user, GZ_GLOB_BYTES_MAX, REQUIRED, .rule = GZ_FIELD_RULE_NOT_EMPTY),
    WORD("role", gz_access, role, gz_role_words, IF(ACCESS_ROLE)),
    BOOL("gone", gz_access, gone, IF_ANY),
};
static const struct gz_row accesses_rows[] = {OP, RID};

static const struct gz_row link_rows[] = {
    OP,
    RID,
    WORD("role", gz_link, role, gz_role_words, REQUIRED),
    NUMBER("expires_s", gz_link, expires_s, POSITIVE, REQUIRED),
};

static const struct gz_row path_rows[] = {
    OP,
    RID,
    ID("node", gz_path, node, REQUIRED),
    NUMBER("since", gz_path, since, NONE, IF(PATH_SINCE)),
    NUMBER("before", gz_path, before, NONE, IF(PATH_BEFORE)),
    COUNT("limit", gz_path, limit, IF(PATH_LIMIT), .rule = GZ_FIELD_RULE_POINTS),
};

static const struct gz_row interest_rows[] = {
    OP,
    RID,
    IDS("nodes", gz_interest, nodes, IF(INTEREST_NODES)),
    {ROW("box", GZ_KIND_NUMBERS, struct gz_interest, box), .size_max = 6, .rule = GZ_FIELD_RULE_BOX,
     IF(INTEREST_BOX)},
    BOOL("view", gz_interest, view, IF(INTEREST_VIEW)),
};

static const struct gz_row note_rows[] = {
    OP,
    RID,
    KEY,
    ID("id", gz_note, note, IF(NOTE_NOTE)),
    TEXT("text", gz_note, text, GZ_NOTE_BYTES_MAX, IF(NOTE_TEXT), .rule = GZ_FIELD_RULE_NOT_EMPTY),
    ID("node", gz_note, node, IF(NOTE_NODE)),
    NUMBERS("point", gz_note, point, COORDINATE, IF(NOTE_POINT)),
    ID("reply", gz_note, reply, IF(NOTE_REPLY)),
    BOOL("done", gz_note, done, IF(NOTE_DONE)),
    BOOL("gone", gz_note, gone, IF_ANY),
};

static const struct gz_row who_rows[] = {
    OP,
    RID,
    COUNT("after", gz_who, after, IF(WHO_AFTER)),
    COUNT("limit", gz_who, limit, IF(WHO_LIMIT), .rule = GZ_FIELD_RULE_ROWS),
};

static const struct gz_row ping_rows[] = {OP, RID};

/* ---- Server to client ---- */

static const struct gz_row limits_rows[] = {
    COUNT("message_bytes", gz_welcome, message_bytes, REQUIRED),
    COUNT("messages_per_s", gz_welcome, messages_per_s, REQUIRED),
    COUNT("nodes", gz_welcome, nodes, REQUIRED),
};
static const struct gz_record_type limits_group = GROUP_OF(limits_rows);

static const struct gz_row welcome_rows[] = {
    OP,
    COUNT("v", gz_welcome, v, REQUIRED),
    COUNT("session", gz_welcome, session, REQUIRED),
    TEXT("scene", gz_welcome, scene, GZ_SCENE_NAME_BYTES_MAX, REQUIRED),
    COUNT("epoch", gz_welcome, epoch, REQUIRED),
    COUNT("seq", gz_welcome, seq, REQUIRED),
    BOOL("resumed", gz_welcome, resumed, REQUIRED),
    WORD("role", gz_welcome, role, gz_role_words, REQUIRED),
    GROUP("limits", limits_group, REQUIRED),
    TEXT("server", gz_welcome, server, GZ_NAME_BYTES_MAX, REQUIRED),
    TEXT("secret", gz_welcome, secret, GZ_SECRET_TEXT_BYTES_MAX, IF_ANY),
    TEXT("read_only", gz_welcome, read_only, GZ_ERROR_BYTES_MAX, IF_ANY),
};

/* A node in a delta and in the answer to `at`; without the first two, a side of a change. */
#define NODE_STATE_ROWS                                                                            \
    TRS_ROWS(gz_node_state, STATE),                                                                \
        TEXT("name", gz_node_state, name, GZ_NAME_BYTES_MAX, IF(STATE_NAME)),                      \
        SIMPLE(GZ_KIND_PARENT, "parent", gz_node_state, parent, IF(STATE_PARENT))

static const struct gz_row node_state_rows[] = {
    ID("id", gz_node_state, id, REQUIRED),
    COUNT("by", gz_node_state, by, IF(STATE_BY)),
    NODE_STATE_ROWS,
    BOUNDS_ROW(gz_node_state, STATE),
    COUNT("asset", gz_node_state, asset, IF(STATE_ASSET)),
};
static const struct gz_record_type node_state_record = {RECORD_OF(node_state_rows, gz_node_state),
                                                        .unique = true};

static const struct gz_row ack_rows[] = {
    COUNT("session", gz_ack, session, REQUIRED),
    COUNT("n", gz_ack, n, REQUIRED),
};
static const struct gz_record_type ack_tuple = TUPLE_OF(ack_rows, gz_ack);

static const struct gz_row delta_rows[] = {
    OP,
    COUNT("from", gz_delta, from, REQUIRED),
    COUNT("seq", gz_delta, seq, REQUIRED),
    NUMBER("time", gz_delta, time, NONE, REQUIRED),
    BOOL("more", gz_delta, more, IF_ANY),
    COUNT("saved", gz_delta, saved, REQUIRED),
    RECORDS("nodes", gz_delta, nodes, count, node_state_record, REQUIRED),
    IDS("gone", gz_delta, gone, IF_ANY),
    RECORDS("acks", gz_delta, acks, ack_count, ack_tuple, IF_ANY),
};

static const struct gz_row saved_rows[] = {
    OP,
    {.key = "seq", .key_size = 3, .kind = GZ_KIND_COUNT, REQUIRED},
};

static const struct gz_row line_rows[] = {
    NUMBER("x0", gz_line, ends[0], COORDINATE, REQUIRED),
    NUMBER("y0", gz_line, ends[1], COORDINATE, REQUIRED),
    NUMBER("z0", gz_line, ends[2], COORDINATE, REQUIRED),
    NUMBER("x1", gz_line, ends[3], COORDINATE, REQUIRED),
    NUMBER("y1", gz_line, ends[4], COORDINATE, REQUIRED),
    NUMBER("z1", gz_line, ends[5], COORDINATE, REQUIRED),
    SIMPLE(GZ_KIND_RGB, "rgb", gz_line, rgb, REQUIRED),
};
static const struct gz_record_type line_tuple = TUPLE_OF(line_rows, gz_line);

static const struct gz_row gizmo_rows[] = {
    OP,
    WORD("mode", gz_gizmo_message, mode, gz_mode_words, REQUIRED),
    WORD("space", gz_gizmo_message, space, gz_space_words, REQUIRED),
    NUMBERS("origin", gz_gizmo_message, origin, COORDINATE, REQUIRED),
    NUMBERS("axes", gz_gizmo_message, axes, COORDINATE, REQUIRED),
    NUMBERS("turn_axes", gz_gizmo_message, turn_axes, COORDINATE, IF(GIZMO_TURN_AXES)),
    NUMBERS("scale_axes", gz_gizmo_message, scale_axes, COORDINATE, IF(GIZMO_SCALE_AXES)),
    NUMBERS("box", gz_gizmo_message, box, COORDINATE, IF(GIZMO_BOX)),
    NUMBER("size", gz_gizmo_message, size, NONE, REQUIRED),
    WORDS("handles", gz_gizmo_message, handles, gz_handle_words, REQUIRED),
    WORD("hover", gz_gizmo_message, hover, gz_handle_words, IF(GIZMO_HOVER)),
    WORD("active", gz_gizmo_message, active, gz_handle_words, IF(GIZMO_ACTIVE)),
    VALUES("value", gz_gizmo_message, value, IF(GIZMO_VALUE)),
    NUMBERS("start", gz_gizmo_message, start, COORDINATE, IF(GIZMO_START)),
    NUMBERS("arm", gz_gizmo_message, arm, COORDINATE, IF(GIZMO_ARM)),
    NUMBERS("axis", gz_gizmo_message, axis, COORDINATE, IF(GIZMO_AXIS)),
    RECORDS("lines", gz_gizmo_message, lines, line_count, line_tuple, IF(GIZMO_LINES)),
};

static const struct gz_row view_rows[] = {
    OP,
    {.key = "view", .key_size = 4, .kind = GZ_KIND_NUMBERS, .size_max = 16, REQUIRED},
};

static const struct gz_row presence_user_rows[] = {
    COUNT("session", gz_presence_user, session, REQUIRED),
    TEXT("user", gz_presence_user, user, GZ_USER_BYTES_MAX, REQUIRED),
    TEXT("name", gz_presence_user, name, GZ_USER_BYTES_MAX, IF(PRESENCE_NAME)),
    SIMPLE(GZ_KIND_COLOUR, "colour", gz_presence_user, rgb, REQUIRED),
    WORD("role", gz_presence_user, role, gz_role_words, REQUIRED),
    PLACE_ROWS(gz_presence_user, PRESENCE),
    NUMBERS("view", gz_presence_user, view, NONE, IF(PRESENCE_VIEW)),
    NUMBERS("lens", gz_presence_user, lens, NONE, IF(PRESENCE_LENS)),
    BOOL("parallel", gz_presence_user, parallel, IF_ANY),
    IDS("selection", gz_presence_user, selection, IF(PRESENCE_SELECTION)),
    WORD("tool", gz_presence_user, tool, gz_mode_words, IF(PRESENCE_TOOL)),
    IDS("locks", gz_presence_user, locks, IF(PRESENCE_LOCKS)),
};
static const struct gz_record_type presence_user_record = {
    RECORD_OF(presence_user_rows, gz_presence_user)};

static const struct gz_row presence_rows[] = {
    OP,
    RECORDS("users", gz_presence, users, count, presence_user_record, REQUIRED),
    IDS("left", gz_presence, left, IF_ANY),
    BOOL("all", gz_presence, all, IF_ANY),
};

static const struct gz_row crowd_rows[] = {
    OP,
    {.key = "here", .key_size = 4, .kind = GZ_KIND_COUNT, REQUIRED},
};

static const struct gz_row note_state_rows[] = {
    ID("id", gz_note_state, id, REQUIRED),
    TEXT("user", gz_note_state, user, GZ_USER_BYTES_MAX, REQUIRED),
    TEXT("text", gz_note_state, text, GZ_NOTE_BYTES_MAX, REQUIRED),
    ID("node", gz_note_state, node, IF(NOTE_STATE_NODE)),
    NUMBERS("point", gz_note_state, point, COORDINATE, IF(NOTE_STATE_POINT)),
    ID("reply", gz_note_state, reply, IF(NOTE_STATE_REPLY)),
    BOOL("done", gz_note_state, done, IF_ANY),
    NUMBER("made", gz_note_state, made, NONE, REQUIRED),
    NUMBER("changed", gz_note_state, changed, NONE, REQUIRED),
};
static const struct gz_record_type note_state_record = {RECORD_OF(note_state_rows, gz_note_state),
                                                        .unique = true};

static const struct gz_row notes_rows[] = {
    OP,
    RECORDS("notes", gz_notes, notes, count, note_state_record, REQUIRED),
    IDS("gone", gz_notes, gone, IF_ANY),
    BOOL("all", gz_notes, all, IF_ANY),
    BOOL("more", gz_notes, more, IF_ANY),
};

static const struct gz_row side_rows[] = {NODE_STATE_ROWS};
static const struct gz_record_type side_record = {RECORD_AS("side", side_rows, gz_node_state)};

static const struct gz_row change_rows[] = {
    ID("id", gz_change_message, id, REQUIRED),
    TEXT("name", gz_change_message, name, GZ_NAME_BYTES_MAX, IF(CHANGE_NAME)),
    RECORD("before", gz_change_message, before, side_record, IF(CHANGE_BEFORE)),
    RECORD("after", gz_change_message, after, side_record, IF(CHANGE_AFTER)),
};
static const struct gz_record_type change_record = {
    RECORD_OF(change_rows, gz_change_message),
    .unique = true,
    .at_least_one = GZ_HAS_CHANGE_BEFORE | GZ_HAS_CHANGE_AFTER,
};

#define EDIT_ROWS                                                                                  \
    COUNT("id", gz_edit_message, id, REQUIRED), COUNT("by", gz_edit_message, by, REQUIRED),        \
        TEXT("user", gz_edit_message, user, GZ_USER_BYTES_MAX, REQUIRED),                          \
        WORD("kind", gz_edit_message, kind, gz_edit_kind_words, REQUIRED),                         \
        WORD("handle", gz_edit_message, handle, gz_handle_words, IF(EDIT_HANDLE)),                 \
        VALUE("value", gz_edit_message, value, IF(EDIT_VALUE)),                                    \
        IDS("nodes", gz_edit_message, nodes, REQUIRED),                                            \
        TEXT("name", gz_edit_message, name, GZ_NAME_BYTES_MAX, IF(EDIT_NAME)),                     \
        NUMBER("residual", gz_edit_message, residual, NONE, IF(EDIT_RESIDUAL)),                    \
        COUNT("seq", gz_edit_message, seq, REQUIRED),                                              \
        NUMBER("began", gz_edit_message, began, NONE, REQUIRED),                                   \
        NUMBER("ended", gz_edit_message, ended, NONE, REQUIRED)

static const struct gz_row edit_rows[] = {OP, EDIT_ROWS};

static const struct gz_row history_edit_rows[] = {
    EDIT_ROWS,
    BOOL("undone", gz_edit_message, undone, IF_ANY),
    COUNT("total", gz_edit_message, total, IF(EDIT_TOTAL)),
    RECORDS("changes", gz_edit_message, changes, change_count, change_record, IF(EDIT_CHANGES)),
};
static const struct gz_record_type history_edit_record = {
    RECORD_OF(history_edit_rows, gz_edit_message)};

static const struct gz_row hit_rows[] = {
    ID("id", gz_hit, id, REQUIRED),
    NUMBER("distance", gz_hit, distance, NONE, REQUIRED),
    NUMBERS("point", gz_hit, point, NONE, REQUIRED),
};
static const struct gz_record_type hit_record = PLAIN_RECORD_OF(hit_rows, gz_hit);

static const struct gz_row checkpoint_state_rows[] = {
    TEXT("name", gz_checkpoint_state, name, GZ_CHECKPOINT_BYTES_MAX, REQUIRED),
    COUNT("seq", gz_checkpoint_state, seq, REQUIRED),
    TEXT("user", gz_checkpoint_state, user, GZ_USER_BYTES_MAX, REQUIRED),
    NUMBER("made", gz_checkpoint_state, made, NONE, REQUIRED),
    BOOL("gone", gz_checkpoint_state, gone, IF_ANY),
};
static const struct gz_record_type checkpoint_state_record =
    PLAIN_RECORD_OF(checkpoint_state_rows, gz_checkpoint_state);

static const struct gz_row checkpoint_news_rows[] = {
    OP,
    RECORDS("checkpoints", gz_checkpoints, checkpoints, count, checkpoint_state_record, REQUIRED),
    BOOL("all", gz_checkpoints, all, IF_ANY),
};

static const struct gz_row path_point_rows[] = {
    COUNT("seq", gz_path_point, seq, REQUIRED),
    COUNT("edit", gz_path_point, edit, REQUIRED),
    NUMBER("time", gz_path_point, time, NONE, REQUIRED),
    {ROW("t", GZ_KIND_NUMBERS, struct gz_path_point, trs.t), .size_max = 3,
     .rule = GZ_FIELD_RULE_COORDINATE, REQUIRED},
    {ROW("r", GZ_KIND_NUMBERS, struct gz_path_point, trs.r), .size_max = 4,
     .rule = GZ_FIELD_RULE_QUATERNION, REQUIRED},
    {ROW("s", GZ_KIND_NUMBERS, struct gz_path_point, trs.s), .size_max = 3,
     .rule = GZ_FIELD_RULE_SCALE, REQUIRED},
    SIMPLE(GZ_KIND_PARENT, "parent", gz_path_point, parent, IF(PATH_POINT_PARENT)),
};
static const struct gz_record_type path_point_record = {RECORD_OF(path_point_rows, gz_path_point)};

static const struct gz_row access_state_rows[] = {
    TEXT("user", gz_access_state, user, GZ_GLOB_BYTES_MAX, REQUIRED),
    WORD("role", gz_access_state, role, gz_role_words, REQUIRED),
    TEXT("by", gz_access_state, by, GZ_USER_BYTES_MAX, REQUIRED),
    NUMBER("made", gz_access_state, made, NONE, REQUIRED),
};
static const struct gz_record_type access_state_record =
    PLAIN_RECORD_OF(access_state_rows, gz_access_state);

static const struct gz_row ok_rows[] = {
    OP,
    COUNT("rid", gz_message, rid, REQUIRED, .has = GZ_HAS_RID, .envelope = true),
    COUNT("seq", gz_ok, seq, IF(OK_SEQ)),
    COUNT("edit", gz_ok, edit, IF(OK_EDIT)),
    WORD("handle", gz_ok, handle, gz_handle_words, IF(OK_HANDLE)),
    ID("hit", gz_ok, hit, IF(OK_HIT)),
    ID("note", gz_ok, note, IF(OK_NOTE)),
    IDS("ids", gz_ok, ids, IF(OK_IDS)),
    RECORDS("hits", gz_ok, hits, hit_count, hit_record, IF(OK_HITS)),
    RECORDS("edits", gz_ok, edits, edit_count, history_edit_record, IF(OK_EDITS)),
    RECORDS("nodes", gz_ok, nodes, node_count, node_state_record, IF(OK_NODES)),
    RECORDS("checkpoints", gz_ok, checkpoints, checkpoint_count, checkpoint_state_record,
            IF(OK_CHECKPOINTS)),
    RECORDS("path", gz_ok, path, path_count, path_point_record, IF(OK_PATH)),
    TEXT("token", gz_ok, token, GZ_TOKEN_BYTES_MAX, IF(OK_TOKEN)),
    RECORDS("accesses", gz_ok, accesses, access_count, access_state_record, IF(OK_ACCESSES)),
    RECORDS("people", gz_ok, people, people_count, presence_user_record, IF(OK_PEOPLE)),
    BOOL("more", gz_ok, more, IF_ANY),
};

static const struct gz_row error_rows[] = {
    OP,
    RID,
    SIMPLE(GZ_KIND_STATUS, "code", gz_error_message, code, REQUIRED),
    TEXT("message", gz_error_message, message, GZ_ERROR_BYTES_MAX, REQUIRED),
    IDS("nodes", gz_error_message, nodes, IF(ERROR_NODES)),
    COUNT("holder", gz_error_message, holder, IF(ERROR_HOLDER)),
    BOOL("fatal", gz_error_message, fatal, IF_ANY),
};

static const struct gz_row bye_rows[] = {
    OP,
    TEXT("reason", gz_bye, reason, GZ_ERROR_BYTES_MAX, REQUIRED),
    NUMBER("retry_s", gz_bye, retry_s, NOT_NEGATIVE, IF(BYE_RETRY_S)),
    BOOL("fatal", gz_bye, fatal, IF_ANY),
    TEXT("scene", gz_bye, scene, GZ_SCENE_NAME_BYTES_MAX, IF(BYE_SCENE),
         .rule = GZ_FIELD_RULE_SCENE_NAME),
    SIMPLE(GZ_KIND_STATUS, "code", gz_bye, code, IF(BYE_CODE)),
    TEXT("url", gz_bye, url, GZ_MEMBER_URL_BYTES_MAX, IF(BYE_URL)),
};

/* ---- Server to client, in the packed form: what comes often has the lowest bits ---- */

static const struct gz_row move_rows[] = {
    ID("id", gz_move, id, REQUIRED),
    NUMBER("x", gz_move, trs.t.x, COORDINATE, IF(MOVE_X)),
    NUMBER("y", gz_move, trs.t.y, COORDINATE, IF(MOVE_Y)),
    NUMBER("z", gz_move, trs.t.z, COORDINATE, IF(MOVE_Z)),
    {ROW("r", GZ_KIND_NUMBERS, struct gz_move, trs.r), .size_max = 4,
     .rule = GZ_FIELD_RULE_QUATERNION, IF(MOVE_R)},
    {ROW("s", GZ_KIND_NUMBERS, struct gz_move, trs.s), .size_max = 3, .rule = GZ_FIELD_RULE_SCALE,
     IF(MOVE_S)},
    COUNT("by", gz_move, by, IF(MOVE_BY)),
};
static const struct gz_record_type move_record = {RECORD_OF(move_rows, gz_move), .packed = true,
                                                  .unique = true};

static const struct gz_row step_rows[] = {
    ID("motion", gz_motion_step, motion, REQUIRED),
    {ROW("shift", GZ_KIND_NUMBERS, struct gz_motion_step, shift), .size_max = 3,
     .rule = GZ_FIELD_RULE_COORDINATE, IF(STEP_SHIFT)},
    {ROW("turn", GZ_KIND_NUMBERS, struct gz_motion_step, turn), .size_max = 4,
     .rule = GZ_FIELD_RULE_QUATERNION, IF(STEP_TURN)},
    {ROW("pivot", GZ_KIND_NUMBERS, struct gz_motion_step, pivot), .size_max = 3,
     .rule = GZ_FIELD_RULE_COORDINATE, IF(STEP_PIVOT)},
};
static const struct gz_record_type step_record = {RECORD_OF(step_rows, gz_motion_step),
                                                  .packed = true, .unique = true};

static const struct gz_row moves_rows[] = {
    COUNT("from", gz_moves, from, REQUIRED),
    COUNT("step", gz_moves, step, REQUIRED),
    COUNT("ms", gz_moves, ms, REQUIRED),
    RECORDS("nodes", gz_moves, nodes, count, move_record, IF_ANY),
    COUNT("unsaved", gz_moves, unsaved, IF(MOVES_UNSAVED)),
    RECORDS("acks", gz_moves, acks, ack_count, ack_tuple, IF_ANY),
    RECORDS("steps", gz_moves, steps, step_count, step_record, IF_ANY),
};

static const struct gz_row motion_rows[] = {
    ID("motion", gz_motion_message, motion, REQUIRED),
    ID("by", gz_motion_message, by, REQUIRED),
    IDS("nodes", gz_motion_message, nodes, IF_ANY),
    RECORDS("starts", gz_motion_message, starts, start_count, move_record, IF_ANY),
};

static const struct gz_row packed_node_rows[] = {
    ID("id", gz_node_state, id, REQUIRED),
    {.key = "whole",
     .key_size = 5,
     .kind = GZ_KIND_WHOLE,
     .has = GZ_HAS_STATE_T | GZ_HAS_STATE_R | GZ_HAS_STATE_S | GZ_HAS_STATE_PARENT},
    NODE_STATE_ROWS,
    BOUNDS_ROW(gz_node_state, STATE),
    COUNT("asset", gz_node_state, asset, IF(STATE_ASSET)),
    COUNT("by", gz_node_state, by, IF(STATE_BY)),
};
static const struct gz_record_type packed_node_record = {RECORD_OF(packed_node_rows, gz_node_state),
                                                         .packed = true, .unique = true};

static const struct gz_row packed_delta_rows[] = {
    COUNT("from", gz_delta, from, REQUIRED),
    COUNT("seq", gz_delta, seq, REQUIRED),
    NUMBER("time", gz_delta, time, NONE, REQUIRED),
    COUNT("saved", gz_delta, saved, REQUIRED),
    RECORDS("nodes", gz_delta, nodes, count, packed_node_record, IF_ANY),
    IDS("gone", gz_delta, gone, IF_ANY),
    RECORDS("acks", gz_delta, acks, ack_count, ack_tuple, IF_ANY),
    BOOL("more", gz_delta, more, IF_ANY),
};

static const struct gz_row person_rows[] = {
    COUNT("session", gz_person, session, REQUIRED),
    NUMBERS("spot", gz_person, spot, COORDINATE, IF(PERSON_SPOT)),
    NUMBERS("pose", gz_person, pose, COORDINATE, IF(PERSON_POSE)),
    NUMBERS("ray", gz_person, ray, RAY, IF(PERSON_RAY)),
    WORD("tool", gz_person, tool, gz_mode_words, IF(PERSON_TOOL)),
    IDS("selection", gz_person, selection, IF(PERSON_SELECTION)),
    IDS("locks", gz_person, locks, IF(PERSON_LOCKS)),
    NUMBERS("lens", gz_person, lens, NONE, IF(PERSON_LENS)),
    NUMBERS("viewport", gz_person, viewport, VIEWPORT, IF(PERSON_VIEWPORT)),
    NUMBERS("view", gz_person, view, NONE, IF(PERSON_VIEW)),
    TEXT("user", gz_person, user, GZ_USER_BYTES_MAX, IF(PERSON_USER)),
    TEXT("name", gz_person, name, GZ_USER_BYTES_MAX, IF(PERSON_NAME)),
    SIMPLE(GZ_KIND_RGB, "colour", gz_person, rgb, IF(PERSON_COLOUR)),
    WORD("role", gz_person, role, gz_role_words, IF(PERSON_ROLE)),
};

static const struct gz_row people_rows[] = {
    IDS("left", gz_people_message, left, IF_ANY),
    BOOL("all", gz_people_message, all, IF_ANY),
};

#define PLACE_BITS (GZ_HAS_POINTER_AT | GZ_HAS_POINTER_RAY)
#define PICK_BITS (GZ_HAS_PICK_AT | GZ_HAS_PICK_RAY | GZ_HAS_PICK_RECT)
#define PAST_BITS (GZ_HAS_AT_SEQ | GZ_HAS_AT_TIME | GZ_HAS_AT_CHECKPOINT)

const struct gz_record_type gz_message_records[GZ_OP_COUNT] = {
    [GZ_OP_HELLO] = {ROWS(hello_rows)},
    [GZ_OP_CAMERA] = {ROWS(camera_rows)},
    [GZ_OP_TOOL] = {ROWS(tool_rows)},
    [GZ_OP_SELECT] = {ROWS(select_rows)},
    [GZ_OP_POINTER] = {ROWS(pointer_rows), .at_most_one = PLACE_BITS, .rule = GZ_RECORD_POINTER},
    [GZ_OP_GRAB] = {ROWS(grab_rows), .at_most_one = PLACE_BITS,
                    .at_least_one = PLACE_BITS | GZ_HAS_POINTER_VALUE, .rule = GZ_RECORD_GRAB},
    [GZ_OP_WHEEL] = {ROWS(wheel_rows)},
    [GZ_OP_HOLD] = {ROWS(hold_rows)},
    [GZ_OP_POSE] = {ROWS(pose_rows)},
    [GZ_OP_RELEASE] = {ROWS(release_rows)},
    [GZ_OP_CANCEL] = {ROWS(cancel_rows)},
    [GZ_OP_SET] = {ROWS(set_rows)},
    [GZ_OP_CREATE] = {ROWS(create_rows)},
    [GZ_OP_DELETE] = {ROWS(delete_rows)},
    [GZ_OP_PICK] = {ROWS(pick_rows), .at_most_one = PICK_BITS, .at_least_one = PICK_BITS},
    [GZ_OP_UNDO] = {ROWS(undo_rows)},
    [GZ_OP_REDO] = {ROWS(undo_rows)},
    [GZ_OP_HISTORY] = {ROWS(history_rows)},
    [GZ_OP_AT] = {ROWS(at_rows), .at_most_one = PAST_BITS, .at_least_one = PAST_BITS},
    [GZ_OP_RESTORE] = {ROWS(restore_rows), .at_most_one = PAST_BITS,
                       .at_least_one = GZ_HAS_AT_SEQ | GZ_HAS_AT_CHECKPOINT},
    [GZ_OP_REVERT] = {ROWS(revert_rows)},
    [GZ_OP_CHECKPOINT] = {ROWS(checkpoint_rows)},
    [GZ_OP_CHECKPOINTS] = {ROWS(checkpoints_rows)},
    [GZ_OP_PATH] = {ROWS(path_rows)},
    [GZ_OP_INTEREST] = {ROWS(interest_rows), .at_most_one = GZ_HAS_INTEREST_NODES |
                                                            GZ_HAS_INTEREST_BOX |
                                                            GZ_HAS_INTEREST_VIEW},
    [GZ_OP_NOTE] = {ROWS(note_rows), .at_least_one = GZ_HAS_NOTE_NOTE | GZ_HAS_NOTE_TEXT},
    [GZ_OP_TOKEN] = {ROWS(token_rows)},
    [GZ_OP_ACCESS] = {ROWS(access_rows)},
    [GZ_OP_ACCESSES] = {ROWS(accesses_rows)},
    [GZ_OP_LINK] = {ROWS(link_rows)},
    [GZ_OP_WHO] = {ROWS(who_rows)},
    [GZ_OP_PING] = {ROWS(ping_rows)},
    [GZ_OP_WELCOME] = {ROWS(welcome_rows)},
    [GZ_OP_DELTA] = {ROWS(delta_rows)},
    [GZ_OP_SAVED] = {ROWS(saved_rows)},
    [GZ_OP_GIZMO] = {ROWS(gizmo_rows)},
    [GZ_OP_VIEW] = {ROWS(view_rows)},
    [GZ_OP_PRESENCE] = {ROWS(presence_rows)},
    [GZ_OP_CROWD] = {ROWS(crowd_rows)},
    [GZ_OP_NOTES] = {ROWS(notes_rows)},
    [GZ_OP_CHECKPOINT_NEWS] = {ROWS(checkpoint_news_rows)},
    [GZ_OP_EDIT] = {ROWS(edit_rows)},
    [GZ_OP_OK] = {ROWS(ok_rows)},
    [GZ_OP_ERROR] = {ROWS(error_rows)},
    [GZ_OP_BYE] = {ROWS(bye_rows)},
    [GZ_OP_MOVES] = {ROWS(moves_rows), .packed = true, .number = 1},
    [GZ_OP_PERSON] = {ROWS(person_rows), .packed = true, .number = 2,
                      .at_most_one = GZ_HAS_PERSON_POSE | GZ_HAS_PERSON_VIEW},
    [GZ_OP_PEOPLE] = {ROWS(people_rows), .packed = true, .number = 3},
    [GZ_OP_MOTION] = {ROWS(motion_rows), .packed = true, .number = 4},
    [GZ_OP_PACKED_DELTA] = {ROWS(packed_delta_rows), .packed = true, .number = 5},
};

static const char *const op_words[GZ_OP_COUNT] = {
    [GZ_OP_HELLO] = "hello",
    [GZ_OP_CAMERA] = "camera",
    [GZ_OP_TOOL] = "tool",
    [GZ_OP_SELECT] = "select",
    [GZ_OP_POINTER] = "pointer",
    [GZ_OP_GRAB] = "grab",
    [GZ_OP_WHEEL] = "wheel",
    [GZ_OP_HOLD] = "hold",
    [GZ_OP_POSE] = "pose",
    [GZ_OP_RELEASE] = "release",
    [GZ_OP_CANCEL] = "cancel",
    [GZ_OP_SET] = "set",
    [GZ_OP_CREATE] = "create",
    [GZ_OP_DELETE] = "delete",
    [GZ_OP_PICK] = "pick",
    [GZ_OP_UNDO] = "undo",
    [GZ_OP_REDO] = "redo",
    [GZ_OP_HISTORY] = "history",
    [GZ_OP_AT] = "at",
    [GZ_OP_RESTORE] = "restore",
    [GZ_OP_REVERT] = "revert",
    [GZ_OP_CHECKPOINT] = "checkpoint",
    [GZ_OP_CHECKPOINTS] = "checkpoints",
    [GZ_OP_PATH] = "path",
    [GZ_OP_INTEREST] = "interest",
    [GZ_OP_NOTE] = "note",
    [GZ_OP_NOTES] = "notes",
    [GZ_OP_CHECKPOINT_NEWS] = "checkpoints",
    [GZ_OP_TOKEN] = "token",
    [GZ_OP_ACCESS] = "access",
    [GZ_OP_ACCESSES] = "accesses",
    [GZ_OP_LINK] = "link",
    [GZ_OP_WHO] = "who",
    [GZ_OP_PING] = "ping",
    [GZ_OP_WELCOME] = "welcome",
    [GZ_OP_DELTA] = "delta",
    [GZ_OP_SAVED] = "saved",
    [GZ_OP_GIZMO] = "gizmo",
    [GZ_OP_VIEW] = "camera",
    [GZ_OP_PRESENCE] = "presence",
    [GZ_OP_CROWD] = "crowd",
    [GZ_OP_EDIT] = "edit",
    [GZ_OP_OK] = "ok",
    [GZ_OP_ERROR] = "error",
    [GZ_OP_BYE] = "bye",
    [GZ_OP_MOVES] = "moves",
    [GZ_OP_PERSON] = "person",
    [GZ_OP_PEOPLE] = "people",
    [GZ_OP_MOTION] = "motion",
    [GZ_OP_PACKED_DELTA] = "delta",
};

const char *gz_op_word(enum gz_op op)
{
    return (unsigned)op < GZ_OP_COUNT ? op_words[op] : "";
}
