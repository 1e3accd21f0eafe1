/* The packed form as a viewer gets it: who is told what, how often, and in how many bytes; that
 * the state is the same to the last bit is in every test, as every second client reads it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/state.h"
#include "server/maxima.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define SECONDS 5
#define MOVES_PER_S 60
#define EDITORS 16

struct scene {
    struct host host;
    struct client *editors[EDITORS];
    struct client *watcher; /* reads the packed form */
    uint64_t nodes[EDITORS];
};

/* Each editor looks at its own node, and holds its handle. */
static void open_scene(struct scene *s, size_t editors, enum gz_handle handle)
{
    *s = (struct scene){.watcher = NULL};
    host_init(&s->host);
    s->host.plain = true;
    for (size_t i = 0; i < editors; i++) {
        s->editors[i] = client_join(&s->host, "editor", GZ_ROLE_EDITOR);
        assert_ok(ask_camera(s->editors[i], 10));
        s->nodes[i] = create_node(s->editors[i], "node", 0, 0.1, 0.2, 0.3);
    }
    s->host.plain = false;
    s->watcher = client_join_as(&s->host, "wes", GZ_ROLE_VIEWER, true);
    for (size_t i = 0; i < editors; i++)
        assert_ok(ask_grab(s->editors[i], handle, s->nodes[i], MIDDLE_X, MIDDLE_Y));
    host_advance(&s->host, 1);
    client_forget(s->watcher);
}

CLOSE_SCENE_AS_USUAL

/* Pointers of all editors, with so many turns of the core for each round of them. Returns what one
 * second of it took of the watcher's line, the headers of the WebSocket included. */
static double drag_by_turns(struct scene *s, size_t editors, size_t moves, size_t turns)
{
    const size_t bytes = s->watcher->bytes_heard, frames = s->watcher->frames_heard;
    for (size_t i = 0; i < moves; i++) {
        for (size_t k = 0; k < editors; k++) {
            const double turn = 0.07 * (double)(i + 3 * k);
            struct gz_message move = pointer_message(GZ_PHASE_MOVE, MIDDLE_X + 90 * sin(turn),
                                                     MIDDLE_Y + 70 * cos(turn), i + 1);
            client_say(s->editors[k], &move);
            if ((k + 1) % (editors / turns) == 0)
                host_advance(&s->host, 1.0 / MOVES_PER_S / (double)turns);
        }
    }
    const size_t headers = 2 * (s->watcher->frames_heard - frames);
    return (double)(s->watcher->bytes_heard - bytes + headers) * MOVES_PER_S / (double)moves;
}

static double drag_for(struct scene *s, size_t editors, size_t moves)
{
    return drag_by_turns(s, editors, moves, editors);
}

/* ---- bytes ---- */

TEST(test_packed_drag_of_one_editor_takes_two_kilobytes_a_second)
{
    struct scene s;
    open_scene(&s, 1, GZ_TX);
    const double bytes_per_s = drag_for(&s, 1, SECONDS * MOVES_PER_S);
    print_message("%.0f bytes a second\n", bytes_per_s);
    assert_true(bytes_per_s <= 2000);
    close_scene(&s);
}

/* An axis each: what 16 editors take grows with the turns that their pointers need. */
TEST(test_packed_drags_of_16_editors)
{
    struct scene s;
    open_scene(&s, EDITORS, GZ_TX);
    for (size_t turns = 1; turns <= EDITORS; turns *= 2) {
        const double bytes_per_s = drag_by_turns(&s, EDITORS, MOVES_PER_S, turns);
        print_message("%2zu turns: %.0f bytes a second\n", turns, bytes_per_s);
        assert_true(bytes_per_s <= 15000 + 500 * (double)turns);
    }
    close_scene(&s);
}

/* How much the end of a drag adds to seq. */
TEST(test_packed_end_of_a_drag_tells_no_node_twice)
{
    struct scene s;
    open_scene(&s, 1, GZ_TX);
    drag_for(&s, 1, 3);
    const uint64_t before = gz_core_summary(s.host.core).seq;
    assert_ok(ask_pointer(s.editors[0], GZ_PHASE_UP, MIDDLE_X + 20, MIDDLE_Y - 30));
    /* where the pointer was, and the end */
    assert_int_equal(gz_core_summary(s.host.core).seq, before + 2);
    close_scene(&s);
}

/* ---- who is told what ---- */

TEST(test_packed_watcher_is_not_told_of_acknowledgements_and_a_dragger_is)
{
    struct scene s;
    open_scene(&s, 1, GZ_TX);
    struct client *dragger = client_join_as(&s.host, "dan", GZ_ROLE_EDITOR, true);
    assert_ok(ask_camera(dragger, 10));
    const uint64_t node = create_node(dragger, "other", 0, 5, 0, 0);
    assert_ok(ask_grab(dragger, GZ_TX, node, MIDDLE_X, MIDDLE_Y));
    for (uint64_t n = 1; n <= 3; n++) {
        struct gz_message move = pointer_message(GZ_PHASE_MOVE, MIDDLE_X + (double)n, MIDDLE_Y, n);
        client_say(dragger, &move);
        host_turn(&s.host);
    }
    assert_int_equal(client_last(s.watcher, GZ_OP_DELTA)->delta.ack_count, 0);
    const struct gz_delta *delta = &client_last(dragger, GZ_OP_DELTA)->delta;
    assert_int_equal(delta->ack_count, 1);
    assert_int_equal(delta->acks[0].session, dragger->id);
    assert_int_equal(delta->acks[0].n, 3);
    close_scene(&s);
}

/* `by` is told when it changes, and stays what it was between. */
TEST(test_packed_delta_tells_who_moved_a_node_once)
{
    struct scene s;
    open_scene(&s, 1, GZ_TX);
    client_forget(s.watcher);
    drag_for(&s, 1, 2);
    const struct gz_delta *delta = &client_last(s.watcher, GZ_OP_DELTA)->delta;
    assert_int_equal(delta->count, 1);
    assert_int_equal(delta->nodes[0].has, GZ_HAS_STATE_T);
    close_scene(&s);
}

static size_t bytes_of_join(struct client *client, bool packed)
{
    const size_t before = client->bytes_heard;
    client_come_as(client, packed);
    host_advance(client->host, 1);
    return client->bytes_heard - before;
}

TEST(test_packed_join_takes_less_than_half_of_the_bytes)
{
    enum { NODES = 200 };
    struct scene s;
    open_scene(&s, 1, GZ_TX);
    for (int i = 0; i < NODES; i++)
        create_node(s.editors[0], "part", i % 2 == 0 ? 0 : s.nodes[0], 0.1 * i, 0.3, 0.7);
    const size_t as_map = bytes_of_join(s.watcher, false);
    const size_t as_list = bytes_of_join(s.watcher, true);
    print_message("%zu and %zu bytes\n", as_map, as_list);
    assert_int_equal(s.watcher->mirror.count, NODES + 1);
    assert_true(as_list * 2 < as_map);
    close_scene(&s);
}

/* ---- who is here ---- */

static const struct gz_presence_user *seen(const struct scene *s, const struct client *of)
{
    const struct gz_message *presence = client_last(s->watcher, GZ_OP_PRESENCE);
    assert_non_null(presence);
    assert_int_equal(presence->presence.count, 1);
    assert_int_equal(presence->presence.users[0].session, of->id);
    return &presence->presence.users[0];
}

/* What the packed form rounds: a pixel of a viewport to 1 / 65535 of it, a turn to 16 bits. */
TEST(test_packed_person_points_and_looks_where_the_other_form_says)
{
    struct scene s;
    open_scene(&s, 1, GZ_TX);
    s.host.plain = true;
    struct client *plain = client_join(&s.host, "pat", GZ_ROLE_VIEWER);
    struct gz_message camera = camera_message(10);
    for (int i = 0; i < 12; i++) camera.camera.view[i] = 0;
    camera.camera.view[0] = camera.camera.view[10] = cos(0.3); /* a turn about y */
    camera.camera.view[2] = -(camera.camera.view[8] = sin(0.3));
    camera.camera.view[5] = 1;
    client_say(s.editors[0], &camera);
    struct gz_message hover = pointer_message(GZ_PHASE_HOVER, 123.25, 77.5, 0);
    client_say(s.editors[0], &hover);
    host_advance(&s.host, 1);
    const struct gz_presence_user *user = seen(&s, s.editors[0]);
    const struct gz_presence_user *exact = NULL;
    const struct gz_message *told = client_last(plain, GZ_OP_PRESENCE);
    for (size_t i = 0; i < told->presence.count; i++) {
        if (told->presence.users[i].session == s.editors[0]->id) exact = &told->presence.users[i];
    }
    assert_non_null(exact);
    assert_int_equal(user->has, exact->has);
    for (int i = 0; i < 2; i++) assert_true(fabs(user->at[i] - exact->at[i]) < 0.02);
    for (int i = 0; i < 6; i++) assert_true(fabs(user->ray[i] - exact->ray[i]) < 3e-4);
    for (int i = 0; i < 16; i++) assert_true(fabs(user->view[i] - exact->view[i]) < 1e-3);
    for (int i = 0; i < 4; i++) assert_true(fabs(user->lens[i] - exact->lens[i]) < 1e-6);
    assert_int_equal(user->tool, exact->tool);
    assert_int_equal(user->locks.count, exact->locks.count);
    close_scene(&s);
}

TEST(test_packed_presence_is_told_ten_times_a_second_and_a_quiet_user_not_at_all)
{
    struct scene s;
    open_scene(&s, 2, GZ_TX);
    for (int i = 0; i < 1000; i++) {
        struct gz_message hover = pointer_message(GZ_PHASE_HOVER, i % 700, 10, 0);
        client_say(s.editors[0], &hover);
        host_advance(&s.host, 0.001);
    }
    host_advance(&s.host, 0.2);
    const size_t told = client_count(s.watcher, GZ_OP_PRESENCE);
    assert_true(told >= 9 && told <= 12);
    assert_true(fabs(seen(&s, s.editors[0])->at[0] - 999 % 700) < 0.02); /* the latest wins */
    client_forget(s.watcher);
    struct gz_message hover = pointer_message(GZ_PHASE_HOVER, 999 % 700, 10, 0);
    const size_t before = s.watcher->frames_heard;
    for (int i = 0; i < 50; i++) {
        client_say(s.editors[0], &hover); /* where it is already */
        host_advance(&s.host, 0.02);
    }
    assert_int_equal(s.watcher->frames_heard, before);
    close_scene(&s);
}

/* The pixel is so far from the viewport that neither a place in it nor a ray is told. */
TEST(test_packed_presence_of_which_nothing_is_told_makes_no_frame)
{
    struct scene s;
    open_scene(&s, 1, GZ_TX);
    struct client *far = client_join(&s.host, "fay", GZ_ROLE_VIEWER);
    struct gz_message camera = camera_message(10), hover;
    camera.camera.viewport[1] = GZ_COORDINATE_MAX;
    camera.camera.view[9] = GZ_COORDINATE_MAX;
    client_say(far, &camera);
    hover = pointer_message(GZ_PHASE_HOVER, 99, 77, 0);
    client_say(far, &hover); /* from now on it is told of */
    host_advance(&s.host, 1);
    client_forget(s.watcher);
    const size_t before = s.watcher->frames_heard;
    for (int i = 0; i < 5; i++) {
        hover = pointer_message(GZ_PHASE_HOVER, 100 + i, 77, 0);
        client_say(far, &hover);
        host_advance(&s.host, 1);
    }
    assert_int_equal(s.watcher->frames_heard, before);
    close_scene(&s);
}

/* What changed of a user before others did, and whose record then comes last, is told with it. */
TEST(test_packed_presence_that_takes_several_frames_misses_nothing)
{
    enum { CROWD = 16, MANY = 10000 };
    struct host host;
    struct client *crowd[CROWD];
    host_init(&host);
    struct client *watcher = client_join_as(&host, "wes", GZ_ROLE_VIEWER, true);
    for (int i = 0; i < CROWD; i++) crowd[i] = client_join(&host, "crowd", GZ_ROLE_EDITOR);
    create_many(crowd[0], MANY);
    assert_ok(ask_camera(crowd[0], 10));
    host_advance(&host, 2);
    watcher->stalled = true;
    assert_ok(ask_mode(crowd[0], GZ_MODE_SCALE));
    host_advance(&host, 2);
    for (int i = 1; i < CROWD; i++) select_first(crowd[i], MANY);
    host_advance(&host, 2);
    struct gz_message hover = pointer_message(GZ_PHASE_HOVER, 123, 10, 0);
    client_say(crowd[0], &hover);
    host_advance(&host, 2);
    client_forget(watcher);
    const size_t before = watcher->frames_heard;
    watcher->stalled = false;
    host_turn(&host);
    assert_true(watcher->frames_heard > before + 1);
    const struct gz_message *last = client_last(watcher, GZ_OP_PRESENCE);
    assert_int_equal(last->presence.users[0].session, crowd[0]->id);
    assert_true(fabs(last->presence.users[0].at[0] - 123) < 0.02);
    assert_int_equal(last->presence.users[0].tool, GZ_MODE_SCALE);
    for (size_t i = 0; i < watcher->present_count; i++) {
        if (watcher->present[i].session == crowd[1]->id)
            assert_int_equal(watcher->present[i].selected, MANY);
    }
    host_finish(&host);
}

/* A record that changed, and then came last without a change of what is shown, is told too,
 * wherever the pieces end. */
static void read_what_comes_last(int others)
{
    enum { MANY = 10000 };
    struct host host;
    host_init(&host);
    struct client *watcher = client_join_as(&host, "wes", GZ_ROLE_VIEWER, true);
    struct client *ann = client_join(&host, "ann", GZ_ROLE_EDITOR);
    create_many(ann, MANY);
    host_advance(&host, 2);
    watcher->stalled = true;
    assert_ok(ask_mode(ann, GZ_MODE_SCALE));
    host_advance(&host, 2);
    for (int i = 0; i < others; i++)
        select_first(client_join(&host, "other", GZ_ROLE_EDITOR), MANY);
    host_advance(&host, 2);
    assert_ok(ask_mode(ann, GZ_MODE_SCALE));
    host_advance(&host, 2);
    watcher->stalled = false;
    host_turn(&host);
    host_advance(&host, 2);
    const struct gz_message *last = client_last(watcher, GZ_OP_PRESENCE);
    assert_int_equal(last->presence.users[0].session, ann->id);
    assert_int_equal(last->presence.users[0].tool, GZ_MODE_SCALE);
    host_finish(&host);
}

TEST(test_large_packed_presence_in_pieces_is_read_to_its_end)
{
    for (int others = 8; others < 16; others++) read_what_comes_last(others);
}

/* However many move at once, their pointers take no more of a line than those of a few. */
TEST(test_packed_presence_of_a_crowd_takes_bounded_bytes)
{
    enum { CROWD = 64 };
    struct scene s;
    struct client *crowd[CROWD];
    open_scene(&s, 1, GZ_TX);
    for (int i = 0; i < CROWD; i++) {
        struct gz_message hover = pointer_message(GZ_PHASE_HOVER, 5, 5, 0);
        crowd[i] = client_join(&s.host, "crowd", GZ_ROLE_VIEWER);
        assert_ok(ask_camera(crowd[i], 10));
        client_say(crowd[i], &hover); /* from now on it is told of */
    }
    host_advance(&s.host, 2);
    const size_t before = s.watcher->bytes_heard;
    for (int i = 0; i < SECONDS * 50; i++) {
        for (int k = 0; k < CROWD; k++) {
            struct gz_message hover = pointer_message(GZ_PHASE_HOVER, (7 * i + k) % 700, 10, 0);
            client_say(crowd[k], &hover);
        }
        host_advance(&s.host, 0.02);
    }
    const double bytes_per_s = (double)(s.watcher->bytes_heard - before) / SECONDS;
    print_message("%.0f bytes a second\n", bytes_per_s);
    assert_true(bytes_per_s <= 2200);
    close_scene(&s);
}
