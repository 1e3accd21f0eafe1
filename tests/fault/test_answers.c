/* What a whole daemon answers while its disk takes its time: a request that finds done what
 * somebody else has just done is answered once that is on the disk, and an import with a seq that
 * is. kill -9 then takes back what nobody was told, and nothing else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "fault_stage.h"
#include "support/raw_ws.h"

#define SCENE "arm"
/* So long an answer is waited for that must not come. */
#define PATIENCE_S 0.2

struct people {
    struct gz_client *first, *second;
    uint64_t link, hand;
};

static struct gz_set_node node;
static uint64_t note;

static struct people gather(struct stage *stage)
{
    struct people people = {.first = stage_join(stage, SCENE, "anna"),
                            .second = stage_join(stage, SCENE, "bert")};
    people.link = stage_create(people.first, "link", 0, (gz_vec3){0, 0, 0});
    people.hand = stage_create(people.first, "hand", 0, (gz_vec3){0, 0, 0});
    struct gz_message said = {
        .op = GZ_OP_NOTE, .has = GZ_HAS_NOTE_TEXT, .note.text = gz_client_text("why?")};
    note = stage_ask(people.first, said)->ok.note;
    stage_catch_up(people.second, people.first);
    return people;
}

static void leave(struct stage *stage)
{
    while (stage->count > 0) gz_client_destroy(stage->clients[--stage->count]);
}

/* ---- what both of them ask for ---- */

static struct gz_message set(const struct people *people)
{
    return message_set_x(&node, people->link, 5);
}

static struct gz_message rename_link(const struct people *people)
{
    node = (struct gz_set_node){
        .id = people->link, .has = GZ_HAS_SET_NODE_NAME, .name = gz_client_text("rod")};
    return (struct gz_message){.op = GZ_OP_SET, .set = {.nodes = &node, .count = 1}};
}

static struct gz_message delete_link(const struct people *people)
{
    return (struct gz_message){.op = GZ_OP_DELETE, .remove = {&people->link, 1}};
}

static struct gz_message finish_note(const struct people *people)
{
    (void)people;
    return (struct gz_message){.op = GZ_OP_NOTE,
                               .has = GZ_HAS_NOTE_NOTE | GZ_HAS_NOTE_DONE,
                               .note = {.note = note, .done = true}};
}

static struct gz_message name_state(const struct people *people)
{
    (void)people;
    return (struct gz_message){.op = GZ_OP_CHECKPOINT, .checkpoint.name = gz_client_text("v1")};
}

/* Each is done by the first, and found done by the second. `sql` is 1 in a file in which it is. */
static const struct kind {
    const char *what;
    struct gz_message (*ask)(const struct people *people);
    const char *sql;
    enum gz_status status; /* of the second answer, once the disk has it */
} kinds[] = {
    {"set", set, "SELECT count(*) FROM nodes WHERE tx = 5", GZ_OK},
    {"a name", rename_link, "SELECT count(*) FROM nodes WHERE name = 'rod'", GZ_OK},
    {"delete", delete_link,
     "SELECT count(*) = 0 FROM nodes WHERE name = 'link' AND deleted_seq IS NULL", GZ_UNKNOWN_NODE},
    {"a note", finish_note, "SELECT count(*) FROM notes WHERE done", GZ_OK},
    {"a checkpoint", name_state, "SELECT count(*) FROM checkpoints WHERE name = 'v1'", GZ_CONFLICT},
};
#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

/* The first asks, and the disk is at it; then the second. Returns the rid of the second. */
static uint64_t ask_both(struct fault_stage *fault, const struct people *people,
                         const struct kind *kind)
{
    struct gz_error error = {0};
    uint64_t rid;
    struct gz_message message = kind->ask(people);
    fault_disk_arm(fault->control, 1u << FAULT_DISK_WRITE, FAULT_EFFECT_HANG, 0);
    stage_check(gz_client_send(people->first, &message, &rid, &error), &error, kind->what);
    assert_true(fault_disk_await(fault->control));
    stage_check(gz_client_send(people->second, &message, &rid, &error), &error, kind->what);
    return rid;
}

/* Whether the client is told something about the request; false while it waits. */
static bool is_told(struct gz_client *client, uint64_t rid, double patience_s)
{
    struct gz_error error;
    const struct gz_message *answer = NULL;
    const enum gz_status status = gz_client_answer(client, rid, patience_s, &answer, &error);
    return status == GZ_OK || answer != NULL;
}

TEST_WITH_FAULTS(test_kill_after_an_answer_takes_nothing_back)
{
    struct fault_stage *fault = *state;
    for (size_t i = 0; i < KIND_COUNT; i++) {
        struct people people = gather(&fault->stage);
        const uint64_t rid = ask_both(fault, &people, &kinds[i]);
        const bool told = is_told(people.second, rid, PATIENCE_S);
        test_daemon_kill(&fault->stage.daemon);
        fault_disk_heal(fault->control);
        const bool is_there = ask_file(scene_file(&fault->stage, SCENE), kinds[i].sql) == 1;
        if (told && !is_there) fail_msg("%s: answered, and gone after kill -9", kinds[i].what);
        assert_false(told); /* the disk had nothing of it */
        leave(&fault->stage);
        test_daemon_forget(&fault->stage.daemon);
        test_daemon_start(&fault->stage.daemon, NULL, NULL);
    }
}

TEST_WITH_FAULTS(test_answer_comes_once_the_disk_is_done)
{
    struct fault_stage *fault = *state;
    for (size_t i = 0; i < KIND_COUNT; i++) {
        struct people people = gather(&fault->stage);
        struct gz_error error = {0};
        const uint64_t rid = ask_both(fault, &people, &kinds[i]);
        assert_false(is_told(people.second, rid, PATIENCE_S));
        fault_disk_heal(fault->control);
        assert_int_equal(gz_client_answer(people.second, rid, STAGE_SECONDS, NULL, &error),
                         kinds[i].status);
        assert_int_equal(ask_file(scene_file(&fault->stage, SCENE), kinds[i].sql), 1);
        leave(&fault->stage);
        test_daemon_end(&fault->stage.daemon);
        test_daemon_forget(&fault->stage.daemon);
        test_daemon_start(&fault->stage.daemon, NULL, NULL);
    }
}

/* The import is at its last step on the disk when somebody makes a node; that one is not stored
 * when the import is answered. */
TEST_WITH_FAULTS(test_seq_that_an_import_is_answered_with_is_on_the_disk)
{
    static const char request[] = "PUT /scenes/" SCENE "?replace HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                                  "Content-Length: 46\r\n\r\n"
                                  "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{},{},{}]}";
    struct fault_stage *fault = *state;
    struct people people = gather(&fault->stage);
    struct gz_create_node late = {.name = gz_client_text("late"), .trs = gz_trs_identity};
    struct gz_message create = {.op = GZ_OP_CREATE, .create = {&late, 1}};
    struct gz_error error = {0};
    struct raw_response response;
    uint64_t rid;
    const int import = raw_connect(fault->stage.daemon.port);
    const uint64_t before = gz_mirror_seq(gz_client_mirror(people.first));
    fault_disk_arm(fault->control, 1u << FAULT_DISK_SYNC, FAULT_EFFECT_HANG, 0);
    assert_true(raw_send_text(import, request));
    assert_true(fault_disk_await(fault->control));
    stage_check(gz_client_await(people.first, before + 1, STAGE_SECONDS, &error), &error, "import");
    const uint64_t imported = gz_mirror_seq(gz_client_mirror(people.first));
    stage_check(gz_client_send(people.first, &create, &rid, &error), &error, "create");
    stage_check(gz_client_await(people.first, imported + 1, STAGE_SECONDS, &error), &error, "late");
    fault_disk_arm(fault->control, 1u << FAULT_DISK_WRITE, FAULT_EFFECT_HANG, 0);
    raw_read_response(import, &response);
    close(import);
    test_daemon_kill(&fault->stage.daemon);
    fault_disk_heal(fault->control);
    const char *seq = strstr(response.body, "\"seq\":");
    assert_int_equal(response.status, 200);
    assert_non_null(seq);
    assert_int_equal(strtoull(seq + 6, NULL, 10), imported);
    assert_int_equal(ask_file(scene_file(&fault->stage, SCENE), "SELECT max(seq) FROM nodes"),
                     imported);
    leave(&fault->stage);
    test_daemon_start(&fault->stage.daemon, NULL, NULL);
}
