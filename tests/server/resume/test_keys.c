/* The same key twice is one edit with one answer, across reconnect and restart. Each request
 * that may have a key is sent, is interrupted before its answer was heard, and is sent again as it
 * was: whether it had arrived is for the server to know. */
#include <stdio.h>

#include "file.h"
#include "server/scenario/stage.h"

#define SCENE "keys"

struct fixture {
    struct stage *stage;
    struct gz_client *anna, *watcher;
    struct scene_file *file;
    uint64_t node, past;
    char key[32];
    struct gz_set_node set_node;
    struct gz_create_node create_node;
};

/* ---- the requests, and what has to be before them ---- */

static struct gz_message set_x(struct fixture *fixture, double x)
{
    fixture->set_node =
        (struct gz_set_node){.has = GZ_HAS_SET_NODE_T, .id = fixture->node, .trs.t = {x, 0, 0}};
    return message_set_t(&fixture->set_node);
}

static struct gz_message make_set(struct fixture *fixture)
{
    return set_x(fixture, 5);
}

static struct gz_message make_create(struct fixture *fixture)
{
    fixture->create_node =
        (struct gz_create_node){.name = gz_client_text(fixture->key), .trs = gz_trs_identity};
    return (struct gz_message){.op = GZ_OP_CREATE, .create = {&fixture->create_node, 1}};
}

static struct gz_message make_delete(struct fixture *fixture)
{
    return (struct gz_message){.op = GZ_OP_DELETE, .remove = {&fixture->node, 1}};
}

static struct gz_message make_undo(struct fixture *fixture)
{
    stage_ask(fixture->anna, set_x(fixture, 7));
    return (struct gz_message){.op = GZ_OP_UNDO};
}

static struct gz_message make_redo(struct fixture *fixture)
{
    stage_ask(fixture->anna, set_x(fixture, 7));
    stage_ask(fixture->anna, (struct gz_message){.op = GZ_OP_UNDO});
    return (struct gz_message){.op = GZ_OP_REDO};
}

static struct gz_message make_restore(struct fixture *fixture)
{
    struct gz_message restore = {.op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ};
    restore.restore.seq = gz_mirror_seq(gz_client_mirror(fixture->anna));
    stage_ask(fixture->anna, set_x(fixture, 9));
    return restore;
}

static void look(struct fixture *fixture)
{
    stage_ask(fixture->anna, message_camera((gz_vec3){0, 0, 10}, (gz_vec3){0, 0, 0}));
}

static struct gz_message make_up(struct fixture *fixture)
{
    look(fixture);
    fixture->past = file_integer(fixture->file, "SELECT max(id) FROM edits");
    stage_ask(fixture->anna, message_grab(&fixture->node, GZ_TX, 960, 540));
    stage_ask(fixture->anna, message_pointer(GZ_PHASE_MOVE, 1000, 540));
    return message_pointer(GZ_PHASE_UP, 1060, 540);
}

static struct gz_message (*const requests[])(struct fixture *) = {
    make_set, make_create, make_delete, make_undo, make_redo, make_restore, make_up,
};

/* ---- the interruptions ---- */

static void lose_nothing(struct fixture *fixture)
{
    (void)fixture;
}

static void lose_connection(struct fixture *fixture)
{
    gz_client_cut(fixture->anna);
}

static void come_back(struct fixture *fixture)
{
    struct gz_error error = {0};
    test_daemon_start(&fixture->stage->daemon, NULL, NULL);
    gz_client_cut(fixture->watcher);
    stage_check(gz_client_reconnect(fixture->watcher, &error), &error, "the watcher comes back");
}

static void end_daemon(struct fixture *fixture)
{
    test_daemon_ask_to_end(&fixture->stage->daemon);
    while (!test_daemon_has_ended(&fixture->stage->daemon)) {
        (void)gz_client_next(fixture->anna, 0.001);
        (void)gz_client_next(fixture->watcher, 0.001);
    }
    test_daemon_end(&fixture->stage->daemon);
    come_back(fixture);
}

static void kill_daemon(struct fixture *fixture)
{
    test_daemon_kill(&fixture->stage->daemon);
    come_back(fixture);
}

static void (*const interruptions[])(struct fixture *) = {lose_nothing, lose_connection, end_daemon,
                                                          kill_daemon};

/* Until the server has said that an edit was made; whoever asked for it has not been listening. */
static void await_edit(struct fixture *fixture)
{
    const struct gz_message *message;
    do {
        message = gz_client_next(fixture->watcher, STAGE_SECONDS);
        if (message == NULL) fail_msg("no edit was told of");
    } while (message->op != GZ_OP_EDIT || message->edit.id <= fixture->past);
}

/* ---- a case ---- */

static void send_and_interrupt(struct fixture *fixture, struct gz_message *message,
                               void (*interrupt)(struct fixture *), bool when_done)
{
    struct gz_error error = {0};
    uint64_t rid;
    stage_check(gz_client_send(fixture->anna, message, &rid, &error), &error, "sending");
    stage_check(gz_client_flush(fixture->anna, STAGE_SECONDS, &error), &error, "sending");
    if (when_done) await_edit(fixture);
    interrupt(fixture);
    if (interrupt == lose_nothing) return;
    gz_client_cut(fixture->anna);
    stage_check(gz_client_reconnect(fixture->anna, &error), &error, "coming back");
    look(fixture);
}

/* All that was done since is one edit, and this is it. Without an answer that names it, it is a
 * drag that ended by itself; one of which nothing was saved yet is none. */
static void assert_is_the_edit(struct fixture *fixture, const struct gz_ok *answer)
{
    char sql[160];
    uint64_t edits[8];
    snprintf(sql, sizeof sql, "SELECT id FROM edits WHERE seq IS NOT NULL AND id > %llu",
             (unsigned long long)fixture->past);
    size_t count = file_integers(fixture->file, sql, edits, 8);
    assert_in_range(count, answer == NULL ? 0 : 1, 1);
    if (answer == NULL) return;
    assert_int_equal(answer->edit, edits[0]);
    snprintf(sql, sizeof sql, "SELECT seq FROM edits WHERE key = '%s' AND user = 'anna'",
             fixture->key);
    assert_int_equal(answer->seq, file_integer(fixture->file, sql));
}

static void try_case(struct fixture *fixture, size_t request, size_t interruption, bool when_done)
{
    snprintf(fixture->key, sizeof fixture->key, "%zu-%zu-%d", request, interruption, when_done);
    fixture->node = stage_create(fixture->anna, fixture->key, 0, (gz_vec3){0, 0, 0});
    struct gz_message message = requests[request](fixture);
    bool is_up = message.op == GZ_OP_POINTER;
    if (!is_up) fixture->past = file_integer(fixture->file, "SELECT max(id) FROM edits");
    message.has |= GZ_HAS_KEY;
    message.key = gz_client_text(fixture->key);
    send_and_interrupt(fixture, &message, interruptions[interruption], when_done);

    struct gz_message answer = *stage_ask(fixture->anna, message);
    bool has_edit = (answer.has & GZ_HAS_OK_EDIT) != 0;
    uint64_t made = answer.ok.ids.count > 0 ? answer.ok.ids.ids[0] : 0;
    /* Where the `up` itself was lost, the drag ended with its connection: that edit has no key. */
    if (!is_up || when_done || interruptions[interruption] == lose_nothing) assert_true(has_edit);
    assert_is_the_edit(fixture, has_edit ? &answer.ok : NULL);
    for (int again = 0; again < 2; again++) {
        const struct gz_message *same = stage_ask(fixture->anna, message);
        assert_int_equal(same->has, answer.has);
        if (!has_edit) continue;
        assert_int_equal(same->ok.edit, answer.ok.edit);
        assert_int_equal(same->ok.seq, answer.ok.seq);
        if (message.op != GZ_OP_CREATE) continue;
        assert_int_equal(same->ok.ids.count, 1);
        assert_int_equal(same->ok.ids.ids[0], made);
    }
    assert_is_the_edit(fixture, has_edit ? &answer.ok : NULL);
}

TEST_ON_STAGE(test_key_is_one_edit_whatever_happens_before_the_answer)
{
    struct fixture fixture = {.stage = *state};
    char path[160];
    fixture.anna = stage_join(fixture.stage, SCENE, "anna");
    fixture.watcher = stage_join(fixture.stage, SCENE, "wes");
    snprintf(path, sizeof path, "%s/%s.db", fixture.stage->daemon.data, SCENE);
    fixture.file = file_open(path);
    for (size_t request = 0; request < sizeof requests / sizeof requests[0]; request++)
        for (size_t i = 0; i < sizeof interruptions / sizeof interruptions[0]; i++) {
            try_case(&fixture, request, i, false);
            try_case(&fixture, request, i, true);
        }
    file_close(fixture.file);
}

/* Whoever comes back and begins another drag before sending the old `up` again keeps the drag that
 * runs. */
TEST_ON_STAGE(test_key_of_an_earlier_drag_does_not_end_the_one_that_runs)
{
    struct stage *stage = *state;
    struct gz_client *anna = stage_join(stage, SCENE, "anna");
    uint64_t node = stage_create(anna, "hand", 0, (gz_vec3){0, 0, 0});
    struct gz_message up = message_pointer(GZ_PHASE_UP, 1060, 540);
    up.has |= GZ_HAS_KEY;
    up.key = gz_client_text("first");
    stage_ask(anna, message_camera((gz_vec3){0, 0, 10}, (gz_vec3){0, 0, 0}));
    stage_ask(anna, message_grab(&node, GZ_TX, 960, 540));
    uint64_t first = stage_ask(anna, up)->ok.edit;
    gz_client_cut(anna);
    struct gz_error error = {0};
    stage_check(gz_client_reconnect(anna, &error), &error, "coming back");
    stage_ask(anna, message_camera((gz_vec3){0, 0, 10}, (gz_vec3){0, 0, 0}));
    stage_ask(anna, message_grab(&node, GZ_TX, 960, 540));
    stage_refused(anna, up, GZ_CONFLICT);
    stage_ask(anna, message_pointer(GZ_PHASE_MOVE, 1100, 540));
    up.key = gz_client_text("second");
    uint64_t second = stage_ask(anna, up)->ok.edit;
    assert_true(second > first);
    up.key = gz_client_text("first");
    assert_int_equal(stage_ask(anna, up)->ok.edit, first); /* nothing runs now */
}
