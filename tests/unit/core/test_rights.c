/* Who may say what, and that what is refused changes nothing: a table of every message, a table of
 * what cannot be, and bytes that are no message. After each the others still answer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/session.h"
#include "proto/limits.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

struct scene {
    struct host host;
    struct client *editor, *viewer, *watcher, *admin;
    uint64_t top, below; /* nodes */
};

static void open_scene(struct scene *s)
{
    host_init(&s->host);
    s->editor = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->viewer = client_join(&s->host, "vic", GZ_ROLE_VIEWER);
    s->watcher = client_join(&s->host, "wes", GZ_ROLE_EDITOR);
    s->admin = client_join(&s->host, "ada", GZ_ROLE_ADMIN);
    s->top = create_node(s->watcher, "top", 0, 0, 0, 0);
    s->below = create_node(s->watcher, "below", s->top, 0, 0, 0);
    assert_ok(ask_camera(s->editor, 10));
    assert_ok(ask_camera(s->viewer, 10));
    assert_ok(ask_camera(s->admin, 10));
    assert_ok(ask_select(s->editor, s->top));
    assert_ok(ask_select(s->admin, s->top));
    host_advance(&s->host, 1);
}

CLOSE_SCENE_AS_USUAL

/* ---- who may say what ---- */

static struct gz_message hello_message(void)
{
    struct gz_message message = {.op = GZ_OP_HELLO};
    message.hello =
        (struct gz_hello){.v = 1, .scene = {HOST_SCENE, strlen(HOST_SCENE)}, .user = {"x", 1}};
    return message;
}

/* A message of this kind that an admin may say, and an editor if editors may. */
static struct gz_message message_of(enum gz_op op, struct scene *s)
{
    static struct gz_set_node set;
    static const struct gz_create_node create = {.name = {"new", 3}};
    set = (struct gz_set_node){.has = GZ_HAS_SET_NODE_T, .id = s->top, .trs.t = {7, 7, 7}};
    struct gz_message message = {.op = op};
    switch (op) {
    case GZ_OP_HELLO: return hello_message();
    case GZ_OP_CAMERA: return camera_message(10);
    case GZ_OP_POINTER: return pointer_message(GZ_PHASE_HOVER, 1, 1, 0);
    case GZ_OP_GRAB:
        message = pointer_message(GZ_PHASE_DOWN, 400, 300, 0);
        message.op = GZ_OP_GRAB;
        message.has |= GZ_HAS_POINTER_NODES;
        message.pointer.nodes = (struct gz_ids){&s->top, 1};
        message.pointer.handle = GZ_TXY;
        break;
    case GZ_OP_WHEEL: message.wheel.dy = 1; break;
    case GZ_OP_HOLD: message.hold.nodes = (struct gz_ids){&s->top, 1}; break;
    case GZ_OP_POSE: message.pose = (struct gz_pose_message){.nodes = &set, .count = 1}; break;
    case GZ_OP_SET: message.set = (struct gz_set){&set, 1, 0}; break;
    case GZ_OP_CREATE: message.create = (struct gz_create){&create, 1}; break;
    case GZ_OP_DELETE: message.remove = (struct gz_ids){&s->below, 1}; break;
    case GZ_OP_PICK:
        message.has = GZ_HAS_PICK_AT;
        message.pick.at[0] = message.pick.at[1] = 300;
        break;
    case GZ_OP_AT:
        message.has = GZ_HAS_AT_SEQ;
        message.at.seq = 1;
        break;
    case GZ_OP_RESTORE: message.has = GZ_HAS_AT_SEQ, message.restore.seq = 1; break;
    case GZ_OP_REVERT: message.revert.edit = 3; break; /* the client's own */
    case GZ_OP_CHECKPOINT: message.checkpoint.name = (struct gz_text){"v1", 2}; break;
    case GZ_OP_PATH: message.path.node = s->below; break;
    case GZ_OP_NOTE:
        message.has = GZ_HAS_NOTE_TEXT;
        message.note.text = (struct gz_text){"too long?", 9};
        break;
    case GZ_OP_TOKEN: message.token = (struct gz_text){"a.b.c", 5}; break;
    case GZ_OP_ACCESS:
        message.has = GZ_HAS_ACCESS_ROLE;
        message.access = (struct gz_access){.user = {"new*", 4}, .role = GZ_ROLE_EDITOR};
        break;
    case GZ_OP_LINK: message.link = (struct gz_link){GZ_ROLE_VIEWER, 60}; break;
    default: break;
    }
    return message;
}

static const struct {
    enum gz_status viewer, editor, admin;
} rights[GZ_OP_CLIENT_COUNT] = {
    [GZ_OP_HELLO] = {GZ_BAD_STATE, GZ_BAD_STATE, GZ_BAD_STATE},
    [GZ_OP_CAMERA] = {GZ_OK, GZ_OK, GZ_OK},
    [GZ_OP_TOOL] = {GZ_OK, GZ_OK, GZ_OK},
    [GZ_OP_SELECT] = {GZ_OK, GZ_OK, GZ_OK},
    [GZ_OP_POINTER] = {GZ_OK, GZ_OK, GZ_OK},
    [GZ_OP_GRAB] = {GZ_FORBIDDEN, GZ_OK, GZ_OK},
    [GZ_OP_WHEEL] = {GZ_FORBIDDEN, GZ_OK, GZ_OK},
    [GZ_OP_HOLD] = {GZ_FORBIDDEN, GZ_OK, GZ_OK},
    [GZ_OP_POSE] = {GZ_FORBIDDEN, GZ_OK, GZ_OK},
    [GZ_OP_RELEASE] = {GZ_FORBIDDEN, GZ_OK, GZ_OK},
    [GZ_OP_CANCEL] = {GZ_FORBIDDEN, GZ_OK, GZ_OK},
    [GZ_OP_SET] = {GZ_FORBIDDEN, GZ_OK, GZ_OK},
    [GZ_OP_CREATE] = {GZ_FORBIDDEN, GZ_OK, GZ_OK},
    [GZ_OP_DELETE] = {GZ_FORBIDDEN, GZ_OK, GZ_OK},
    [GZ_OP_PICK] = {GZ_OK, GZ_OK, GZ_OK},
    [GZ_OP_UNDO] = {GZ_FORBIDDEN, GZ_OK, GZ_OK},
    [GZ_OP_REDO] = {GZ_FORBIDDEN, GZ_OK, GZ_OK},
    [GZ_OP_HISTORY] = {GZ_OK, GZ_OK, GZ_OK},
    [GZ_OP_AT] = {GZ_OK, GZ_OK, GZ_OK},
    [GZ_OP_RESTORE] = {GZ_FORBIDDEN, GZ_OK, GZ_OK},
    [GZ_OP_REVERT] = {GZ_FORBIDDEN, GZ_OK, GZ_OK},
    [GZ_OP_CHECKPOINT] = {GZ_FORBIDDEN, GZ_OK, GZ_OK},
    [GZ_OP_CHECKPOINTS] = {GZ_OK, GZ_OK, GZ_OK},
    [GZ_OP_PATH] = {GZ_OK, GZ_OK, GZ_OK},
    [GZ_OP_INTEREST] = {GZ_OK, GZ_OK, GZ_OK},
    [GZ_OP_NOTE] = {GZ_FORBIDDEN, GZ_OK, GZ_OK},
    [GZ_OP_TOKEN] = {GZ_OK, GZ_OK, GZ_OK}, /* here tokens say nothing */
    [GZ_OP_ACCESS] = {GZ_FORBIDDEN, GZ_FORBIDDEN, GZ_OK},
    [GZ_OP_LINK] = {GZ_FORBIDDEN, GZ_FORBIDDEN, GZ_OK},
    [GZ_OP_ACCESSES] = {GZ_FORBIDDEN, GZ_FORBIDDEN, GZ_OK},
    [GZ_OP_WHO] = {GZ_OK, GZ_OK, GZ_OK},
    [GZ_OP_PING] = {GZ_OK, GZ_OK, GZ_OK},
};

/* What an editor needs to have done before. */
static void prepare(struct client *editor, enum gz_op op, uint64_t top)
{
    const struct gz_message hold = {.op = GZ_OP_HOLD, .hold.nodes = {&top, 1}};
    if (op == GZ_OP_POSE || op == GZ_OP_RELEASE || op == GZ_OP_CANCEL)
        assert_ok(client_ask(editor, &hold));
    if (op != GZ_OP_UNDO && op != GZ_OP_REDO && op != GZ_OP_REVERT) return;
    assert_ok(ask_create(editor, "own", 0, NULL));
    if (op == GZ_OP_REDO) assert_ok(ask_undo(editor, false));
}

static void check_right(enum gz_op op, enum gz_role role)
{
    struct scene s;
    open_scene(&s);
    struct client *clients[] = {s.viewer, s.editor, s.admin}, *client = clients[role];
    enum gz_status expected[] = {rights[op].viewer, rights[op].editor, rights[op].admin};
    if (role >= GZ_ROLE_EDITOR) prepare(client, op, s.top);
    uint64_t seq = gz_core_summary(s.host.core).seq;
    struct gz_message message = message_of(op, &s);
    const struct gz_message *answer = client_ask(client, &message);
    if (op == GZ_OP_WHEEL && expected[role] == GZ_OK) { /* answered once it rests */
        assert_null(answer);
        host_advance(&s.host, 1);
        answer = client_answer(client, client->next_rid - 1);
    }
    if (expected[role] == GZ_OK) {
        assert_ok(answer);
    } else {
        assert_refused(answer, expected[role]);
        assert_int_equal(gz_core_summary(s.host.core).seq, seq);
    }
    close_scene(&s);
}

TEST(test_rights_of_every_message)
{
    for (int op = 0; op < GZ_OP_CLIENT_COUNT; op++) {
        for (int role = 0; role < GZ_ROLE_COUNT; role++)
            check_right((enum gz_op)op, (enum gz_role)role);
    }
}

SCENE_TEST(test_rights_of_a_viewers_pointer)
{
    assert_ok(ask_select(s->viewer, s->top));
    const struct gz_message *ok = ask_pointer(s->viewer, GZ_PHASE_DOWN, MIDDLE_X + 50,
                                              MIDDLE_Y); /* where an editor has a handle */
    assert_ok(ok);
    assert_int_equal(ok->has & GZ_HAS_OK_HANDLE, 0);
    assert_ok(ask_pointer(s->viewer, GZ_PHASE_MOVE, MIDDLE_X + 80, MIDDLE_Y));
    assert_ok(ask_pointer(s->viewer, GZ_PHASE_UP, MIDDLE_X + 80, MIDDLE_Y));
    assert_true(host_node(&s->host, s->top).trs.t.x == 0);
}

/* ---- what changes nothing ---- */

/* All that a message of this client could change. */
struct picture {
    uint64_t nodes, seq, saved, users;
    size_t deltas, edits, selected;
    uint64_t selection[8];
    const struct gz_interaction *interaction;
    struct gz_tool tool;
    struct gz_camera camera;
};

static void take_picture(const struct scene *s, const struct client *client,
                         struct picture *picture)
{
    const struct gz_session *session = client->session;
    memset(picture, 0, sizeof *picture);
    struct gz_core_summary summary = gz_core_summary(s->host.core);
    picture->nodes = summary.nodes;
    picture->seq = summary.seq;
    picture->saved = summary.saved;
    picture->users = summary.users;
    picture->deltas = s->watcher->mirror.deltas;
    picture->edits = s->host.store.edit_count;
    picture->selected = session->selection.count;
    assert_true(session->selection.count <= COUNT(picture->selection));
    if (session->selection.count > 0)
        memcpy(picture->selection, session->selection.ids,
               session->selection.count * sizeof picture->selection[0]);
    picture->interaction = session->gesture.interaction;
    memcpy(&picture->tool, &session->tool, sizeof session->tool);
    if (session->view.camera != NULL)
        memcpy(&picture->camera, session->view.camera, sizeof picture->camera);
}

static void assert_nothing_changed(struct scene *s, const struct client *client,
                                   const struct picture *before)
{
    struct picture after;
    host_advance(&s->host, 0.1);
    take_picture(s, client, &after);
    assert_memory_equal(before, &after, sizeof after);
    host_assert_equal(&s->host);
    assert_ok(ask_op(s->watcher, GZ_OP_PING));
    assert_ok(ask_op((struct client *)client, GZ_OP_PING));
}

enum wrong {
    SET_UNKNOWN,
    SET_CYCLE,
    SET_SELF,
    SET_UNKNOWN_PARENT,
    SET_ONE_OF_TWO,
    SET_NAN,
    SET_TINY_SCALE,
    SET_ZERO_ROTATION,
    SET_OLD_BASE,
    CREATE_UNKNOWN_REF,
    CREATE_REF_TWICE,
    CREATE_UNKNOWN_PARENT,
    DELETE_UNKNOWN,
    SELECT_UNKNOWN,
    GRAB_UNKNOWN,
    UP_OF_NOTHING_FAR,
    RESTORE_FUTURE,
    AT_FUTURE,
    UNDO_NOTHING,
    REDO_NOTHING,
    CAMERA_FLAT,
    CAMERA_NAN,
    ORBIT_BY_RAY,
    WRONG_COUNT
};

static const enum gz_status wrong_status[WRONG_COUNT] = {
    [SET_UNKNOWN] = GZ_UNKNOWN_NODE,    [SET_CYCLE] = GZ_BAD_VALUE,
    [SET_SELF] = GZ_BAD_VALUE,          [SET_UNKNOWN_PARENT] = GZ_UNKNOWN_NODE,
    [SET_ONE_OF_TWO] = GZ_UNKNOWN_NODE, [SET_NAN] = GZ_BAD_VALUE,
    [SET_TINY_SCALE] = GZ_BAD_VALUE,    [SET_ZERO_ROTATION] = GZ_BAD_VALUE,
    [SET_OLD_BASE] = GZ_CONFLICT,       [CREATE_UNKNOWN_REF] = GZ_BAD_VALUE,
    [CREATE_REF_TWICE] = GZ_BAD_VALUE,  [CREATE_UNKNOWN_PARENT] = GZ_UNKNOWN_NODE,
    [DELETE_UNKNOWN] = GZ_UNKNOWN_NODE, [SELECT_UNKNOWN] = GZ_UNKNOWN_NODE,
    [GRAB_UNKNOWN] = GZ_UNKNOWN_NODE,   [UP_OF_NOTHING_FAR] = GZ_BAD_VALUE,
    [RESTORE_FUTURE] = GZ_BAD_VALUE,    [AT_FUTURE] = GZ_BAD_VALUE,
    [UNDO_NOTHING] = GZ_BAD_STATE,      [REDO_NOTHING] = GZ_BAD_STATE,
    [CAMERA_FLAT] = GZ_BAD_VALUE,       [CAMERA_NAN] = GZ_BAD_VALUE,
    [ORBIT_BY_RAY] = GZ_BAD_VALUE,
};

static const uint64_t unknown_id = 4711;

static struct gz_message wrong_set(enum wrong wrong, const struct scene *s,
                                   struct gz_set_node nodes[2])
{
    struct gz_message message = {.op = GZ_OP_SET, .set = {nodes, 1, 0}};
    nodes[0] = (struct gz_set_node){.has = GZ_HAS_SET_NODE_T, .id = s->top, .trs = gz_trs_identity};
    nodes[1] = (struct gz_set_node){.has = GZ_HAS_SET_NODE_T, .id = unknown_id};
    nodes[0].trs.t.x = 5;
    if (wrong == SET_UNKNOWN) nodes[0].id = unknown_id;
    if (wrong == SET_CYCLE || wrong == SET_SELF || wrong == SET_UNKNOWN_PARENT)
        nodes[0].has |= GZ_HAS_SET_NODE_PARENT;
    nodes[0].parent = wrong == SET_CYCLE ? s->below : wrong == SET_SELF ? s->top : unknown_id;
    if (wrong == SET_ONE_OF_TWO) message.set.count = 2;
    if (wrong == SET_NAN) nodes[0].trs.t.y = NAN;
    if (wrong == SET_TINY_SCALE) nodes[0].has |= GZ_HAS_SET_NODE_S;
    if (wrong == SET_TINY_SCALE) nodes[0].trs.s.z = 1e-16;
    if (wrong == SET_ZERO_ROTATION) nodes[0].has |= GZ_HAS_SET_NODE_R;
    if (wrong == SET_ZERO_ROTATION) nodes[0].trs.r = (gz_quat){0, 0, 0, 0};
    if (wrong == SET_OLD_BASE) message.has = GZ_HAS_SET_BASE;
    return message;
}

static struct gz_message wrong_create(enum wrong wrong, struct gz_create_node nodes[2])
{
    nodes[0] =
        (struct gz_create_node){.has = GZ_HAS_CREATE_NODE_REF, .ref = {"a", 1}, .name = {"new", 3}};
    nodes[1] = nodes[0];
    if (wrong == CREATE_UNKNOWN_REF)
        nodes[1] = (struct gz_create_node){
            .has = GZ_HAS_CREATE_NODE_PARENT_REF, .parent_ref = {"b", 1}, .name = {"new", 3}};
    if (wrong == CREATE_UNKNOWN_PARENT)
        nodes[1] = (struct gz_create_node){
            .has = GZ_HAS_CREATE_NODE_PARENT, .parent = unknown_id, .name = {"new", 3}};
    return (struct gz_message){.op = GZ_OP_CREATE, .create = {nodes, 2}};
}

static struct gz_message wrong_grab(void)
{
    struct gz_message message = pointer_message(GZ_PHASE_DOWN, 400, 300, 0);
    message.op = GZ_OP_GRAB;
    message.has |= GZ_HAS_POINTER_NODES;
    message.pointer.nodes = (struct gz_ids){&unknown_id, 1};
    message.pointer.handle = GZ_TX;
    return message;
}

static struct gz_message wrong_orbit(void)
{
    struct gz_message message = {.op = GZ_OP_POINTER, .has = GZ_HAS_POINTER_RAY};
    message.pointer = (struct gz_pointer_message){
        .phase = GZ_PHASE_DOWN, .ray = {0, 0, 5, 0, 0, -1}, .mods = 1u << GZ_MOD_ORBIT};
    return message;
}

static struct gz_message wrong_camera(enum wrong wrong)
{
    struct gz_message message = camera_message(20);
    if (wrong == CAMERA_NAN) message.camera.view[12] = NAN;
    if (wrong == CAMERA_FLAT) memset(message.camera.proj, 0, sizeof message.camera.proj);
    return message;
}

static void check_wrong(struct scene *s, enum wrong wrong)
{
    struct gz_set_node set[2];
    struct gz_create_node create[2];
    struct gz_message message;
    uint64_t future = s->editor->mirror.seq + 1;
    switch (wrong) {
    case CREATE_UNKNOWN_REF:
    case CREATE_REF_TWICE:
    case CREATE_UNKNOWN_PARENT: message = wrong_create(wrong, create); break;
    case DELETE_UNKNOWN:
        message = (struct gz_message){.op = GZ_OP_DELETE, .remove = {&unknown_id, 1}};
        break;
    case SELECT_UNKNOWN:
        message = (struct gz_message){.op = GZ_OP_SELECT, .select = {{&unknown_id, 1}, GZ_HOW_SET}};
        break;
    case GRAB_UNKNOWN: message = wrong_grab(); break;
    case UP_OF_NOTHING_FAR: message = pointer_message(GZ_PHASE_UP, 1e300, 0, 0); break;
    case RESTORE_FUTURE:
        message = (struct gz_message){
            .op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ, .restore = {.seq = future}};
        break;
    case AT_FUTURE:
        message = (struct gz_message){.op = GZ_OP_AT, .has = GZ_HAS_AT_SEQ, .at.seq = future};
        break;
    case UNDO_NOTHING: message = (struct gz_message){.op = GZ_OP_UNDO, .force = true}; break;
    case REDO_NOTHING: message = (struct gz_message){.op = GZ_OP_REDO}; break;
    case CAMERA_FLAT:
    case CAMERA_NAN: message = wrong_camera(wrong); break;
    case ORBIT_BY_RAY: message = wrong_orbit(); break;
    default: message = wrong_set(wrong, s, set); break;
    }
    assert_refused(client_ask(s->editor, &message), wrong_status[wrong]);
}

SCENE_TEST(test_wrong_messages_change_nothing)
{
    struct picture before;
    for (int wrong = 0; wrong < WRONG_COUNT; wrong++) {
        take_picture(s, s->editor, &before);
        check_wrong(s, (enum wrong)wrong);
        assert_nothing_changed(s, s->editor, &before);
    }
}

static const struct {
    size_t size;
    const char *bytes;
} no_messages[] = {
    {1, "\xc1"},                           /* never used */
    {1, "\x80"},                           /* nothing in it */
    {4, "\x93\x01\x02\x03"},               /* a list */
    {5, "\xdd\x10\x00\x00\x00"},           /* a long list of nothing */
    {5, "\xdf\xff\xff\xff\xff"},           /* a map without its end */
    {9, "\x81\xa2op\xdb\xff\xff\xff\xff"}, /* a text without its end */
    {8, "\x81\xa2op\xa3xyz"},              /* unknown */
    {10, "\x81\xa2op\xa5hello\xc1"},       /* wrong, and then nonsense */
    {12, "\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91"},
};

SCENE_TEST(test_bytes_that_are_no_message_change_nothing)
{
    struct picture before;
    for (size_t i = 0; i < COUNT(no_messages); i++) {
        take_picture(s, s->editor, &before);
        client_forget(s->editor);
        client_say_bytes(s->editor, (const uint8_t *)no_messages[i].bytes, no_messages[i].size);
        host_turn(&s->host);
        assert_true(client_count(s->editor, GZ_OP_ERROR) > 0);
        assert_nothing_changed(s, s->editor, &before);
    }
}

SCENE_TEST(test_message_cut_short_changes_nothing)
{
    struct picture before;
    struct gz_set_node node = {.has = GZ_HAS_SET_NODE_T | GZ_HAS_SET_NODE_NAME,
                               .id = s->top,
                               .trs.t = {5, 5, 5},
                               .name = {"other", 5}};
    struct gz_message set = {.op = GZ_OP_SET, .set = {&node, 1, 0}};
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, GZ_MESSAGE_BYTES_MAX, 0);
    assert_int_equal(gz_encode(&bytes, &set), GZ_OK);
    take_picture(s, s->editor, &before);
    for (size_t size = 1; size < bytes.size; size++) {
        uint8_t *exact = malloc(size); /* so that a byte too far is seen */
        assert_non_null(exact);
        memcpy(exact, bytes.data, size);
        client_say_bytes(s->editor, exact, size);
        free(exact);
    }
    host_turn(&s->host);
    assert_int_equal(client_count(s->editor, GZ_OP_ERROR), bytes.size - 1);
    assert_nothing_changed(s, s->editor, &before);
    gz_buffer_finish(&bytes);
}

SCENE_TEST(test_good_messages_beside_a_bad_one_count)
{
    struct gz_message ping = {.op = GZ_OP_PING, .has = GZ_HAS_RID, .rid = 100};
    struct gz_message bad = {.op = GZ_OP_SELECT,
                             .has = GZ_HAS_RID,
                             .rid = 101,
                             .select = {{&unknown_id, 1}, GZ_HOW_SET}};
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, GZ_MESSAGE_BYTES_MAX, 0);
    assert_int_equal(gz_encode(&bytes, &ping), GZ_OK);
    assert_int_equal(gz_encode(&bytes, &bad), GZ_OK);
    ping.rid = 102;
    assert_int_equal(gz_encode(&bytes, &ping), GZ_OK);
    client_say_bytes(s->editor, bytes.data, bytes.size);
    host_turn(&s->host);
    assert_ok(client_answer(s->editor, 100));
    assert_refused(client_answer(s->editor, 101), GZ_UNKNOWN_NODE);
    assert_ok(client_answer(s->editor, 102));
    gz_buffer_finish(&bytes);
}
