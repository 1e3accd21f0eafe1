/* The compact form as a viewer gets it: who is told what, how often, and in how many bytes; that
 * the state is the same to the last bit is in every test, as every second client reads it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/scene.h"
#include "server/maxima.h"
#include "session/internal.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define SECONDS 5
#define MOVES_PER_S 60
#define EDITORS 16

struct scene {
    struct host host;
    struct client *editors[EDITORS];
    struct client *watcher; /* reads the compact form, with exact numbers */
    struct client *rounder; /* and one that asks for float32; NULL: none */
    uint64_t nodes[EDITORS];
};

static struct client *join_reader(struct scene *s, const char *user, bool float32)
{
    struct client *client;
    s->host.exact = !float32;
    do {
        /* Who reads what goes round by the number of the session. */
        client = client_join(&s->host, user, GZ_ROLE_VIEWER);
    } while (client->compact == NULL || client->float32 != float32);
    s->host.exact = true;
    return client;
}

/* Each editor looks at its own node, and holds its handle. */
static void open_scene(struct scene *s, size_t editors, enum gz_handle handle)
{
    *s = (struct scene){.rounder = NULL};
    host_init(&s->host);
    s->host.plain = true;
    for (size_t i = 0; i < editors; i++) {
        s->editors[i] = client_join(&s->host, "editor", GZ_ROLE_EDITOR);
        assert_ok(ask_camera(s->editors[i], 10));
        s->nodes[i] = create_node(s->editors[i], "node", 0, 0.1, 0.2, 0.3);
    }
    s->host.plain = false;
    s->watcher = join_reader(s, "wes", false);
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

TEST(test_compact_drag_of_one_editor_takes_two_kilobytes_a_second)
{
    struct scene s;
    open_scene(&s, 1, GZ_TX);
    const double bytes_per_s = drag_for(&s, 1, SECONDS * MOVES_PER_S);
    print_message("%.0f bytes a second\n", bytes_per_s);
    assert_true(bytes_per_s <= 2000);
    close_scene(&s);
}

/* What a second takes of a client's line. */
struct load {
    size_t bytes, frames;
};

static struct load load_of(const struct client *client)
{
    return (struct load){client->bytes_heard, client->frames_heard};
}

static double per_second(struct load before, struct load after, size_t moves)
{
    const size_t bytes = after.bytes - before.bytes + 2 * (after.frames - before.frames);
    return (double)bytes * MOVES_PER_S / (double)moves;
}

/* An axis each: what 16 editors take grows with the turns that their pointers need, but for who
 * asks for float32, for whom these are gathered. */
TEST(test_compact_drags_of_16_editors)
{
    struct scene s;
    open_scene(&s, EDITORS, GZ_TX);
    s.rounder = join_reader(&s, "rob", true);
    host_advance(&s.host, 1);
    for (size_t turns = 1; turns <= EDITORS; turns *= 2) {
        const struct load before = load_of(s.rounder);
        const double exact = drag_by_turns(&s, EDITORS, MOVES_PER_S, turns);
        const double rounded = per_second(before, load_of(s.rounder), MOVES_PER_S);
        print_message("%2zu turns: %.0f bytes a second, as float32 %.0f\n", turns, exact, rounded);
        assert_true(exact <= 15000 + 500 * (double)turns);
        assert_true(rounded <= 12000);
    }
    close_scene(&s);
}

TEST(test_compact_drag_as_float32_takes_less)
{
    const enum gz_handle handles[] = {GZ_TX, GZ_TV, GZ_RB, GZ_SU};
    for (size_t i = 0; i < COUNT(handles); i++) {
        struct scene s;
        open_scene(&s, 1, handles[i]);
        s.rounder = join_reader(&s, "rob", true);
        host_advance(&s.host, 1);
        const struct load before = load_of(s.rounder);
        const size_t more_frames = s.watcher->frames_heard - before.frames;
        const double exact = drag_for(&s, 1, MOVES_PER_S);
        const double rounded = per_second(before, load_of(s.rounder), MOVES_PER_S);
        print_message("%s: %.0f bytes a second, as float32 %.0f\n",
                      gz_vocabulary_word(&gz_handle_words, (int)handles[i]), exact, rounded);
        assert_true(rounded <= exact - 3.5 * MOVES_PER_S);
        assert_int_equal(s.watcher->frames_heard - s.rounder->frames_heard, more_frames);
        close_scene(&s);
    }
}

/* ---- what is gathered ---- */

static uint64_t seq_of(const struct scene *s)
{
    return gz_core_summary(s->host.core).seq;
}

static void move_to(struct client *editor, double x)
{
    const struct gz_message move = pointer_message(GZ_PHASE_MOVE, x, MIDDLE_Y, (uint64_t)x);
    client_say(editor, &move);
    host_turn(editor->host);
}

static bool is_up_to_date(const struct scene *s, const struct client *client)
{
    return client->mirror.complete == seq_of(s);
}

/* Three editors: one moved what it holds, then a second one; the third one holds nothing. */
static void open_gathered(struct scene *s)
{
    open_scene(s, 3, GZ_TX);
    s->rounder = join_reader(s, "rob", true);
    assert_ok(ask_pointer(s->editors[2], GZ_PHASE_UP, MIDDLE_X, MIDDLE_Y));
    host_advance(&s->host, 1);
    move_to(s->editors[0], MIDDLE_X + 30);
    assert_true(is_up_to_date(s, s->rounder)); /* nothing had moved for a while */
    move_to(s->editors[1], MIDDLE_X + 30);
    assert_true(is_up_to_date(s, s->watcher));
    assert_false(is_up_to_date(s, s->rounder));
}

TEST(test_compact_gathered_moves_leave_after_4_ms_in_one_frame)
{
    struct scene s;
    open_gathered(&s);
    const size_t frames = s.rounder->frames_heard;
    host_advance(&s.host, 0.002);
    move_to(s.editors[0], MIDDLE_X + 60);
    host_advance(&s.host, 0.0019);
    assert_int_equal(s.rounder->frames_heard, frames);
    host_advance(&s.host, 0.0002);
    assert_int_equal(s.rounder->frames_heard, frames + 1);
    assert_true(is_up_to_date(&s, s.rounder));
    close_scene(&s);
}

/* An edit that is not stored yet, the end of a drag, and an answer to who asked for float32. */
TEST(test_compact_gathered_moves_leave_with_what_is_exact)
{
    for (int what = 0; what < 3; what++) {
        struct scene s;
        open_gathered(&s);
        const struct gz_message up = pointer_message(GZ_PHASE_UP, MIDDLE_X + 30, MIDDLE_Y, 0);
        s.host.disk = DISK_WAITS;
        if (what == 0) assert_null(ask_rename(s.editors[2], s.nodes[2], "new"));
        if (what == 1) client_say(s.editors[0], &up);
        if (what == 2) assert_refused(ask_rename(s.rounder, s.nodes[2], "new"), GZ_FORBIDDEN);
        host_turn(&s.host);
        assert_true(is_up_to_date(&s, s.rounder));
        s.host.disk = DISK_COMMITS;
        close_scene(&s);
    }
}

/* ---- float32 ---- */

static bool has_exactly(const struct scene *s, const struct client *client, uint64_t node)
{
    const gz_trs *exact = &gz_scene_find(s->host.core->scene, node)->trs;
    return memcmp(&mirror_find(&client->mirror, node)->content.trs, exact, sizeof *exact) == 0;
}

static void open_rounded(struct scene *s, enum gz_handle handle)
{
    open_scene(s, 1, handle);
    s->rounder = join_reader(s, "rob", true);
    drag_for(s, 1, 3);
    assert_true(has_exactly(s, s->watcher, s->nodes[0]));
    assert_false(has_exactly(s, s->rounder, s->nodes[0]));
}

static void end_by(struct scene *s, int way)
{
    struct client *editor = s->editors[0];
    if (way == 0) assert_ok(ask_pointer(editor, GZ_PHASE_UP, MIDDLE_X + 20, MIDDLE_Y - 30));
    if (way == 1) assert_ok(ask_pointer(editor, GZ_PHASE_CANCEL, MIDDLE_X, MIDDLE_Y));
    if (way == 2) client_leave(editor);
    if (way == 3) host_restart(&s->host, false);
    if (way == 3) client_resume(s->rounder);
    host_turn(&s->host);
    if (way == 3) assert_true(s->rounder->resumed);
    if (way != 3) host_assert_equal(&s->host);
}

TEST(test_compact_float32_is_exact_once_the_drag_is_over)
{
    const enum gz_handle handles[] = {GZ_TX, GZ_TV, GZ_RB, GZ_SU};
    for (int way = 0; way < 4; way++) {
        for (size_t i = 0; i < COUNT(handles); i++) {
            struct scene s;
            open_rounded(&s, handles[i]);
            end_by(&s, way);
            assert_true(has_exactly(&s, s.rounder, s.nodes[0]));
            host_finish(&s.host);
        }
    }
}

/* Also to a viewer that did not read while it ended, or that came in the middle of it. */
TEST(test_compact_float32_is_exact_to_who_was_behind)
{
    struct scene s;
    open_rounded(&s, GZ_TX);
    struct client *late = join_reader(&s, "late", true);
    assert_true(has_exactly(&s, late, s.nodes[0])); /* it was told in the other form */
    drag_for(&s, 1, 3);
    assert_false(has_exactly(&s, late, s.nodes[0]));
    s.rounder->stalled = true;
    client_leave(late);
    end_by(&s, 0);
    assert_ok(ask_grab(s.editors[0], GZ_TY, s.nodes[0], MIDDLE_X, MIDDLE_Y));
    drag_for(&s, 1, 3);
    s.rounder->stalled = false;
    client_resume(late);
    host_turn(&s.host);
    assert_true(late->resumed);
    drag_for(&s, 1, 3);
    const gz_vec3 exact = gz_scene_find(s.host.core->scene, s.nodes[0])->trs.t;
    const struct client *readers[] = {s.rounder, late};
    for (size_t i = 0; i < COUNT(readers); i++) {
        const gz_vec3 told = mirror_find(&readers[i]->mirror, s.nodes[0])->content.trs.t;
        assert_true(told.x == exact.x && told.y == (double)(float)exact.y && told.y != exact.y);
    }
    close_scene(&s);
}

static struct client *join_float32_editor(struct scene *s, const char *user)
{
    struct client *client;
    s->host.exact = false;
    do {
        client = client_join(&s->host, user, GZ_ROLE_EDITOR);
    } while (!client->float32);
    s->host.exact = true;
    assert_ok(ask_camera(client, 10));
    return client;
}

/* What it does itself a client foresees: it compares that with what it is told. */
TEST(test_compact_float32_is_for_drags_of_others)
{
    struct scene s;
    open_rounded(&s, GZ_TX);
    struct client *dan = join_float32_editor(&s, "dan");
    const uint64_t node = create_node(dan, "other", 0, 5.1, 0.2, 0.3);
    assert_ok(ask_grab(dan, GZ_TX, node, MIDDLE_X, MIDDLE_Y));
    assert_ok(ask_pointer(dan, GZ_PHASE_MOVE, MIDDLE_X + 31, MIDDLE_Y));
    drag_for(&s, 1, 3);
    assert_true(has_exactly(&s, dan, node) && has_exactly(&s, dan, s.nodes[0]));
    assert_false(has_exactly(&s, s.rounder, node));
    assert_ok(ask_pointer(dan, GZ_PHASE_UP, MIDDLE_X + 31, MIDDLE_Y));
    drag_for(&s, 1, 3);
    assert_true(has_exactly(&s, dan, node) && has_exactly(&s, s.rounder, node));
    assert_false(has_exactly(&s, dan, s.nodes[0]));
    close_scene(&s);
}

/* And it computes with what is above the nodes: whoever holds that may rest. */
TEST(test_compact_float32_is_exact_above_what_one_drags)
{
    const enum gz_handle handles[] = {GZ_TX, GZ_RB, GZ_SU};
    for (size_t i = 0; i < COUNT(handles); i++) {
        struct scene s;
        open_rounded(&s, handles[i]);
        struct client *dan = join_float32_editor(&s, "dan");
        const uint64_t child = create_node(dan, "child", s.nodes[0], 1.1, 0.2, 0.3);
        const uint64_t below = create_node(dan, "below", child, 0.4, 0.2, 0.3);
        drag_for(&s, 1, 3);
        assert_false(has_exactly(&s, dan, s.nodes[0]));
        assert_ok(ask_grab(dan, GZ_TX, below, MIDDLE_X, MIDDLE_Y));
        assert_true(has_exactly(&s, dan, s.nodes[0]));
        assert_false(has_exactly(&s, s.rounder, s.nodes[0]));
        close_scene(&s);
    }
}

/* How much the end of a drag adds to seq, and frames that the watcher is sent. */
TEST(test_compact_nothing_is_told_twice_where_nobody_asks_for_float32)
{
    struct scene s;
    open_scene(&s, 1, GZ_TX);
    drag_for(&s, 1, 3);
    uint64_t before = seq_of(&s);
    assert_ok(ask_pointer(s.editors[0], GZ_PHASE_UP, MIDDLE_X + 20, MIDDLE_Y - 30));
    assert_int_equal(seq_of(&s), before + 2); /* where the pointer was, and the end */
    s.rounder = join_reader(&s, "rob", true);
    for (int asks = 1; asks >= 0; asks--) {
        assert_ok(ask_grab(s.editors[0], GZ_TX, s.nodes[0], MIDDLE_X, MIDDLE_Y));
        drag_for(&s, 1, 3);
        before = seq_of(&s);
        assert_ok(ask_pointer(s.editors[0], GZ_PHASE_UP, MIDDLE_X + 20, MIDDLE_Y - 30));
        assert_int_equal(seq_of(&s), before + 2 + (uint64_t)asks);
        if (asks == 1) client_leave(s.rounder);
    }
    close_scene(&s);
}

/* A float32 is near enough by what it is off in the world: here by less than 0.1 mm. */
TEST(test_compact_float32_is_told_only_where_it_is_near)
{
    const struct {
        double t, scale;
        bool rounded;
    } cases[] = {{0.1, 1, true},          {700.1, 1, true},  {1e6 + 0.1, 1, false},
                 {1e6 + 0.1, 1e-5, true}, {0.7, 1e6, false}, {0.7, 100, true}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene s;
        open_scene(&s, 1, GZ_TX);
        s.rounder = join_reader(&s, "rob", true);
        struct client *editor = s.editors[0];
        assert_ok(ask_pointer(editor, GZ_PHASE_CANCEL, MIDDLE_X, MIDDLE_Y));
        const struct gz_create_node parent = {
            .has = GZ_HAS_CREATE_NODE_T | GZ_HAS_CREATE_NODE_S,
            .name = {"p", 1},
            .trs = {.t = {-cases[i].t * cases[i].scale, 0, 0},
                    .s = {cases[i].scale, cases[i].scale, cases[i].scale}}};
        struct gz_message create = {.op = GZ_OP_CREATE, .create = {&parent, 1}};
        const struct gz_message *answer = client_ask(editor, &create);
        assert_ok(answer);
        const uint64_t node = create_node(editor, "n", answer->ok.ids.ids[0], cases[i].t, 0, 0);
        assert_ok(ask_grab(editor, GZ_TX, node, MIDDLE_X, MIDDLE_Y));
        for (int x = 0; x < 4 && has_exactly(&s, s.rounder, node); x++) {
            host_advance(&s.host, 1.0 / MOVES_PER_S);
            assert_ok(ask_pointer(editor, GZ_PHASE_MOVE, MIDDLE_X + 7 * x + 3, MIDDLE_Y));
        }
        assert_int_equal(has_exactly(&s, s.rounder, node), !cases[i].rounded);
        assert_ok(ask_pointer(editor, GZ_PHASE_UP, MIDDLE_X, MIDDLE_Y));
        close_scene(&s);
    }
}

/* ---- who is told what ---- */

TEST(test_compact_watcher_is_not_told_of_acknowledgements_and_a_dragger_is)
{
    struct scene s;
    open_scene(&s, 1, GZ_TX);
    struct client *dragger = s.watcher;
    while (dragger->compact == NULL || dragger == s.watcher)
        dragger = client_join(&s.host, "dan", GZ_ROLE_EDITOR);
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
TEST(test_compact_delta_tells_who_moved_a_node_once)
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

static size_t bytes_of_join(struct client *client, bool compact_delta)
{
    const size_t before = client->bytes_heard;
    client->compact_delta = compact_delta;
    client_come_as(client, true, true);
    host_advance(client->host, 1);
    return client->bytes_heard - before;
}

TEST(test_compact_delta_of_a_join_takes_less_than_half_of_the_bytes)
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

/* What the compact form rounds: a pixel of a viewport to 1 / 65535 of it, a turn to 16 bits. */
TEST(test_compact_person_points_and_looks_where_the_other_form_says)
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

TEST(test_compact_presence_is_told_ten_times_a_second_and_a_quiet_user_not_at_all)
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
TEST(test_compact_presence_of_which_nothing_is_told_makes_no_frame)
{
    struct scene s;
    open_scene(&s, 1, GZ_TX);
    struct client *far = client_join(&s.host, "fay", GZ_ROLE_VIEWER);
    struct gz_message camera = camera_message(10), hover;
    camera.camera.viewport[1] = GZ_COORDINATE_MAX;
    camera.camera.view[9] = GZ_COORDINATE_MAX;
    client_say(far, &camera);
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
TEST(test_compact_presence_that_takes_several_frames_misses_nothing)
{
    enum { CROWD = 16, MANY = 10000 };
    struct host host;
    struct client *crowd[CROWD];
    host_init(&host);
    struct client *watcher = client_join(&host, "wes", GZ_ROLE_VIEWER);
    if (watcher->compact == NULL) watcher = client_join(&host, "wim", GZ_ROLE_VIEWER);
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
    struct client *watcher = client_join(&host, "wes", GZ_ROLE_VIEWER);
    if (watcher->compact == NULL) watcher = client_join(&host, "wim", GZ_ROLE_VIEWER);
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

TEST(test_large_compact_presence_in_pieces_is_read_to_its_end)
{
    for (int others = 8; others < 16; others++) read_what_comes_last(others);
}

/* However many move at once, their pointers take no more of a line than those of a few. */
TEST(test_compact_presence_of_a_crowd_takes_bounded_bytes)
{
    enum { CROWD = 64 };
    struct scene s;
    struct client *crowd[CROWD];
    open_scene(&s, 1, GZ_TX);
    for (int i = 0; i < CROWD; i++) {
        crowd[i] = client_join(&s.host, "crowd", GZ_ROLE_VIEWER);
        assert_ok(ask_camera(crowd[i], 10));
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
