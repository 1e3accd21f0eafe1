/* Drags whose value is typed instead of dragged: exactly that value, whatever the pointer does. The
 * reference is the solver, called here as its header says. */
#include <math.h>
#include <string.h>

#include "solver/solver.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define DISTANCE 10.0
#define METRE METRE_PX(DISTANCE)
#define ONE(a) ((struct gz_value){{(a), 0}, 1})
#define TWO(a, b) ((struct gz_value){{(a), (b)}, 2})

struct scene {
    struct host host;
    struct client *a, *b; /* editors; a has a camera */
    uint64_t parent, node;
};

/* Under a parent that turns and scales unevenly, so that no bit comes out right by chance. */
static void open_scene(struct scene *s)
{
    host_init(&s->host);
    s->a = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->b = client_join(&s->host, "bob", GZ_ROLE_EDITOR);
    assert_ok(ask_camera(s->a, DISTANCE));
    s->parent = create_node(s->b, "arm", 0, 0.3, -0.1, 0.7);
    s->node = create_node(s->b, "hand", s->parent, 0.1, 1.0 / 3, -0.2);
    struct gz_set_node set = {.has = GZ_HAS_SET_NODE_R | GZ_HAS_SET_NODE_S, .id = s->parent};
    set.trs.r = gz_quat_about((gz_vec3){0.6, 0.8, 0}, 0.4);
    set.trs.s = (gz_vec3){1.5, 0.5, 2};
    struct gz_message message = {.op = GZ_OP_SET, .set = {.nodes = &set, .count = 1}};
    assert_ok(client_ask(s->b, &message));
}

CLOSE_SCENE_AS_USUAL

static gz_trs now(struct scene *s)
{
    return host_node(&s->host, s->node).trs;
}

static void assert_bits(gz_trs a, gz_trs b)
{
    assert_memory_equal(&a, &b, sizeof a);
}

static struct gz_message typing(enum gz_handle handle, const uint64_t *id, struct gz_value value)
{
    struct gz_message grab = {.op = GZ_OP_GRAB, .has = GZ_HAS_POINTER_VALUE};
    grab.pointer =
        (struct gz_pointer_message){.phase = GZ_PHASE_DOWN, .handle = handle, .value = value};
    if (id == NULL) return grab;
    grab.has |= GZ_HAS_POINTER_NODES;
    grab.pointer.nodes = (struct gz_ids){id, 1};
    return grab;
}

static const struct gz_message *type(struct client *client, enum gz_handle handle,
                                     const uint64_t *id, struct gz_value value)
{
    struct gz_message grab = typing(handle, id, value);
    return client_ask(client, &grab);
}

static const struct gz_message *let_go(struct client *client)
{
    struct gz_message up = {.op = GZ_OP_POINTER, .pointer.phase = GZ_PHASE_UP};
    return client_ask(client, &up);
}

static const struct gz_message *cancel(struct client *client)
{
    struct gz_message up = {.op = GZ_OP_POINTER, .pointer.phase = GZ_PHASE_CANCEL};
    return client_ask(client, &up);
}

/* The newest edit of the history, as it comes over the wire. */
static const struct gz_edit_message *newest(struct client *client)
{
    struct gz_message question = {
        .op = GZ_OP_HISTORY, .has = GZ_HAS_HISTORY_LIMIT, .history.limit = 1};
    const struct gz_message *answer = client_ask(client, &question);
    assert_ok(answer);
    assert_int_equal(answer->ok.edit_count, 1);
    return &answer->ok.edits[0];
}

static void assert_value(const struct gz_edit_message *edit, struct gz_value value)
{
    assert_true(edit->has & GZ_HAS_EDIT_VALUE);
    assert_int_equal(edit->value.count, value.count);
    assert_memory_equal(edit->value.numbers, value.numbers, value.count * sizeof *value.numbers);
}

static struct gz_camera camera(void)
{
    struct gz_message said = camera_message(DISTANCE);
    struct gz_camera_input input = {.ndc_y_down = false};
    memcpy(input.view, said.camera.view, sizeof input.view);
    memcpy(input.proj, said.camera.proj, sizeof input.proj);
    memcpy(input.viewport, said.camera.viewport, sizeof input.viewport);
    struct gz_camera made;
    assert_true(gz_camera_prepare(&made, &input, NULL));
    return made;
}

/* Where the solver has the node. */
static gz_trs solved(const gz_trs *start, const gz_affine *parent, enum gz_handle handle,
                     struct gz_value value)
{
    struct gz_target target = {.local = *start, .parent = *parent};
    struct gz_camera view = camera();
    struct gz_gizmo gizmo;
    struct gz_drag drag;
    struct gz_motion motion = gz_motion_none;
    gz_trs local;
    assert_true(gz_gizmo_build(&gizmo, &gz_tool_default, &view, NULL, &target, 1, 0));
    assert_int_equal(gz_drag_begin(&drag, handle, &gizmo, &gz_tool_default, &view, NULL, 0),
                     GZ_SOLVE_OK);
    assert_int_equal(gz_drag_value(&drag, value.numbers, (int)value.count, &motion), GZ_SOLVE_OK);
    assert_true(gz_motion_apply(&motion, &target, parent, &local, NULL));
    return local;
}

static gz_affine parent_world(struct scene *s)
{
    gz_trs trs = host_node(&s->host, s->parent).trs;
    return gz_affine_from_trs(&trs);
}

/* ---- what a value does ---- */

TEST(test_typed_value_is_the_solvers_to_the_bit)
{
    static const struct {
        enum gz_handle handle;
        enum gz_edit_kind kind;
        struct gz_value value;
    } cases[] = {
        {GZ_TX, GZ_EDIT_TRANSLATE, {{0.25, 0}, 1}},
        {GZ_TY, GZ_EDIT_TRANSLATE, {{-1.0 / 3, 0}, 1}},
        {GZ_TZX, GZ_EDIT_TRANSLATE, {{0.1, -7.3}, 2}},
        {GZ_TXY, GZ_EDIT_TRANSLATE, {{0, 1e-9}, 2}},
        {GZ_TV, GZ_EDIT_TRANSLATE, {{1.1, 2.2}, 2}},
        {GZ_RX, GZ_EDIT_ROTATE, {{1.5707963267948966, 0}, 1}},
        {GZ_RY, GZ_EDIT_ROTATE, {{-20.1, 0}, 1}},
        {GZ_RV, GZ_EDIT_ROTATE, {{0.3, 0}, 1}},
        {GZ_SX, GZ_EDIT_SCALE, {{1.7, 0}, 1}},
        {GZ_SYZ, GZ_EDIT_SCALE, {{0.3, 0}, 1}},
        {GZ_SU, GZ_EDIT_SCALE, {{2, 0}, 1}},
        {GZ_SU, GZ_EDIT_SCALE, {{-1, 0}, 1}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene s;
        open_scene(&s);
        gz_trs start = now(&s);
        gz_affine parent = parent_world(&s);
        const struct gz_message *ok = type(s.a, cases[i].handle, &s.node, cases[i].value);
        assert_ok(ok);
        assert_int_equal(ok->ok.handle, cases[i].handle);
        gz_trs expected = solved(&start, &parent, cases[i].handle, cases[i].value);
        assert_bits(now(&s), expected);
        assert_memory_equal(&mirror_find(&s.b->mirror, s.node)->content.trs, &expected,
                            sizeof expected); /* at once */
        ok = let_go(s.a);
        assert_ok(ok);
        assert_true(ok->has & GZ_HAS_OK_EDIT);
        const struct gz_message *told = client_last(s.b, GZ_OP_EDIT);
        assert_int_equal(told->edit.kind, cases[i].kind);
        assert_value(&told->edit, cases[i].value);
        const struct gz_edit_message *edit = newest(s.b);
        assert_int_equal(edit->handle, cases[i].handle);
        assert_value(edit, cases[i].value);
        assert_ok(ask_undo(s.a, false));
        assert_bits(now(&s), start);
        assert_int_equal(newest(s.b)->has & GZ_HAS_EDIT_VALUE, 0); /* the undo was not typed */
        close_scene(&s);
    }
}

SCENE_TEST(test_typed_value_replaces_what_was_dragged_and_typed)
{
    gz_trs start = now(s);
    gz_affine parent = parent_world(s);
    assert_ok(ask_grab(s->a, GZ_TX, s->node, MIDDLE_X, MIDDLE_Y));
    assert_ok(ask_pointer(s->a, GZ_PHASE_MOVE, MIDDLE_X + METRE, MIDDLE_Y));
    assert_true(fabs(now(s).t.x - start.t.x) > 0.1);
    struct gz_message grab =
        typing(GZ_TX, &s->node, ONE(0.5)); /* the drag's own nodes may be said again */
    grab.has |= GZ_HAS_POINTER_AT;
    assert_ok(client_ask(s->a, &grab));
    assert_bits(now(s), solved(&start, &parent, GZ_TX, ONE(0.5)));
    assert_ok(type(s->a, GZ_TX, NULL, ONE(-1.0 / 7)));
    assert_bits(now(s), solved(&start, &parent, GZ_TX, ONE(-1.0 / 7)));
    assert_ok(let_go(s->a));
    assert_value(newest(s->b), ONE(-1.0 / 7));
    assert_int_equal(client_last(s->b, GZ_OP_EDIT)->edit.nodes.count, 1);
}

SCENE_TEST(test_typed_drag_is_not_moved_by_the_pointer_nor_the_camera)
{
    client_come_as(s->b, false);
    assert_ok(type(s->a, GZ_TV, &s->node, TWO(0.5, 0.25)));
    gz_trs typed = now(s);
    uint64_t n = 7;
    for (int phase = GZ_PHASE_HOVER; phase <= GZ_PHASE_MOVE; phase += GZ_PHASE_MOVE) {
        struct gz_message move = pointer_message((enum gz_phase)phase, MIDDLE_X + 55, 10, n++);
        assert_ok(client_ask(s->a, &move));
        assert_bits(now(s), typed);
        const struct gz_delta *delta = &client_last(s->b, GZ_OP_DELTA)->delta; /* but seen it was */
        assert_int_equal(delta->ack_count, 1);
        assert_int_equal(delta->acks[0].n, n - 1);
    }
    assert_ok(ask_camera(s->a, 3));
    assert_bits(now(s), typed);
    assert_ok(ask_pointer(s->a, GZ_PHASE_UP, 3, 3)); /* a place is as good as none */
    assert_bits(now(s), typed);
    assert_value(newest(s->b), TWO(0.5, 0.25));
}

SCENE_TEST(test_typed_value_is_acknowledged)
{
    client_come_as(s->b, false);
    struct gz_message grab = typing(GZ_TX, &s->node, ONE(0.5));
    grab.has |= GZ_HAS_POINTER_N;
    for (grab.pointer.n = 1; grab.pointer.n <= 3;
         grab.pointer.n++) { /* the same again: its turn comes all the same */
        assert_ok(client_ask(s->a, &grab));
        const struct gz_delta *delta = &client_last(s->b, GZ_OP_DELTA)->delta;
        assert_int_equal(delta->ack_count, 1);
        assert_int_equal(delta->acks[0].session, s->a->id);
        assert_int_equal(delta->acks[0].n, grab.pointer.n);
    }
    assert_ok(let_go(s->a));
}

SCENE_TEST(test_typed_cancel_leaves_the_exact_bits)
{
    gz_trs start = now(s);
    size_t edits = s->host.store.edit_count;
    assert_ok(type(s->a, GZ_RZ, &s->node, ONE(1)));
    host_advance(&s->host, 0.1);
    assert_ok(cancel(s->a));
    assert_bits(now(s), start);
    assert_ok(type(s->a, GZ_SU, &s->node, ONE(3)));
    assert_ok(type(s->a, GZ_SU, NULL, ONE(1))); /* a factor that changes nothing */
    assert_bits(now(s), start);
    const struct gz_message *ok = let_go(s->a);
    assert_ok(ok);
    assert_int_equal(ok->has & GZ_HAS_OK_EDIT, 0);
    assert_int_equal(s->host.store.edit_count, edits);
    assert_ok(type(s->b, GZ_TX, &s->node, ONE(1))); /* it is free */
}

SCENE_TEST(test_typed_drag_follows_a_parent_that_moves)
{
    gz_affine before = parent_world(s);
    gz_trs start = now(s);
    assert_ok(type(s->a, GZ_TX, &s->node, ONE(2)));
    assert_ok(ask_move(s->b, s->parent, 5, 6, 7));
    gz_affine after = parent_world(s);
    gz_vec3 from = gz_affine_apply(&before, start.t), to = gz_affine_apply(&after, now(s).t);
    gz_vec3 moved = gz_sub(to, from);
    assert_true(fabs(moved.x - 2) < 1e-12 && fabs(moved.y) < 1e-12 && fabs(moved.z) < 1e-12);
    assert_ok(let_go(s->a));
    assert_value(newest(s->b), ONE(2));
}

SCENE_TEST(test_typed_drag_of_one_who_leaves_says_its_value)
{
    assert_ok(type(s->a, GZ_TX, &s->node, ONE(2)));
    host_advance(&s->host, 0.1);
    client_leave(s->a);
    host_turn(&s->host);
    assert_value(newest(s->b), ONE(2));
}

SCENE_TEST(test_typed_drag_needs_a_camera_for_the_view_handles_only)
{
    assert_refused(type(s->b, GZ_TV, &s->node, TWO(1, 1)), GZ_BAD_STATE);
    assert_refused(type(s->b, GZ_RV, &s->node, ONE(1)), GZ_BAD_STATE);
    assert_ok(type(s->b, GZ_RX, &s->node, ONE(1)));
    assert_ok(let_go(s->b));
}

/* ---- what is refused ---- */

SCENE_TEST(test_typed_value_that_cannot_be_changes_nothing)
{
    static const struct {
        enum gz_handle handle;
        struct gz_value value;
    } cases[] = {
        {GZ_TX, {{1, 1}, 2}},    {GZ_TXY, {{1, 0}, 1}},   {GZ_TV, {{1, 0}, 1}},
        {GZ_RX, {{1, 2}, 2}},    {GZ_RB, {{1, 0}, 1}},    {GZ_RB, {{1, 1}, 2}},
        {GZ_SX, {{0, 0}, 1}},    {GZ_SU, {{-0.0, 0}, 1}}, {GZ_SXY, {{2, 2}, 2}},
        {GZ_TX, {{1e15, 0}, 1}}, {GZ_SX, {{1e15, 0}, 1}}, {GZ_SU, {{1e-15, 0}, 1}},
    };
    struct gz_set_node set = {.has = GZ_HAS_SET_NODE_T | GZ_HAS_SET_NODE_S,
                              .id = s->node,
                              .trs = {{1e15, 1, 1}, {0, 0, 0, 1}, {2, 0.5, 1}}};
    struct gz_message message = {.op = GZ_OP_SET, .set = {.nodes = &set, .count = 1}};
    assert_ok(client_ask(s->b, &message));
    gz_trs start = now(s);
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t seq = s->a->mirror.seq;
        const struct gz_message *refused = type(s->a, cases[i].handle, &s->node, cases[i].value);
        assert_refused(refused, GZ_BAD_VALUE);
        assert_int_equal(strncmp(refused->error.message.bytes, "value: ", 7), 0);
        assert_bits(now(s), start);
        assert_int_equal(s->a->mirror.seq, seq);
        assert_refused(ask_grab(s->a, GZ_TX, 0, MIDDLE_X, MIDDLE_Y),
                       GZ_BAD_STATE);                                      /* nor was it selected */
        assert_ok(ask_rename(s->b, s->node, i % 2 == 0 ? "even" : "odd")); /* nor is it held */
    }
}

SCENE_TEST(test_typed_value_that_cannot_be_leaves_the_last_one)
{
    assert_ok(type(s->a, GZ_SX, &s->node, ONE(2)));
    gz_trs typed = now(s);
    assert_refused(type(s->a, GZ_SX, NULL, ONE(0)), GZ_BAD_VALUE);
    assert_refused(type(s->a, GZ_SX, NULL, TWO(1, 1)), GZ_BAD_VALUE);
    assert_refused(type(s->a, GZ_SX, NULL, ONE(1e-16)), GZ_BAD_VALUE);
    assert_refused(type(s->a, GZ_SY, NULL, ONE(3)), GZ_BAD_STATE);
    assert_refused(type(s->a, GZ_SX, &s->parent, ONE(3)), GZ_BAD_STATE);
    assert_refused(ask_grab(s->a, GZ_SX, s->node, MIDDLE_X, MIDDLE_Y),
                   GZ_BAD_STATE); /* the pointer does not take over */
    assert_bits(now(s), typed);
    assert_ok(let_go(s->a));
    assert_value(newest(s->b), ONE(2));
}

/* One of two nodes cannot take the value: neither does. */
SCENE_TEST(test_typed_value_for_many_is_all_or_none)
{
    uint64_t far = create_node(s->b, "far", 0, 9e14, 0, 0), ids[] = {s->parent, s->node, far};
    struct gz_message grab = typing(GZ_TX, ids, ONE(5e14));
    grab.pointer.nodes.count = 3;
    gz_trs start = host_node(&s->host, s->parent).trs;
    const struct gz_message *refused = client_ask(s->a, &grab);
    assert_refused(refused, GZ_BAD_VALUE);
    assert_int_equal(refused->error.nodes.ids[0], far);
    assert_bits(host_node(&s->host, s->parent).trs, start);
    for (int again = 0; again < 2;
         again++) { /* the second time for the drag that runs; the node hangs from its parent */
        grab.pointer.value = ONE(0.5 + again);
        assert_ok(client_ask(s->a, &grab));
        assert_true(host_node(&s->host, s->parent).trs.t.x == start.t.x + 0.5 + again);
    }
    grab.pointer.nodes.count = 2;
    assert_refused(client_ask(s->a, &grab), GZ_BAD_STATE);
    assert_ok(let_go(s->a));
}

SCENE_TEST(test_up_without_a_place_is_for_what_was_typed)
{
    assert_ok(let_go(s->a)); /* nothing to let go of */
    assert_ok(ask_grab(s->a, GZ_TX, s->node, MIDDLE_X, MIDDLE_Y));
    assert_refused(let_go(s->a), GZ_BAD_STATE);
    assert_ok(ask_pointer(s->a, GZ_PHASE_MOVE, MIDDLE_X + METRE, MIDDLE_Y)); /* it goes on */
    const struct gz_message *ok = ask_pointer(s->a, GZ_PHASE_UP, MIDDLE_X + METRE, MIDDLE_Y);
    assert_ok(ok);
    assert_true(ok->has & GZ_HAS_OK_EDIT);
    assert_int_equal(newest(s->b)->has & GZ_HAS_POINTER_VALUE, 0);
    assert_ok(ask_mode(s->a, GZ_MODE_ORBIT));
    assert_ok(ask_pointer(s->a, GZ_PHASE_DOWN, MIDDLE_X, MIDDLE_Y));
    assert_refused(let_go(s->a), GZ_BAD_STATE);
    assert_refused(type(s->a, GZ_TX, &s->node, ONE(1)), GZ_BAD_STATE);
}

SCENE_TEST(test_typed_drag_is_for_editors_and_free_nodes)
{
    struct client *viewer = client_join(&s->host, "wes", GZ_ROLE_VIEWER);
    assert_refused(type(viewer, GZ_TX, &s->node, ONE(1)), GZ_FORBIDDEN);
    assert_ok(type(s->b, GZ_TX, &s->node, ONE(1)));
    const struct gz_message *refused = type(s->a, GZ_TX, &s->node, ONE(2));
    assert_refused(refused, GZ_LOCKED);
    assert_int_equal(refused->error.holder, s->b->id);
}
