/* Drags, wheels and orbits: from the pointer to the edit, who may hold what, and what the gizmo
 * shows meanwhile. The camera looks along -z at 10 m: a metre in the plane of the node is 30 px. */
#include <math.h>
#include <string.h>

#include "support/cmocka.h"
#include "unit/core/saying.h"

#define DISTANCE 10.0
#define METRE METRE_PX(DISTANCE)

struct scene {
    struct host host;
    struct client *a, *b; /* editors, with a camera */
    struct client *watcher;
    uint64_t node; /* at the origin */
};

static void open_scene(struct scene *s)
{
    host_init(&s->host);
    s->a = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->b = client_join(&s->host, "bob", GZ_ROLE_EDITOR);
    s->watcher = client_join(&s->host, "wes", GZ_ROLE_VIEWER);
    assert_ok(ask_camera(s->a, DISTANCE));
    assert_ok(ask_camera(s->b, DISTANCE));
    s->node = create_node(s->a, "box", 0, 0, 0, 0);
}

static void close_scene(struct scene *s)
{
    host_turn(&s->host);
    host_assert_equal(&s->host);
    host_finish(&s->host);
}

static gz_vec3 place(struct scene *s, uint64_t id)
{
    return host_node(&s->host, id).trs.t;
}

static void assert_near(gz_vec3 place, double x, double y, double z)
{
    assert_true(fabs(place.x - x) < 1e-9);
    assert_true(fabs(place.y - y) < 1e-9);
    assert_true(fabs(place.z - z) < 1e-9);
}

static const struct gz_message *move_to(struct client *client, double metres_right,
                                        double metres_up)
{
    return ask_pointer(client, GZ_PHASE_MOVE, MIDDLE_X + metres_right * METRE,
                       MIDDLE_Y - metres_up * METRE);
}

static const struct gz_message *let_go(struct client *client, double metres_right, double metres_up)
{
    return ask_pointer(client, GZ_PHASE_UP, MIDDLE_X + metres_right * METRE,
                       MIDDLE_Y - metres_up * METRE);
}

/* Takes hold of the node's plane handle where the node is: it then goes where the pointer goes. */
static const struct gz_message *take(struct client *client, uint64_t node)
{
    return ask_grab(client, GZ_TXY, node, MIDDLE_X, MIDDLE_Y);
}

static bool was_acknowledged(const struct client *client, uint64_t session, uint64_t n)
{
    for (const struct heard *heard = client->heard; heard != NULL; heard = heard->next) {
        for (size_t i = 0; i < heard->count; i++) {
            const struct gz_message *message = &heard->messages[i];
            if (message->op != GZ_OP_DELTA) continue;
            for (size_t j = 0; j < message->delta.ack_count; j++) {
                if (message->delta.acks[j].session == session && message->delta.acks[j].n == n)
                    return true;
            }
        }
    }
    return false;
}

/* ---- a drag ---- */

static void test_drag_by_grab_goes_where_the_pointer_goes(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    const struct gz_message *ok = take(s.a, s.node);
    assert_ok(ok);
    assert_int_equal(ok->ok.handle, GZ_TXY);
    assert_ok(move_to(s.a, 1, 2));
    assert_near(mirror_find(&s.watcher->mirror, s.node)->content.trs.t, 1, 2, 0); /* at once */
    assert_ok(move_to(s.a, 3, -1));
    s.host.disk = DISK_WAITS;
    assert_null(let_go(s.a, 4, 1));
    size_t told = client_count(s.watcher, GZ_OP_EDIT);
    s.host.disk = DISK_COMMITS;
    host_turn(&s.host);
    ok = client_answer(s.a, s.a->next_rid - 1);
    assert_ok(ok);
    assert_near(place(&s, s.node), 4, 1, 0);
    assert_int_equal(client_count(s.watcher, GZ_OP_EDIT), told + 1);
    const struct gz_message *edit = client_last(s.watcher, GZ_OP_EDIT);
    assert_int_equal(edit->edit.id, ok->ok.edit);
    assert_int_equal(edit->edit.seq, ok->ok.seq);
    assert_int_equal(edit->edit.kind, GZ_EDIT_TRANSLATE);
    assert_int_equal(edit->edit.handle, GZ_TXY);
    assert_ok(ask_undo(s.a, false)); /* one drag is one step */
    assert_near(place(&s, s.node), 0, 0, 0);
    close_scene(&s);
}

static void test_drag_by_picking_the_handle(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    const struct gz_message *ok =
        ask_pointer(s.a, GZ_PHASE_DOWN, MIDDLE_X, MIDDLE_Y); /* nothing is selected: the node */
    assert_ok(ok);
    assert_int_equal(ok->ok.hit, s.node);
    assert_ok(ask_pointer(s.a, GZ_PHASE_UP, MIDDLE_X, MIDDLE_Y));
    ok = ask_pointer(s.a, GZ_PHASE_DOWN, MIDDLE_X + 50, MIDDLE_Y);
    assert_ok(ok);
    assert_int_equal(ok->ok.handle, GZ_TX);
    assert_ok(ask_pointer(s.a, GZ_PHASE_MOVE, MIDDLE_X + 50 + METRE, MIDDLE_Y + 77));
    assert_ok(ask_pointer(s.a, GZ_PHASE_UP, MIDDLE_X + 50 + 2 * METRE, MIDDLE_Y - 5));
    assert_near(place(&s, s.node), 2, 0, 0);
    ok = ask_pointer(s.a, GZ_PHASE_DOWN, 10, 10); /* the void clears the selection */
    assert_ok(ok);
    assert_int_equal(ok->has & (GZ_HAS_OK_HIT | GZ_HAS_OK_HANDLE), 0);
    assert_refused(ask_grab(s.a, GZ_TX, 0, MIDDLE_X, MIDDLE_Y), GZ_BAD_STATE);
    close_scene(&s);
}

static void test_drag_tells_how_far_the_pointer_was_followed(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    assert_ok(take(s.a, s.node));
    struct gz_message move = pointer_message(GZ_PHASE_MOVE, MIDDLE_X + 30, MIDDLE_Y, 41);
    client_say(s.a, &move);
    move.pointer.n = 42;
    client_say(s.a, &move); /* the same place: its turn comes all the same */
    host_turn(&s.host);
    assert_true(was_acknowledged(s.watcher, s.a->id, 42));
    move.pointer.n = 43;
    client_say(s.a, &move);
    host_turn(&s.host);
    assert_true(was_acknowledged(s.b, s.a->id, 43));
    (void)create_node(s.b, "other", 0, 0, 0, 0);
    assert_int_equal(client_last(s.b, GZ_OP_DELTA)->delta.ack_count, 0); /* said once */
    close_scene(&s);
}

static void test_drag_without_motion_is_no_edit(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    size_t edits = s.host.store.edit_count;
    assert_ok(take(s.a, s.node));
    const struct gz_message *ok = let_go(s.a, 0, 0);
    assert_ok(ok);
    assert_int_equal(ok->has & GZ_HAS_OK_EDIT, 0);
    assert_ok(take(s.a, s.node));
    assert_ok(move_to(s.a, 3, 3));
    host_advance(&s.host, 0.1); /* samples are stored */
    assert_ok(let_go(s.a, 0, 0));
    host_advance(&s.host, 0.1);
    assert_int_equal(s.host.store.edit_count, edits);
    assert_int_equal(s.host.store.open_count, 0);
    assert_ok(take(s.b, s.node)); /* it is free */
    close_scene(&s);
}

static void test_drag_cancelled_leaves_the_exact_bits(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t id = create_node(s.b, "odd", 0, 0.1, -0.0, 1.0 / 3);
    gz_trs before = host_node(&s.host, id).trs;
    assert_ok(take(s.a, id));
    assert_ok(move_to(s.a, 1, 1));
    host_advance(&s.host, 0.1);
    assert_ok(ask_pointer(s.a, GZ_PHASE_CANCEL, 0, 0));
    assert_memory_equal(&mirror_find(&s.watcher->mirror, id)->content.trs, &before, sizeof before);
    host_advance(&s.host, 0.1);
    assert_int_equal(s.host.store.open_count, 0);
    close_scene(&s);
}

static void test_drag_follows_a_camera_that_moves(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    assert_ok(take(s.a, s.node));
    assert_ok(move_to(s.a, 1, 0));
    assert_ok(ask_camera(s.a, 2 * DISTANCE));
    assert_near(place(&s, s.node), 2, 0, 0); /* the same pixel is twice as far out */
    assert_ok(let_go(s.a, 2, 0));
    assert_near(place(&s, s.node), 4, 0, 0);
    close_scene(&s);
}

static void test_drag_of_one_who_leaves_is_an_edit(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    assert_ok(take(s.a, s.node));
    assert_ok(move_to(s.a, 1, 2));
    client_leave(s.a);
    host_turn(&s.host);
    assert_near(place(&s, s.node), 1, 2, 0);
    assert_int_equal(client_last(s.watcher, GZ_OP_EDIT)->edit.by, s.a->id);
    assert_ok(take(s.b, s.node));
    client_resume(s.a);
    host_turn(&s.host);
    assert_ok(let_go(s.b, 0, 0));
    assert_ok(ask_undo(s.a, false)); /* as the same user */
    assert_near(place(&s, s.node), 0, 0, 0);
    close_scene(&s);
}

static void test_drag_survives_a_crash_to_its_last_sample(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    assert_ok(take(s.a, s.node));
    assert_ok(move_to(s.a, 1, 2));
    host_advance(&s.host, 0.1);
    assert_int_equal(s.watcher->saved,
                     s.watcher->mirror.seq); /* a running drag is saved as far as it came */
    s.host.disk = DISK_WAITS;
    assert_ok(move_to(s.a, 9, 9));
    host_restart(&s.host, false);
    s.host.disk = DISK_COMMITS;
    client_resume(s.b);
    client_resume(s.a);
    host_turn(&s.host);
    assert_near(place(&s, s.node), 1, 2, 0);
    assert_ok(ask_camera(s.b, DISTANCE));
    assert_ok(take(s.b, s.node));
    assert_ok(let_go(s.b, 0, 0));
    assert_ok(ask_undo(s.a, false));
    assert_near(place(&s, s.node), 0, 0, 0);
    close_scene(&s);
}

static void test_drag_with_a_key_is_one_edit(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    struct gz_message up = pointer_message(GZ_PHASE_UP, MIDDLE_X + METRE, MIDDLE_Y, 0);
    up.has |= GZ_HAS_KEY;
    up.key = (struct gz_text){"drag", 4};
    assert_ok(take(s.a, s.node));
    const struct gz_message *first = client_ask(s.a, &up);
    assert_ok(first);
    uint64_t edit = first->ok.edit, edits = s.host.store.edit_count;
    const struct gz_message *again = client_ask(s.a, &up);
    assert_ok(again);
    assert_int_equal(again->ok.edit, edit);
    assert_int_equal(s.host.store.edit_count, edits);
    close_scene(&s);
}

/* Whoever begins another drag and says an old key for it made a mistake; what was dragged is not
 * the price. */
static void test_drag_with_a_key_that_is_taken_goes_on(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    struct gz_message up = pointer_message(GZ_PHASE_UP, MIDDLE_X + METRE, MIDDLE_Y, 0);
    up.has |= GZ_HAS_KEY;
    up.key = (struct gz_text){"drag", 4};
    assert_ok(take(s.a, s.node));
    assert_ok(client_ask(s.a, &up));
    for (int i = 0; i < 2; i++) { /* the edit that has the key is stored, or is about to be */
        assert_ok(take(s.a, s.node));
        assert_ok(move_to(s.a, 2, 0));
        const struct gz_message *refused = client_ask(s.a, &up);
        assert_refused(refused, GZ_CONFLICT);
        assert_memory_equal(refused->error.message.bytes, "key: ", 5);
        assert_near(place(&s, s.node), 3 + i, 0, 0);
        s.host.disk = DISK_WAITS;
        up.key.bytes = i == 0 ? "next" : "last";
        assert_null(client_ask(s.a, &up));
        assert_near(place(&s, s.node), 2 + i, 0, 0);
    }
    s.host.disk = DISK_COMMITS;
    close_scene(&s);
}

static void test_drag_needs_a_camera_for_pixels(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    struct client *blind = client_join(&s.host, "eve", GZ_ROLE_EDITOR);
    assert_refused(ask_pointer(blind, GZ_PHASE_DOWN, 1, 1), GZ_BAD_STATE);
    assert_refused(take(blind, s.node), GZ_BAD_STATE);
    struct gz_message grab = {.op = GZ_OP_GRAB, .has = GZ_HAS_POINTER_RAY | GZ_HAS_POINTER_NODES};
    grab.pointer = (struct gz_pointer_message){.phase = GZ_PHASE_DOWN,
                                               .handle = GZ_TXY,
                                               .nodes = {&s.node, 1},
                                               .ray = {0, 0, 5, 0, 0, -1}};
    assert_ok(client_ask(blind, &grab));
    struct gz_message move = {
        .op = GZ_OP_POINTER, .has = GZ_HAS_POINTER_RAY, .pointer.phase = GZ_PHASE_UP};
    const double ray[6] = {2, 1, 5, 0, 0, -3};
    memcpy(move.pointer.ray, ray, sizeof ray);
    assert_ok(client_ask(blind, &move));
    assert_near(place(&s, s.node), 2, 1, 0);
    close_scene(&s);
}

/* ---- holding ---- */

static void test_lock_names_the_holder(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t below = create_node(s.b, "below", s.node, 0, 0, 0);
    assert_ok(take(s.a, below));
    const struct gz_message *refused = take(s.b, below);
    assert_refused(refused, GZ_LOCKED);
    assert_int_equal(refused->error.holder, s.a->id);
    assert_int_equal(refused->error.nodes.ids[0], below);
    assert_refused(ask_move(s.b, below, 1, 1, 1), GZ_LOCKED);
    assert_refused(ask_delete(s.b, s.node), GZ_LOCKED); /* an ancestor goes with what is below it */
    assert_refused(ask_undo(s.b, true), GZ_LOCKED);
    assert_refused(ask_move(s.a, below, 1, 1, 1), GZ_BAD_STATE);
    assert_refused(take(s.a, below), GZ_BAD_STATE);
    assert_refused(ask_wheel(s.a, 1), GZ_BAD_STATE);
    assert_ok(move_to(s.a, 1, 0));
    assert_ok(let_go(s.a, 1, 0));
    assert_ok(take(s.b, below));
    close_scene(&s);
}

static void test_lock_refused_grab_leaves_the_selection(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t other = create_node(s.b, "other", 0, 0, 0, 0);
    uint64_t ids[] = {other, create_node(s.b, "third", 0, 0, 0, 0)};
    struct gz_message select = {.op = GZ_OP_SELECT, .select = {{ids, COUNT(ids)}, GZ_HOW_SET}};
    assert_ok(client_ask(s.b, &select));
    assert_ok(take(s.a, s.node));
    assert_refused(take(s.b, s.node), GZ_LOCKED);
    assert_ok(ask_grab(s.b, GZ_TXY, 0, MIDDLE_X, MIDDLE_Y));
    assert_ok(let_go(s.b, 0, 3));
    assert_near(place(&s, other), 0, 3, 0);
    assert_near(place(&s, ids[1]), 0, 3, 0);
    close_scene(&s);
}

static void test_lock_parent_that_moves_leaves_the_node_under_the_pointer(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t below = create_node(s.b, "below", s.node, 0, 0, 0);
    assert_ok(take(s.a, below));
    assert_ok(move_to(s.a, 1, 0));
    assert_ok(ask_move(s.b, s.node, 0, 5, 0));
    assert_near(place(&s, below), 1, -5, 0);
    assert_ok(take(s.b, s.node)); /* and where the parent is dragged too */
    assert_ok(move_to(s.b, 2, 0));
    assert_near(place(&s, s.node), 2, 5, 0);
    assert_near(place(&s, below), -1, -5, 0);
    assert_ok(let_go(s.a, 1, 0));
    assert_ok(let_go(s.b, 2, 0));
    assert_near(place(&s, below), -1, -5, 0);
    close_scene(&s);
}

static void test_lock_of_many_is_all_or_none(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t ids[] = {create_node(s.b, "other", 0, 0, 0, 0), s.node};
    assert_ok(take(s.a, s.node));
    struct gz_message select = {.op = GZ_OP_SELECT, .select = {{ids, 2}, GZ_HOW_SET}};
    assert_ok(client_ask(s.b, &select));
    assert_refused(ask_grab(s.b, GZ_TXY, 0, MIDDLE_X, MIDDLE_Y), GZ_LOCKED);
    assert_ok(ask_move(s.a, ids[0], 1, 1, 1)); /* bob holds nothing of it */
    close_scene(&s);
}

/* ---- a disk that refuses ---- */

static void test_refused_commit_cancels_what_stands_on_it(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t other = create_node(s.b, "other", 0, 0, 0, 0);
    assert_ok(take(s.b, other));
    assert_ok(move_to(s.b, 1, 0));
    s.host.disk = DISK_WAITS;
    assert_null(ask_move(s.a, s.node, 0, 0, 1));
    assert_ok(take(s.a, s.node));
    assert_ok(move_to(s.a, 5, 5));
    host_settle(&s.host, false);
    host_turn(&s.host);
    assert_near(place(&s, s.node), 0, 0, 0);
    assert_int_equal(client_last(s.a, GZ_OP_ERROR)->error.code, GZ_STORAGE);
    s.host.disk = DISK_COMMITS;
    host_advance(&s.host, 1);
    assert_ok(let_go(s.b, 2, 0)); /* bob's stands on firm ground */
    assert_near(place(&s, other), 2, 0, 0);
    assert_ok(let_go(s.a, 1, 1)); /* there is nothing to let go of */
    assert_near(place(&s, s.node), 0, 0, 0);
    close_scene(&s);
}

static void test_refused_commit_cancels_a_wheel_that_has_not_moved(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    s.host.disk = DISK_WAITS;
    assert_null(ask_create(s.a, "new", 0, NULL));
    uint64_t id = s.a->mirror.nodes[s.a->mirror.count - 1].id;
    assert_ok(ask_select(s.b, id));
    assert_ok(ask_wheel(s.b, 0));
    host_settle(&s.host, false);
    s.host.disk = DISK_COMMITS;
    host_advance(&s.host, 1);
    assert_null(mirror_find(&s.watcher->mirror, id));
    close_scene(&s);
}

static void test_refused_drag_is_taken_back_and_closed(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    assert_ok(take(s.a, s.node));
    assert_ok(move_to(s.a, 1, 1));
    host_advance(&s.host, 0.1);
    assert_int_equal(s.host.store.open_count, 1);
    s.host.disk = DISK_REFUSES;
    assert_refused(let_go(s.a, 2, 2), GZ_STORAGE);
    assert_near(mirror_find(&s.watcher->mirror, s.node)->content.trs.t, 0, 0, 0);
    s.host.disk = DISK_COMMITS;
    host_advance(&s.host, 1);
    assert_int_equal(s.host.store.open_count, 0);
    close_scene(&s);
}

/* What was saved of it is there, for nothing could be written about its refusal; its user can take
 * it back. */
static void
test_refused_drag_is_found_at_its_last_sample_where_the_disk_never_heard_of_it(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    assert_ok(take(s.a, s.node));
    assert_ok(move_to(s.a, 1, 1));
    host_advance(&s.host, 0.1);
    s.host.disk = DISK_REFUSES;
    assert_refused(let_go(s.a, 2, 2), GZ_STORAGE);
    host_restart(&s.host, false);
    s.host.disk = DISK_COMMITS;
    client_resume(s.a);
    host_turn(&s.host);
    assert_near(place(&s, s.node), 1, 1, 0);
    assert_ok(ask_undo(s.a, false));
    assert_near(place(&s, s.node), 0, 0, 0);
    close_scene(&s);
}

/* ---- wheel and orbit ---- */

static void test_wheel_turns_close_in_time_are_one_edit(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    size_t edits = s.host.store.edit_count;
    assert_ok(ask_select(s.a, s.node));
    assert_ok(ask_wheel(s.a, 1));
    host_advance(&s.host, 0.4);
    assert_refused(ask_move(s.b, s.node, 1, 1, 1), GZ_LOCKED);
    assert_ok(ask_wheel(s.a, 1));
    host_advance(&s.host, 0.6);
    assert_int_equal(s.host.store.edit_count, edits + 1);
    assert_true(fabs(host_node(&s.host, s.node).trs.s.y - 1.1 * 1.1) < 1e-12);
    assert_ok(ask_wheel(s.a, -1));
    host_advance(&s.host, 0.6);
    assert_int_equal(s.host.store.edit_count, edits + 2);
    assert_int_equal(client_last(s.watcher, GZ_OP_EDIT)->edit.kind, GZ_EDIT_WHEEL);
    assert_ok(ask_wheel(s.a, 3));
    assert_ok(ask_undo(s.a, false)); /* ends the wheel and takes it back */
    assert_true(fabs(host_node(&s.host, s.node).trs.s.y - 1.1) < 1e-12);
    close_scene(&s);
}

static void test_wheel_beyond_reason_keeps_the_last_good_scale(void **state)
{
    (void)state;
    static const double notches[] = {1e6, -1e6, 4000, -4000, 1e15};
    struct scene s;
    open_scene(&s);
    assert_ok(ask_select(s.a, s.node));
    for (size_t i = 0; i < COUNT(notches); i++) {
        assert_ok(ask_wheel(s.a, notches[i]));
        host_advance(&s.host, 1);
        double scale = host_node(&s.host, s.node).trs.s.x;
        assert_true(isfinite(scale) && scale >= GZ_SCALE_MIN && scale <= GZ_COORDINATE_MAX);
    }
    close_scene(&s);
}

static void test_orbit_moves_the_view_and_nothing_else(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t seq = s.a->mirror.seq;
    assert_ok(ask_mode(s.watcher, GZ_MODE_ORBIT)); /* a viewer may */
    assert_refused(ask_wheel(s.watcher, 1), GZ_BAD_STATE);
    assert_ok(ask_camera(s.watcher, DISTANCE));
    assert_ok(ask_pointer(s.watcher, GZ_PHASE_DOWN, MIDDLE_X, MIDDLE_Y));
    assert_ok(ask_pointer(s.watcher, GZ_PHASE_MOVE, MIDDLE_X + 50, MIDDLE_Y));
    const struct gz_message *view = client_last(s.watcher, GZ_OP_VIEW);
    assert_non_null(view);
    assert_true(view->view[0] < 0.999);
    assert_true(fabs(view->view[14] + DISTANCE) < 1e-9); /* the node stays where it was in view */
    assert_ok(ask_pointer(s.watcher, GZ_PHASE_CANCEL, 0, 0));
    assert_true(client_last(s.watcher, GZ_OP_VIEW)->view[0] == 1);
    assert_ok(ask_wheel(s.watcher, 1));
    assert_true(fabs(client_last(s.watcher, GZ_OP_VIEW)->view[14] + 0.9 * DISTANCE) < 1e-9);
    assert_int_equal(s.a->mirror.seq, seq);
    assert_null(client_last(s.a, GZ_OP_VIEW));
    close_scene(&s);
}

static const struct gz_message *ask_camera_to(struct client *client, gz_vec3 target)
{
    struct gz_message message = camera_message(DISTANCE);
    message.has = GZ_HAS_CAMERA_TARGET;
    message.camera.target = target;
    return client_ask(client, &message);
}

/* The view of the world's point, in its own space. */
static gz_vec3 seen(const struct client *client, gz_vec3 point)
{
    gz_affine view = gz_affine_from_matrix(client_last(client, GZ_OP_VIEW)->view);
    return gz_affine_apply(&view, point);
}

static void test_orbit_by_turntable_stays_level(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    struct gz_message tool = {
        .op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_ORBIT, .tool.orbit = GZ_ORBIT_TURNTABLE};
    assert_ok(client_ask(s.a, &tool));
    struct gz_message down = pointer_message(GZ_PHASE_DOWN, MIDDLE_X + 90, MIDDLE_Y + 90, 0);
    down.pointer.mods = 1u << GZ_MOD_ORBIT;
    assert_ok(client_ask(s.a, &down));
    assert_ok(ask_pointer(s.a, GZ_PHASE_MOVE, MIDDLE_X + 90 + 600 / 8, MIDDLE_Y + 90 + 600 / 12));
    const double *view = client_last(s.a, GZ_OP_VIEW)->view;
    assert_true(fabs(view[4]) < 1e-15); /* the world's up is not to the side */
    assert_true(fabs(view[0] - cos(M_PI / 4)) <
                1e-12); /* an eighth of a turn for an eighth of the height */
    assert_true(fabs(view[6] - sin(M_PI / 6)) < 1e-12);
    assert_near(seen(s.a, (gz_vec3){0, 0, 0}), 0, 0, -DISTANCE);
    close_scene(&s);
}

static void test_orbit_turns_about_the_cameras_target(void **state)
{
    (void)state;
    const gz_vec3 target = {1, 0.5, 4};
    struct scene s;
    open_scene(&s);
    assert_ok(ask_select(s.a, s.node));
    assert_ok(ask_mode(s.a, GZ_MODE_ORBIT));
    assert_ok(ask_camera_to(s.a, target));
    assert_ok(ask_pointer(s.a, GZ_PHASE_DOWN, MIDDLE_X + 10, MIDDLE_Y));
    assert_ok(ask_pointer(s.a, GZ_PHASE_UP, MIDDLE_X + 70, MIDDLE_Y + 30));
    assert_near(seen(s.a, target), 1, 0.5, 4 - DISTANCE);
    assert_true(fabs(seen(s.a, (gz_vec3){0, 0, 0}).x) > 0.1);
    assert_ok(
        ask_wheel(s.a, 1)); /* 0.9 of the way to it; a view that the server made keeps the target */
    assert_near(seen(s.a, target), 0.9, 0.45, 0.9 * (4 - DISTANCE));
    assert_ok(ask_camera(s.a, DISTANCE)); /* without one: the selection again */
    assert_ok(ask_wheel(s.a, 1));
    assert_near(seen(s.a, (gz_vec3){0, 0, 0}), 0, 0, -0.9 * DISTANCE);
    close_scene(&s);
}

/* ---- the gizmo ---- */

static const struct gz_gizmo_message *gizmo_of(const struct client *client)
{
    const struct gz_message *message = client_last(client, GZ_OP_GIZMO);
    return message != NULL ? &message->gizmo : NULL;
}

/* Half a metre beyond the middle, begun a metre before it. */
static void scale_past_the_middle(struct scene *s)
{
    assert_ok(ask_grab(s->a, GZ_SX, s->node, MIDDLE_X + METRE, MIDDLE_Y));
    assert_ok(ask_pointer(s->a, GZ_PHASE_MOVE, MIDDLE_X - 0.5 * METRE, MIDDLE_Y));
}

static void test_scale_mirrors_where_the_tool_lets_it(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    struct gz_message tool = {.op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_MIRROR, .tool.mirror = true};
    scale_past_the_middle(&s);
    assert_true(fabs(host_node(&s.host, s.node).trs.s.x - 1e-6) < 1e-12);
    assert_ok(ask_pointer(s.a, GZ_PHASE_CANCEL, 0, 0));
    assert_ok(client_ask(s.a, &tool));
    scale_past_the_middle(&s);
    assert_true(fabs(host_node(&s.host, s.node).trs.s.x + 0.5) < 1e-12);
    assert_ok(ask_pointer(s.a, GZ_PHASE_CANCEL, 0, 0));
    tool.tool.mirror = false;
    assert_ok(client_ask(s.a, &tool));
    scale_past_the_middle(&s);
    assert_true(host_node(&s.host, s.node).trs.s.x > 0);
    close_scene(&s);
}

static void test_gizmo_shows_what_can_be_grabbed(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    assert_null(gizmo_of(s.a));
    assert_ok(ask_select(s.a, s.node));
    const struct gz_gizmo_message *gizmo = gizmo_of(s.a);
    assert_non_null(gizmo);
    assert_true(gizmo->handles & (1u << GZ_TX) && gizmo->handles & (1u << GZ_TXY));
    assert_false(gizmo->handles & (1u << GZ_TZ)); /* along the line of sight */
    assert_false(gizmo->handles & (1u << GZ_RX));
    assert_true(fabs(gizmo->size - 96 / METRE) < 1e-9);
    assert_ok(ask_pointer(s.a, GZ_PHASE_HOVER, MIDDLE_X + 50, MIDDLE_Y));
    assert_int_equal(gizmo_of(s.a)->hover, GZ_TX);
    assert_ok(ask_pointer(s.a, GZ_PHASE_DOWN, MIDDLE_X + 50, MIDDLE_Y));
    assert_int_equal(gizmo_of(s.a)->active, GZ_TX);
    assert_ok(ask_pointer(s.a, GZ_PHASE_UP, MIDDLE_X + 50 + METRE, MIDDLE_Y));
    assert_int_equal(gizmo_of(s.a)->active, GZ_HANDLE_NONE);
    assert_near(gizmo_of(s.a)->origin, 1, 0, 0);
    assert_ok(ask_move(s.b, s.node, 0, 2, 0)); /* by somebody else */
    assert_near(gizmo_of(s.a)->origin, 0, 2, 0);
    assert_ok(ask_mode(s.a, GZ_MODE_ROTATE));
    assert_true(gizmo_of(s.a)->handles & (1u << GZ_RZ));
    assert_ok(ask_select(s.a, 0));
    assert_int_equal(gizmo_of(s.a)->handles, 0);
    size_t told = client_count(s.a, GZ_OP_GIZMO);
    assert_ok(ask_camera(s.a, 2 * DISTANCE));
    assert_ok(ask_move(s.b, s.node, 0, 3, 0));
    assert_int_equal(client_count(s.a, GZ_OP_GIZMO), told); /* nothing to tell */
    assert_null(gizmo_of(s.b));
    close_scene(&s);
}

static void test_gizmo_goes_with_its_node(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    assert_ok(ask_select(s.a, s.node));
    assert_ok(ask_select(s.watcher, s.node));
    assert_null(gizmo_of(s.watcher)); /* a viewer cannot use one */
    assert_ok(ask_delete(s.b, s.node));
    assert_int_equal(gizmo_of(s.a)->handles, 0);
    close_scene(&s);
}

static void test_gizmo_brings_lines_to_who_draws_them(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    struct client *drawing = client_join_drawing(&s.host, "dan");
    assert_ok(ask_camera(drawing, DISTANCE));
    assert_ok(ask_select(drawing, s.node));
    assert_true(gizmo_of(drawing)->line_count > 10);
    assert_ok(ask_select(s.a, s.node));
    assert_int_equal(client_last(s.a, GZ_OP_GIZMO)->has & GZ_HAS_GIZMO_LINES, 0);
    assert_ok(ask_select(drawing, 0));
    assert_int_equal(gizmo_of(drawing)->line_count, 0);
    close_scene(&s);
}

static void test_gizmo_beyond_what_can_be_said_is_not_there(void **state)
{
    (void)state;
    struct scene s;
    open_scene(&s);
    uint64_t far = create_node(s.a, "far", 0, 0, 0, -0.9 * GZ_COORDINATE_MAX);
    uint64_t farther = create_node(s.a, "farther", far, 0, 0, -0.9 * GZ_COORDINATE_MAX);
    struct client *drawing = client_join_drawing(&s.host, "dan");
    struct gz_message pick = {
        .op = GZ_OP_PICK, .has = GZ_HAS_PICK_RECT, .pick.rect = {0, 0, 800, 600}};
    assert_ok(ask_camera(drawing, DISTANCE));
    assert_ok(ask_select(drawing, far));
    assert_true(gizmo_of(drawing)->handles != 0);
    assert_ok(ask_select(drawing, farther));
    assert_int_equal(gizmo_of(drawing)->handles, 0);
    struct gz_set_node large = {.has = GZ_HAS_SET_NODE_S, .id = far, .trs.s = {1e15, 1e15, 1e15}};
    struct gz_message set = {.op = GZ_OP_SET, .set = {&large, 1, 0}};
    for (int depth = 0; depth < 25; depth++) { /* as deep as leaves the doubles */
        assert_ok(client_ask(s.a, &set));
        large.id = create_node(s.a, "deeper", large.id == far ? farther : large.id, 0, 0, -1);
        assert_ok(client_ask(drawing, &pick));
    }
    assert_ok(ask_select(drawing, large.id));
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drag_by_grab_goes_where_the_pointer_goes),
        cmocka_unit_test(test_drag_by_picking_the_handle),
        cmocka_unit_test(test_drag_tells_how_far_the_pointer_was_followed),
        cmocka_unit_test(test_drag_without_motion_is_no_edit),
        cmocka_unit_test(test_drag_cancelled_leaves_the_exact_bits),
        cmocka_unit_test(test_drag_follows_a_camera_that_moves),
        cmocka_unit_test(test_drag_of_one_who_leaves_is_an_edit),
        cmocka_unit_test(test_drag_survives_a_crash_to_its_last_sample),
        cmocka_unit_test(test_drag_with_a_key_is_one_edit),
        cmocka_unit_test(test_drag_with_a_key_that_is_taken_goes_on),
        cmocka_unit_test(test_drag_needs_a_camera_for_pixels),
        cmocka_unit_test(test_lock_names_the_holder),
        cmocka_unit_test(test_lock_refused_grab_leaves_the_selection),
        cmocka_unit_test(test_lock_parent_that_moves_leaves_the_node_under_the_pointer),
        cmocka_unit_test(test_lock_of_many_is_all_or_none),
        cmocka_unit_test(test_refused_commit_cancels_what_stands_on_it),
        cmocka_unit_test(test_refused_commit_cancels_a_wheel_that_has_not_moved),
        cmocka_unit_test(test_refused_drag_is_taken_back_and_closed),
        cmocka_unit_test(
            test_refused_drag_is_found_at_its_last_sample_where_the_disk_never_heard_of_it),
        cmocka_unit_test(test_wheel_turns_close_in_time_are_one_edit),
        cmocka_unit_test(test_wheel_beyond_reason_keeps_the_last_good_scale),
        cmocka_unit_test(test_orbit_moves_the_view_and_nothing_else),
        cmocka_unit_test(test_orbit_by_turntable_stays_level),
        cmocka_unit_test(test_orbit_turns_about_the_cameras_target),
        cmocka_unit_test(test_scale_mirrors_where_the_tool_lets_it),
        cmocka_unit_test(test_gizmo_shows_what_can_be_grabbed),
        cmocka_unit_test(test_gizmo_goes_with_its_node),
        cmocka_unit_test(test_gizmo_brings_lines_to_who_draws_them),
        cmocka_unit_test(test_gizmo_beyond_what_can_be_said_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
