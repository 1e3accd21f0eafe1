/* kill -9 at the worst moment: what was answered ok is there, locks are free, clients go on where
 * they were. */
#include <math.h>

#include "stage.h"

#define NODES 8

static struct gz_message set_x(struct gz_set_node *node, uint64_t id, double x)
{
    *node = (struct gz_set_node){.has = GZ_HAS_SET_NODE_T, .id = id, .trs.t = {x, 0, 0}};
    return message_set_t(node);
}

/* Waits until the server has said that all the client saw is on disk. */
static void await_saved(struct gz_client *client)
{
    while (gz_client_saved(client) < gz_mirror_seq(gz_client_mirror(client)))
        if (gz_client_next(client, STAGE_SECONDS) == NULL)
            fail_msg("not saved: %s", gz_client_reason(client));
}

static void restart(struct stage *stage)
{
    test_daemon_kill(&stage->daemon);
    test_daemon_start(&stage->daemon, NULL, NULL);
}

static void reconnect(struct gz_client *client)
{
    struct gz_error error = {0};
    stage_check(gz_client_reconnect(client, &error), &error, "reconnect");
    stage_check(gz_client_await(client, 0, STAGE_SECONDS, &error), &error, "first delta");
}

TEST_ON_STAGE(test_kill_in_mid_drag_keeps_what_was_answered_and_frees_locks)
{
    struct stage *stage = *state;
    struct gz_client *editor = stage_join(stage, "arm", "anna"),
                     *dragger = stage_join(stage, "arm", "bert");
    struct gz_set_node node;
    uint64_t ids[NODES], edits[NODES];
    for (size_t i = 0; i < NODES; i++) ids[i] = stage_create(editor, "link", 0, (gz_vec3){0, 0, 0});
    uint64_t dragged = stage_create(editor, "hand", 0, (gz_vec3){0, 0, 0});
    stage_catch_up(dragger, editor);
    stage_ask(dragger, message_camera((gz_vec3){0, 0, 10}, (gz_vec3){0, 0, 0}));
    stage_ask(dragger, message_grab(&dragged, GZ_TX, 960, 540));
    for (size_t i = 0; i < NODES; i++) {
        struct gz_message move = message_pointer(GZ_PHASE_MOVE, 970 + 10 * (double)i, 540);
        struct gz_error error = {0};
        stage_check(gz_client_send(dragger, &move, NULL, &error), &error, "move");
        const struct gz_message *answer = stage_ask(editor, set_x(&node, ids[i], 0.1 + (double)i));
        edits[i] = answer->ok.edit;
    }
    stage_ask(dragger, (struct gz_message){.op = GZ_OP_PING});
    await_saved(dragger);
    gz_trs saved = node_in(dragger, dragged)->trs;
    assert_true(saved.t.x > 0);
    restart(stage);

    struct gz_client *after = stage_join(stage, "arm", "carl");
    for (size_t i = 0; i < NODES; i++)
        assert_true(node_in(after, ids[i])->trs.t.x == 0.1 + (double)i);
    assert_same_trs(&node_in(after, dragged)->trs, &saved, "the drag as far as it was saved");
    const struct gz_message *history = stage_ask(
        after, (struct gz_message){
                   .op = GZ_OP_HISTORY, .has = GZ_HAS_HISTORY_LIMIT, .history.limit = 100});
    for (size_t i = 0; i < NODES; i++) {
        size_t found = 0;
        for (size_t k = 0; k < history->ok.edit_count; k++)
            found += history->ok.edits[k].id == edits[i];
        assert_int_equal(found, 1);
    }
    stage_ask(after, message_camera((gz_vec3){0, 0, 10}, (gz_vec3){0, 0, 0}));
    stage_ask(after, message_grab(&dragged, GZ_TX, 960, 540));
}

TEST_ON_STAGE(test_client_that_saw_only_what_was_saved_resumes_across_a_kill)
{
    struct stage *stage = *state;
    struct gz_client *client = stage_join(stage, "arm", "anna");
    struct gz_set_node node;
    uint64_t id = stage_create(client, "link", 0, (gz_vec3){0, 0, 0});
    stage_ask(client, set_x(&node, id, 1.0 / 3));
    await_saved(client);
    uint64_t seq = gz_mirror_seq(gz_client_mirror(client)),
             epoch = gz_client_welcome(client)->epoch;
    restart(stage);

    struct gz_client *other = stage_join(stage, "arm", "bert");
    stage_ask(other, set_x(&node, id, 2.0 / 3));
    reconnect(client);
    assert_true(gz_client_welcome(client)->resumed);
    assert_true(gz_client_welcome(client)->epoch != epoch);
    stage_catch_up(client, other);
    assert_true(gz_mirror_seq(gz_client_mirror(client)) > seq);
    assert_same_scene(client, other);
}

TEST_ON_STAGE(test_client_that_was_cut_off_resumes_within_an_epoch)
{
    struct stage *stage = *state;
    struct gz_client *client = stage_join(stage, "arm", "anna"),
                     *other = stage_join(stage, "arm", "bert");
    struct gz_set_node node;
    uint64_t id = stage_create(other, "link", 0, (gz_vec3){0, 0, 0}),
             gone = stage_create(other, "bolt", id, (gz_vec3){0, 1, 0});
    stage_catch_up(client, other);
    gz_client_cut(client);
    stage_ask(other, set_x(&node, id, 7));
    stage_ask(other, (struct gz_message){.op = GZ_OP_DELETE, .remove = {&gone, 1}});
    uint64_t made = stage_create(other, "nut", id, (gz_vec3){0, 2, 0});
    reconnect(client);
    assert_true(gz_client_welcome(client)->resumed);
    stage_catch_up(client, other);
    assert_null(gz_mirror_find(gz_client_mirror(client), gone));
    assert_string_equal(node_in(client, made)->name, "nut");
    assert_same_scene(client, other);
}

TEST_ON_STAGE(test_resume_from_a_past_that_never_was_starts_over)
{
    struct stage *stage = *state;
    struct gz_client *client = stage_join(stage, "arm", "anna");
    uint64_t old = 0;
    for (int i = 0; i < 5; i++) old = stage_create(client, "link", 0, (gz_vec3){i, 0, 0});
    /* The scene is lost and made anew. */
    test_daemon_kill(&stage->daemon);
    test_daemon_forget(&stage->daemon);
    test_daemon_start(&stage->daemon, NULL, NULL);
    reconnect(client);
    assert_false(gz_client_welcome(client)->resumed);
    assert_null(gz_mirror_find(gz_client_mirror(client), old));
    assert_int_equal(gz_mirror_count(gz_client_mirror(client)), 0);
}

TEST_ON_STAGE(test_key_is_one_edit_across_a_restart)
{
    struct stage *stage = *state;
    struct gz_client *client = stage_join(stage, "arm", "anna");
    struct gz_set_node node;
    uint64_t id = stage_create(client, "link", 0, (gz_vec3){0, 0, 0});
    struct gz_message set = set_x(&node, id, 5);
    set.has |= GZ_HAS_KEY;
    set.key = gz_client_text("step-1");
    struct gz_ok first = stage_ask(client, set)->ok, again = stage_ask(client, set)->ok;
    assert_int_equal(first.edit, again.edit);
    assert_int_equal(first.seq, again.seq);
    stage_ask(client, set_x(&node, id, 6));
    restart(stage);

    reconnect(client);
    set.set.nodes = &(struct gz_set_node){.has = GZ_HAS_SET_NODE_T, .id = id, .trs.t = {5, 0, 0}};
    again = stage_ask(client, set)->ok;
    assert_int_equal(first.edit, again.edit);
    assert_int_equal(first.seq, again.seq);
    assert_true(node_in(client, id)->trs.t.x == 6);
    /* Another user's key of the same name is another key. */
    struct gz_client *other = stage_join(stage, "arm", "bert");
    assert_int_not_equal(stage_ask(other, set)->ok.edit, first.edit);
}

TEST_ON_STAGE(test_sigterm_says_bye_and_loses_nothing)
{
    struct stage *stage = *state;
    struct gz_client *client = stage_join(stage, "arm", "anna");
    struct gz_set_node node;
    uint64_t id = stage_create(client, "link", 0, (gz_vec3){0, 0, 0});
    stage_ask(client, message_camera((gz_vec3){0, 0, 10}, (gz_vec3){0, 0, 0}));
    stage_ask(client, message_grab(&id, GZ_TX, 960, 540));
    struct gz_message move = message_pointer(GZ_PHASE_MOVE, 1060, 540);
    struct gz_error error = {0};
    stage_check(gz_client_send(client, &move, NULL, &error), &error, "move");
    stage_ask(client, (struct gz_message){.op = GZ_OP_PING});
    stage_ask(client, (struct gz_message){.op = GZ_OP_PING});
    gz_trs dragged = node_in(client, id)->trs;
    assert_true(dragged.t.x > 0);
    assert_int_equal(test_daemon_stop(&stage->daemon), 0);

    bool bye = false;
    for (const struct gz_message *message;
         (message = gz_client_next(client, STAGE_SECONDS)) != NULL;)
        bye |= message->op == GZ_OP_BYE;
    assert_true(bye);
    assert_false(gz_client_is_open(client));
    test_daemon_start(&stage->daemon, NULL, NULL);
    struct gz_client *after = stage_join(stage, "arm", "bert");
    assert_same_trs(&node_in(after, id)->trs, &dragged, "a drag that ran at the end");
    stage_ask(after, set_x(&node, id, 1));
}
