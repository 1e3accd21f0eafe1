/* Whoever asks for work is charged for it, refused or not; what cannot be afforded is refused in
 * words or waits, and what waits ends where it would have ended. */
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"
#include "session/session.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define MANY ((size_t)2000)
#define PER_S 200.0 /* messages, and as many of work */
#define DISTANCE 100.0

struct scene {
    struct host host;
    struct client *a, *b; /* editors, with a camera */
    uint64_t root, ids[MANY];
};

static void open_scene_at(struct scene *s, double messages_per_s)
{
    struct gz_create_node *nodes = calloc(MANY, sizeof *nodes);
    assert_non_null(nodes);
    host_init_limited(&s->host, messages_per_s);
    s->a = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->b = client_join(&s->host, "bob", GZ_ROLE_EDITOR);
    s->root = create_node(s->b, "root", 0, 0, 0, 0);
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

static const struct gz_message *grab_all(struct scene *s)
{
    struct gz_message message = pointer_message(GZ_PHASE_DOWN, MIDDLE_X, MIDDLE_Y, 0);
    message.op = GZ_OP_GRAB;
    message.has |= GZ_HAS_POINTER_NODES;
    message.pointer.handle = GZ_TX;
    message.pointer.nodes = all(s);
    return client_ask(s->a, &message);
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

static const struct gz_message *set_all(struct scene *s)
{
    struct gz_set_node *nodes = calloc(MANY, sizeof *nodes);
    assert_non_null(nodes);
    for (size_t i = 0; i < MANY; i++) {
        nodes[i] = (struct gz_set_node){.has = GZ_HAS_SET_NODE_T, .id = s->ids[i]};
        nodes[i].trs.t = (gz_vec3){1, 2, (double)i};
    }
    struct gz_message message = {.op = GZ_OP_SET, .set = {.nodes = nodes, .count = MANY}};
    const struct gz_message *answer = client_ask(s->a, &message);
    free(nodes);
    return answer;
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

static const struct gz_message *pick_rect(struct scene *s)
{
    struct gz_message message = {
        .op = GZ_OP_PICK, .has = GZ_HAS_PICK_RECT, .pick.rect = {0, 0, 800, 600}};
    return client_ask(s->a, &message);
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

/* In the order in which they are asked. Nodes of each kind of work, in units of MANY, that the
 * request takes at least; `refused` if it fails. */
static const struct {
    const char *what;
    const struct gz_message *(*ask)(struct scene *s);
    double look, moves, edits;
    bool refused;
} charges[] = {
    {"select", select_all, 1, 0, 0, false},
    {"grab with a value", type_value, 0, 2, 0, false},
    {"a value in a drag", type_value, 0, 2, 0, false},
    {"a value too large", type_too_much, 0, 2, 0, true},
    {"cancel", cancel, 0, 1, 0, false},
    {"grab", grab_all, 1, 1, 0, false},
    {"grab in a drag, refused", grab_all, 1, 0, 0, true},
    {"drag", move, 0, 1, 0, false},
    {"camera in a drag", move_camera, 0, 1, 0, false},
    {"release", release, 0, 1, 1, false},
    {"undo", undo, 1, 0, 1, false},
    {"wheel", wheel, 0, 2, 0, false},
    {"set after a wheel", set_all, 1, 0, 2, false},
    {"set, the last refused", set_all_but_one, 1, 0, 0, true},
    {"pick", pick_rect, 1, 0, 0, false},
    {"history", ask_history, 0, 1, 0, false},
    {"at", ask_at, 0, 1, 0, false},
    {"restore", restore, 1, 0, 0, false},
    {"interest", follow_view, 1, 0, 0, false},
    {"interest in all", follow_whole, 1, 0, 0, false},
};

static double least(size_t row)
{
    return charges[row].look * gz_work_messages(GZ_WORK_LOOK, MANY) +
           charges[row].moves * gz_work_messages(GZ_WORK_MOVE, MANY) +
           charges[row].edits * gz_work_messages(GZ_WORK_EDIT, MANY);
}

/* Of the session and of its user. */
static void assert_charged(const struct scene *s, const char *what, double own, double shared,
                           double messages)
{
    const struct gz_session *session = s->a->session;
    if (own - session->work.tokens < messages - 1e-6 ||
        shared - session->share->work.tokens < messages - 1e-6)
        fail_msg("%s: charged %g and %g, which is less than %g", what, own - session->work.tokens,
                 shared - session->share->work.tokens, messages);
}

TEST(test_work_is_charged)
{
    struct scene s;
    open_scene_at(&s, 1e6);
    for (size_t i = 0; i < COUNT(charges); i++) {
        const struct gz_session *session = s.a->session;
        double own = session->work.tokens, shared = session->share->work.tokens;
        const struct gz_message *answer = charges[i].ask(&s);
        assert_non_null(answer);
        if ((answer->op == GZ_OP_ERROR) != charges[i].refused)
            fail_msg("%s: %s", charges[i].what, answer->op == GZ_OP_ERROR ? "refused" : "done");
        assert_charged(&s, charges[i].what, own, shared, least(i));
        client_forget(s.a);
        client_forget(s.b);
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
    assert_charged(&s, "delete", own, shared,
                   gz_work_messages(GZ_WORK_LOOK, MANY) + gz_work_messages(GZ_WORK_EDIT, MANY));
    let_go(&s);
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
        select_all, grab_all, set_all,     delete_root, undo,
        pick_rect,  restore,  follow_view, ask_at,      ask_history};
    uint64_t seq = gz_core_summary(s->host.core).seq;
    fall_into_debt(s);
    for (size_t i = 0; i < COUNT(asks); i++) assert_refused(asks[i](s), GZ_RATE_LIMITED);
    assert_says(ask_pointer(s->a, GZ_PHASE_DOWN, MIDDLE_X, MIDDLE_Y), GZ_RATE_LIMITED,
                "pointer: the server still owes others the time that your requests took; ask again "
                "in 1.1 s");
    assert_true(s->a->session->work.tokens == -PER_S); /* nothing was done for them */
    assert_int_equal(gz_core_summary(s->host.core).seq, seq);
    host_advance(&s->host, 1.1);
    assert_ok(ask_pointer(s->a, GZ_PHASE_DOWN, MIDDLE_X, MIDDLE_Y));
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

/* A press, a release and a cancel are what the user did: they are never dropped. */
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

/* The pointer is acknowledged when the scene shows what it did. */
SCENE_TEST(test_motion_that_waits_is_acknowledged_when_it_is_done)
{
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

TEST(test_motion_that_waits_ends_where_it_would_have_ended)
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
        double most = (seconds + 1) * PER_S / gz_work_messages(GZ_WORK_LOOK, MANY) + 1;
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
    assert_true(charged > 0 && charged <= gz_work_messages(GZ_WORK_LOOK, 300));
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
        double price = gz_work_messages(GZ_WORK_LOOK, MANY);
        assert_true(s->a->session->work.tokens > PER_S / 2 - price - 1 || i < PER_S);
    }
    double most = 6 * PER_S / gz_work_messages(GZ_WORK_LOOK, MANY) + 1;
    assert_in_range(client_count(s->a, GZ_OP_GIZMO), 10, most);
}

/* ---- many sessions ---- */

#define SESSIONS 50

/* The sessions of one user have less done than so many users would, and another user has as much as
 * ever. */
SCENE_TEST(test_sessions_of_a_user_share_a_budget)
{
    struct client *crowd[SESSIONS];
    size_t done = 0;
    for (int i = 0; i < SESSIONS; i++) crowd[i] = client_join(&s->host, "eve", GZ_ROLE_VIEWER);
    host_advance(&s->host, 60);
    for (int i = 0; i < SESSIONS; i++) {
        struct gz_message message = {.op = GZ_OP_SELECT, .select = {all(s), GZ_HOW_SET}};
        const struct gz_message *answer = client_ask(crowd[i], &message);
        done += answer->op == GZ_OP_OK;
        client_forget(s->a);
    }
    double price = gz_work_messages(GZ_WORK_LOOK, MANY);
    assert_in_range(done, GZ_USER_WORK_SESSIONS * PER_S / price,
                    GZ_USER_WORK_SESSIONS * PER_S / price + 1);
    assert_ok(select_all(s));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work_is_charged),
        cmocka_unit_test(test_delete_that_is_refused_is_charged),
        cmocka_unit_test(test_debt_refuses_what_is_large_in_words),
        cmocka_unit_test(test_debt_lets_small_requests_pass),
        cmocka_unit_test(test_debt_lets_drags_end),
        cmocka_unit_test(test_motion_that_waits_is_acknowledged_when_it_is_done),
        cmocka_unit_test(test_motion_that_waits_ends_where_it_would_have_ended),
        cmocka_unit_test(test_work_at_the_full_rate_is_bounded),
        cmocka_unit_test(test_wheel_in_orbit_does_not_walk_the_scene),
        cmocka_unit_test(test_gizmo_of_what_stays_is_not_looked_for_again),
        cmocka_unit_test(test_work_that_nobody_asked_for_leaves_half),
        cmocka_unit_test(test_sessions_of_a_user_share_a_budget),
        cmocka_unit_test(test_leaving_pays_no_debt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
