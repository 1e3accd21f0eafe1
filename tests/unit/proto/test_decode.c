/* Where each field of each message goes: the golden vectors, read into structs and looked at one by
 * one. */
#include <string.h>

#include "proto/fields.h"
#include "support/cmocka.h"
#include "unit/proto/wire.h"

struct fixture {
    struct wire_vectors vectors;
    struct gz_arena arena;
    struct gz_message message;
};

static const struct gz_message *read_vector(void **state, const char *name)
{
    struct fixture *fixture = *state;
    const struct wire_vector *vector = wire_find(&fixture->vectors, name);
    gz_arena_reset(&fixture->arena, gz_decode_bytes_max(vector->size));
    size_t offset = 0;
    struct gz_error error = {.message = ""};
    if (gz_decode(vector->side, vector->bytes, vector->size, &offset, &fixture->arena,
                  &fixture->message, &error) != GZ_OK) {
        fail_msg("%s: %s", name, error.message);
    }
    return &fixture->message;
}

static void assert_text(struct gz_text text, const char *expected)
{
    assert_int_equal(text.size, strlen(expected));
    assert_memory_equal(text.bytes, expected, text.size);
}

static void assert_numbers(const void *numbers, size_t count, const double *expected)
{
    assert_memory_equal(numbers, expected, count * sizeof *expected);
}
#define assert_doubles(at, ...)                                                                    \
    assert_numbers((at), sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})

static void assert_ids(struct gz_ids list, size_t count, const uint64_t *expected)
{
    assert_int_equal(list.count, count);
    assert_memory_equal(list.ids, expected, count * sizeof *expected);
}
#define assert_id_list(list, ...)                                                                  \
    assert_ids((list), sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t),                       \
               (uint64_t[]){__VA_ARGS__})

#define TRS (GZ_HAS_STATE_T | GZ_HAS_STATE_R | GZ_HAS_STATE_S)

TEST(test_decode_hello)
{
    const struct gz_message *message = read_vector(state, "hello_full");
    const struct gz_hello *hello = &message->hello;
    assert_int_equal(message->op, GZ_OP_HELLO);
    assert_int_equal(message->has,
                     (GZ_HAS_RID | GZ_HAS_HELLO_TOKEN) | (GZ_HAS_HELLO_ROLE | GZ_HAS_HELLO_RESUME));
    assert_int_equal(message->rid, 1);
    assert_int_equal(hello->v, 1);
    assert_text(hello->scene, "arm-2_b");
    assert_text(hello->user, "Zoë 深");
    assert_text(hello->token, "abc.def.ghi");
    assert_int_equal(hello->role, GZ_ROLE_EDITOR);
    assert_true(hello->create);
    assert_true(hello->draw);
    assert_int_equal(hello->resume_epoch, 3);
    assert_int_equal(hello->resume_seq, 70000);
    assert_int_equal(read_vector(state, "hello_resumes_edits")->has,
                     (GZ_HAS_HELLO_RESUME | GZ_HAS_HELLO_EDIT));
    assert_int_equal(message->hello.resume_edit, 69998);
    assert_int_equal(read_vector(state, "hello_least")->has, 0);
    assert_false(message->hello.create);
    assert_false(message->hello.draw);
}

TEST(test_decode_camera)
{
    const struct gz_message *message = read_vector(state, "camera_full");
    assert_int_equal(message->op, GZ_OP_CAMERA);
    assert_doubles(message->camera.view, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -5, 1);
    assert_true(message->camera.proj[11] == -1);
    assert_doubles(message->camera.viewport, 10, 20, 640.5, 480);
    assert_true(message->camera.ndc_y_down);
    assert_true(message->camera.left_handed);
    read_vector(state, "camera_least");
    assert_false(message->camera.ndc_y_down);
    assert_false(message->camera.left_handed);
}

TEST(test_decode_tool)
{
    const struct gz_message *message = read_vector(state, "tool_full");
    const struct gz_tool_message *tool = &message->tool;
    assert_int_equal(message->has,
                     GZ_HAS_RID | (GZ_HAS_TOOL_MODE | GZ_HAS_TOOL_SPACE | GZ_HAS_TOOL_PIVOT) |
                         (GZ_HAS_TOOL_SNAP | GZ_HAS_TOOL_SNAP_T | GZ_HAS_TOOL_SNAP_R) |
                         (GZ_HAS_TOOL_SNAP_S | GZ_HAS_TOOL_SNAP_ON | GZ_HAS_TOOL_SNAP_ABSOLUTE) |
                         (GZ_HAS_TOOL_SIZE | GZ_HAS_TOOL_TOLERANCE) |
                         (GZ_HAS_TOOL_AXIS_METHOD | GZ_HAS_TOOL_BALL | GZ_HAS_TOOL_BALL_FIT));
    assert_int_equal(tool->mode, GZ_MODE_ROTATE);
    assert_int_equal(tool->space, GZ_SPACE_LOCAL);
    assert_int_equal(tool->pivot, GZ_PIVOT_EACH);
    assert_true(tool->snap_t == .25);
    assert_true(tool->snap_r > .26 && tool->snap_r < .27);
    assert_true(tool->snap_s == .1);
    assert_true(tool->snap_on);
    assert_true(tool->snap_absolute);
    assert_true(tool->size == 120);
    assert_true(tool->tolerance == 6);
    assert_int_equal(tool->axis_method, GZ_AXIS_CLOSEST);
    assert_int_equal(tool->ball, GZ_BALL_BELL);
    assert_int_equal(tool->ball_fit, GZ_FIT_CIRCLE);
    assert_int_equal(read_vector(state, "tool_nothing")->has, 0);
    assert_int_equal(read_vector(state, "tool_snap_off")->has,
                     (GZ_HAS_TOOL_SNAP | GZ_HAS_TOOL_SNAP_ON));
    assert_false(tool->snap_on);
    assert_int_equal(read_vector(state, "tool_pivot_point")->has,
                     (GZ_HAS_TOOL_MODE | GZ_HAS_TOOL_PIVOT));
    assert_int_equal(tool->pivot, GZ_PIVOT_POINT);
    assert_doubles(&tool->pivot_point, 1.5, -2, .25);
    assert_int_equal(read_vector(state, "tool_mirror")->has, GZ_HAS_TOOL_MIRROR);
    assert_true(tool->mirror);
}

TEST(test_decode_select_and_delete)
{
    const struct gz_message *message = read_vector(state, "select_set");
    assert_int_equal(message->select.how, GZ_HOW_SET);
    assert_id_list(message->select.nodes, 5, 1, 300, 70000, UINT64_C(1) << 33);
    read_vector(state, "select_none");
    assert_int_equal(message->select.nodes.count, 0);
    read_vector(state, "delete");
    assert_int_equal(message->op, GZ_OP_DELETE);
    assert_int_equal(message->has, (GZ_HAS_RID | GZ_HAS_KEY));
    assert_text(message->key, "d");
    assert_id_list(message->remove, 6, 2);
}

TEST(test_decode_pointer)
{
    const struct gz_message *message = read_vector(state, "pointer_up");
    assert_int_equal(message->has,
                     (GZ_HAS_RID | GZ_HAS_KEY | GZ_HAS_POINTER_AT) | GZ_HAS_POINTER_N);
    assert_text(message->key, "k-1");
    assert_int_equal(message->pointer.phase, GZ_PHASE_UP);
    assert_doubles(message->pointer.at, 640.25, 360.5);
    assert_int_equal(message->pointer.n, 41);
    assert_int_equal(message->pointer.mods, 15);
    assert_int_equal(read_vector(state, "pointer_ray")->has,
                     (GZ_HAS_POINTER_RAY | GZ_HAS_POINTER_N));
    assert_int_equal(message->pointer.phase, GZ_PHASE_MOVE);
    assert_doubles(message->pointer.ray, 0, 1, 5, 0, 0, -2);
    assert_int_equal(message->pointer.mods, 0);
    assert_int_equal(read_vector(state, "pointer_cancel")->has, 0);
    assert_int_equal(message->pointer.phase, GZ_PHASE_CANCEL);
}

TEST(test_decode_grab)
{
    const struct gz_message *message = read_vector(state, "grab");
    assert_int_equal(message->op, GZ_OP_GRAB);
    assert_int_equal(message->has,
                     (GZ_HAS_RID | GZ_HAS_POINTER_NODES | GZ_HAS_POINTER_AT) | GZ_HAS_POINTER_N);
    assert_int_equal(message->pointer.phase, GZ_PHASE_DOWN);
    assert_int_equal(message->pointer.handle, GZ_TXY);
    assert_id_list(message->pointer.nodes, 7, 8);
    assert_doubles(message->pointer.at, 100, 200);
    assert_int_equal(message->pointer.n, 1);
    assert_int_equal(message->pointer.mods, 1 << GZ_MOD_SNAP);
}

TEST(test_decode_grab_with_a_value)
{
    const struct gz_message *message = read_vector(state, "grab_value");
    assert_int_equal(message->has, (GZ_HAS_RID | GZ_HAS_POINTER_NODES | GZ_HAS_POINTER_VALUE));
    assert_int_equal(message->pointer.value.count, 1);
    assert_doubles(message->pointer.value.numbers, 0.25);
    assert_int_equal(read_vector(state, "grab_value_and_place")->has,
                     (GZ_HAS_POINTER_VALUE | GZ_HAS_POINTER_AT | GZ_HAS_POINTER_N));
    assert_int_equal(message->pointer.value.count, 2);
    assert_doubles(message->pointer.value.numbers, -1.5, 0.1);
    assert_int_equal(read_vector(state, "pointer_up_without_at")->has,
                     (GZ_HAS_RID | GZ_HAS_KEY | GZ_HAS_POINTER_N));
    const struct gz_edit_message *edit = &read_vector(state, "edit_value")->edit;
    assert_int_equal(edit->has, (GZ_HAS_EDIT_HANDLE | GZ_HAS_EDIT_VALUE));
    assert_int_equal(edit->value.count, 1);
    assert_doubles(edit->value.numbers, 0.25);
    edit = &read_vector(state, "ok_history_value")->ok.edits[0];
    assert_int_equal(edit->value.count, 2);
    assert_doubles(edit->value.numbers, 0.5, -2);
}

TEST(test_decode_names_the_fields_of_which_one_is_wanted)
{
    static const struct {
        const char *vector, *text;
    } cases[] = {
        {"grab_without_at", "grab: one of value, at, ray is missing"},
        {"grab_value_with_at_and_ray", "grab: only one of at, ray may be given"},
        {"pointer_without_at", "pointer: one of at, ray is missing"},
    };
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct wire_vector *vector = wire_find(&fixture->vectors, cases[i].vector);
        gz_arena_reset(&fixture->arena, gz_decode_bytes_max(vector->size));
        size_t offset = 0;
        struct gz_error error = {.message = ""};
        assert_int_not_equal(gz_decode(vector->side, vector->bytes, vector->size, &offset,
                                       &fixture->arena, &fixture->message, &error),
                             GZ_OK);
        assert_string_equal(error.message, cases[i].text);
    }
}

TEST(test_decode_wheel)
{
    const struct gz_message *message = read_vector(state, "wheel");
    assert_int_equal(message->has, GZ_HAS_POINTER_AT);
    assert_true(message->wheel.dy == -2.5);
    assert_doubles(message->wheel.at, 10, 20);
    assert_int_equal(read_vector(state, "wheel_least")->has, 0);
}

TEST(test_decode_set)
{
    const struct gz_message *message = read_vector(state, "set_full");
    assert_int_equal(message->has, (GZ_HAS_RID | GZ_HAS_KEY | GZ_HAS_SET_BASE));
    assert_text(message->key, "0123456789");
    assert_int_equal(message->set.base, 4096);
    assert_int_equal(message->set.count, 3);
    const struct gz_set_node *node = message->set.nodes;
    assert_int_equal(node[0].id, 4);
    assert_int_equal(node[0].has, TRS | (GZ_HAS_SET_NODE_NAME | GZ_HAS_SET_NODE_PARENT));
    assert_doubles(&node[0].trs.t, 1, 2, 3);
    assert_true(node[0].trs.r.x == 0 && node[0].trs.r.y == node[0].trs.r.w);
    assert_doubles(&node[0].trs.s, 1, -2, .5);
    assert_text(node[0].name, "arm");
    assert_int_equal(node[0].parent, 0);
    assert_int_equal(node[1].id, 3);
    assert_int_equal(node[1].has, GZ_HAS_SET_NODE_PARENT);
    assert_int_equal(node[1].parent, 4);
    assert_int_equal(node[2].has, GZ_HAS_SET_NODE_R);
    assert_doubles(&node[2].trs.r, 0, 0, 0, -1);
}

TEST(test_decode_euler_becomes_r)
{
    const struct gz_message *message = read_vector(state, "euler_zyx");
    assert_int_equal(message->set.nodes[0].has, (GZ_HAS_SET_NODE_EULER | GZ_HAS_SET_NODE_R));
    gz_vec3 angles = gz_euler_from_quat(message->set.nodes[0].trs.r, GZ_ZYX);
    assert_true(fabs(angles.x - .3) < 1e-15 && fabs(angles.y + .7) < 1e-15 &&
                fabs(angles.z - 1.1) < 1e-15);
}

TEST(test_decode_create)
{
    const struct gz_message *message = read_vector(state, "create_full");
    assert_int_equal(message->create.count, 4);
    const struct gz_create_node *node = message->create.nodes;
    assert_int_equal(node[0].has, (GZ_HAS_CREATE_NODE_REF | GZ_HAS_CREATE_NODE_PARENT |
                                   GZ_HAS_CREATE_NODE_BOUNDS) |
                                      GZ_HAS_CREATE_NODE_NAME);
    assert_text(node[0].ref, "a");
    assert_text(node[0].name, "base");
    assert_int_equal(node[0].parent, 0);
    assert_doubles(&node[0].bounds, -1, -1, -1, 1, 1, 1);
    assert_int_equal(node[1].has, TRS | (GZ_HAS_CREATE_NODE_PARENT_REF | GZ_HAS_CREATE_NODE_NAME));
    assert_text(node[1].parent_ref, "a");
    assert_text(node[1].name, "");
    assert_doubles(&node[1].trs, 0, 1, 0, 0, 0, 0, 1, 2, 2, 2);
    assert_int_equal(node[2].has, (GZ_HAS_CREATE_NODE_PARENT | GZ_HAS_CREATE_NODE_NAME));
    assert_int_equal(node[2].parent, 7);
    assert_int_equal(node[3].has, GZ_HAS_CREATE_NODE_NAME);
}

TEST(test_decode_create_copies)
{
    const struct gz_message *message = read_vector(state, "create_copies");
    assert_int_equal(message->create.count, 3);
    const struct gz_create_node *node = message->create.nodes;
    assert_int_equal(node[0].has, (GZ_HAS_CREATE_NODE_REF | GZ_HAS_CREATE_NODE_COPY));
    assert_int_equal(node[0].copy, 7);
    assert_int_equal(node[1].has, (GZ_HAS_CREATE_NODE_PARENT_REF | GZ_HAS_CREATE_NODE_NAME |
                                   GZ_HAS_CREATE_NODE_T) |
                                      GZ_HAS_CREATE_NODE_COPY);
    assert_int_equal(node[1].copy, 8);
    assert_text(node[1].name, "");
    assert_int_equal(node[2].has, (GZ_HAS_CREATE_NODE_PARENT | GZ_HAS_CREATE_NODE_COPY));
    assert_int_equal(node[2].parent, 0);
}

TEST(test_decode_pick)
{
    const struct gz_message *message = read_vector(state, "pick_at");
    assert_int_equal(message->has, (GZ_HAS_RID | GZ_HAS_POINTER_AT));
    assert_doubles(message->pick.at, 3, 4);
    assert_int_equal(read_vector(state, "pick_ray")->has, (GZ_HAS_RID | GZ_HAS_PICK_RAY));
    assert_doubles(message->pick.ray, 0, 0, 10, 0, 0, -1);
    assert_int_equal(read_vector(state, "rect_from_any_corner")->has,
                     (GZ_HAS_RID | GZ_HAS_PICK_RECT));
    assert_doubles(message->pick.rect, 10, 20, 30, 40);
    assert_false(message->pick.inside);
    assert_true(read_vector(state, "pick_rect")->pick.inside);
}

TEST(test_decode_undo_redo_restore)
{
    const struct gz_message *message = read_vector(state, "undo");
    assert_int_equal(message->op, GZ_OP_UNDO);
    assert_true(message->force);
    assert_text(message->key, "u");
    assert_int_equal(read_vector(state, "redo")->op, GZ_OP_REDO);
    assert_false(message->force);
    assert_int_equal(read_vector(state, "restore")->restore.seq, 255);
    assert_text(message->key, "r");
}

TEST(test_decode_history_and_at)
{
    const struct gz_message *message = read_vector(state, "history_full");
    assert_int_equal(message->has,
                     (GZ_HAS_RID | GZ_HAS_NOTE_NODE | GZ_HAS_HISTORY_USER) |
                         (GZ_HAS_HISTORY_SINCE | GZ_HAS_HISTORY_BEFORE | GZ_HAS_HISTORY_LIMIT));
    assert_int_equal(message->history.node, 12);
    assert_text(message->history.user, "Ada");
    assert_true(message->history.since == 1700000000.5);
    assert_true(message->history.before == 1700000100.25);
    assert_int_equal(message->history.limit, 1000);
    assert_int_equal(read_vector(state, "history_least")->has, GZ_HAS_RID);
    assert_int_equal(read_vector(state, "at_seq")->has, (GZ_HAS_RID | GZ_HAS_OK_SEQ));
    assert_int_equal(message->at.seq, 0);
    assert_int_equal(read_vector(state, "at_time")->has, (GZ_HAS_RID | GZ_HAS_AT_TIME));
    assert_true(message->at.time == 1700000000.125);
}

TEST(test_decode_welcome)
{
    const struct gz_welcome *welcome = &read_vector(state, "welcome")->welcome;
    assert_int_equal(welcome->v, 1);
    assert_int_equal(welcome->session, 7);
    assert_text(welcome->scene, "engine");
    assert_int_equal(welcome->epoch, 2);
    assert_int_equal(welcome->seq, 1041);
    assert_false(welcome->resumed);
    assert_int_equal(welcome->role, GZ_ROLE_EDITOR);
    assert_int_equal(welcome->message_bytes, 1048576);
    assert_int_equal(welcome->messages_per_s, 2000);
    assert_int_equal(welcome->nodes, 100000);
    assert_text(welcome->server, "gizmod 0.1.0");
}

TEST(test_decode_delta)
{
    const struct gz_delta *delta = &read_vector(state, "delta_full")->delta;
    assert_int_equal(delta->from, 0);
    assert_int_equal(delta->seq, 1042);
    assert_true(delta->time == 1700000001.25);
    assert_true(delta->more);
    assert_int_equal(delta->saved, 1040);
    assert_int_equal(delta->count, 3);
    const struct gz_node_state *node = delta->nodes;
    assert_int_equal(node[0].has, TRS |
                                      (GZ_HAS_STATE_BY | GZ_HAS_STATE_NAME | GZ_HAS_STATE_PARENT) |
                                      (GZ_HAS_STATE_BOUNDS | GZ_HAS_STATE_ASSET));
    assert_int_equal(node[0].id, 1);
    assert_int_equal(node[0].by, 7);
    assert_doubles(&node[0].trs, .5, 0, -1, 0, 0, 0, 1, 1, 1, 1);
    assert_text(node[0].name, "crank");
    assert_int_equal(node[0].parent, 0);
    assert_doubles(&node[0].bounds, -1, -2, -3, 1, 2, 3);
    assert_int_equal(node[0].asset, 0);
    assert_int_equal(node[1].has, (GZ_HAS_STATE_BY | GZ_HAS_STATE_T));
    assert_int_equal(node[2].has, GZ_HAS_STATE_PARENT);
    assert_int_equal(node[2].parent, 1);
    assert_id_list(delta->gone, 9, 11);
    assert_int_equal(delta->ack_count, 2);
    assert_int_equal(delta->acks[0].session, 7);
    assert_int_equal(delta->acks[0].n, 41);
    assert_int_equal(delta->acks[1].session, 8);
    assert_int_equal(delta->acks[1].n, 0);
}

TEST(test_decode_gizmo)
{
    const struct gz_message *message = read_vector(state, "gizmo_full");
    const struct gz_gizmo_message *gizmo = &message->gizmo;
    assert_int_equal(message->has, (GZ_HAS_GIZMO_HOVER | GZ_HAS_GIZMO_ACTIVE | GZ_HAS_GIZMO_LINES));
    assert_int_equal(gizmo->mode, GZ_MODE_UNIVERSAL);
    assert_int_equal(gizmo->space, GZ_SPACE_LOCAL);
    assert_doubles(&gizmo->origin, 1, 2, 3);
    assert_doubles(gizmo->axes, 0, 1, 0, -1, 0, 0, 0, 0, 1);
    assert_true(gizmo->size == .75);
    assert_int_equal(gizmo->handles,
                     1 << GZ_TX | 1 << GZ_TY | 1 << GZ_TZ | 1 << GZ_RB | 1 << GZ_SX | 1 << GZ_SU);
    assert_int_equal(gizmo->hover, GZ_TX);
    assert_int_equal(gizmo->active, GZ_TX);
    assert_int_equal(gizmo->line_count, 2);
    assert_doubles(gizmo->lines[0].ends, 0, 0, 0, 1, 0, 0);
    assert_int_equal(gizmo->lines[0].rgb, 0xff4040);
    assert_doubles(gizmo->lines[1].ends, 0, 0, 0, 0, 1, 0);
    assert_int_equal(gizmo->lines[1].rgb, 255);
}

TEST(test_decode_presence)
{
    const struct gz_presence *presence = &read_vector(state, "presence")->presence;
    assert_int_equal(presence->count, 2);
    const struct gz_presence_user *user = presence->users;
    assert_int_equal(user[0].has,
                     (GZ_HAS_PRESENCE_AT | GZ_HAS_PRESENCE_VIEW | GZ_HAS_PRESENCE_SELECTION) |
                         (GZ_HAS_PRESENCE_TOOL | GZ_HAS_PRESENCE_LOCKS));
    assert_int_equal(user[0].session, 7);
    assert_text(user[0].user, "Ada");
    assert_int_equal(user[0].rgb, 0x3fa7d6);
    assert_int_equal(user[0].role, GZ_ROLE_EDITOR);
    assert_doubles(user[0].at, 12.5, 30);
    assert_true(user[0].view[14] == -5);
    assert_id_list(user[0].selection, 5, 1);
    assert_int_equal(user[0].tool, GZ_MODE_TRANSLATE);
    assert_id_list(user[0].locks, 5);
    assert_int_equal(user[1].has, GZ_HAS_PRESENCE_RAY);
    assert_int_equal(user[1].rgb, 0x0a);
    assert_doubles(user[1].ray, 0, 0, 0, 0, 0, 1);
    assert_id_list(presence->left, 4, 6);
}

TEST(test_decode_edit)
{
    const struct gz_edit_message *edit = &read_vector(state, "edit")->edit;
    assert_int_equal(edit->has, (GZ_HAS_EDIT_HANDLE | GZ_HAS_EDIT_RESIDUAL));
    assert_int_equal(edit->id, 31);
    assert_int_equal(edit->by, 7);
    assert_text(edit->user, "Ada");
    assert_int_equal(edit->kind, GZ_EDIT_TRANSLATE);
    assert_int_equal(edit->handle, GZ_TX);
    assert_id_list(edit->nodes, 5);
    assert_true(edit->residual == 0);
    assert_int_equal(edit->seq, 1042);
    assert_true(edit->began == 1700000000);
    assert_true(edit->ended == 1700000001.5);
}

TEST(test_decode_ok_of_edits_and_picks)
{
    const struct gz_message *message = read_vector(state, "ok_edit");
    assert_int_equal(message->has, (GZ_HAS_RID | GZ_HAS_OK_SEQ | GZ_HAS_OK_EDIT) | GZ_HAS_OK_IDS);
    assert_int_equal(message->rid, 11);
    assert_int_equal(message->ok.seq, 1050);
    assert_int_equal(message->ok.edit, 32);
    assert_id_list(message->ok.ids, 83, 84);
    assert_int_equal(read_vector(state, "ok_down")->has,
                     (GZ_HAS_RID | GZ_HAS_OK_HANDLE | GZ_HAS_OK_HIT));
    assert_int_equal(message->ok.handle, GZ_RB);
    assert_int_equal(message->ok.hit, 5);
    assert_int_equal(read_vector(state, "ok_hits")->has, (GZ_HAS_RID | GZ_HAS_OK_HITS));
    assert_int_equal(message->ok.hit_count, 2);
    assert_int_equal(message->ok.hits[1].id, 2);
    assert_true(message->ok.hits[1].distance == 7);
    assert_doubles(&message->ok.hits[1].point, 0, 1, -2);
}

TEST(test_decode_ok_of_history)
{
    const struct gz_message *message = read_vector(state, "ok_history");
    assert_int_equal(message->has, (GZ_HAS_RID | GZ_HAS_OK_EDITS));
    assert_int_equal(message->ok.edit_count, 2);
    const struct gz_edit_message *edit = message->ok.edits;
    assert_int_equal(edit[0].has, GZ_HAS_EDIT_CHANGES);
    assert_int_equal(edit[0].kind, GZ_EDIT_SET);
    assert_id_list(edit[0].nodes, 5, 83, 6);
    assert_int_equal(edit[0].change_count, 3);
    const struct gz_change_message *change = edit[0].changes;
    assert_int_equal(change[0].id, 5);
    assert_int_equal(change[0].has, (GZ_HAS_CHANGE_BEFORE | GZ_HAS_CHANGE_AFTER));
    assert_int_equal(change[0].before.has, (GZ_HAS_STATE_T | GZ_HAS_CHANGE_NAME));
    assert_text(change[0].before.name, "old");
    assert_doubles(&change[0].after.trs.t, 1, 0, 0);
    assert_int_equal(change[1].has, GZ_HAS_CHANGE_AFTER);
    assert_int_equal(change[1].after.has, TRS | (GZ_HAS_CHANGE_NAME | GZ_HAS_STATE_PARENT));
    assert_int_equal(change[1].after.parent, 5);
    assert_int_equal(change[2].has, GZ_HAS_CHANGE_BEFORE);
    assert_int_equal(change[2].before.has, GZ_HAS_STATE_PARENT);
    assert_int_equal(edit[1].kind, GZ_EDIT_IMPORT);
    assert_int_equal(edit[1].change_count, 0);
}

TEST(test_decode_ok_of_history_with_names)
{
    const struct gz_message *message = read_vector(state, "ok_history_names");
    const struct gz_edit_message *edit = message->ok.edits;
    assert_int_equal(edit[0].has, (GZ_HAS_EDIT_CHANGES | GZ_HAS_EDIT_NAME));
    assert_text(edit[0].name, "old rod");
    assert_int_equal(edit[0].changes[0].has, (GZ_HAS_CHANGE_BEFORE | GZ_HAS_CHANGE_NAME));
    assert_text(edit[0].changes[0].name, "old rod");
    assert_text(edit[1].changes[0].name, "rod");
}

TEST(test_decode_ok_of_at)
{
    const struct gz_message *message = read_vector(state, "ok_at");
    assert_int_equal(message->has, (GZ_HAS_RID | GZ_HAS_OK_SEQ | GZ_HAS_OK_NODES));
    assert_int_equal(message->ok.node_count, 2);
    assert_int_equal(message->ok.nodes[1].id, 2);
    assert_int_equal(message->ok.nodes[1].has, TRS | (GZ_HAS_STATE_NAME | GZ_HAS_STATE_PARENT));
    assert_text(message->ok.nodes[1].name, "leaf");
    assert_true(message->ok.more);
}

TEST(test_decode_error_bye_saved_view)
{
    const struct gz_message *message = read_vector(state, "error_full");
    assert_int_equal(message->has, (GZ_HAS_RID | GZ_HAS_POINTER_NODES | GZ_HAS_ERROR_HOLDER));
    assert_int_equal(message->error.code, GZ_LOCKED);
    assert_text(message->error.message, "nodes: 5 is held by session 8");
    assert_id_list(message->error.nodes, 5);
    assert_int_equal(message->error.holder, 8);
    assert_true(message->error.fatal);
    assert_int_equal(read_vector(state, "bye")->has, GZ_HAS_BYE_RETRY_S);
    assert_text(message->bye.reason, "the server is going away");
    assert_true(message->bye.retry_s == 2.5 && !message->bye.fatal);
    assert_true(read_vector(state, "bye_fatal")->bye.fatal);
    assert_int_equal(read_vector(state, "bye_renamed")->has, GZ_HAS_BYE_SCENE);
    assert_text(message->bye.scene, "motor-2");
    assert_int_equal(read_vector(state, "bye_elsewhere")->has, GZ_HAS_BYE_RETRY_S | GZ_HAS_BYE_URL);
    assert_text(message->bye.url, "https://b.example:7432");
    assert_int_equal(read_vector(state, "saved")->saved_seq, 1042);
    assert_int_equal(read_vector(state, "view")->op, GZ_OP_VIEW);
    assert_true(message->view[14] == -5);
}

TEST(test_encode_at_the_maximum_leaves_what_was_there)
{
    const struct gz_message *message = read_vector(state, "delta_full");
    for (size_t max = 3; max < 200; max++) {
        struct gz_buffer out;
        gz_buffer_init(&out, max, 16);
        assert_int_equal(gz_buffer_append(&out, "abc", 3), GZ_OK);
        assert_int_equal(gz_encode(&out, message), GZ_TOO_LARGE);
        assert_int_equal(out.size, 3);
        assert_memory_equal(out.data, "abc", 3);
        gz_buffer_finish(&out);
    }
}

/* The bits that the rows of a record and of the groups in it share. */
static uint64_t shared_bits(const struct gz_record_type *record, uint64_t *taken)
{
    uint64_t shared = 0;
    for (size_t i = 0; i < record->count; i++) {
        const struct gz_row *row = &record->rows[i];
        if (row->kind == GZ_KIND_WHOLE) continue; /* its bits are those of other rows */
        shared |= *taken & row->has;
        *taken |= row->has;
        if (row->kind == GZ_KIND_GROUP) shared |= shared_bits(row->record, taken);
    }
    return shared;
}

static void assert_no_bit_twice(const struct gz_record_type *record)
{
    uint64_t taken = 0;
    assert_int_equal(shared_bits(record, &taken), 0);
    for (size_t i = 0; i < record->count; i++) {
        const struct gz_row *row = &record->rows[i];
        if (row->kind == GZ_KIND_RECORD || row->kind == GZ_KIND_RECORDS)
            assert_no_bit_twice(row->record);
    }
}

static void assert_room_for_elements(const struct gz_record_type *record)
{
    for (size_t i = 0; i < record->count; i++) {
        const struct gz_row *row = &record->rows[i];
        if (row->record == NULL) continue;
        if (row->kind == GZ_KIND_RECORDS)
            assert_true(row->record->size <= sizeof(union gz_element));
        assert_room_for_elements(row->record);
    }
}

TEST(test_decode_has_room_for_the_elements_of_every_list)
{
    for (int op = 0; op < GZ_OP_COUNT; op++) assert_room_for_elements(&gz_message_records[op]);
}

/* Fields of different records share bits of `has`; two of one record could not be told apart. */
TEST(test_no_two_fields_of_a_record_have_the_same_bit)
{
    for (int op = 0; op < GZ_OP_COUNT; op++) assert_no_bit_twice(&gz_message_records[op]);
}

static int set_up(void **state)
{
    static struct fixture fixture;
    fixture.vectors = wire_load();
    gz_arena_init(&fixture.arena, 0);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    wire_unload(&fixture->vectors);
    gz_arena_finish(&fixture->arena);
    return 0;
}

int main(void)
{
    return test_run(set_up, tear_down);
}
