/* Whoever asks for work is charged for it, refused or not; what cannot be afforded is refused in
 * words or waits, and what waits ends where it would have ended. Work is charged by the nodes it
 * looks at, moves, tells of and edits, and at most half more; the sessions of a user or an address
 * share the charge, and messages of others at an address end nobody's session. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/session.h"
#include "server/maxima.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define MANY ((size_t)2000)
/* Fewer than are looked at for a message, and more than are edited. */
#define SOME ((size_t)50)
#define PER_S 200.0 /* messages, and as many of work */
#define DISTANCE 100.0

struct scene {
    struct host host;
    struct client *a, *b; /* editors, with a camera */
    uint64_t root, ids[MANY];
};

/* Without bounds of its own. */
static uint64_t create_group(struct client *client)
{
    struct gz_create_node node = {.name = {"root", 4}};
    struct gz_message message = {.op = GZ_OP_CREATE, .create = {&node, 1}};
    const struct gz_message *ok = client_ask(client, &message);
    assert_ok(ok);
    return ok->ok.ids.ids[0];
}

static void open_scene_at(struct scene *s, double messages_per_s)
{
    struct gz_create_node *nodes = calloc(MANY, sizeof *nodes);
    assert_non_null(nodes);
    host_init_limited(&s->host, messages_per_s);
    s->a = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->b = client_join(&s->host, "bob", GZ_ROLE_EDITOR);
    s->root = create_group(s->b);
    for (size_t i = 0; i < MANY; i++) {
        nodes[i] = (struct gz_create_node){.has = GZ_HAS_CREATE_NODE_T | GZ_HAS_CREATE_NODE_PARENT,
                                           .name = {"n", 1},
                                           .parent = s->root};
        nodes[i].trs.t = (gz_vec3){(double)(i % 50), (double)(i / 50), 0};
    }
    struct gz_message create = {.op = GZ_OP_CREATE, .create = {nodes, MANY}};
    const struct gz_message *ok = client_ask(s->b, &create);
    assert_ok(ok);
    memcpy(s->ids, ok->ok.ids.ids, sizeof s->ids);
    free(nodes);
    assert_ok(ask_camera(s->a, DISTANCE));
    assert_ok(ask_camera(s->b, DISTANCE));
    host_advance(&s->host, 60);
}

static void open_scene(struct scene *s)
{
    open_scene_at(s, PER_S);
}

static void close_scene(struct scene *s)
{
    host_advance(&s->host, 60);
    host_assert_equal(&s->host);
    host_finish(&s->host);
}

/* ---- asking ---- */

static struct gz_ids all(const struct scene *s)
{
    return (struct gz_ids){s->ids, MANY};
}

static const struct gz_message *select_all(struct scene *s)
{
    struct gz_message message = {.op = GZ_OP_SELECT, .select = {all(s), GZ_HOW_SET}};
    return client_ask(s->a, &message);
}

static const struct gz_message *grab(struct scene *s, struct gz_ids ids, enum gz_handle handle)
{
    struct gz_message message = pointer_message(GZ_PHASE_DOWN, MIDDLE_X, MIDDLE_Y, 0);
    message.op = GZ_OP_GRAB;
    if (ids.count > 0) message.has |= GZ_HAS_POINTER_NODES;
    message.pointer.handle = handle;
    message.pointer.nodes = ids;
    return client_ask(s->a, &message);
}

static const struct gz_message *grab_all(struct scene *s)
{
    return grab(s, all(s), GZ_TX);
}

static const struct gz_message *grab_some(struct scene *s)
{
    return grab(s, (struct gz_ids){s->ids, SOME}, GZ_TX);
}

static const struct gz_message *grab_selected(struct scene *s)
{
    return grab(s, (struct gz_ids){NULL, 0}, GZ_TX);
}

/* On its bounds, which are those of all that is below it. */
static const struct gz_message *grab_group(struct scene *s)
{
    return grab(s, (struct gz_ids){&s->root, 1}, GZ_BXN);
}

static const struct gz_message *type_value(struct scene *s)
{
    struct gz_message message = {.op = GZ_OP_GRAB, .has = GZ_HAS_POINTER_VALUE};
    message.pointer.handle = GZ_TX;
    message.pointer.value = (struct gz_value){{3, 0}, 1};
    return client_ask(s->a, &message);
}

static const struct gz_message *type_too_much(struct scene *s)
{
    struct gz_message message = {.op = GZ_OP_GRAB, .has = GZ_HAS_POINTER_VALUE};
    message.pointer.handle = GZ_TX;
    message.pointer.value = (struct gz_value){{GZ_COORDINATE_MAX - 10, 0}, 1};
    return client_ask(s->a, &message);
}

static const struct gz_message *move(struct scene *s)
{
    return ask_pointer(s->a, GZ_PHASE_MOVE, MIDDLE_X + 30, MIDDLE_Y);
}

static const struct gz_message *release(struct scene *s)
{
    return ask_pointer(s->a, GZ_PHASE_UP, MIDDLE_X + 60, MIDDLE_Y);
}

static const struct gz_message *cancel(struct scene *s)
{
    return ask_pointer(s->a, GZ_PHASE_CANCEL, MIDDLE_X, MIDDLE_Y);
}

static const struct gz_message *move_camera(struct scene *s)
{
    return ask_camera(s->a, DISTANCE + 1);
}

static const struct gz_message *wheel(struct scene *s)
{
    return ask_wheel(s->a, 1);
}

static const struct gz_message *set_nodes(struct scene *s, size_t count)
{
    struct gz_set_node *nodes = calloc(count, sizeof *nodes);
    assert_non_null(nodes);
    for (size_t i = 0; i < count; i++) {
        nodes[i] = (struct gz_set_node){.has = GZ_HAS_SET_NODE_T, .id = s->ids[i]};
        nodes[i].trs.t = (gz_vec3){1, 2, (double)i};
    }
    struct gz_message message = {.op = GZ_OP_SET, .set = {.nodes = nodes, .count = count}};
    const struct gz_message *answer = client_ask(s->a, &message);
    free(nodes);
    return answer;
}

static const struct gz_message *set_all(struct scene *s)
{
    return set_nodes(s, MANY);
}

static const struct gz_message *set_some(struct scene *s)
{
    return set_nodes(s, SOME);
}

static const struct gz_message *create_some(struct scene *s)
{
    struct gz_create_node nodes[SOME];
    for (size_t i = 0; i < SOME; i++) nodes[i] = (struct gz_create_node){.name = {"n", 1}};
    struct gz_message message = {.op = GZ_OP_CREATE, .create = {nodes, SOME}};
    return client_ask(s->a, &message);
}

static const struct gz_message *delete_some(struct scene *s)
{
    struct gz_message message = {.op = GZ_OP_DELETE, .remove = {s->ids, SOME}};
    return client_ask(s->a, &message);
}

static const struct gz_message *set_all_but_one(struct scene *s)
{
    uint64_t last = s->ids[MANY - 1];
    s->ids[MANY - 1] = 1000000;
    const struct gz_message *answer = set_all(s);
    s->ids[MANY - 1] = last;
    return answer;
}

static const struct gz_message *delete_root(struct scene *s)
{
    return ask_delete(s->a, s->root);
}

static const struct gz_message *undo(struct scene *s)
{
    return ask_undo(s->a, false);
}

static const struct gz_message *pick_until(struct scene *s, double x)
{
    struct gz_message message = {
        .op = GZ_OP_PICK, .has = GZ_HAS_PICK_RECT, .pick.rect = {0, 0, x, 600}};
    return client_ask(s->a, &message);
}

static const struct gz_message *pick_rect(struct scene *s)
{
    return pick_until(s, 800);
}

/* The root and 24 columns. */
static const struct gz_message *pick_half(struct scene *s)
{
    const struct gz_message *ok = pick_until(s, MIDDLE_X + 23.5 * METRE_PX(DISTANCE + 1));
    assert_int_equal(ok->ok.hit_count, 1 + 24 * MANY / 50);
    assert_false(ok->ok.more);
    return ok;
}

static const struct gz_message *ask_history(struct scene *s)
{
    return ask_op(s->a, GZ_OP_HISTORY);
}

static const struct gz_message *ask_at(struct scene *s)
{
    struct gz_message message = {.op = GZ_OP_AT, .has = GZ_HAS_AT_SEQ};
    message.at.seq = gz_core_summary(s->host.core).seq;
    return client_ask(s->a, &message);
}

static const struct gz_message *restore(struct scene *s)
{
    struct gz_message message = {.op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ};
    message.restore.seq = gz_core_summary(s->host.core).seq;
    return client_ask(s->a, &message);
}

static const struct gz_message *follow_view(struct scene *s)
{
    struct gz_message message = {
        .op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_VIEW, .interest.view = true};
    return client_ask(s->a, &message);
}

static const struct gz_message *follow_whole(struct scene *s)
{
    return ask_op(s->a, GZ_OP_INTEREST);
}

static void hold_one(struct scene *s)
{
    assert_ok(ask_grab(s->b, GZ_TX, s->ids[MANY - 1], MIDDLE_X, MIDDLE_Y));
}

static void let_go(struct scene *s)
{
    assert_ok(ask_pointer(s->b, GZ_PHASE_CANCEL, MIDDLE_X, MIDDLE_Y));
}

/* ---- what is charged ---- */

/* In the order in which they are asked. What the request costs, with the gizmo that it changes, in
 * nodes for each of MANY: one to look at it or name it, GZ_PRICE_MOVED to hold, move or send it,
 * GZ_PRICE_EDITED to edit it; `refused` if it fails. */
static const struct {
    const char *what;
    const struct gz_message *(*ask)(struct scene *s);
    double price;
    bool refused;
} charges[] = {
    {"select", select_all, 2, false},
    {"grab with a value", type_value, 8, false},
    {"a value in a drag", type_value, 4, false},
    {"a value too large", type_too_much, 4, true},
    {"cancel", cancel, 3, false},
    {"grab", grab_all, 5, false},
    {"grab in a drag, refused", grab_all, 1, true},
    {"drag", move, 3, false},
    {"camera in a drag", move_camera, 3, false},
    {"release", release, 13, false},
    {"undo", undo, 12, false},
    {"pick", pick_rect, 3, false},
    {"pick of half, in one message", pick_half, 1.44, false},
    {"wheel", wheel, 6, false},
    {"set after a wheel", set_all, 22, false},
    {"set, the last refused", set_all_but_one, 1, true},
    {"history of five edits", ask_history, 10, false},
    {"at", ask_at, 2, false},
    {"restore", restore, 2, false},
    {"interest", follow_view, 1, false},
    {"interest in all", follow_whole, 1, false},
};

static bool is_about(double charged, double messages)
{
    return charged > messages - 1e-6 && charged < 1.5 * messages;
}

/* Of the session and of its share. */
static void assert_charged(const struct scene *s, const char *what, double own, double shared,
                           double messages)
{
    const struct gz_session *session = s->a->session;
    if (!is_about(own - session->work.tokens, messages) ||
        !is_about(shared - session->share->work.tokens, messages))
        fail_msg("%s: charged %g and %g, which is not %g to %g", what, own - session->work.tokens,
                 shared - session->share->work.tokens, messages, 1.5 * messages);
}

TEST(test_work_is_charged)
{
    struct scene s;
    open_scene_at(&s, 1e6);
    for (size_t i = 0; i < COUNT(charges); i++) {
        const struct gz_session *session = s.a->session;
        double own = session->work.tokens, shared = session->share->work.tokens;
        const struct gz_message *answer = charges[i].ask(&s);
        const bool turns = charges[i].ask == wheel; /* it is answered once it rests */
        assert_true((answer == NULL) == turns);
        if (!turns && (answer->op == GZ_OP_ERROR) != charges[i].refused)
            fail_msg("%s: %s", charges[i].what, answer->op == GZ_OP_ERROR ? "refused" : "done");
        assert_charged(&s, charges[i].what, own, shared, charges[i].price * messages(MANY));
        client_forget(s.a);
        client_forget(s.b);
    }
    close_scene(&s);
}

static void type_factor(struct scene *s, bool is_first)
{
    struct gz_message message = {.op = GZ_OP_GRAB, .has = GZ_HAS_POINTER_VALUE};
    message.pointer.handle = GZ_SX;
    message.pointer.value = (struct gz_value){{is_first ? 2 : 3, 0}, 1};
    assert_ok(client_ask(s->a, &message));
}

/* The nearest transform is looked for, for each of several nodes, and longer below a parent that
 * scales unevenly. */
TEST(test_scale_along_an_axis_costs_more)
{
    struct scene s;
    open_scene_at(&s, 1e6);
    struct gz_session *session = s.a->session;
    const struct gz_ids few = {s.ids, 6}; /* posed in one turn */
    for (int uneven = 0; uneven < 2; uneven++) {
        double each = uneven ? GZ_MOVES_PER_UNEVEN_STRETCH : GZ_MOVES_PER_STRETCH;
        double pass = messages(GZ_PRICE_MOVED * each * (double)few.count);
        struct gz_set_node node = {.has = GZ_HAS_SET_NODE_S, .id = s.root, .trs = gz_trs_identity};
        node.trs.s.y = uneven ? 3 : 1;
        const struct gz_message set = {.op = GZ_OP_SET, .set = {&node, 1}};
        assert_ok(client_ask(s.b, &set));
        assert_ok(grab(&s, few, GZ_SX));
        assert_ok(cancel(&s));
        type_factor(&s, true);
        double own = session->work.tokens, shared = session->share->work.tokens;
        type_factor(&s, false);
        assert_charged(&s, "a factor in a drag", own, shared, 2 * pass);
        assert_ok(cancel(&s));
        assert_ok(grab(&s, few, GZ_SX));
        session->work.counted_s = session->share->work.counted_s = s.host.now.mono_s;
        own = session->work.tokens, shared = session->share->work.tokens;
        assert_ok(move(&s));
        assert_charged(&s, "a drag of sx", own, shared, pass);
        assert_ok(cancel(&s));
    }
    close_scene(&s);
}

/* All below the root is looked at before the node that somebody holds is met. */
TEST(test_delete_that_is_refused_is_charged)
{
    struct scene s;
    open_scene_at(&s, 1e6);
    const struct gz_session *session = s.a->session;
    hold_one(&s);
    double own = session->work.tokens, shared = session->share->work.tokens;
    assert_refused(delete_root(&s), GZ_LOCKED);
    assert_charged(&s, "delete", own, shared, messages((1 + GZ_PRICE_EDITED) * MANY));
    let_go(&s);
    close_scene(&s);
}

/* What others hung below nodes that go is looked at, and goes too. */
TEST(test_forced_undo_is_charged_for_what_goes_along)
{
    struct scene s;
    open_scene_at(&s, 1e6);
    const struct gz_session *session = s.a->session;
    uint64_t group = create_group(s.a);
    struct gz_set_node *nodes = calloc(MANY, sizeof *nodes);
    assert_non_null(nodes);
    for (size_t i = 0; i < MANY; i++)
        nodes[i] =
            (struct gz_set_node){.has = GZ_HAS_SET_NODE_PARENT, .id = s.ids[i], .parent = group};
    struct gz_message hang = {.op = GZ_OP_SET, .set = {.nodes = nodes, .count = MANY}};
    assert_ok(client_ask(s.b, &hang));
    double own = session->work.tokens, shared = session->share->work.tokens;
    assert_ok(ask_undo(s.a, true));
    assert_charged(&s, "undo", own, shared, messages((1 + GZ_PRICE_EDITED) * MANY));
    assert_int_equal(gz_core_summary(s.host.core).nodes, 1);
    free(nodes);
    close_scene(&s);
}

/* ---- what cannot be afforded ---- */

static void set_budget(struct scene *s, double messages)
{
    s->a->session->work.tokens = messages;
    s->a->session->work.counted_s = s->host.now.mono_s;
}

static void fill_budget(struct scene *s)
{
    set_budget(s, PER_S);
}

static void fall_into_debt(struct scene *s)
{
    set_budget(s, -PER_S);
}

/* Each is answered, and none of them is done. */
SCENE_TEST(test_debt_refuses_what_is_large_in_words)
{
    static const struct gz_message *(*const asks[])(struct scene *) = {
        select_all, grab_all,    grab_some,   grab_group, set_all,
        set_some,   create_some, delete_some, undo,       delete_root,
        pick_rect,  restore,     follow_view, ask_at,     ask_history};
    uint64_t seq = gz_core_summary(s->host.core).seq;
    fall_into_debt(s);
    for (size_t i = 0; i < COUNT(asks); i++) assert_refused(asks[i](s), GZ_RATE_LIMITED);
    assert_says(ask_pointer(s->a, GZ_PHASE_DOWN, MIDDLE_X, MIDDLE_Y), GZ_RATE_LIMITED,
                "pointer: your requests took more than your share of the server's time; try again "
                "in 1.1 s");
    assert_true(s->a->session->work.tokens == -PER_S); /* nothing was done for them */
    assert_int_equal(gz_core_summary(s->host.core).seq, seq);
    host_advance(&s->host, 1.1);
    assert_ok(ask_pointer(s->a, GZ_PHASE_DOWN, MIDDLE_X, MIDDLE_Y));
}

/* The host is asked for room before it is known how many nodes change, and once more after. */
SCENE_TEST(test_disk_without_room_refuses_whatever_is_written)
{
    static const struct gz_message *(*const asks[])(struct scene *) = {
        grab_all, grab_some,   grab_selected, wheel, set_all,
        set_some, create_some, delete_some,   undo,  delete_root};
    static const uint64_t rooms[] = {0, GZ_FILE_BYTES_PER_EDIT};
    assert_ok(set_some(s)); /* to be undone */
    host_advance(&s->host, 10);
    assert_ok(ask_select(s->a, s->ids[0]));
    const uint64_t seq = gz_core_summary(s->host.core).seq;
    for (size_t r = 0; r < COUNT(rooms); r++) {
        s->host.spent_most = rooms[r];
        for (size_t i = 0; i < COUNT(asks); i++) {
            host_advance(&s->host, 10);
            assert_refused(asks[i](s), GZ_STORAGE);
        }
        assert_refused(ask_note(s->a, "a note", NULL), GZ_STORAGE);
    }
    host_advance(&s->host, 1);
    assert_int_equal(gz_core_summary(s->host.core).seq, seq);
    s->host.spent_most = UINT64_MAX;
    assert_ok(ask_grab(s->b, GZ_TX, s->ids[0], MIDDLE_X, MIDDLE_Y)); /* nobody holds it */
}

SCENE_TEST(test_debt_lets_small_requests_pass)
{
    fall_into_debt(s);
    assert_ok(ask_op(s->a, GZ_OP_PING));
    assert_ok(ask_move(s->a, s->ids[0], 1, 2, 3));
    assert_ok(ask_select(s->a, s->ids[0]));
    assert_ok(ask_camera(s->a, DISTANCE / 2));
    assert_ok(ask_mode(s->a, GZ_MODE_ROTATE));
    assert_ok(ask_note(s->a, "a note", NULL));
    assert_ok(ask_delete(s->a, s->ids[1]));
    assert_ok(ask_grab(s->a, GZ_TX, s->ids[2], MIDDLE_X, MIDDLE_Y));
    assert_ok(release(s));
}

/* What holds all that is selected is refused whether it would be done or not, and a wheel that
 * turns comes to its end. */
SCENE_TEST(test_debt_refuses_to_hold_what_is_selected)
{
    assert_ok(select_all(s));
    hold_one(s);
    fill_budget(s);
    double shared = s->a->session->share->work.tokens;
    assert_refused(wheel(s), GZ_LOCKED);
    assert_charged(s, "a wheel on what is locked", PER_S, shared,
                   messages((1 + GZ_PRICE_MOVED) * MANY));
    fall_into_debt(s);
    for (int i = 0; i < 10; i++) assert_refused(wheel(s), GZ_RATE_LIMITED);
    assert_refused(grab_selected(s), GZ_RATE_LIMITED);
    assert_true(s->a->session->work.tokens == -PER_S);
    let_go(s);
    fill_budget(s);
    assert_null(wheel(s)); /* it turns */
    fall_into_debt(s);
    assert_null(wheel(s));
    assert_ok(ask_mode(s->a, GZ_MODE_ROTATE)); /* completes it */
    assert_refused(wheel(s), GZ_RATE_LIMITED);
}

/* The bounds of a group are looked for when that can be afforded, however few are selected. */
SCENE_TEST(test_debt_lets_bounds_of_groups_wait)
{
    assert_ok(ask_mode(s->a, GZ_MODE_BOUNDS));
    fall_into_debt(s);
    for (int i = 0; i < 10; i++) {
        assert_ok(ask_select(s->a, s->ids[0]));
        assert_ok(ask_select(s->a, s->root));
    }
    assert_true(s->a->session->work.tokens > -PER_S - 1);
}

/* A release and a cancel are what the user did: they are never dropped. */
SCENE_TEST(test_debt_lets_drags_end)
{
    for (int i = 0; i < 2; i++) {
        assert_ok(grab_all(s));
        fall_into_debt(s);
        double x = host_node(&s->host, s->ids[0]).trs.t.x;
        assert_ok(move(s));
        assert_true(host_node(&s->host, s->ids[0]).trs.t.x == x); /* it waits */
        assert_ok(i == 0 ? release(s) : cancel(s));
        assert_true((host_node(&s->host, s->ids[0]).trs.t.x != x) == (i == 0));
        host_advance(&s->host, 60);
    }
}

/* Its work is charged to what the budget holds by then. */
SCENE_TEST(test_release_after_a_pause_is_charged)
{
    const struct gz_message up = {.op = GZ_OP_POINTER, .pointer.phase = GZ_PHASE_UP};
    assert_ok(grab_all(s));
    host_advance(&s->host, 60);
    assert_ok(type_value(s));
    host_advance(&s->host, 60);
    assert_ok(client_ask(s->a, &up));
    assert_true(s->a->session->work.tokens <= PER_S - messages(GZ_PRICE_EDITED * MANY));
    assert_refused(select_all(s), GZ_RATE_LIMITED);
}

/* The pointer is acknowledged when the scene shows what it did. */
SCENE_TEST(test_motion_that_waits_is_acknowledged_when_it_is_done)
{
    client_come_as(s->b, false);
    assert_ok(grab_all(s));
    fall_into_debt(s);
    client_forget(s->b);
    for (uint64_t n = 1; n <= 20; n++) {
        struct gz_message message =
            pointer_message(GZ_PHASE_MOVE, MIDDLE_X + (double)n, MIDDLE_Y, n);
        client_say(s->a, &message);
        host_turn(&s->host);
    }
    const struct gz_message *delta = client_last(s->b, GZ_OP_DELTA);
    assert_true(delta == NULL || delta->delta.ack_count == 0);
    client_forget(s->b);
    host_advance(&s->host, 1.1);
    delta = client_last(s->b, GZ_OP_DELTA);
    assert_non_null(delta);
    assert_int_equal(delta->delta.ack_count, 1);
    assert_int_equal(delta->delta.acks[0].n, 20);
    assert_ok(cancel(s));
}

/* Twice and a half around a ring, with a camera that moves meanwhile: where the nodes end depends
 * on the whole way. */
static void turn_all(struct scene *s, gz_trs ends[MANY], size_t *deltas)
{
    const int steps = 100;
    double centre_x = MIDDLE_X + 24.5 * METRE_PX(DISTANCE);
    double centre_y = MIDDLE_Y - 19.5 * METRE_PX(DISTANCE);
    assert_ok(select_all(s));
    struct gz_message grab = pointer_message(GZ_PHASE_DOWN, centre_x + 90, centre_y, 0);
    grab.op = GZ_OP_GRAB;
    grab.pointer.handle = GZ_RZ;
    assert_ok(client_ask(s->a, &grab));
    size_t before = s->b->mirror.deltas;
    for (int i = 1; i <= steps; i++) {
        double angle = 5 * M_PI * i / steps;
        struct gz_message message =
            pointer_message(i < steps ? GZ_PHASE_MOVE : GZ_PHASE_UP, centre_x + 90 * cos(angle),
                            centre_y + 90 * sin(angle), (uint64_t)i);
        client_say(s->a, &message);
        if (i == steps / 2) assert_ok(ask_camera(s->a, DISTANCE + 0.5));
        host_advance(&s->host, 1.0 / 60);
    }
    *deltas = s->b->mirror.deltas - before;
    for (size_t i = 0; i < MANY; i++) ends[i] = host_node(&s->host, s->ids[i]).trs;
}

TEST(test_large_motion_that_waits_ends_where_it_would_have_ended)
{
    static gz_trs ends[2][MANY];
    size_t deltas[2];
    for (int i = 0; i < 2; i++) {
        struct scene s;
        open_scene_at(&s, i == 0 ? 1e6 : PER_S);
        turn_all(&s, ends[i], &deltas[i]);
        close_scene(&s);
    }
    assert_memory_equal(ends[0], ends[1], sizeof ends[0]);
    assert_true(deltas[0] >= 100 && deltas[1] < 30);
}

/* ---- at the full rate ---- */

/* For so many simulated seconds a request comes as often as the rate allows: it is done as often as
 * its price allows, and once more. */
SCENE_TEST(test_work_at_the_full_rate_is_bounded)
{
    static const struct gz_message *(*const asks[])(struct scene *) = {select_all, pick_rect,
                                                                       follow_view};
    const int seconds = 3;
    for (size_t i = 0; i < COUNT(asks); i++) {
        size_t done = 0;
        for (int j = 0; j < seconds * PER_S; j++) {
            const struct gz_message *answer = asks[i](s);
            done += answer != NULL && answer->op == GZ_OP_OK; /* NULL: over the rate of messages */
            client_forget(s->a);
            client_forget(s->b);
            s->host.now.mono_s += 1 / PER_S;
            s->host.now.unix_s += 1 / PER_S;
        }
        double most = (seconds + 1) * PER_S / messages(MANY) + 1;
        assert_in_range(done, 2, most);
        host_advance(&s->host, 60);
    }
}

/* Going nearer looks at what moved since, and at no more. */
SCENE_TEST(test_wheel_in_orbit_does_not_walk_the_scene)
{
    assert_ok(ask_mode(s->a, GZ_MODE_ORBIT));
    assert_ok(wheel(s));
    fill_budget(s);
    for (int i = 0; i < 50; i++) assert_ok(wheel(s));
    assert_true(s->a->session->work.tokens == PER_S);
    assert_ok(ask_move(s->b, s->ids[0], -1, 0, 0));
    assert_ok(wheel(s));
    double charged = PER_S - s->a->session->work.tokens;
    assert_true(charged > 0 && charged <= messages(300));
    fall_into_debt(s);
    client_forget(s->a);
    for (int i = 0; i < 50; i++) {
        assert_ok(ask_move(s->b, s->ids[0], (double)i, 0, 0));
        assert_ok(wheel(s));
    }
    assert_int_equal(client_count(s->a, GZ_OP_VIEW), 50);
    assert_true(s->a->session->work.tokens == -PER_S);
}

/* What is selected is looked at once; then the camera, the pointer and the tool go on without. */
SCENE_TEST(test_gizmo_of_what_stays_is_not_looked_for_again)
{
    assert_ok(select_all(s));
    fill_budget(s);
    client_forget(s->a);
    for (int i = 0; i < 30; i++) {
        assert_ok(ask_camera(s->a, DISTANCE + i));
        assert_ok(ask_pointer(s->a, GZ_PHASE_MOVE, i, i));
        assert_ok(ask_mode(s->a, i % 2 == 0 ? GZ_MODE_ROTATE : GZ_MODE_SCALE));
    }
    assert_true(s->a->session->work.tokens == PER_S);
    assert_true(client_count(s->a, GZ_OP_GIZMO) >= 30);
}

/* The grab has looked for it. */
SCENE_TEST(test_gizmo_of_a_grab_is_not_looked_for_again)
{
    assert_ok(select_all(s));
    fill_budget(s);
    client_forget(s->a);
    assert_ok(grab_all(s));
    assert_non_null(client_last(s->a, GZ_OP_GIZMO));
    const double work = messages((3 + GZ_PRICE_MOVED) * MANY);
    assert_true(PER_S - s->a->session->work.tokens < work + 1);
}

/* What others do to what is selected is shown as well, but takes no more than half of the budget.
 */
SCENE_TEST(test_work_that_nobody_asked_for_leaves_half)
{
    assert_ok(select_all(s));
    client_forget(s->a);
    for (int i = 0; i < 5 * PER_S; i++) {
        s->host.now.mono_s += 1 / PER_S;
        s->host.now.unix_s += 1 / PER_S;
        s->b->session->work.tokens = PER_S;
        assert_ok(ask_move(s->b, s->ids[0], (double)i, 0, 0));
        double price = messages(MANY);
        assert_true(s->a->session->work.tokens > PER_S / 2 - price - 1 || i < PER_S);
    }
    double most = 6 * PER_S / messages(MANY) + 1;
    assert_in_range(client_count(s->a, GZ_OP_GIZMO), 10, most);
}

/* ---- many sessions ---- */

#define SESSIONS 50

/* Somebody of this name at this address, or whose name somebody vouches for if that is empty. */
static struct client *join_from(struct scene *s, const char *user, const char *address)
{
    struct gz_claims claims = gz_claims_open(user, strlen(user), GZ_ROLE_VIEWER);
    snprintf(claims.payer, sizeof claims.payer, "%s", address);
    return client_join_with(&s->host, &claims);
}

/* They have less done than so many others would. */
static void ask_for_much(struct scene *s, struct client *crowd[SESSIONS])
{
    size_t done = 0;
    host_advance(&s->host, 60);
    for (int i = 0; i < SESSIONS; i++) {
        struct gz_message message = {.op = GZ_OP_SELECT, .select = {all(s), GZ_HOW_SET}};
        const struct gz_message *answer = client_ask(crowd[i], &message);
        done += answer->op == GZ_OP_OK;
        client_forget(s->a);
    }
    double price = messages(MANY);
    assert_in_range(done, GZ_PAYER_WORK_SESSIONS * PER_S / price,
                    GZ_PAYER_WORK_SESSIONS * PER_S / price + 1);
}

SCENE_TEST(test_sessions_of_a_user_share_a_budget)
{
    struct client *crowd[SESSIONS];
    for (int i = 0; i < SESSIONS; i++) crowd[i] = join_from(s, "eve", "");
    ask_for_much(s, crowd);
    assert_ok(select_all(s));
}

/* Other names make nobody else, and the name of somebody elsewhere takes nothing of theirs. */
SCENE_TEST(test_sessions_of_an_address_share_a_budget)
{
    struct client *crowd[SESSIONS];
    for (int i = 0; i < SESSIONS; i++) {
        char name[16] = "ann";
        if (i > 0) snprintf(name, sizeof name, "eve %d", i);
        crowd[i] = join_from(s, name, "192.0.2.1");
    }
    ask_for_much(s, crowd);
    assert_ok(select_all(s));
}

/* A tenth of a second, in which each says so much. */
static void say_pings(struct scene *s, struct client *client, int count)
{
    static const uint8_t ping[] = {0x81, 0xA2, 'o', 'p', 0xA4, 'p', 'i', 'n', 'g'};
    if (gz_session_end_reason(client->session) != NULL) return;
    for (int i = 0; i < count; i++) (void)client_say_bytes(client, ping, sizeof ping);
    client_forget(s->a);
    client_forget(s->b);
}

/* Whoever keeps to its own rate is not ended for what others of its address send, and is told what
 * was exceeded; who does not is ended all the same. */
SCENE_TEST(test_messages_of_others_end_nobody)
{
    enum { OTHERS = 6 };
    struct client *others[OTHERS], *ann = join_from(s, "ann", "192.0.2.1"),
                                   *eve = join_from(s, "eve", "192.0.2.1");
    size_t told = 0;
    for (int i = 0; i < OTHERS; i++) others[i] = join_from(s, "bob", "192.0.2.1");
    for (int step = 0; step < 10 * (GZ_RATE_SECONDS_MAX + 2); step++) {
        for (int i = 0; i < OTHERS; i++) say_pings(s, others[i], (int)PER_S / 10);
        say_pings(s, ann, 2);
        say_pings(s, eve, (int)PER_S);
        host_advance(&s->host, 0.1);
        const struct gz_message *error = client_last(ann, GZ_OP_ERROR);
        told += error != NULL;
        if (error != NULL)
            assert_says(
                error, GZ_RATE_LIMITED,
                "more than 800 messages per second from all sessions of your user or address "
                "in this scene; the rest is dropped");
        for (int i = 0; i < OTHERS; i++) client_forget(others[i]);
        client_forget(ann);
    }
    assert_in_range(told, GZ_RATE_SECONDS_MAX / 2, GZ_RATE_SECONDS_MAX + 3);
    assert_null(gz_session_end_reason(ann->session));
    for (int i = 0; i < OTHERS; i++) assert_null(gz_session_end_reason(others[i]->session));
    assert_says(client_last(eve, GZ_OP_ERROR), GZ_RATE_LIMITED,
                "more than 200 messages per second; the rest is dropped");
    assert_non_null(gz_session_end_reason(eve->session));
    client_leave(eve);
}

/* Who leaves and comes back has the debt of before. */
SCENE_TEST(test_leaving_pays_no_debt)
{
    s->a->session->share->work.tokens = -10 * PER_S;
    s->a->session->share->work.counted_s = s->host.now.mono_s;
    client_leave(s->a);
    host_advance(&s->host, 1);
    client_enter_again(s->a);
    host_turn(&s->host);
    assert_refused(select_all(s), GZ_RATE_LIMITED);
    host_advance(&s->host, 60);
    client_leave(s->a);
    client_leave(s->b);
    host_advance(&s->host, 60);
    client_enter_again(s->a);
    assert_null(s->host.core->shares->next); /* bob's is forgotten */
    client_enter_again(s->b);
}
