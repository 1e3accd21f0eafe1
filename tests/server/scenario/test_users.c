/* Several users in one scene: locks with their holder, undo of one's own, refusals that change
 * nothing, and everybody having the same scene in the end, whenever they came. */
#include <math.h>
#include <stdio.h>

#include "proto/limits.h"
#include "stage.h"

static struct gz_message set_t(struct gz_set_node *node, uint64_t id, gz_vec3 t)
{
    *node = (struct gz_set_node){.has = GZ_HAS_SET_NODE_T, .id = id, .trs.t = t};
    return message_set_t(node);
}

/* ---- locks ---- */

TEST_ON_STAGE(test_second_user_is_refused_with_the_holder_until_the_first_lets_go)
{
    struct stage *stage = *state;
    struct gz_client *anna = stage_join(stage, "arm", "anna"),
                     *bert = stage_join(stage, "arm", "bert");
    uint64_t base = stage_create(anna, "base", 0, (gz_vec3){0, 0, 0}),
             hand = stage_create(anna, "hand", base, (gz_vec3){0, 1, 0});
    struct gz_set_node node;
    struct gz_message camera = message_camera((gz_vec3){0, 0, 10}, (gz_vec3){0, 0, 0});
    stage_ask(anna, camera);
    stage_ask(bert, camera);
    stage_ask(anna, message_grab(&hand, GZ_TX, 960, 540));
    uint64_t holder = gz_client_welcome(anna)->session;

    const struct gz_message refusals[] = {
        message_grab(&hand, GZ_TY, 960, 540),
        set_t(&node, hand, (gz_vec3){9, 9, 9}),
        {.op = GZ_OP_DELETE, .remove = {&hand, 1}},
        {.op = GZ_OP_DELETE, .remove = {&base, 1}}, /* it would go with its parent */
    };
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const struct gz_message *answer = stage_refused(bert, refusals[i], GZ_LOCKED);
        assert_true(answer->has & GZ_HAS_ERROR_HOLDER);
        assert_int_equal(answer->error.holder, holder);
    }
    /* What it hangs from may be moved. */
    stage_ask(bert, set_t(&node, base, (gz_vec3){0, 0, 1}));
    gz_client_cut(anna);
    /* The server learns of the cut by itself; until then the lock is there. */
    enum gz_status status;
    do {
        struct gz_message grab = message_grab(&hand, GZ_TX, 960, 540);
        status = gz_client_request(bert, &grab, STAGE_SECONDS, NULL, NULL);
    } while (status == GZ_LOCKED);
    assert_int_equal(status, GZ_OK);
}

TEST_ON_STAGE(test_cancelled_drag_gives_back_every_bit)
{
    struct stage *stage = *state;
    struct gz_client *anna = stage_join(stage, "arm", "anna"),
                     *bert = stage_join(stage, "arm", "bert");
    uint64_t id = stage_create(anna, "hand", 0, (gz_vec3){1.0 / 3, 0.1, -1e-9});
    stage_catch_up(bert, anna);
    gz_trs before = node_in(bert, id)->trs;
    uint64_t seq = gz_mirror_seq(gz_client_mirror(bert));
    stage_ask(anna, message_camera((gz_vec3){3, 2, 10}, (gz_vec3){0, 0, 0}));
    stage_ask(anna, message_grab(&id, GZ_RY, 1040, 560));
    for (int i = 0; i < 5; i++) stage_ask(anna, message_pointer(GZ_PHASE_MOVE, 1040 - 20 * i, 570));
    stage_ask(anna, message_pointer(GZ_PHASE_CANCEL, 900, 570));
    stage_ask(anna, (struct gz_message){.op = GZ_OP_PING});
    stage_catch_up(bert, anna);
    assert_true(gz_mirror_seq(gz_client_mirror(bert)) > seq); /* it had moved */
    assert_same_trs(&node_in(bert, id)->trs, &before, "after the cancel");
    stage_refused(anna, (struct gz_message){.op = GZ_OP_REDO}, GZ_BAD_STATE);
}

/* ---- seeing what another sees ---- */

static const struct gz_presence_user *await_view(struct gz_client *client, uint64_t session,
                                                 const double view[16])
{
    for (;;) {
        const struct gz_presence_user *user = gz_people_find(gz_client_people(client), session);
        if (user != NULL && user->has & GZ_HAS_PRESENCE_VIEW &&
            memcmp(user->view, view, sizeof user->view) == 0)
            return user;
        if (gz_client_next(client, STAGE_SECONDS) == NULL) fail_msg("the view did not come");
    }
}

TEST_ON_STAGE(test_following_another_gives_the_same_view_to_the_bit)
{
    struct stage *stage = *state;
    struct gz_client *anna = stage_join_plain(stage, "arm", "anna"),
                     *bert = stage_join_plain(stage, "arm", "bert");
    stage_create(anna, "hand", 0, (gz_vec3){0, 0, 0});
    uint64_t leader = gz_client_welcome(anna)->session, follower = gz_client_welcome(bert)->session;
    for (int i = 0; i < 5; i++) {
        struct gz_message camera =
            message_camera((gz_vec3){1.0 / 3 + i, 0.1, 10}, (gz_vec3){0, 1e-9 * i, 0});
        stage_ask(anna, camera);
        /* What bert reads from presence, and sends as his own camera, is what others then read of
         * him. */
        const struct gz_presence_user *user = await_view(bert, leader, camera.camera.view);
        struct gz_message own = message_camera((gz_vec3){5, 5, 5}, (gz_vec3){0, 0, 0});
        memcpy(own.camera.view, user->view, sizeof own.camera.view);
        stage_ask(bert, own);
        await_view(anna, follower, camera.camera.view);
    }
    gz_client_destroy(stage->clients[--stage->count]);
    while (gz_people_find(gz_client_people(anna), follower) != NULL)
        if (gz_client_next(anna, STAGE_SECONDS) == NULL) fail_msg("bert is still here");
    assert_int_equal(gz_people_count(gz_client_people(anna)), 1);
}

/* An orbit turns the camera on the server: the view that others read is the one that its owner was
 * told. */
TEST_ON_STAGE(test_following_another_through_an_orbit)
{
    struct stage *stage = *state;
    struct gz_client *anna = stage_join_plain(stage, "arm", "anna"),
                     *bert = stage_join_plain(stage, "arm", "bert");
    stage_create(anna, "hand", 0, (gz_vec3){0, 0, 0});
    stage_ask(anna, message_camera((gz_vec3){3, 2, 10}, (gz_vec3){0, 0, 0}));
    struct gz_message tool = {
        .op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_MODE, .tool.mode = GZ_MODE_ORBIT};
    stage_ask(anna, tool);
    stage_ask(anna, message_pointer(GZ_PHASE_DOWN, 960, 540));
    struct gz_message move = message_pointer(GZ_PHASE_MOVE, 1100, 500);
    struct gz_error error = {0};
    stage_check(gz_client_send(anna, &move, NULL, &error), &error, "move");
    const struct gz_message *message;
    do {
        message = gz_client_next(anna, STAGE_SECONDS);
        if (message == NULL) fail_msg("the camera was not told");
    } while (message->op != GZ_OP_VIEW);
    double view[16];
    memcpy(view, message->view, sizeof view);
    await_view(bert, gz_client_welcome(anna)->session, view);
}

static const struct gz_message *await(struct gz_client *client, enum gz_op op, uint64_t has)
{
    for (;;) {
        const struct gz_message *message = gz_client_next(client, STAGE_SECONDS);
        if (message == NULL) fail_msg("%s did not come", gz_op_word(op));
        if (message->op == op && (message->has & has) == has) return message;
    }
}

/* A turntable about a point of the client's own: bert can draw what anna sees, and the ray that she
 * points along meets that point. */
TEST_ON_STAGE(test_following_another_shows_where_she_looks_and_points)
{
    const gz_vec3 target = {1, 2, -3};
    struct stage *stage = *state;
    struct gz_client *anna = stage_join_plain(stage, "arm", "anna"),
                     *bert = stage_join_plain(stage, "arm", "bert");
    struct gz_message camera = message_camera((gz_vec3){4, 3, 9}, target);
    struct gz_message tool = {.op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_MODE | GZ_HAS_TOOL_ORBIT};
    struct gz_error error = {0};
    camera.has |= GZ_HAS_CAMERA_TARGET;
    camera.camera.target = target;
    tool.tool.mode = GZ_MODE_ORBIT;
    tool.tool.orbit = GZ_ORBIT_TURNTABLE;
    stage_ask(anna, camera);
    stage_ask(anna, tool);
    stage_ask(anna, message_pointer(GZ_PHASE_DOWN, 700, 700));
    struct gz_message move = message_pointer(GZ_PHASE_MOVE, 960, 540);
    stage_check(gz_client_send(anna, &move, NULL, &error), &error, "move");
    double view[16];
    memcpy(view, await(anna, GZ_OP_VIEW, 0)->view, sizeof view);
    assert_true(fabs(view[4]) < 1e-14); /* level */
    const struct gz_presence_user *user = await_view(bert, gz_client_welcome(anna)->session, view);
    assert_true(user->has & GZ_HAS_PRESENCE_LENS && user->has & GZ_HAS_PRESENCE_AT &&
                user->has & GZ_HAS_PRESENCE_RAY && !user->parallel);
    assert_true(fabs(user->lens[0] + user->lens[1]) < 1e-12 && user->lens[3] > 0);
    gz_vec3 along = {user->ray[3], user->ray[4], user->ray[5]};
    gz_vec3 way = gz_sub(target, (gz_vec3){user->ray[0], user->ray[1], user->ray[2]});
    assert_true(gz_length(gz_cross(along, way)) < 1e-9 && gz_dot(along, way) > 0);
}

/* At 60 moves a second 2 kB, with all that comes between the moves. Both watchers have the same
 * scene in the end. */
TEST_ON_STAGE(test_packed_watcher_reads_33_bytes_for_each_move)
{
    enum { MOVES = 300 };
    struct stage *stage = *state;
    struct gz_client *anna = stage_join(stage, "arm", "anna"),
                     *bert = stage_join(stage, "arm", "bert"),
                     *cleo = stage_join_plain(stage, "arm", "cleo");
    const uint64_t id = stage_create(anna, "hand", 0, (gz_vec3){0.1, 0.2, 0.3});
    struct gz_error error = {0};
    stage_ask(anna, message_camera((gz_vec3){0, 0, 10}, (gz_vec3){0, 0, 0}));
    stage_ask(anna, message_grab(&id, GZ_TX, 1060, 540));
    stage_catch_up(bert, anna);
    stage_catch_up(cleo, anna);
    const uint64_t packed = gz_client_received_bytes(bert), plain = gz_client_received_bytes(cleo);
    for (int i = 1; i <= MOVES; i++) {
        stage_ask(anna, message_pointer(GZ_PHASE_MOVE, 1060 - i, 540));
        const uint64_t seq = gz_mirror_seq(gz_client_mirror(anna));
        stage_check(gz_client_await(bert, seq, STAGE_SECONDS, &error), &error, "a move");
        stage_check(gz_client_await(cleo, seq, STAGE_SECONDS, &error), &error, "a move");
    }
    const uint64_t bytes = gz_client_received_bytes(bert) - packed,
                   plain_bytes = gz_client_received_bytes(cleo) - plain;
    print_message("%d moves: %llu bytes, in the plain form %llu\n", MOVES,
                  (unsigned long long)bytes, (unsigned long long)plain_bytes);
    assert_true(bytes <= 33 * MOVES);
    assert_true(plain_bytes >= 80 * MOVES);
    stage_ask(anna, message_pointer(GZ_PHASE_UP, 700, 540));
    stage_catch_up(bert, anna);
    stage_catch_up(cleo, anna);
    assert_same_scene(bert, cleo);
}

/* ---- motions ---- */

#define MANY 1500

static void create_many(struct gz_client *client, uint64_t ids[MANY])
{
    static struct gz_create_node nodes[MANY];
    for (int i = 0; i < MANY; i++) {
        nodes[i] = (struct gz_create_node){.has = GZ_HAS_CREATE_NODE_T, .name = {"n", 1}};
        nodes[i].trs.t = (gz_vec3){0.1 * (i % 40), 0.1 * (i / 40), 0.01 * i};
    }
    const struct gz_message create = {.op = GZ_OP_CREATE, .create = {nodes, MANY}};
    const struct gz_message *answer = stage_ask(client, create);
    assert_int_equal(answer->ok.ids.count, MANY);
    memcpy(ids, answer->ok.ids.ids, MANY * sizeof *ids);
}

/* The largest difference between where two clients have the nodes, in metres and of quaternions. */
static double difference_of(const struct gz_client *a, const struct gz_client *b,
                            const uint64_t ids[MANY])
{
    double most = 0;
    for (int i = 0; i < MANY; i++) {
        const gz_trs *one = &node_in(a, ids[i])->trs, *other = &node_in(b, ids[i])->trs;
        most = fmax(most, gz_length(gz_sub(one->t, other->t)));
        most = fmax(most, fabs(one->r.x - other->r.x) + fabs(one->r.y - other->r.y) +
                              fabs(one->r.z - other->r.z) + fabs(one->r.w - other->r.w));
    }
    return most;
}

/* Until all have heard where the last move took the nodes; fails where they never agree. */
static void await_same(struct gz_client *const clients[], size_t count, const uint64_t ids[MANY])
{
    const double patience = 1e3 * STAGE_SECONDS;
    bool same = false;
    for (int turn = 0; !same && turn < patience; turn++) {
        same = true;
        for (size_t i = 0; i < count; i++) {
            while (gz_client_next(clients[i], 0.001) != NULL) continue;
            const struct gz_mirror *mirror = gz_client_mirror(clients[i]);
            same &= gz_mirror_count(mirror) == MANY &&
                    gz_mirror_seq(mirror) == gz_mirror_seq(gz_client_mirror(clients[0])) &&
                    difference_of(clients[i], clients[0], ids) < 1e-8;
        }
    }
    assert_true(same);
}

/* One follows it from the beginning, one comes in the middle, and one loses the connection; another
 * one is told of each node. */
TEST_ON_STAGE(test_motion_watchers_read_little_and_have_the_same_in_the_end)
{
    enum { MOVES = 20 };
    static uint64_t ids[MANY];
    struct stage *stage = *state;
    struct gz_client *anna = stage_join(stage, "lots", "anna"),
                     *bert = stage_join(stage, "lots", "bert"),
                     *cleo = stage_join_plain(stage, "lots", "cleo"),
                     *dora = stage_join(stage, "lots", "dora"), *emil = NULL;
    struct gz_error error = {0};
    create_many(anna, ids);
    stage_ask(anna, message_camera((gz_vec3){0, 0, 30}, (gz_vec3){0, 0, 0}));
    struct gz_message grab = message_grab(ids, GZ_RZ, 1060, 540);
    grab.pointer.nodes = (struct gz_ids){ids, MANY};
    stage_ask(anna, grab);
    await_same((struct gz_client *const[]){cleo, anna, bert, dora}, 4, ids);
    const uint64_t with = gz_client_received_bytes(bert), singly = gz_client_received_bytes(cleo);
    for (int i = 1; i <= MOVES; i++) {
        stage_ask(anna, message_pointer(GZ_PHASE_MOVE, 1060 - 10 * i, 540 + 7 * i));
        if (i == 7) gz_client_cut(dora);
        if (i == 11) stage_check(gz_client_reconnect(dora, &error), &error, "back");
        if (i == 14) emil = stage_join(stage, "lots", "emil");
        while (gz_client_next(bert, 0) != NULL) continue;
    }
    assert_true(gz_client_welcome(dora)->resumed);
    await_same((struct gz_client *const[]){cleo, anna, bert, dora, emil}, 5, ids);
    const uint64_t bytes = gz_client_received_bytes(bert) - with,
                   singly_bytes = gz_client_received_bytes(cleo) - singly;
    print_message("%d moves of %d nodes: %llu bytes, node by node %llu\n", MOVES, MANY,
                  (unsigned long long)bytes, (unsigned long long)singly_bytes);
    assert_true(bytes < 20000);
    assert_true(singly_bytes > 8 * bytes);
    stage_ask(anna, message_pointer(GZ_PHASE_UP, 700, 600));
    struct gz_client *const others[] = {anna, bert, dora, emil};
    for (size_t i = 0; i < 4; i++) {
        stage_catch_up(others[i], cleo);
        stage_catch_up(cleo, others[i]);
        assert_same_scene(others[i], cleo);
    }
}

TEST_ON_STAGE(test_drag_says_how_far_it_has_gone_and_the_history_what_is_undone)
{
    struct stage *stage = *state;
    struct gz_client *anna = stage_join(stage, "arm", "anna");
    uint64_t id = stage_create(anna, "hand", 0, (gz_vec3){0, 0, 0});
    struct gz_error error = {0};
    stage_ask(anna, message_camera((gz_vec3){0, 0, 10}, (gz_vec3){0, 0, 0}));
    struct gz_message grab = message_grab(&id, GZ_RZ, 1060, 540);
    stage_check(gz_client_send(anna, &grab, NULL, &error), &error, "grab");
    struct gz_message move = message_pointer(GZ_PHASE_MOVE, 960, 440);
    stage_check(gz_client_send(anna, &move, NULL, &error), &error, "move");
    const struct gz_gizmo_message *gizmo;
    do {
        gizmo =
            &await(anna, GZ_OP_GIZMO,
                   GZ_HAS_GIZMO_VALUE | GZ_HAS_GIZMO_ARM | GZ_HAS_GIZMO_AXIS | GZ_HAS_GIZMO_START)
                 ->gizmo;
    } while (gizmo->value.numbers[0] == 0);
    assert_true(fabs(gizmo->value.numbers[0] - M_PI / 2) < 1e-9);
    assert_true(fabs(gizmo->arm.x - 1) < 1e-9 && fabs(gizmo->axis.z - 1) < 1e-9);
    stage_ask(anna, message_pointer(GZ_PHASE_UP, 960, 440));
    stage_ask(anna, (struct gz_message){.op = GZ_OP_UNDO});
    struct gz_message question = {
        .op = GZ_OP_HISTORY, .has = GZ_HAS_HISTORY_CHANGES, .history.changes = false};
    const struct gz_ok *ok = &stage_ask(anna, question)->ok;
    assert_int_equal(ok->edit_count, 3); /* the undo, the drag, the node */
    for (size_t i = 0; i < ok->edit_count; i++) {
        assert_int_equal(ok->edits[i].undone, i == 1);
        assert_int_equal(ok->edits[i].has & GZ_HAS_EDIT_CHANGES, 0);
        assert_int_equal(ok->edits[i].nodes.count, 1);
    }
}

/* ---- undo ---- */

TEST_ON_STAGE(test_undo_takes_back_ones_own_and_says_conflicts)
{
    struct stage *stage = *state;
    struct gz_client *anna = stage_join(stage, "arm", "anna"),
                     *bert = stage_join(stage, "arm", "bert");
    struct gz_set_node node;
    uint64_t id = stage_create(bert, "hand", 0, (gz_vec3){0, 0, 0}),
             other = stage_create(bert, "foot", 0, (gz_vec3){0, 0, 0});
    stage_refused(anna, (struct gz_message){.op = GZ_OP_UNDO}, GZ_BAD_STATE);
    stage_ask(anna, set_t(&node, id, (gz_vec3){1, 0, 0}));
    stage_ask(bert, set_t(&node, other, (gz_vec3){5, 0, 0}));

    stage_ask(anna, (struct gz_message){.op = GZ_OP_UNDO});
    stage_ask(anna, (struct gz_message){.op = GZ_OP_PING});
    assert_true(node_in(anna, id)->trs.t.x == 0);
    assert_true(node_in(anna, other)->trs.t.x == 5);
    stage_ask(anna, (struct gz_message){.op = GZ_OP_REDO});
    stage_ask(anna, (struct gz_message){.op = GZ_OP_PING});
    assert_true(node_in(anna, id)->trs.t.x == 1);

    stage_ask(bert, set_t(&node, id, (gz_vec3){2, 0, 0}));
    stage_refused(anna, (struct gz_message){.op = GZ_OP_UNDO}, GZ_CONFLICT);
    stage_ask(anna, (struct gz_message){.op = GZ_OP_UNDO, .force = true});
    stage_ask(anna, (struct gz_message){.op = GZ_OP_PING});
    assert_true(node_in(anna, id)->trs.t.x == 0);
}

/* ---- making and deleting ---- */

TEST_ON_STAGE(test_create_hangs_refs_and_delete_takes_subtrees)
{
    struct stage *stage = *state;
    struct gz_client *anna = stage_join(stage, "arm", "anna"),
                     *bert = stage_join(stage, "arm", "bert");
    const struct gz_create_node nodes[] = {
        {.has = GZ_HAS_CREATE_NODE_REF,
         .ref = gz_client_text("a"),
         .name = gz_client_text("arm"),
         .trs = gz_trs_identity},
        {.has = GZ_HAS_CREATE_NODE_REF | GZ_HAS_CREATE_NODE_PARENT_REF,
         .ref = gz_client_text("b"),
         .parent_ref = gz_client_text("a"),
         .name = gz_client_text("hand"),
         .trs = gz_trs_identity},
        {.has = GZ_HAS_CREATE_NODE_PARENT_REF | GZ_HAS_CREATE_NODE_BOUNDS,
         .parent_ref = gz_client_text("b"),
         .name = gz_client_text("finger"),
         .trs = gz_trs_identity,
         .bounds = {{-1, -1, -1}, {1, 1, 1}}},
    };
    struct gz_message create = {.op = GZ_OP_CREATE, .create = {nodes, 3}};
    const struct gz_message *answer = stage_ask(anna, create);
    assert_int_equal(answer->ok.ids.count, 3);
    uint64_t ids[3];
    memcpy(ids, answer->ok.ids.ids, sizeof ids);
    struct gz_error error = {0};
    stage_check(gz_client_await(bert, answer->ok.seq, STAGE_SECONDS, &error), &error, "create");
    assert_int_equal(node_in(bert, ids[0])->parent, 0);
    assert_int_equal(node_in(bert, ids[1])->parent, ids[0]);
    assert_int_equal(node_in(bert, ids[2])->parent, ids[1]);
    assert_true(node_in(bert, ids[2])->has_bounds);

    uint64_t seq =
        stage_ask(bert, (struct gz_message){.op = GZ_OP_DELETE, .remove = {&ids[1], 1}})->ok.seq;
    stage_check(gz_client_await(anna, seq, STAGE_SECONDS, &error), &error, "delete");
    assert_int_equal(gz_mirror_count(gz_client_mirror(anna)), 1);
    stage_refused(anna, (struct gz_message){.op = GZ_OP_DELETE, .remove = {&ids[2], 1}},
                  GZ_UNKNOWN_NODE);
    seq = stage_ask(bert, (struct gz_message){.op = GZ_OP_UNDO})->ok.seq;
    stage_check(gz_client_await(anna, seq, STAGE_SECONDS, &error), &error, "undo");
    assert_int_equal(node_in(anna, ids[2])->parent, ids[1]);
    assert_same_scene(anna, anna);
}

/* ---- what cannot be ---- */

TEST_ON_STAGE(test_refused_requests_change_nothing_and_others_still_answer)
{
    struct stage *stage = *state;
    struct gz_client *anna = stage_join(stage, "arm", "anna"),
                     *bert = stage_join(stage, "arm", "bert");
    uint64_t id = stage_create(anna, "hand", 0, (gz_vec3){1, 2, 3}), nobody = 999999;
    uint64_t child = stage_create(anna, "finger", id, (gz_vec3){0, 0, 0});
    stage_catch_up(bert, anna);
    uint64_t seq = gz_mirror_seq(gz_client_mirror(bert));
    const struct gz_set_node cycle = {.has = GZ_HAS_SET_NODE_PARENT, .id = id, .parent = child},
                             thin = {.has = GZ_HAS_SET_NODE_S, .id = id, .trs.s = {1, 1e-99, 1}},
                             zero = {.has = GZ_HAS_SET_NODE_R, .id = id},
                             unknown = {.has = GZ_HAS_SET_NODE_T, .id = nobody},
                             twice[2] = {{.has = GZ_HAS_SET_NODE_T, .id = id},
                                         {.has = GZ_HAS_SET_NODE_T, .id = id}},
                             orphan = {.has = GZ_HAS_SET_NODE_PARENT, .id = id, .parent = nobody},
                             half[2] = {{.has = GZ_HAS_SET_NODE_T, .id = id, .trs.t = {9, 9, 9}},
                                        {.has = GZ_HAS_SET_NODE_T, .id = nobody}};
    struct gz_set_node far = {.has = GZ_HAS_SET_NODE_T, .id = id, .trs.t = {1e300, 0, 0}};
    const struct {
        struct gz_message message;
        enum gz_status code;
        const char *words; /* in the message */
    } cases[] = {
        {{.op = GZ_OP_SET, .set = {.nodes = &cycle, .count = 1}}, GZ_BAD_VALUE, "parent"},
        {{.op = GZ_OP_SET, .set = {.nodes = &thin, .count = 1}}, GZ_BAD_VALUE, "s"},
        {{.op = GZ_OP_SET, .set = {.nodes = &zero, .count = 1}}, GZ_BAD_VALUE, "r"},
        {{.op = GZ_OP_SET, .set = {.nodes = &far, .count = 1}}, GZ_BAD_VALUE, "t"},
        {{.op = GZ_OP_SET, .set = {.nodes = twice, .count = 2}}, GZ_BAD_VALUE, "id"},
        {{.op = GZ_OP_SET, .set = {.nodes = &unknown, .count = 1}}, GZ_UNKNOWN_NODE, "999999"},
        {{.op = GZ_OP_SET, .set = {.nodes = &orphan, .count = 1}}, GZ_UNKNOWN_NODE, "999999"},
        {{.op = GZ_OP_SET, .set = {.nodes = half, .count = 2}}, GZ_UNKNOWN_NODE, "999999"},
        {{.op = GZ_OP_DELETE, .remove = {&nobody, 1}}, GZ_UNKNOWN_NODE, "999999"},
        {{.op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ, .restore = {.seq = 1u << 30}},
         GZ_BAD_VALUE,
         "seq"},
        {{.op = GZ_OP_AT, .has = GZ_HAS_AT_SEQ, .at.seq = 1u << 30}, GZ_BAD_VALUE, "seq"},
        {message_pointer(GZ_PHASE_UP, 1, 1), GZ_BAD_STATE, ""},
        {message_grab(&id, GZ_TX, 1, 1), GZ_BAD_STATE, "camera"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct gz_message *answer = stage_refused(anna, cases[i].message, cases[i].code);
        char words[GZ_ERROR_BYTES_MAX];
        snprintf(words, sizeof words, "%.*s", (int)answer->error.message.size,
                 answer->error.message.bytes);
        if (strstr(words, cases[i].words) == NULL)
            fail_msg("case %zu: \"%s\" does not name %s", i, words, cases[i].words);
        stage_ask(bert, (struct gz_message){.op = GZ_OP_PING});
    }
    assert_int_equal(gz_mirror_seq(gz_client_mirror(bert)), seq);
}

TEST_ON_STAGE(test_bytes_that_are_no_message_are_answered_and_the_rest_is_read)
{
    struct stage *stage = *state;
    struct gz_client *anna = stage_join(stage, "arm", "anna"),
                     *bert = stage_join(stage, "arm", "bert");
    static const struct {
        const char *bytes;
        size_t size;
    } cases[] = {
        {"\xc1", 1},                 /* never used */
        {"\x93\x01\x02\x03", 4},     /* a list */
        {"\x81\xa2op\xa4pin", 8},    /* cut off */
        {"\x81\xa2op\x05", 5},       /* op is a number */
        {"\x81\xa2op\xa3xyz", 8},    /* unknown op */
        {"\xdf\xff\xff\xff\xff", 5}, /* four thousand million fields */
        {"\xc6\xff\xff\xff\xff", 5}, /* four gigabytes */
        {"\x82\xa2op\xa6select\xa5nodes\xdd\xff\xff\xff\xff", 22}, /* as many ids */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gz_error error = {0};
        stage_check(gz_client_send_bytes(anna, cases[i].bytes, cases[i].size, &error), &error,
                    "bytes");
        const struct gz_message *message;
        do {
            message = gz_client_next(anna, STAGE_SECONDS);
            if (message == NULL)
                fail_msg("case %zu was not answered: %s", i, gz_client_reason(anna));
        } while (message->op != GZ_OP_ERROR);
        enum gz_status expected = i == 4 ? GZ_UNKNOWN_OP : GZ_BAD_MESSAGE;
        assert_int_equal(message->error.code, expected);
        assert_false(message->error.fatal);
        stage_ask(anna, (struct gz_message){.op = GZ_OP_PING});
        stage_ask(bert, (struct gz_message){.op = GZ_OP_PING});
    }
}

TEST_ON_STAGE(test_viewer_may_not_edit)
{
    struct stage *stage = *state;
    struct gz_client *anna = stage_join(stage, "arm", "anna");
    uint64_t id = stage_create(anna, "hand", 0, (gz_vec3){0, 0, 0});
    struct gz_client_options options = {
        .url = stage->daemon.url, .scene = "arm", .user = "vic", .has_role = true};
    struct gz_error error = {0};
    stage_check(gz_client_create(&stage->clients[stage->count], &options, &error), &error, "join");
    struct gz_client *viewer = stage->clients[stage->count++];
    struct gz_set_node node;
    stage_refused(viewer, set_t(&node, id, (gz_vec3){1, 1, 1}), GZ_FORBIDDEN);
    stage_refused(viewer, (struct gz_message){.op = GZ_OP_DELETE, .remove = {&id, 1}},
                  GZ_FORBIDDEN);
    stage_refused(viewer, (struct gz_message){.op = GZ_OP_UNDO}, GZ_FORBIDDEN);
    stage_refused(viewer, message_grab(&id, GZ_TX, 0, 0), GZ_FORBIDDEN);
    stage_ask(viewer, (struct gz_message){.op = GZ_OP_SELECT, .select = {.nodes = {&id, 1}}});
}

TEST_ON_STAGE(test_unknown_scene_and_bad_names_are_refused_at_the_door)
{
    struct stage *stage = *state;
    static const struct {
        const char *scene, *user;
        enum gz_status code;
    } cases[] = {
        {"nowhere", "anna", GZ_UNKNOWN_SCENE},
        {"../etc", "anna", GZ_BAD_VALUE},
        {"arm", "", GZ_BAD_VALUE},
    };
    stage_join(stage, "arm", "anna");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gz_client_options options = {
            .url = stage->daemon.url, .scene = cases[i].scene, .user = cases[i].user};
        struct gz_client *client;
        struct gz_error error = {0};
        assert_int_equal(gz_client_create(&client, &options, &error), cases[i].code);
        assert_null(client);
    }
}

/* ---- late, and the same ---- */

TEST_ON_STAGE(test_late_joiner_has_the_scene_of_those_who_followed)
{
    struct stage *stage = *state;
    struct gz_client *anna = stage_join(stage, "arm", "anna"),
                     *bert = stage_join(stage, "arm", "bert");
    uint64_t ids[20];
    struct gz_set_node node;
    stage_ask(anna, message_camera((gz_vec3){3, 4, 10}, (gz_vec3){0, 0, 0}));
    for (size_t i = 0; i < 20; i++)
        ids[i] = stage_create(i % 2 ? anna : bert, "part", i >= 4 ? ids[i / 4] : 0,
                              (gz_vec3){1.0 / (double)(i + 3), 0.1, 0});
    for (int round = 0; round < 3; round++) {
        stage_ask(anna, message_grab(&ids[round], GZ_RZ, 1060, 560));
        for (int i = 1; i < 8; i++)
            stage_ask(anna, message_pointer(GZ_PHASE_MOVE, 1060 - 15.5 * i, 560 + 11.25 * i));
        stage_ask(bert, set_t(&node, ids[10 + round], (gz_vec3){0.1 * round, 1e-17, -0.0}));
        stage_ask(anna, message_pointer(GZ_PHASE_UP, 940, 650));
        stage_ask(bert, (struct gz_message){.op = GZ_OP_DELETE, .remove = {&ids[19 - round], 1}});
    }
    stage_catch_up(anna, bert);
    stage_catch_up(bert, anna);
    struct gz_client *late = stage_join(stage, "arm", "carl");
    stage_catch_up(late, anna);
    stage_catch_up(anna, late);
    stage_catch_up(bert, late);
    assert_int_equal(gz_mirror_count(gz_client_mirror(late)), 17);
    assert_same_scene(late, anna);
    assert_same_scene(late, bert);
}

/* A wait that oversleeps to the server's next ping, 5 s away, runs this test into its time
 * limit. */
TEST_ON_STAGE(test_short_waits_on_a_silent_scene_are_short)
{
    struct stage *stage = *state;
    struct gz_client *client = stage_join(stage, "quiet", "anna");
    for (int i = 0; i < 2000; i++) {
        const struct gz_message *message = gz_client_next(client, 0.0005);
        if (message == NULL) assert_true(gz_client_is_open(client));
    }
}
