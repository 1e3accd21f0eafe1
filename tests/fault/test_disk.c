/* The disk of a whole daemon fails, each kind of call in turn and at each place, full or
 * broken. Viewing, joining and the preview of drags go on, edits are refused with `storage`,
 * everybody is back at the last durable state, nothing acknowledged is lost, and edits are taken
 * again without a restart once the disk is well. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault_stage.h"
#include "server/maxima.h"
#include "support/raw_ws.h"

#define SCENE "arm"
/* Calls of a commit that go well before the first that fails, at most. */
#define WELL_MAX 4
#define WAIT_S 60.0

struct fault {
    const char *name;
    unsigned calls;
    int effect;
    long well_max;
};

static const struct fault faults[] = {
    {"full disk", 1u << FAULT_DISK_WRITE, ENOSPC, WELL_MAX},
    {"half of a write", 1u << FAULT_DISK_WRITE, FAULT_EFFECT_SHORT, WELL_MAX},
    {"write error", 1u << FAULT_DISK_WRITE, EIO, 2},
    {"sync error", 1u << FAULT_DISK_SYNC, EIO, 1},
    {"disk that became read-only",
     (1u << FAULT_DISK_WRITE) | (1u << FAULT_DISK_TRUNCATE) | (1u << FAULT_DISK_SYNC), EROFS, 1},
    {"disk that is gone", FAULT_DISK_ALL, EIO, 2},
};
#define FAULT_COUNT (sizeof faults / sizeof faults[0])

/* Who is there: an editor, somebody who drags, a viewer of both. */
struct people {
    struct gz_client *editor, *dragger, *viewer;
    uint64_t link, hand; /* the editor's node, the dragger's */
    double acknowledged; /* where the link was put last with an `ok` */
};

static struct people gather(struct stage *stage)
{
    struct people people = {.editor = stage_join(stage, SCENE, "anna"),
                            .dragger = stage_join(stage, SCENE, "bert"),
                            .viewer = stage_join(stage, SCENE, "carl")};
    people.link = stage_create(people.editor, "link", 0, (gz_vec3){0, 0, 0});
    people.hand = stage_create(people.editor, "hand", 0, (gz_vec3){0, 0, 0});
    stage_catch_up(people.dragger, people.editor);
    stage_catch_up(people.viewer, people.editor);
    stage_ask(people.dragger, message_camera((gz_vec3){0, 0, 10}, (gz_vec3){0, 0, 0}));
    return people;
}

static void leave(struct stage *stage)
{
    while (stage->count > 0) gz_client_destroy(stage->clients[--stage->count]);
}

/* ---- what goes on ---- */

static void say(struct gz_client *client, struct gz_message message)
{
    struct gz_error error = {0};
    stage_check(gz_client_send(client, &message, NULL, &error), &error, gz_op_word(message.op));
    stage_check(gz_client_flush(client, STAGE_SECONDS, &error), &error, gz_op_word(message.op));
}

/* Waits until the viewer sees the node somewhere else than at x. */
static void await_moved(struct gz_client *viewer, uint64_t id, double x)
{
    for (double until = now_s() + WAIT_S; node_in(viewer, id)->trs.t.x == x;) {
        if (now_s() > until) fail_msg("the preview of a drag does not come");
        (void)gz_client_next(viewer, 0.01);
    }
}

static void assert_life_goes_on(struct stage *stage, struct people *people)
{
    double before = node_in(people->viewer, people->hand)->trs.t.x;
    stage_ask(people->dragger, message_grab(&people->hand, GZ_TX, 960, 540));
    stage_ask(people->dragger, message_pointer(GZ_PHASE_MOVE, 1060, 540));
    await_moved(people->viewer, people->hand, before);
    struct gz_message pick = {.op = GZ_OP_PICK, .has = GZ_HAS_PICK_AT, .pick.at = {10, 10}};
    stage_ask(people->dragger, pick);
    struct gz_client *late = stage_join(stage, SCENE, "dora");
    assert_int_equal(gz_mirror_count(gz_client_mirror(late)),
                     gz_mirror_count(gz_client_mirror(people->viewer)));
    gz_client_destroy(late);
    stage->count--;
}

/* ---- what is refused ---- */

static void assert_storage(const struct gz_message *answer)
{
    assert_int_equal(answer->error.code, GZ_STORAGE);
    char words[GZ_ERROR_BYTES_MAX + 1];
    snprintf(words, sizeof words, "%.*s", (int)answer->error.message.size,
             answer->error.message.bytes);
    if (strstr(words, "could not be stored") == NULL) fail_msg("not in clear words: %s", words);
}

/* Edits until one is refused: the first ones may yet go well. A note and the end of the drag are
 * then refused too. */
static void assert_edits_are_refused(struct people *people)
{
    struct gz_set_node node;
    struct gz_error error;
    const struct gz_message *answer;
    enum gz_status status = GZ_OK;
    for (int i = 0; status == GZ_OK && i < 2 * WELL_MAX; i++) {
        struct gz_message set = message_set_x(&node, people->link, people->acknowledged + 1);
        status = gz_client_request(people->editor, &set, STAGE_SECONDS, &answer, &error);
        if (status == GZ_OK) people->acknowledged++;
    }
    assert_int_equal(status, GZ_STORAGE);
    assert_storage(answer);
    struct gz_message note = {
        .op = GZ_OP_NOTE, .has = GZ_HAS_NOTE_TEXT, .note.text = gz_client_text("why?")};
    assert_storage(stage_refused(people->editor, note, GZ_STORAGE));
    assert_storage(
        stage_refused(people->dragger, message_pointer(GZ_PHASE_UP, 1100, 540), GZ_STORAGE));
}

/* The disk may yet be asked by a commit that began before it was well: one try more. */
static void assert_edits_are_taken(struct people *people)
{
    struct gz_set_node node;
    struct gz_error error;
    const struct gz_message *answer;
    struct gz_message set = message_set_x(&node, people->link, people->acknowledged + 1);
    enum gz_status status = gz_client_request(people->editor, &set, STAGE_SECONDS, &answer, &error);
    if (status == GZ_STORAGE)
        status = gz_client_request(people->editor, &set, STAGE_SECONDS, &answer, &error);
    stage_check(status, &error, "an edit on a disk that is well again");
    people->acknowledged++;
}

static void assert_all_is_in_the_file(const struct stage *stage, struct people *people)
{
    const char *path = scene_file(stage, SCENE);
    await_in_file(people->editor, path);
    await_in_file(people->dragger, path);
    await_in_file(people->viewer, path);
    assert_true(node_in(people->viewer, people->link)->trs.t.x == people->acknowledged);
    assert_file_is_whole(path);
}

static void survive(struct fault_stage *fault, struct people *people, const struct fault *what,
                    long well)
{
    fault_disk_arm(fault->control, what->calls, what->effect, well);
    assert_life_goes_on(&fault->stage, people);
    assert_edits_are_refused(people);
    await_in_file(people->editor, scene_file(&fault->stage, SCENE));
    await_in_file(people->viewer, scene_file(&fault->stage, SCENE));
    assert_true(fault_disk_heal(fault->control));
    assert_edits_are_taken(people);
    assert_all_is_in_the_file(&fault->stage, people);
}

TEST_WITH_FAULTS(test_disk_that_fails_at_each_call_refuses_edits_and_nothing_else)
{
    struct fault_stage *fault = *state;
    struct people people = gather(&fault->stage);
    for (size_t i = 0; i < FAULT_COUNT; i++)
        for (long well = 0; well < faults[i].well_max; well++)
            survive(fault, &people, &faults[i], well);
}

/* Keys too: the same request again after the disk is well is done once, and is answered as the
 * first was. */
TEST_WITH_FAULTS(test_refused_key_is_free_and_an_acknowledged_one_is_kept)
{
    struct fault_stage *fault = *state;
    struct people people = gather(&fault->stage);
    struct gz_set_node node;
    struct gz_message set = message_set_x(&node, people.link, 3);
    set.has |= GZ_HAS_KEY;
    set.key = gz_client_text("once");
    fault_disk_arm(fault->control, 1u << FAULT_DISK_SYNC, EIO, 0);
    stage_refused(people.editor, set, GZ_STORAGE);
    fault_disk_heal(fault->control);
    uint64_t edit = stage_ask(people.editor, set)->ok.edit;
    fault_disk_arm(fault->control, 1u << FAULT_DISK_SYNC, EIO, 0);
    assert_int_equal(stage_ask(people.editor, set)->ok.edit, edit);
    fault_disk_heal(fault->control);
    assert_int_equal(
        ask_file(scene_file(&fault->stage, SCENE), "SELECT count(*) FROM edits WHERE key = 'once'"),
        1);
}

static void assert_is_unwell(const struct fault_stage *fault)
{
    struct raw_response response;
    raw_request(fault->stage.daemon.port, "GET", "/readyz", "", "", 0, &response);
    assert_int_equal(response.status, 503);
    assert_non_null(strstr(response.body, "\"code\":\"storage\""));
    raw_request(fault->stage.daemon.port, "GET", "/healthz", "", "", 0, &response);
    assert_int_equal(response.status, 200); /* it is alive, and must not be ended */
    assert_non_null(strstr(response.body, "ok, but "));
}

/* kill -9 while the disk fails, at each call: only what was acknowledged is there. */
TEST_WITH_FAULTS(test_kill_while_the_disk_fails_loses_nothing)
{
    struct fault_stage *fault = *state;
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        struct people people = gather(&fault->stage);
        struct gz_set_node node;
        stage_ask(people.editor, message_set_x(&node, people.link, people.acknowledged = 1));
        fault_disk_arm(fault->control, faults[i].calls, faults[i].effect, (long)i % 3);
        assert_life_goes_on(&fault->stage, &people);
        assert_edits_are_refused(&people);
        assert_is_unwell(fault);
        test_daemon_kill(&fault->stage.daemon);
        fault_disk_heal(fault->control);
        assert_file_is_whole(scene_file(&fault->stage, SCENE));
        test_daemon_start(&fault->stage.daemon, NULL, NULL);
        leave(&fault->stage);
        struct gz_client *after = stage_join(&fault->stage, SCENE, "erik");
        double x = node_in(after, people.link)->trs.t.x;
        if (x != people.acknowledged)
            fail_msg("%s: x is %g, not %g", faults[i].name, x, people.acknowledged);
        assert_true(is_in_file(after, scene_file(&fault->stage, SCENE)));
        leave(&fault->stage);
    }
}

/* Nothing of what asks the disk from beside the edits may do harm: they go on. */
TEST_WITH_FAULTS(test_question_to_a_disk_that_cannot_be_read_is_refused_in_words)
{
    struct fault_stage *fault = *state;
    struct people people = gather(&fault->stage);
    struct gz_message history = {.op = GZ_OP_HISTORY},
                      at = {.op = GZ_OP_AT, .has = GZ_HAS_AT_SEQ, .at.seq = 1};
    fault_disk_arm(fault->control, 1u << FAULT_DISK_OPEN, EMFILE, 0);
    const struct gz_message *answer = stage_refused(people.viewer, history, GZ_STORAGE);
    assert_true(answer->error.message.size > 0);
    stage_refused(people.viewer, at, GZ_STORAGE);
    struct gz_set_node node;
    stage_ask(people.editor, message_set_x(&node, people.link, 7));
    fault_disk_heal(fault->control);
    stage_ask(people.viewer, history);
}

/* A scene that cannot be made is refused, leaves nothing behind, and can be made later under its
 * name. */
TEST_WITH_FAULTS(test_scene_that_cannot_be_made_leaves_nothing)
{
    static const unsigned calls[] = {FAULT_DISK_WRITE, FAULT_DISK_SYNC, FAULT_DISK_OPEN,
                                     FAULT_DISK_READ};
    struct fault_stage *fault = *state;
    struct people people = gather(&fault->stage);
    for (size_t i = 0; i < 4; i++) {
        struct gz_client_options options = {.url = fault->stage.daemon.url,
                                            .scene = "new",
                                            .user = "fay",
                                            .create = true,
                                            .timeout_s = STAGE_SECONDS};
        int struck = 0;
        for (long well = 0; well < 40; well += 3) {
            struct gz_client *client = NULL;
            struct gz_error error = {0};
            fault_disk_arm(fault->control, 1u << calls[i], EIO, well);
            enum gz_status status = gz_client_create(&client, &options, &error);
            bool has_struck = fault_disk_heal(fault->control);
            gz_client_destroy(client);
            if (status == GZ_OK) break;
            if (status != GZ_STORAGE || !has_struck)
                fail_msg("%s: %s", gz_status_word(status), error.message);
            assert_int_equal(access(scene_file(&fault->stage, "new"), F_OK), -1);
            struck++;
        }
        assert_true(struck > 0);
        struct gz_client *client = stage_join(&fault->stage, "new", "fay");
        stage_create(client, "base", 0, (gz_vec3){0, 0, 0});
        assert_true(is_in_file(client, scene_file(&fault->stage, "new")));
        gz_client_destroy(client);
        fault->stage.count--;
        test_daemon_end(&fault->stage.daemon);
        leave(&fault->stage);
        remove(scene_file(&fault->stage, "new"));
        test_daemon_start(&fault->stage.daemon, NULL, NULL);
    }
    (void)people;
}

/* The end does not wait for a disk that takes no bytes and gives no answer: the disk hangs until
 * the daemon has ended, and the daemon says by its status that it gave up. */
TEST_WITH_FAULTS(test_sigterm_on_a_disk_that_hangs_ends_in_time)
{
    static const unsigned calls[] = {FAULT_DISK_SYNC, FAULT_DISK_WRITE};
    struct fault_stage *fault = *state;
    for (size_t i = 0; i < 2; i++) {
        struct people people = gather(&fault->stage);
        struct gz_set_node node;
        stage_ask(people.editor, message_set_x(&node, people.link, people.acknowledged = 5));
        fault_disk_arm(fault->control, 1u << calls[i], FAULT_EFFECT_HANG, 0);
        say(people.editor, message_set_x(&node, people.link, 6));
        assert_true(fault_disk_await(fault->control));
        /* It answers whoever wants nothing of the disk. */
        stage_ask(people.viewer, (struct gz_message){.op = GZ_OP_PING});
        assert_int_equal(test_daemon_stop(&fault->stage.daemon), 1);
        fault_disk_heal(fault->control);
        assert_file_is_whole(scene_file(&fault->stage, SCENE));
        leave(&fault->stage);
        test_daemon_start(&fault->stage.daemon, NULL, NULL);
        /* What was not acknowledged may be there or not; what was, is. */
        struct gz_client *after = stage_join(&fault->stage, SCENE, "erik");
        double x = node_in(after, people.link)->trs.t.x;
        assert_true(x == 5 || x == 6);
        leave(&fault->stage);
    }
}

/* A disk that answers late is only late. */
TEST_WITH_FAULTS(test_disk_that_hangs_for_a_while_loses_nothing)
{
    struct fault_stage *fault = *state;
    struct people people = gather(&fault->stage);
    struct gz_set_node node;
    fault_disk_arm(fault->control, 1u << FAULT_DISK_SYNC, FAULT_EFFECT_HANG, 0);
    struct gz_message set = message_set_x(&node, people.link, people.acknowledged = 9);
    uint64_t rid;
    struct gz_error error = {0};
    stage_check(gz_client_send(people.editor, &set, &rid, &error), &error, "set");
    assert_true(fault_disk_await(fault->control));
    assert_life_goes_on(&fault->stage, &people);
    fault_disk_heal(fault->control);
    stage_check(gz_client_answer(people.editor, rid, STAGE_SECONDS, NULL, &error), &error, "set");
    stage_ask(people.dragger, message_pointer(GZ_PHASE_UP, 1100, 540));
    assert_all_is_in_the_file(&fault->stage, &people);
}

static void assert_exported(const struct stage *stage, const char *x, const char *not_x)
{
    static struct raw_response response;
    raw_request(stage->daemon.port, "GET", "/scenes/" SCENE "/export.gltf", "", NULL, 0, &response);
    assert_int_equal(response.status, 200);
    assert_non_null(strstr(response.body, x));
    assert_null(strstr(response.body, not_x));
}

/* An export has what was answered, and nothing that is only seen so far. */
TEST_WITH_FAULTS(test_export_is_what_was_answered)
{
    struct fault_stage *fault = *state;
    struct people people = gather(&fault->stage);
    struct gz_set_node node;
    struct gz_error error = {0};
    uint64_t rid;
    stage_ask(people.editor, message_set_x(&node, people.link, 5.25));
    assert_exported(&fault->stage, "5.25", "6.25");
    stage_catch_up(people.viewer, people.editor);
    fault_disk_arm(fault->control, 1u << FAULT_DISK_SYNC, FAULT_EFFECT_HANG, 0);
    struct gz_message set = message_set_x(&node, people.link, people.acknowledged = 6.25);
    stage_check(gz_client_send(people.editor, &set, &rid, &error), &error, "set");
    assert_true(fault_disk_await(fault->control));
    await_moved(people.viewer, people.link, 5.25);
    assert_exported(&fault->stage, "5.25", "6.25");
    fault_disk_heal(fault->control);
    stage_check(gz_client_answer(people.editor, rid, STAGE_SECONDS, NULL, &error), &error, "set");
    assert_exported(&fault->stage, "6.25", "5.25");
    assert_all_is_in_the_file(&fault->stage, &people);
}

/* A file that is sent to a disk which is full, at its first and at a later piece: refused in words,
 * nothing is left of it, and the next one is taken. */
TEST_WITH_FAULTS(test_upload_to_a_full_disk_leaves_nothing)
{
    struct fault_stage *fault = *state;
    static const char json[] = "{\"asset\":{\"version\":\"2.0\"}}";
    size_t size = 4 * GZ_BODY_MEMORY_BYTES;
    char *file = malloc(size + 1), length[64];
    int port = fault->stage.daemon.port;
    assert_non_null(file);
    memset(file, ' ', size);
    memcpy(file, json, sizeof json - 1);
    snprintf(length, sizeof length, "Content-Length: %zu\r\n", size);
    for (long well = 0; well < 3; well++) {
        struct raw_response response;
        fault_disk_arm(fault->control, 1u << FAULT_DISK_WRITE, ENOSPC, well);
        raw_request(port, "PUT", "/scenes/full", length, file, size, &response);
        assert_true(fault_disk_heal(fault->control));
        assert_int_equal(response.status, 507);
        assert_non_null(strstr(response.body, "\"code\":\"storage\""));
        assert_non_null(strstr(response.body, strerror(ENOSPC)));
        assert_int_equal(access(scene_file(&fault->stage, "full"), F_OK), -1);
    }
    struct raw_response response;
    raw_request(port, "PUT", "/scenes/full", length, file, size, &response);
    assert_int_equal(response.status, 201);
    free(file);
}

/* Whatever --keep-free says, and at whichever page the disk is full. */
TEST_WITH_FAULTS(test_backup_on_a_full_disk_is_refused_as_such)
{
    struct fault_stage *fault = *state;
    struct people people = gather(&fault->stage);
    struct raw_response response;
    (void)people;
    for (long well = 0; well < 3; well++) {
        fault_disk_arm(fault->control, 1u << FAULT_DISK_WRITE, ENOSPC, well);
        raw_request(fault->stage.daemon.port, "GET", "/scenes/" SCENE "/backup", "", NULL, 0,
                    &response);
        assert_true(fault_disk_heal(fault->control));
        assert_int_equal(response.status, 507);
        assert_non_null(strstr(response.body, "the disk is full"));
    }
    fault_disk_arm(fault->control, 1u << FAULT_DISK_WRITE, EIO, 0);
    raw_request(fault->stage.daemon.port, "GET", "/scenes/" SCENE "/backup", "", NULL, 0,
                &response);
    assert_true(fault_disk_heal(fault->control));
    assert_int_equal(response.status, 500); /* broken is not full */
    raw_request(fault->stage.daemon.port, "GET", "/scenes/" SCENE "/backup", "", NULL, 0,
                &response);
    assert_int_equal(response.status, 200);
}
