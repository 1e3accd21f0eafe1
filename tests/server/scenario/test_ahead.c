/* Wheels, typed edits and orbits in the C client ahead of the server: they show at once, also while
 * the network is away, the server then says the same, and what it refuses goes back. */
#include <math.h>
#include <stdio.h>

#include "packed.h"
#include "prediction.h"
#include "support/proxy.h"
#include "workbench.h"

#define VIEWS 12

static struct gz_message wheel(double dy)
{
    return (struct gz_message){.op = GZ_OP_WHEEL, .wheel = {.dy = dy}};
}

static struct gz_message orbit(enum gz_phase phase, int step)
{
    struct gz_message message =
        message_pointer(phase, MIDDLE_X + 31.7 * step, MIDDLE_Y - 13.3 * step);
    message.pointer.mods = 1u << GZ_MOD_ORBIT;
    return message;
}

static uint64_t ask_later(struct gz_client *client, struct gz_message message)
{
    struct gz_error error = {0};
    uint64_t rid;
    stage_check(gz_client_send(client, &message, &rid, &error), &error, gz_op_word(message.op));
    return rid;
}

/* Waits for the answer, and until the mirror shows what it is about. */
static enum gz_status await(struct gz_client *client, uint64_t rid)
{
    struct gz_error error = {0};
    const struct gz_message *answer;
    enum gz_status status = gz_client_answer(client, rid, STAGE_SECONDS, &answer, &error);
    assert_true(status == GZ_OK || answer->op == GZ_OP_ERROR);
    uint64_t seq = status == GZ_OK ? answer->ok.seq : 0;
    stage_check(gz_client_await(client, seq, STAGE_SECONDS, &error), &error, "delta");
    return status;
}

static void select_two(const struct bench *bench)
{
    const uint64_t ids[] = {bench->lamp, bench->box};
    bench_send(bench->ada, (struct gz_message){.op = GZ_OP_SELECT,
                                               .select = {.nodes = {ids, 2}, .how = GZ_HOW_SET}});
}

static struct gz_set_node moved_to(uint64_t id, double x)
{
    return (struct gz_set_node){.id = id, .has = GZ_HAS_SET_NODE_T, .trs.t = {x, 0.25, -1}};
}

static struct gz_set_node turned(uint64_t id)
{
    return (struct gz_set_node){.id = id,
                                .has = GZ_HAS_SET_NODE_R | GZ_HAS_SET_NODE_S,
                                .trs = {.r = {0.2, -0.4, 0.1, 1.7}, .s = {1, 2, 0.5}}};
}

/* ---- a wheel ---- */

TEST_AT_BENCH(test_ahead_wheel_scales_at_once_and_as_the_server_does)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_TRANSLATE, GZ_SPACE_LOCAL);
    select_two(&bench);
    gz_trs before = bench_expected(bench.ada, bench.box), lamp, box;
    for (int round = 0; round < 3; round++) {
        bench_send(bench.ada, wheel(2));
        bench_send(bench.ada, wheel(-0.5));
        uint64_t rid = ask_later(bench.ada, wheel(1));
        box = bench_expected(bench.ada, bench.box);
        lamp = bench_expected(bench.ada, bench.lamp);
        assert_true(fabs(box.s.x / before.s.x - pow(1.1, 2.5)) < 1e-12);
        before = box;
        assert_int_equal(await(bench.ada, rid), GZ_OK);
        assert_true(fabs(node_in(bench.ada, bench.box)->trs.t.x - box.t.x) < 1e-12);
        assert_true(fabs(node_in(bench.ada, bench.lamp)->trs.s.y - lamp.s.y) < 1e-12);
        assert_settled(bench.ada, bench.box);
        assert_settled(bench.ada, bench.lamp);
    }
    assert_int_equal(gz_client_predict_corrections(bench.ada), 0);
}

/* The server completes the wheel before it does any of this; so do what the client expects. */
TEST_AT_BENCH(test_ahead_wheel_ends_with_what_follows)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_TRANSLATE, GZ_SPACE_WORLD);
    bench_send(bench.ada, message_select(&bench.lamp));
    bench_send(bench.ada, wheel(3));
    bench_send(bench.ada, message_select(&bench.box));
    bench_send(bench.ada, wheel(1));
    assert_true(fabs(bench_expected(bench.ada, bench.box).s.x - 1.1) < 1e-12);
    bench_grab(&bench, &bench.box, GZ_TX);
    bench_drag(&bench, 1, STEPS);
    bench_send(bench.ada, wheel(9)); /* refused: a drag runs */
    assert_true(fabs(bench_expected(bench.ada, bench.box).s.x - 1.1) < 1e-12);
    bench_release(&bench);
    assert_settled(bench.ada, bench.box);
    assert_settled(bench.ada, bench.lamp);
    assert_true(fabs(bench_expected(bench.ada, bench.lamp).s.x / 0.9 - 1.331) < 1e-12);
    assert_int_equal(gz_client_predict_corrections(bench.ada), 0);
}

TEST_AT_BENCH(test_ahead_refused_wheel_goes_back)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_TRANSLATE, GZ_SPACE_WORLD);
    gz_trs before = bench_expected(bench.ada, bench.box);
    stage_ask(bench.bob, message_camera(EYE, (gz_vec3){0, 0, 0}));
    stage_ask(bench.bob, message_grab(&bench.box, GZ_TY, MIDDLE_X, MIDDLE_Y));
    bench_send(bench.ada, message_select(&bench.box));
    uint64_t first = ask_later(bench.ada, wheel(1)), last = ask_later(bench.ada, wheel(1));
    assert_true(bench_expected(bench.ada, bench.box).s.x > before.s.x);
    assert_int_equal(await(bench.ada, first), GZ_LOCKED);
    gz_trs after = bench_expected(bench.ada, bench.box);
    assert_same_trs(&after, &before, "bob holds it");
    assert_int_equal(await(bench.ada, last), GZ_LOCKED);
    assert_settled(bench.ada, bench.box);
    assert_int_equal(gz_client_predict_corrections(bench.ada), 1);
}

/* Bob moves the node before the wheel has arrived. */
TEST_AT_BENCH(test_ahead_wheel_over_what_another_moved_ends_where_the_server_has_it)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_TRANSLATE, GZ_SPACE_WORLD);
    struct gz_set_node node = turned(bench.box);
    stage_ask(bench.ada, message_select(&bench.box));
    stage_ask(bench.bob, message_set_t(&node));
    uint64_t rid = ask_later(bench.ada, wheel(1));
    assert_true(fabs(bench_expected(bench.ada, bench.box).s.y - 1.1) < 1e-12);
    assert_int_equal(await(bench.ada, rid), GZ_OK);
    assert_settled(bench.ada, bench.box);
    assert_true(fabs(bench_expected(bench.ada, bench.box).s.y - 2.2) < 1e-12);
    assert_int_equal(gz_client_predict_corrections(bench.ada), 1);
}

/* ---- typed edits ---- */

TEST_AT_BENCH(test_ahead_set_shows_at_once_and_as_the_server_has_it)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_TRANSLATE, GZ_SPACE_LOCAL);
    gz_trs before = bench_expected(bench.ada, bench.lamp);
    struct gz_message gizmo;
    gz_affine bulb;
    bench_send(bench.ada, message_select(&bench.bulb));
    struct gz_set_node turn = turned(bench.lamp), move = moved_to(bench.lamp, 4);
    bench_send(bench.ada, message_set_t(&turn));
    uint64_t rid = ask_later(bench.ada, message_set_t(&move));
    gz_trs lamp = bench_expected(bench.ada, bench.lamp);
    assert_true(gz_client_predict_world(bench.ada, bench.bulb, &bulb));
    assert_true(lamp.t.x == 4 && lamp.s.y == 2 && lamp.r.w > 0.9 && lamp.r.w < 1);
    assert_true(gz_client_predict_gizmo(bench.ada, &gizmo));
    assert_memory_equal(&gizmo.gizmo.origin, &bulb.origin, sizeof bulb.origin);
    assert_same_trs(&node_in(bench.ada, bench.lamp)->trs, &before, "the mirror is the server's");
    assert_int_equal(await(bench.ada, rid), GZ_OK);
    assert_same_trs(&lamp, &node_in(bench.ada, bench.lamp)->trs, "what was typed");
    assert_settled(bench.ada, bench.lamp);
    assert_int_equal(gz_client_predict_corrections(bench.ada), 0);
}

/* What one edit says goes back alone; what the other says of the same node stays. */
TEST_AT_BENCH(test_ahead_refused_set_leaves_the_other)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_TRANSLATE, GZ_SPACE_WORLD);
    struct gz_set_node move = moved_to(bench.box, 4), turn = turned(bench.box);
    struct gz_message stale = message_set_t(&move);
    stale.has |= GZ_HAS_SET_BASE;
    stale.set.base = gz_mirror_seq(gz_client_mirror(bench.ada));
    struct gz_set_node other = moved_to(bench.box, -7);
    stage_ask(bench.bob, message_set_t(&other));
    uint64_t first = ask_later(bench.ada, stale), last = ask_later(bench.ada, message_set_t(&turn));
    assert_true(bench_expected(bench.ada, bench.box).t.x == 4);
    assert_int_equal(await(bench.ada, first), GZ_CONFLICT);
    assert_true(bench_expected(bench.ada, bench.box).t.x != 4);
    assert_true(bench_expected(bench.ada, bench.box).s.y == 2);
    assert_int_equal(await(bench.ada, last), GZ_OK);
    assert_settled(bench.ada, bench.box);
    assert_true(bench_expected(bench.ada, bench.box).t.x == -7);
    assert_true(bench_expected(bench.ada, bench.box).s.y == 2);
    assert_true(gz_client_predict_corrections(bench.ada) > 0);
}

TEST_AT_BENCH(test_ahead_set_that_cannot_be_expects_nothing)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_TRANSLATE, GZ_SPACE_WORLD);
    struct gz_set_node hung = moved_to(bench.box, 4), unturned = turned(bench.box);
    hung.has |= GZ_HAS_SET_NODE_PARENT;
    hung.parent = bench.lamp;
    unturned.has |= GZ_HAS_SET_NODE_R;
    unturned.trs.r = (gz_quat){0, 0, 0, 0};
    uint64_t last = 0;
    last = ask_later(bench.ada, message_set_t(&hung));
    assert_settled(bench.ada, bench.box);
    assert_int_equal(await(bench.ada, last), GZ_OK);
    last = ask_later(bench.ada, message_set_t(&unturned));
    assert_settled(bench.ada, bench.box);
    assert_int_equal(await(bench.ada, last), GZ_BAD_VALUE);
    assert_int_equal(gz_client_predict_corrections(bench.ada), 0);
}

/* A drag of what hangs below goes along. */
TEST_AT_BENCH(test_ahead_sets_during_a_drag_take_it_along)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_TRANSLATE, GZ_SPACE_WORLD);
    bench_grab(&bench, &bench.bulb, GZ_TV);
    bench_drag(&bench, 1, STEPS);
    gz_affine before, after;
    struct gz_set_node move = moved_to(bench.table, 1);
    assert_true(gz_client_predict_world(bench.ada, bench.bulb, &before));
    for (int i = 1; i <= 10; i++) {
        move.trs.t.x = 0.3 * i;
        bench_send(bench.ada, message_set_t(&move));
    }
    assert_true(bench_expected(bench.ada, bench.table).t.x == 3);
    assert_true(gz_client_predict_world(bench.ada, bench.bulb, &after));
    assert_true(gz_length(gz_sub(before.origin, after.origin)) < 1e-9);
    bench_drag(&bench, STEPS, 2 * STEPS);
    bench_release(&bench);
    assert_settled(bench.ada, bench.bulb);
    assert_settled(bench.ada, bench.table);
    assert_int_equal(gz_client_predict_corrections(bench.ada), 0);
}

/* ---- the view ---- */

struct views {
    double list[2 * VIEWS][16];
    size_t count;
};

static void note_view(const struct bench *bench, struct views *views)
{
    assert_true(views->count < 2 * VIEWS);
    assert_true(gz_client_predict_view(bench->ada, views->list[views->count++]));
}

/* Presses, moves and releases, and notes each view that is expected; the rid of the release. */
static uint64_t turn_view(const struct bench *bench, struct views *views)
{
    bench_send(bench->ada, orbit(GZ_PHASE_DOWN, 0));
    for (int i = 1; i < VIEWS; i++) {
        bench_send(bench->ada, orbit(GZ_PHASE_MOVE, i));
        note_view(bench, views);
    }
    uint64_t rid = ask_later(bench->ada, orbit(GZ_PHASE_UP, VIEWS + 3));
    note_view(bench, views);
    return rid;
}

/* The server tells these views, one after the other, and then answers. */
static void await_views(const struct bench *bench, const struct views *views, uint64_t rid)
{
    const struct gz_message *message;
    size_t count = 0;
    while ((message = gz_client_next(bench->ada, STAGE_SECONDS)) != NULL) {
        if ((message->op == GZ_OP_OK || message->op == GZ_OP_ERROR) && message->rid == rid) break;
        if (message->op != GZ_OP_VIEW) continue;
        assert_true(count < views->count);
        assert_memory_equal(message->view, views->list[count++], sizeof message->view);
    }
    assert_non_null(message);
    assert_int_equal(message->op, GZ_OP_OK);
    assert_int_equal(count, views->count);
}

static void assert_view(const struct bench *bench, const double wanted[16])
{
    double view[16];
    assert_true(gz_client_predict_view(bench->ada, view));
    assert_memory_equal(view, wanted, sizeof view);
}

static void look_from(const struct bench *bench, const gz_vec3 *target)
{
    struct gz_message camera = message_camera((gz_vec3){3, 4, 9}, (gz_vec3){0.5, 0, 0});
    if (target != NULL) {
        camera.has |= GZ_HAS_CAMERA_TARGET;
        camera.camera.target = *target;
    }
    bench_send(bench->ada, camera);
}

static void orbits(const struct bench *bench)
{
    static const enum gz_orbit_law laws[] = {GZ_ORBIT_BALL, GZ_ORBIT_TURNTABLE};
    for (size_t i = 0; i < 2; i++) {
        struct views views = {.count = 0};
        bench_send(bench->ada, (struct gz_message){.op = GZ_OP_TOOL,
                                                   .has = GZ_HAS_TOOL_ORBIT,
                                                   .tool = {.orbit = laws[i]}});
        uint64_t rid = turn_view(bench, &views);
        assert_true(memcmp(views.list[0], views.list[VIEWS - 1], sizeof *views.list) != 0);
        await_views(bench, &views, rid);
        assert_view(bench, views.list[VIEWS - 1]);
    }
    assert_int_equal(gz_client_predict_corrections(bench->ada), 0);
}

TEST_AT_BENCH(test_ahead_orbit_about_a_target_is_what_the_server_tells)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_TRANSLATE, GZ_SPACE_WORLD);
    look_from(&bench, &(gz_vec3){0.3, -0.2, 1});
    orbits(&bench);
}

TEST_AT_BENCH(test_ahead_orbit_about_the_selection_is_what_the_server_tells)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_TRANSLATE, GZ_SPACE_WORLD);
    look_from(&bench, NULL);
    select_two(&bench);
    struct gz_set_node move = moved_to(bench.table, 0.7);
    bench_send(bench.ada, message_set_t(&move)); /* the lamp goes along, which is not told yet */
    orbits(&bench);
    bench_send(bench.ada, message_select(&bench.bulb));
    orbits(&bench);
    bench_send(bench.ada, message_select(&bench.box)); /* nothing else has changed */
    orbits(&bench);
}

TEST_AT_BENCH(test_ahead_orbit_about_everything_is_what_the_server_tells)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_TRANSLATE, GZ_SPACE_WORLD);
    struct gz_create_node brick = {.has = GZ_HAS_CREATE_NODE_T | GZ_HAS_CREATE_NODE_PARENT |
                                          GZ_HAS_CREATE_NODE_R | GZ_HAS_CREATE_NODE_BOUNDS,
                                   .name = gz_client_text("brick"),
                                   .parent = bench.lamp,
                                   .trs = {.t = {1, 2, 3}, .r = {0, 0.6, 0, 0.8}},
                                   .bounds = {{-1, -0.5, -2}, {0.3, 0.2, 0.1}}};
    stage_ask(bench.bob, (struct gz_message){.op = GZ_OP_CREATE, .create = {&brick, 1}});
    stage_catch_up(bench.ada, bench.bob);
    look_from(&bench, NULL);
    orbits(&bench);
    struct gz_set_node move = moved_to(bench.box, 30);
    bench_send(bench.ada, message_set_t(&move));
    orbits(&bench);
}

TEST_AT_BENCH(test_ahead_wheel_in_the_mode_orbit_goes_nearer)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_ORBIT, GZ_SPACE_WORLD);
    struct views views = {.count = 0};
    uint64_t rid = 0;
    bench_send(bench.ada, message_select(&bench.box));
    for (int i = 0; i < 4; i++) {
        rid = ask_later(bench.ada, wheel(1.5 - i));
        note_view(&bench, &views);
    }
    await_views(&bench, &views, rid);
    assert_view(&bench, views.list[3]);
    bench_grab(&bench, &bench.box, GZ_TX);
    rid = ask_later(bench.ada, wheel(1)); /* refused: a drag runs */
    assert_view(&bench, views.list[3]);
    assert_int_equal(await(bench.ada, rid), GZ_BAD_STATE);
    assert_view(&bench, views.list[3]);
    assert_int_equal(gz_client_predict_corrections(bench.ada), 0);
}

/* And the next one begins there, before the server has told anything of it. */
TEST_AT_BENCH(test_ahead_cancelled_orbit_goes_back)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_TRANSLATE, GZ_SPACE_WORLD);
    struct gz_message camera = message_camera(EYE, (gz_vec3){0, 0, 0});
    struct views views = {.count = 0};
    bench_send(bench.ada, orbit(GZ_PHASE_DOWN, 0));
    for (int i = 1; i < VIEWS; i++) {
        bench_send(bench.ada, orbit(GZ_PHASE_MOVE, i));
        note_view(&bench, &views);
    }
    bench_send(bench.ada, message_pointer(GZ_PHASE_CANCEL, 0, 0));
    note_view(&bench, &views);
    assert_view(&bench, camera.camera.view);
    bench_send(bench.ada, orbit(GZ_PHASE_MOVE, 1)); /* hovers */
    assert_view(&bench, camera.camera.view);
    uint64_t rid = turn_view(&bench, &views);
    await_views(&bench, &views, rid);
    assert_view(&bench, views.list[2 * VIEWS - 1]);
    assert_int_equal(gz_client_predict_corrections(bench.ada), 0);
}

TEST_AT_BENCH(test_ahead_camera_during_an_orbit_counts)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_TRANSLATE, GZ_SPACE_WORLD);
    struct gz_message camera = message_camera((gz_vec3){5, 5, 5}, (gz_vec3){0, 0, 0});
    struct views views = {.count = 0};
    uint64_t rid = turn_view(&bench, &views);
    bench_send(bench.ada, camera);
    assert_view(&bench, camera.camera.view);
    await_views(&bench, &views, rid);
    assert_view(&bench, camera.camera.view);
    assert_int_equal(gz_client_predict_corrections(bench.ada), 0);
}

/* ---- the server tells something else, without a server ---- */

struct desk {
    struct gz_mirror *mirror;
    struct gz_prediction *prediction;
    uint64_t rid;
};

static uint64_t say(struct desk *desk, struct gz_message message)
{
    gz_prediction_number(desk->prediction, &message);
    message.has |= GZ_HAS_RID;
    message.rid = ++desk->rid;
    gz_prediction_sent(desk->prediction, &message);
    return message.rid;
}

static void open_desk(struct desk *desk, enum gz_role role)
{
    struct gz_message welcome = {.op = GZ_OP_WELCOME, .welcome = {.session = 5, .role = role}};
    *desk = (struct desk){.mirror = gz_mirror_create()};
    assert_non_null(desk->mirror);
    desk->prediction = gz_prediction_create(desk->mirror);
    assert_non_null(desk->prediction);
    gz_prediction_received(desk->prediction, &welcome);
    (void)say(desk, message_camera(EYE, (gz_vec3){0, 0, 0}));
}

static void close_desk(struct desk *desk)
{
    gz_prediction_destroy(desk->prediction);
    gz_mirror_destroy(desk->mirror);
}

/* The server has its one node at `x` and of this size. */
static void tell_node(struct desk *desk, uint64_t seq, double x, double scale)
{
    struct gz_node_state node = {.id = 1,
                                 .by = 5,
                                 .has = GZ_HAS_STATE_T | GZ_HAS_STATE_R | GZ_HAS_STATE_S |
                                        GZ_HAS_STATE_NAME | GZ_HAS_STATE_PARENT | GZ_HAS_STATE_BY,
                                 .trs = {{x, 0, 0}, {0, 0, 0, 1}, {scale, scale, scale}}};
    struct gz_message message = {
        .op = GZ_OP_DELTA,
        .delta = {.from = gz_mirror_seq(desk->mirror), .seq = seq, .nodes = &node, .count = 1}};
    assert_int_equal(gz_mirror_apply(desk->mirror, &message.delta, NULL), GZ_OK);
    gz_prediction_received(desk->prediction, &message);
}

static void answer(struct desk *desk, uint64_t rid, uint64_t seq)
{
    struct gz_message ok = {
        .op = GZ_OP_OK, .has = GZ_HAS_RID | GZ_HAS_OK_SEQ, .rid = rid, .ok.seq = seq};
    gz_prediction_received(desk->prediction, &ok);
}

static gz_trs desk_trs(const struct desk *desk)
{
    gz_trs trs;
    assert_true(gz_prediction_trs(desk->prediction, 1, &trs));
    return trs;
}

static void tell_view(struct desk *desk, const double view[16])
{
    struct gz_message message = {.op = GZ_OP_VIEW};
    memcpy(message.view, view, sizeof message.view);
    gz_prediction_received(desk->prediction, &message);
}

static void assert_desk_view(const struct desk *desk, const double wanted[16], uint64_t corrections)
{
    double view[16];
    assert_true(gz_prediction_view(desk->prediction, view));
    assert_memory_equal(view, wanted, sizeof view);
    assert_int_equal(gz_prediction_corrections(desk->prediction), corrections);
}

/* A viewer orbits too; what the server tells counts, and the rest of the orbit is the server's. */
TEST(test_ahead_view_that_the_server_has_elsewhere_counts)
{
    struct desk desk;
    struct gz_message first = message_camera((gz_vec3){1, 2, 9}, (gz_vec3){0, 0, 0}),
                      next = message_camera((gz_vec3){2, 2, 9}, (gz_vec3){0, 0, 0});
    double view[16];
    open_desk(&desk, GZ_ROLE_VIEWER);
    (void)say(&desk, orbit(GZ_PHASE_DOWN, 0));
    (void)say(&desk, orbit(GZ_PHASE_MOVE, 1));
    (void)say(&desk, orbit(GZ_PHASE_MOVE, 2));
    assert_true(gz_prediction_view(desk.prediction, view));
    assert_true(memcmp(view, first.camera.view, sizeof view) != 0);
    tell_view(&desk, first.camera.view);
    assert_desk_view(&desk, first.camera.view, 1);
    (void)say(&desk, orbit(GZ_PHASE_MOVE, 3));
    assert_desk_view(&desk, first.camera.view, 1);
    tell_view(&desk, next.camera.view);
    assert_desk_view(&desk, next.camera.view, 1);
    close_desk(&desk);
}

TEST(test_ahead_refused_orbit_goes_back)
{
    struct gz_message camera = message_camera(EYE, (gz_vec3){0, 0, 0});
    for (int is_released = 0; is_released < 2; is_released++) {
        struct desk desk;
        open_desk(&desk, GZ_ROLE_VIEWER);
        struct gz_message error = {.op = GZ_OP_ERROR, .has = GZ_HAS_RID},
                          ok = {.op = GZ_OP_OK, .has = GZ_HAS_RID};
        error.rid = say(&desk, orbit(GZ_PHASE_DOWN, 0));
        (void)say(&desk, orbit(GZ_PHASE_MOVE, 1));
        if (is_released != 0) ok.rid = say(&desk, orbit(GZ_PHASE_UP, 2));
        gz_prediction_received(desk.prediction, &error);
        if (is_released != 0) gz_prediction_received(desk.prediction, &ok);
        assert_desk_view(&desk, camera.camera.view, 1);
        close_desk(&desk);
    }
}

/* Of more views than are kept the oldest are not compared, and the others are. */
TEST(test_ahead_very_many_views_are_no_correction)
{
    enum { MANY = 600 };
    double(*views)[16] = calloc(MANY, sizeof *views);
    struct desk desk;
    assert_non_null(views);
    open_desk(&desk, GZ_ROLE_VIEWER);
    (void)say(&desk, orbit(GZ_PHASE_DOWN, 0));
    for (int i = 0; i < MANY; i++) {
        (void)say(&desk, message_pointer(GZ_PHASE_MOVE, MIDDLE_X + 0.3 * (i + 1), MIDDLE_Y));
        assert_true(gz_prediction_view(desk.prediction, views[i]));
    }
    for (int i = 0; i < MANY - 1; i++) tell_view(&desk, views[i]);
    assert_desk_view(&desk, views[MANY - 1], 0);
    tell_view(&desk, views[0]);
    assert_desk_view(&desk, views[0], 1);
    close_desk(&desk);
    free(views);
}

/* An answer may come before or after the state that shows what it is about, and the next turn of
 * the wheel between them. */
TEST(test_ahead_wheel_stays_until_its_last_turn_is_shown)
{
    struct desk desk;
    const uint64_t id = 1;
    open_desk(&desk, GZ_ROLE_EDITOR);
    tell_node(&desk, 1, 0, 1);
    (void)say(&desk, message_select(&id));
    uint64_t first = say(&desk, wheel(1));
    answer(&desk, first, 2);
    assert_true(fabs(desk_trs(&desk).s.x - 1.1) < 1e-12);
    uint64_t last = say(&desk, wheel(1));
    tell_node(&desk, 2, 0, 1.1);
    assert_true(fabs(desk_trs(&desk).s.x - 1.21) < 1e-12);
    tell_node(&desk, 3, 0, 1.21);
    assert_true(fabs(desk_trs(&desk).s.x - 1.21) < 1e-12);
    answer(&desk, last, 3);
    assert_true(desk_trs(&desk).s.x == 1.21);
    tell_node(&desk, 4, 0, 5);
    assert_true(desk_trs(&desk).s.x == 5);
    assert_int_equal(gz_prediction_corrections(desk.prediction), 0);
    close_desk(&desk);
}

/* More than is kept: the oldest are given up, under those that came after them; the drag that runs
 * is the first. */
TEST(test_ahead_very_many_sets_are_no_correction)
{
    enum { MANY = 300 };
    struct desk desk;
    uint64_t rid = 0;
    const uint64_t id = 1;
    open_desk(&desk, GZ_ROLE_EDITOR);
    tell_node(&desk, 1, 0, 1);
    (void)say(&desk, message_grab(&id, GZ_TX, MIDDLE_X, MIDDLE_Y));
    (void)say(&desk, message_pointer(GZ_PHASE_MOVE, MIDDLE_X + 100, MIDDLE_Y));
    for (int i = 1; i <= MANY; i++) {
        struct gz_set_node node = {.id = 1, .has = GZ_HAS_SET_NODE_T, .trs.t = {i, 0, 0}};
        rid = say(&desk, message_set_t(&node));
        assert_true(desk_trs(&desk).t.x == i);
    }
    tell_node(&desk, 1 + MANY, MANY, 1);
    answer(&desk, rid, 1 + MANY);
    assert_true(desk_trs(&desk).t.x == MANY);
    tell_node(&desk, 2 + MANY, -1, 1);
    assert_true(desk_trs(&desk).t.x == -1);
    assert_int_equal(gz_prediction_corrections(desk.prediction), 0);
    close_desk(&desk);
}

/* In the packed form: of the own session these fields are told anew, and nothing is selected. */
static void tell_person(struct desk *desk, struct gz_packed *packed, uint64_t has)
{
    struct gz_message message = {
        .op = GZ_OP_PERSON, .has = has, .person = {.session = 5, .user = gz_client_text("ada")}};
    assert_int_equal(gz_packed_turn(packed, NULL, &message, NULL), GZ_OK);
    gz_prediction_received(desk->prediction, &message);
}

/* What was told of a session before may be older than what it was answered since. */
TEST(test_ahead_selection_goes_when_that_is_told_and_not_with_another_field)
{
    struct desk desk;
    struct gz_message gizmo;
    struct gz_packed *packed = gz_packed_create(NULL, NULL);
    const uint64_t id = 1, who = GZ_HAS_PERSON_USER | GZ_HAS_PERSON_COLOUR | GZ_HAS_PERSON_ROLE;
    assert_non_null(packed);
    open_desk(&desk, GZ_ROLE_EDITOR);
    tell_node(&desk, 1, 0, 1);
    tell_person(&desk, packed, who | GZ_HAS_PERSON_SELECTION);
    answer(&desk, say(&desk, message_select(&id)), 1);
    assert_true(gz_prediction_gizmo(desk.prediction, &gizmo));
    tell_person(&desk, packed, GZ_HAS_PERSON_LENS);
    assert_true(gz_prediction_gizmo(desk.prediction, &gizmo));
    tell_person(&desk, packed, GZ_HAS_PERSON_SELECTION);
    assert_false(gz_prediction_gizmo(desk.prediction, &gizmo));
    gz_packed_destroy(packed);
    close_desk(&desk);
}

/* ---- the network is away ---- */

static struct gz_client *join_through(struct stage *stage, struct test_proxy *proxy)
{
    char url[64];
    test_proxy_start(proxy, stage->daemon.port);
    snprintf(url, sizeof url, "ws://127.0.0.1:%d/ws", proxy->port);
    return bench_join(stage, url, "eve", true);
}

TEST_AT_BENCH(test_ahead_all_of_it_shows_while_the_network_is_away)
{
    struct stage *stage = *state;
    struct bench bench = bench_set_up(stage, GZ_MODE_TRANSLATE, GZ_SPACE_WORLD);
    struct test_proxy proxy;
    bench.ada = join_through(stage, &proxy);
    bench_send(bench.ada, message_camera(EYE, (gz_vec3){0, 0, 0}));
    stage_ask(bench.ada, message_select(&bench.box));
    test_proxy_silence(&proxy);
    while (gz_client_next(bench.ada, 0.02) != NULL) continue; /* what had come by then */
    struct views views = {.count = 0};
    struct gz_set_node move = moved_to(bench.box, 4), turn = turned(bench.lamp);
    bench_send(bench.ada, message_set_t(&move));
    bench_send(bench.ada, wheel(2));
    bench_send(bench.ada, message_set_t(&turn));
    bench_grab(&bench, &bench.box, GZ_TX);
    bench_drag(&bench, 1, STEPS);
    bench_send(bench.ada, message_pointer(GZ_PHASE_UP, MIDDLE_X + 150, MIDDLE_Y - 70));
    gz_trs box = bench_expected(bench.ada, bench.box), lamp = bench_expected(bench.ada, bench.lamp);
    assert_true(box.t.x > 5 && fabs(box.s.y - 1.21) < 1e-12 && lamp.s.y == 2);
    assert_null(gz_client_next(bench.ada, 0.02));
    uint64_t rid = turn_view(&bench, &views);
    test_proxy_go_on(&proxy);
    await_views(&bench, &views, rid);
    assert_int_equal(await(bench.ada, ask_later(bench.ada, message_set_t(&turn))), GZ_OK);
    assert_settled(bench.ada, bench.box);
    assert_settled(bench.ada, bench.lamp);
    assert_true(fabs(node_in(bench.ada, bench.box)->trs.t.x - box.t.x) < 1e-12);
    assert_int_equal(gz_client_predict_corrections(bench.ada), 0);
}

TEST_AT_BENCH(test_ahead_reconnect_begins_with_what_the_server_has)
{
    struct stage *stage = *state;
    struct bench bench = bench_set_up(stage, GZ_MODE_TRANSLATE, GZ_SPACE_WORLD);
    struct gz_error error = {0};
    double view[16];
    stage_ask(bench.ada, message_select(&bench.box));
    struct gz_set_node move = moved_to(bench.lamp, 4);
    bench_send(bench.ada, orbit(GZ_PHASE_DOWN, 0));
    bench_send(bench.ada, orbit(GZ_PHASE_MOVE, 1));
    bench_send(bench.ada, orbit(GZ_PHASE_UP, 1));
    bench_send(bench.ada, wheel(2));
    bench_send(bench.ada, message_set_t(&move));
    gz_client_cut(bench.ada);
    assert_true(bench_expected(bench.ada, bench.lamp).t.x == 4);
    stage_check(gz_client_reconnect(bench.ada, &error), &error, "reconnect");
    stage_check(gz_client_await(bench.ada, 0, STAGE_SECONDS, &error), &error, "delta");
    assert_settled(bench.ada, bench.lamp);
    assert_settled(bench.ada, bench.box);
    assert_false(gz_client_predict_view(bench.ada, view));
    stage_ask(bench.ada, message_set_t(&move));
    assert_true(bench_expected(bench.ada, bench.lamp).t.x == 4);
    assert_settled(bench.ada, bench.lamp);
}

TEST_AT_BENCH(test_ahead_view_without_the_option_is_the_one_that_was_told)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_TRANSLATE, GZ_SPACE_WORLD);
    struct gz_message camera = message_camera(EYE, (gz_vec3){0, 0, 0});
    double view[16];
    assert_false(gz_client_predict_view(bench.bob, view));
    bench_send(bench.bob, camera);
    bench_send(bench.bob, orbit(GZ_PHASE_DOWN, 0));
    bench_send(bench.bob, orbit(GZ_PHASE_MOVE, 5));
    assert_true(gz_client_predict_view(bench.bob, view));
    assert_memory_equal(view, camera.camera.view, sizeof view);
    stage_ask(bench.bob, orbit(GZ_PHASE_UP, 5));
    assert_true(gz_client_predict_view(bench.bob, view));
    assert_true(memcmp(view, camera.camera.view, sizeof view) != 0);
}

/* All in one daemon, each in a scene of its own. */

int main(void)
{
    return test_run(stage_setup, stage_teardown);
}
