/* The C client ahead of the server: what it expects before it has heard anything is what the
 * server then says, and where somebody interferes it ends where the server has it. */
#include <math.h>

#include "prediction.h"
#include "support/chance.h"
#include "workbench.h"

#define ROUNDS 2 /* of the random test */

/* ---- nobody interferes ---- */

static const struct gz_message *next_gizmo(struct gz_client *client)
{
    const struct gz_message *message;
    while ((message = gz_client_next(client, STAGE_SECONDS)) != NULL)
        if (message->op == GZ_OP_GIZMO) return message;
    fail_msg("no gizmo came");
    return NULL;
}

static void assert_same_gizmo(const struct gz_message *a, const struct gz_message *b)
{
    const struct gz_gizmo_message *one = &a->gizmo, *other = &b->gizmo;
    assert_int_equal(a->has, b->has);
    assert_int_equal(one->mode, other->mode);
    assert_int_equal(one->space, other->space);
    assert_int_equal(one->handles, other->handles);
    assert_memory_equal(&one->origin, &other->origin, sizeof one->origin);
    assert_memory_equal(one->axes, other->axes, sizeof one->axes);
    assert_memory_equal(&one->size, &other->size, sizeof one->size);
    if (a->has & GZ_HAS_GIZMO_BOX) assert_memory_equal(one->box, other->box, sizeof one->box);
}

TEST_AT_BENCH(test_predict_gizmo_is_the_one_that_the_server_sends)
{
    static const enum gz_mode modes[] = {GZ_MODE_TRANSLATE, GZ_MODE_ROTATE, GZ_MODE_SCALE,
                                         GZ_MODE_BOUNDS, GZ_MODE_UNIVERSAL};
    struct bench bench = bench_set_up(*state, GZ_MODE_ARCBALL, GZ_SPACE_LOCAL);
    struct gz_message gizmo;
    assert_false(gz_client_predict_gizmo(bench.ada, &gizmo));
    bench_send(bench.ada, message_select(&bench.bulb));
    assert_true(gz_client_predict_gizmo(bench.ada, &gizmo));
    assert_same_gizmo(&gizmo, next_gizmo(bench.ada));
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        bench_send(bench.ada, message_tool(modes[i], GZ_SPACE_LOCAL));
        assert_true(gz_client_predict_gizmo(bench.ada, &gizmo));
        assert_int_equal(gizmo.gizmo.mode, modes[i]);
        assert_same_gizmo(&gizmo, next_gizmo(bench.ada));
    }
}

static uint64_t create_bounded(struct gz_client *client, uint64_t parent, gz_vec3 t)
{
    struct gz_create_node node = {
        .has = GZ_HAS_CREATE_NODE_T | GZ_HAS_CREATE_NODE_PARENT | GZ_HAS_CREATE_NODE_BOUNDS,
        .name = gz_client_text("brick"),
        .parent = parent,
        .trs = {.t = t},
        .bounds = {{-0.1, -0.2, -0.3}, {0.3, 0.2, 0.1}},
    };
    return stage_ask(client, (struct gz_message){.op = GZ_OP_CREATE, .create = {&node, 1}})
        ->ok.ids.ids[0];
}

TEST_AT_BENCH(test_predict_bounds_of_a_group_are_around_all_that_is_below_it)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_BOUNDS, GZ_SPACE_LOCAL);
    struct gz_message gizmo;
    create_bounded(bench.bob, bench.bulb, (gz_vec3){0.2, 0, 0});
    create_bounded(bench.bob, bench.lamp, (gz_vec3){0, 0.4, 0.1});
    create_bounded(bench.bob, bench.box, (gz_vec3){5, 5, 5});
    stage_catch_up(bench.ada, bench.bob);
    bench_send(bench.ada, message_select(&bench.lamp));
    assert_true(gz_client_predict_gizmo(bench.ada, &gizmo));
    assert_true(gizmo.has & GZ_HAS_GIZMO_BOX);
    assert_same_gizmo(&gizmo, next_gizmo(bench.ada));
}

TEST_AT_BENCH(test_predict_handle_is_the_one_that_a_press_takes)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_TRANSLATE, GZ_SPACE_WORLD);
    struct gz_message gizmo, at = message_pointer(GZ_PHASE_DOWN, 5, 5);
    bench_send(bench.ada, message_select(&bench.box));
    assert_int_equal(gz_client_predict_handle(bench.ada, &at), GZ_HANDLE_NONE);
    assert_true(gz_client_predict_gizmo(bench.ada, &gizmo));
    double pixels = 1080 / 2 * 1.7320508075688772 / EYE.z;
    at = message_pointer(GZ_PHASE_DOWN, MIDDLE_X + pixels * (2 + 0.5 * gizmo.gizmo.size), MIDDLE_Y);
    assert_int_equal(gz_client_predict_handle(bench.ada, &at), GZ_TX);
    assert_int_equal(stage_ask(bench.ada, at)->ok.handle, GZ_TX);
    bench_drag(&bench, 40, 45);
    assert_true(bench_expected(bench.ada, bench.box).t.x != 2);
    bench_release(&bench);
    assert_settled(bench.ada, bench.box);
    assert_int_equal(gz_client_predict_corrections(bench.ada), 0);
}

static void drags_as(void **state, enum gz_handle handle)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_UNIVERSAL, GZ_SPACE_LOCAL);
    gz_trs before = bench_expected(bench.ada, bench.bulb);
    bench_grab(&bench, &bench.bulb, handle);
    bench_drag(&bench, 1, STEPS);
    gz_trs moved = bench_expected(bench.ada, bench.bulb);
    assert_false(gz_trs_same(&moved, &before));
    assert_same_trs(&node_in(bench.ada, bench.bulb)->trs, &before, "the mirror is the server's");
    struct gz_message up = message_pointer(GZ_PHASE_UP, MIDDLE_X + 150, MIDDLE_Y - 70);
    struct gz_error error = {0};
    uint64_t rid;
    stage_check(gz_client_send(bench.ada, &up, &rid, &error), &error, "up");
    gz_trs last = bench_expected(bench.ada, bench.bulb);
    stage_check(gz_client_answer(bench.ada, rid, STAGE_SECONDS, NULL, &error), &error, "up");
    assert_same_trs(&last, &node_in(bench.ada, bench.bulb)->trs, "the end of the drag");
    assert_settled(bench.ada, bench.bulb);
    assert_int_equal(gz_client_predict_corrections(bench.ada), 0);
}

TEST_AT_BENCH(test_predict_move_ends_where_the_server_has_it)
{
    drags_as(state, GZ_TV);
}

TEST_AT_BENCH(test_predict_turn_ends_where_the_server_has_it)
{
    drags_as(state, GZ_RV);
}

TEST_AT_BENCH(test_predict_scale_ends_where_the_server_has_it)
{
    drags_as(state, GZ_SU);
}

TEST_AT_BENCH(test_predict_next_drag_begins_before_the_last_is_answered)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_TRANSLATE, GZ_SPACE_WORLD);
    gz_trs last = bench_expected(bench.ada, bench.box);
    uint64_t n = 0;
    for (int i = 0; i < 5; i++) {
        bench_grab(&bench, &bench.box, GZ_TX);
        bench_drag(&bench, 1, STEPS);
        n = bench_send(bench.ada, message_pointer(GZ_PHASE_UP, MIDDLE_X + 150, MIDDLE_Y));
        gz_trs now = bench_expected(bench.ada, bench.box);
        assert_true(now.t.x > last.t.x + 1);
        last = now;
    }
    bench_await_ack(bench.ada, n);
    assert_same_trs(&last, &node_in(bench.ada, bench.box)->trs, "five drags");
    assert_int_equal(gz_client_predict_corrections(bench.ada), 0);
}

TEST_AT_BENCH(test_predict_typed_value_and_cancel)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_TRANSLATE, GZ_SPACE_WORLD);
    gz_trs before = bench_expected(bench.ada, bench.box);
    struct gz_message typed = message_grab(&bench.box, GZ_TX, 0, 0);
    typed.has |= GZ_HAS_POINTER_VALUE;
    typed.pointer.value = (struct gz_value){{1.5, 0}, 1};
    bench_send(bench.ada, typed);
    assert_true(bench_expected(bench.ada, bench.box).t.x == 3.5);
    stage_ask(bench.ada, message_pointer(GZ_PHASE_UP, MIDDLE_X, MIDDLE_Y));
    assert_settled(bench.ada, bench.box);
    assert_true(node_in(bench.ada, bench.box)->trs.t.x == 3.5);

    before = bench_expected(bench.ada, bench.box);
    bench_grab(&bench, &bench.box, GZ_TX);
    bench_drag(&bench, 1, STEPS);
    assert_true(bench_expected(bench.ada, bench.box).t.x > before.t.x);
    uint64_t n = bench_send(bench.ada, message_pointer(GZ_PHASE_CANCEL, 0, 0));
    gz_trs back = bench_expected(bench.ada, bench.box);
    assert_same_trs(&back, &before, "cancelled");
    bench_await_ack(bench.ada, n);
    assert_settled(bench.ada, bench.box);
    assert_int_equal(gz_client_predict_corrections(bench.ada), 0);
}

/* Poses from outside show at once to who says them, single coordinates too, and to the others when
 * the server has told them. */
TEST_AT_BENCH(test_predict_poses_of_a_hold)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_TRANSLATE, GZ_SPACE_WORLD);
    const gz_vec3 before = bench_expected(bench.ada, bench.box).t;
    struct gz_set_node node = {.has = GZ_HAS_SET_NODE_Y, .id = bench.box, .trs.t.y = 7};
    const struct gz_message hold = {.op = GZ_OP_HOLD, .hold.nodes = {&bench.box, 1}};
    const struct gz_message pose = {.op = GZ_OP_POSE, .pose = {.nodes = &node, .count = 1}};
    stage_ask(bench.ada, hold);
    bench_send(bench.ada, pose);
    gz_vec3 now = bench_expected(bench.ada, bench.box).t;
    assert_true(now.x == before.x && now.y == 7 && now.z == before.z);
    node = (struct gz_set_node){.has = GZ_HAS_SET_NODE_X, .id = bench.box, .trs.t.x = 5};
    bench_send(bench.ada, pose);
    assert_true(bench_expected(bench.ada, bench.box).t.x == 5);
    stage_ask(bench.ada, (struct gz_message){.op = GZ_OP_RELEASE});
    assert_settled(bench.ada, bench.box);
    now = node_in(bench.ada, bench.box)->trs.t;
    assert_true(now.x == 5 && now.y == 7 && now.z == before.z);
    stage_catch_up(bench.bob, bench.ada);
    assert_true(node_in(bench.bob, bench.box)->trs.t.y == 7);
    assert_int_equal(gz_client_predict_corrections(bench.ada), 0);
}

/* ---- somebody interferes ---- */

TEST_AT_BENCH(test_predict_refused_drag_goes_back)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_TRANSLATE, GZ_SPACE_WORLD);
    gz_trs before = bench_expected(bench.ada, bench.box);
    stage_ask(bench.bob, message_camera(EYE, (gz_vec3){0, 0, 0}));
    stage_ask(bench.bob, message_grab(&bench.box, GZ_TY, MIDDLE_X, MIDDLE_Y));
    bench_grab(&bench, &bench.box, GZ_TX);
    bench_drag(&bench, 1, STEPS);
    assert_true(bench_expected(bench.ada, bench.box).t.x > before.t.x);
    bench_release(&bench);
    assert_settled(bench.ada, bench.box);
    gz_trs after = bench_expected(bench.ada, bench.box);
    assert_same_trs(&after, &before, "bob holds it");
    assert_true(gz_client_predict_corrections(bench.ada) > 0);
}

static void set_x(struct gz_client *client, uint64_t id, double x)
{
    struct gz_set_node node = {.id = id, .has = GZ_HAS_SET_NODE_T, .trs.t = {x, 0.1, 0.2}};
    stage_ask(client, message_set_t(&node));
}

TEST_AT_BENCH(test_predict_parent_moved_by_another_takes_the_drag_along)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_TRANSLATE, GZ_SPACE_WORLD);
    bench_grab(&bench, &bench.bulb, GZ_TV);
    bench_await_ack(bench.ada, bench_drag(&bench, 1, STEPS));
    set_x(bench.bob, bench.table, -3);
    stage_catch_up(bench.ada, bench.bob);
    bench_await_ack(bench.ada, bench_drag(&bench, STEPS, 2 * STEPS));
    gz_trs told = node_in(bench.ada, bench.bulb)->trs,
           foreseen = bench_expected(bench.ada, bench.bulb);
    assert_true(fabs(told.t.x - foreseen.t.x) < 1e-9 && fabs(told.t.y - foreseen.t.y) < 1e-9);
    bench_release(&bench);
    assert_settled(bench.ada, bench.bulb);
    assert_int_equal(gz_client_predict_corrections(bench.ada), 0);
}

/* Bob moves the node before the press has arrived; Ada learns that with the acknowledgement. */
TEST_AT_BENCH(test_predict_node_moved_first_by_another_is_corrected)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_TRANSLATE, GZ_SPACE_WORLD);
    stage_ask(bench.ada, (struct gz_message){.op = GZ_OP_PING});
    set_x(bench.bob, bench.box, 7);
    bench_grab(&bench, &bench.box, GZ_TV);
    uint64_t n = bench_drag(&bench, 1, STEPS);
    assert_true(bench_expected(bench.ada, bench.box).t.x < 5);
    bench_await_ack(bench.ada, n);
    assert_true(gz_client_predict_corrections(bench.ada) > 0);
    n = bench_drag(&bench, STEPS, STEPS + 5);
    gz_trs ahead = bench_expected(bench.ada, bench.box);
    assert_true(ahead.t.x > 7);
    bench_await_ack(bench.ada, n);
    gz_trs told = node_in(bench.ada, bench.box)->trs;
    assert_true(fabs(told.t.x - ahead.t.x) < 1e-6 && fabs(told.t.y - ahead.t.y) < 1e-6);
    bench_release(&bench);
    assert_settled(bench.ada, bench.box);
}

/* ---- what the server seldom says in one turn, without a server ---- */

struct desk {
    struct gz_mirror *mirror;
    struct gz_prediction *prediction;
};

#define ME 5
#define OTHER 6

/* The server has the one node there, has done what pointer `n` asked, and says both at once. */
static void tell(struct desk *desk, uint64_t by, double x, uint64_t n)
{
    uint64_t seq = gz_mirror_seq(desk->mirror);
    struct gz_node_state node = {.id = 1,
                                 .by = by,
                                 .has = GZ_HAS_STATE_T | GZ_HAS_STATE_R | GZ_HAS_STATE_S |
                                        GZ_HAS_STATE_NAME | GZ_HAS_STATE_PARENT | GZ_HAS_STATE_BY,
                                 .trs = gz_trs_identity};
    struct gz_ack ack = {ME, n};
    struct gz_message message = {.op = GZ_OP_DELTA,
                                 .delta = {.from = seq,
                                           .seq = seq + 1,
                                           .nodes = &node,
                                           .count = 1,
                                           .acks = &ack,
                                           .ack_count = n != 0}};
    node.trs.t.x = x;
    assert_int_equal(gz_mirror_apply(desk->mirror, &message.delta, NULL), GZ_OK);
    gz_prediction_received(desk->prediction, &message);
}

static uint64_t say(struct desk *desk, struct gz_message message)
{
    gz_prediction_number(desk->prediction, &message);
    message.has |= GZ_HAS_RID;
    message.rid = 100 + message.pointer.n;
    gz_prediction_sent(desk->prediction, &message);
    return message.pointer.n;
}

static struct desk open_desk(void)
{
    struct desk desk = {.mirror = gz_mirror_create()};
    struct gz_message welcome = {.op = GZ_OP_WELCOME,
                                 .welcome = {.session = ME, .role = GZ_ROLE_EDITOR}};
    static const uint64_t node = 1;
    assert_non_null(desk.mirror);
    desk.prediction = gz_prediction_create(desk.mirror);
    assert_non_null(desk.prediction);
    gz_prediction_received(desk.prediction, &welcome);
    tell(&desk, OTHER, 0, 0);
    struct gz_message camera = message_camera(EYE, (gz_vec3){0, 0, 0});
    gz_prediction_sent(desk.prediction, &camera);
    (void)say(&desk, message_grab(&node, GZ_TX, MIDDLE_X, MIDDLE_Y));
    return desk;
}

static double x_of(const struct desk *desk)
{
    gz_trs trs;
    assert_true(gz_prediction_trs(desk->prediction, 1, &trs));
    return trs.t.x;
}

static void close_desk(struct desk *desk)
{
    gz_prediction_destroy(desk->prediction);
    gz_mirror_destroy(desk->mirror);
}

TEST(test_predict_acknowledged_elsewhere_shifts_what_comes_after)
{
    struct desk desk = open_desk();
    uint64_t n = say(&desk, message_pointer(GZ_PHASE_MOVE, MIDDLE_X + 100, MIDDLE_Y));
    double step = x_of(&desk);
    assert_true(step > 0.5);
    (void)say(&desk, message_pointer(GZ_PHASE_MOVE, MIDDLE_X + 200, MIDDLE_Y));
    assert_true(fabs(x_of(&desk) - 2 * step) < 1e-9);
    tell(&desk, ME, step + 3, n);
    assert_true(fabs(x_of(&desk) - (2 * step + 3)) < 1e-9);
    assert_int_equal(gz_prediction_corrections(desk.prediction), 1);
    n = say(&desk, message_pointer(GZ_PHASE_UP, MIDDLE_X + 300, MIDDLE_Y));
    assert_true(fabs(x_of(&desk) - (3 * step + 3)) < 1e-9);
    tell(&desk, ME, 3 * step + 3, n);
    assert_true(x_of(&desk) == 3 * step + 3);
    assert_int_equal(gz_prediction_corrections(desk.prediction), 1);
    close_desk(&desk);
}

/* The ok of a cancel comes before the delta that takes the node back. */
TEST(test_predict_cancelled_node_stays_back_until_the_server_has_it_there)
{
    struct desk desk = open_desk();
    uint64_t n = say(&desk, message_pointer(GZ_PHASE_MOVE, MIDDLE_X + 100, MIDDLE_Y));
    tell(&desk, ME, x_of(&desk), n);
    n = say(&desk, message_pointer(GZ_PHASE_CANCEL, 0, 0));
    assert_true(x_of(&desk) == 0);
    struct gz_message ok = {.op = GZ_OP_OK, .has = GZ_HAS_RID, .rid = 100 + n};
    gz_prediction_received(desk.prediction, &ok);
    assert_true(x_of(&desk) == 0);
    tell(&desk, ME, 0, n);
    assert_true(x_of(&desk) == 0);
    assert_int_equal(gz_prediction_corrections(desk.prediction), 0);
    close_desk(&desk);
}

/* The server drops the messages of a flood without an answer to each. */
TEST(test_predict_flood_that_is_dropped_leaves_nothing_expected)
{
    struct desk desk = open_desk();
    (void)say(&desk, message_pointer(GZ_PHASE_MOVE, MIDDLE_X + 100, MIDDLE_Y));
    (void)say(&desk, message_pointer(GZ_PHASE_UP, MIDDLE_X + 100, MIDDLE_Y));
    struct gz_message error = {.op = GZ_OP_ERROR, .error = {.code = GZ_BAD_STATE}};
    gz_prediction_received(desk.prediction, &error);
    assert_true(x_of(&desk) > 0.5);
    error.error.code = GZ_RATE_LIMITED;
    gz_prediction_received(desk.prediction, &error);
    assert_true(x_of(&desk) == 0);
    close_desk(&desk);
}

/* The server took a press for a click on what is there. */
TEST(test_predict_press_that_grabs_nothing_moves_nothing)
{
    struct desk desk = open_desk();
    (void)say(&desk, message_pointer(GZ_PHASE_CANCEL, 0, 0));
    double pixels = 1080 / 2 * 1.7320508075688772 / EYE.z;
    struct gz_message gizmo;
    assert_true(gz_prediction_gizmo(desk.prediction, &gizmo));
    double reach = pixels * 0.5 * gizmo.gizmo.size;
    uint64_t n = say(&desk, message_pointer(GZ_PHASE_DOWN, MIDDLE_X + reach, MIDDLE_Y));
    (void)say(&desk, message_pointer(GZ_PHASE_MOVE, MIDDLE_X + 300, MIDDLE_Y));
    assert_true(x_of(&desk) > 0.5);
    struct gz_message ok = {.op = GZ_OP_OK, .has = GZ_HAS_RID, .rid = 100 + n};
    gz_prediction_received(desk.prediction, &ok);
    assert_true(x_of(&desk) == 0);
    assert_false(gz_prediction_gizmo(desk.prediction, &gizmo));
    close_desk(&desk);
}

/* ---- at random ---- */

static const uint64_t *any_node(const struct bench *bench, uint64_t *chance)
{
    const uint64_t *const nodes[] = {&bench->table, &bench->lamp, &bench->bulb, &bench->box};
    return nodes[chance_below(chance, 4)];
}

static double any_place(uint64_t *chance)
{
    return 0.01 * (double)chance_below(chance, 600) - 3;
}

static void act_ada(const struct bench *bench, uint64_t *chance)
{
    static const enum gz_handle handles[] = {GZ_TX, GZ_TV, GZ_RX, GZ_RV, GZ_SU, GZ_SY};
    double x = MIDDLE_X + 100 * any_place(chance), y = MIDDLE_Y + 100 * any_place(chance);
    struct gz_message typed = message_grab(any_node(bench, chance), GZ_TY, x, y);
    struct gz_set_node node = {.id = *any_node(bench, chance),
                               .has = chance_below(chance, 2) == 0 ? GZ_HAS_SET_NODE_T
                                                                   : GZ_HAS_SET_NODE_S,
                               .trs = {.t = {any_place(chance), 0, 1}, .s = {1, 2, 1}}};
    struct gz_message wheel = {.op = GZ_OP_WHEEL, .wheel = {.dy = any_place(chance)}};
    struct gz_message orbit = message_pointer(GZ_PHASE_DOWN, x, y);
    orbit.pointer.mods = 1u << GZ_MOD_ORBIT;
    switch (chance_below(chance, 16)) {
    case 0:
    case 1:
        bench_send(bench->ada,
                   message_grab(any_node(bench, chance), handles[chance_below(chance, 6)], x, y));
        break;
    case 2: bench_send(bench->ada, message_pointer(GZ_PHASE_UP, x, y)); break;
    case 3: bench_send(bench->ada, message_pointer(GZ_PHASE_CANCEL, x, y)); break;
    case 4:
        typed.has |= GZ_HAS_POINTER_VALUE;
        typed.pointer.value = (struct gz_value){{any_place(chance), 0}, 1};
        bench_send(bench->ada, typed);
        break;
    case 5: bench_send(bench->ada, message_select(any_node(bench, chance))); break;
    case 6: bench_send(bench->ada, message_pointer(GZ_PHASE_DOWN, x, y)); break;
    case 7: bench_send(bench->ada, message_set_t(&node)); break;
    case 8:
    case 9: bench_send(bench->ada, wheel); break;
    case 10: bench_send(bench->ada, orbit); break;
    default: bench_send(bench->ada, message_pointer(GZ_PHASE_MOVE, x, y)); break;
    }
}

static void act_bob(const struct bench *bench, uint64_t *chance)
{
    struct gz_set_node node = {.id = *any_node(bench, chance),
                               .has = GZ_HAS_SET_NODE_T,
                               .trs.t = {any_place(chance), any_place(chance), 0}};
    switch (chance_below(chance, 4)) {
    case 0: bench_send(bench->bob, (struct gz_message){.op = GZ_OP_UNDO}); break;
    case 1:
        node.id = bench->box;
        node.has = GZ_HAS_SET_NODE_PARENT;
        node.parent = chance_below(chance, 2) == 0 ? 0 : bench->lamp;
        bench_send(bench->bob, message_set_t(&node));
        break;
    default: bench_send(bench->bob, message_set_t(&node)); break;
    }
}

/* What of it is refused does not matter. */
static void interfere(const struct bench *bench, uint64_t *chance)
{
    for (int i = 0; i < 200; i++) {
        act_ada(bench, chance);
        if (chance_below(chance, 4) == 0) act_bob(bench, chance);
        for (uint64_t reads = chance_below(chance, 4); reads > 0; reads--) {
            (void)gz_client_next(bench->ada, 0);
            (void)gz_client_next(bench->bob, 0);
        }
    }
    stage_ask(bench->ada, message_pointer(GZ_PHASE_CANCEL, 0, 0));
    stage_ask(bench->bob, (struct gz_message){.op = GZ_OP_PING});
    (void)stage_create(bench->ada, "end", 0, (gz_vec3){0, 0, 0});
    stage_catch_up(bench->ada, bench->bob);
    stage_catch_up(bench->bob, bench->ada);
}

TEST_AT_BENCH(test_predict_random_interference_ends_where_the_server_has_it)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_UNIVERSAL, GZ_SPACE_LOCAL);
    const uint64_t nodes[] = {bench.table, bench.lamp, bench.bulb, bench.box};
    uint64_t chance = chance_seed(16);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        interfere(&bench, &chance);
        assert_same_scene(bench.ada, bench.bob);
        for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
            gz_trs trs;
            /* Bob may have undone that he made it. */
            bool is_there = gz_mirror_find(gz_client_mirror(bench.ada), nodes[i]) != NULL;
            assert_int_equal(gz_client_predict_trs(bench.ada, nodes[i], &trs), is_there);
            if (is_there) assert_settled(bench.ada, nodes[i]);
        }
    }
}

TEST_AT_BENCH(test_predict_reconnect_forgets_what_was_expected)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_TRANSLATE, GZ_SPACE_WORLD);
    struct gz_error error = {0};
    struct gz_message gizmo;
    bench_grab(&bench, &bench.box, GZ_TX);
    bench_drag(&bench, 1, STEPS);
    gz_client_cut(bench.ada);
    assert_true(bench_expected(bench.ada, bench.box).t.x > 2);
    stage_check(gz_client_reconnect(bench.ada, &error), &error, "reconnect");
    stage_check(gz_client_await(bench.ada, 0, STAGE_SECONDS, &error), &error, "delta");
    assert_settled(bench.ada, bench.box);
    assert_false(gz_client_predict_gizmo(bench.ada, &gizmo));
}

TEST_AT_BENCH(test_predict_without_the_option_everything_is_the_mirror)
{
    struct bench bench = bench_set_up(*state, GZ_MODE_TRANSLATE, GZ_SPACE_WORLD);
    struct gz_message gizmo, at = message_pointer(GZ_PHASE_DOWN, MIDDLE_X, MIDDLE_Y);
    gz_affine world, mirrored;
    stage_ask(bench.bob, message_select(&bench.bulb));
    assert_false(gz_client_predict_gizmo(bench.bob, &gizmo));
    assert_int_equal(gz_client_predict_handle(bench.bob, &at), GZ_HANDLE_NONE);
    assert_settled(bench.bob, bench.bulb);
    assert_true(gz_client_predict_world(bench.bob, bench.bulb, &world));
    assert_true(gz_mirror_world(gz_client_mirror(bench.bob), bench.bulb, &mirrored));
    assert_memory_equal(&world, &mirrored, sizeof world);
    assert_true(gz_client_predict_world(bench.ada, bench.bulb, &world));
    assert_true(gz_length(gz_sub(world.origin, mirrored.origin)) < 1e-12);
    gz_trs trs;
    assert_false(gz_client_predict_trs(bench.ada, 999, &trs));
}

/* All in one daemon, each in a scene of its own. */

int main(void)
{
    return test_run(stage_setup, stage_teardown);
}
