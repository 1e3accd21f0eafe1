/* Real members on one PostgreSQL, while all is well: what one of them answered `ok` is in the files
 * of all, each client works at each member, and scenes come, move and go everywhere. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "members.h"
#include "proto/limits.h"
#include "server/scenario/model.h"
#include "support/clock.h"
#include "support/raw_ws.h"

TEST_WITH_CLUSTER(test_an_edit_at_one_member_is_in_the_file_of_the_other)
{
    struct cluster *cluster = *state;
    struct gz_client *anna = stage_join(member_start(cluster, A), "arm", "anna");
    member_start(cluster, B);
    uint64_t id = put_node(anna, "link", 1);
    for (int i = 0; i < EDITS; i++) move_node(anna, id, i, "");
    await_equal(cluster, A, B, "arm");
    stage_ask(anna, (struct gz_message){.op = GZ_OP_UNDO});
    stage_ask(anna, message_camera((gz_vec3){0, 0, 10}, (gz_vec3){0, 0, 0}));
    stage_ask(anna, message_grab(&id, GZ_TX, 960, 540));
    stage_ask(anna, message_pointer(GZ_PHASE_MOVE, 1060, 540));
    stage_ask(anna, message_pointer(GZ_PHASE_UP, 1060, 540));
    await_equal(cluster, A, B, "arm");
}

TEST_WITH_CLUSTER(test_a_client_works_at_each_member)
{
    struct cluster *cluster = *state;
    struct gz_client *anna = stage_join(member_start(cluster, A), "arm", "anna"),
                     *bert = stage_join(member_start(cluster, B), "arm", "bert");
    uint64_t id = put_node(bert, "link", 1);
    stage_catch_up(anna, bert);
    move_node(anna, id, 2, "");
    move_node(bert, id, 3, "");
    stage_catch_up(anna, bert);
    check_x(anna, id, 3);
    assert_same_scene(anna, bert);
    assert_int_equal(test_postgres_ask(cluster->postgres, "SELECT count(*) FROM gizmod.scenes"), 1);
    await_equal(cluster, A, B, "arm");
}

TEST_WITH_CLUSTER(test_scenes_that_were_there_before_are_adopted)
{
    struct cluster *cluster = *state;
    struct gz_client *anna = stage_join(member_start_alone(cluster, A), "old", "anna");
    uint64_t id = put_node(anna, "link", 7);
    member_stop(cluster, A);
    member_start(cluster, A);
    member_start(cluster, B);
    struct gz_client *after = stage_join(&cluster->members[A].stage, "old", "anna");
    check_x(after, id, 7);
    await_equal(cluster, A, B, "old");
}

/* Both had a scene of that name before they met. */
TEST_WITH_CLUSTER(test_another_scene_of_the_name_is_not_written_over)
{
    struct cluster *cluster = *state;
    put_node(stage_join(member_start_alone(cluster, B), "arm", "bert"), "mine", 1);
    member_stop(cluster, B);
    struct gz_client *anna = stage_join(member_start(cluster, A), "arm", "anna");
    put_node(anna, "link", 2);
    member_start(cluster, B);
    await_words(cluster, B, "the cluster has another scene of this name", 1);
    struct gz_client *bert = stage_join(&cluster->members[B].stage, "arm", "bert");
    assert_non_null(node_named(bert, "link")); /* relayed */
    member_stop(cluster, A);
    member_stop(cluster, B);
    struct gz_client *alone = stage_join(member_start_alone(cluster, B), "arm", "bert");
    assert_non_null(node_named(alone, "mine"));
}

TEST_WITH_CLUSTER(test_a_new_member_gets_all_scenes)
{
    struct cluster *cluster = *state;
    struct stage *a = member_start(cluster, A);
    put_node(stage_join(a, "arm", "anna"), "link", 1);
    put_node(stage_join(a, "leg", "anna"), "shank", 2);
    member_start(cluster, C);
    await_equal(cluster, A, C, "arm");
    await_equal(cluster, A, C, "leg");
}

TEST_WITH_CLUSTER(test_scenes_are_deleted_and_renamed_everywhere)
{
    struct cluster *cluster = *state;
    struct stage *a = member_start(cluster, A);
    member_start(cluster, B);
    put_node(stage_join(a, "arm", "anna"), "link", 1);
    put_node(stage_join(a, "leg", "anna"), "shank", 2);
    await_equal(cluster, A, B, "arm");
    await_equal(cluster, A, B, "leg");
    assert_int_equal(ask_http(cluster, A, "DELETE", "/scenes/arm", ""), 204);
    assert_int_equal(ask_http(cluster, B, "PATCH", "/scenes/leg", "{\"name\": \"foot\"}"), 200);
    await_file(cluster, B, "arm", false);
    await_file(cluster, B, "leg", false);
    await_file(cluster, B, "foot", true);
    await_equal(cluster, A, B, "foot");
    /* A scene made anew under the name is another one. */
    put_node(stage_join(a, "arm", "anna"), "other", 3);
    await_equal(cluster, A, B, "arm");
}

/* It reads `bye` of this member with the address of that one. */
static void expect_sent_to(struct gz_client *client, const struct member *from,
                           const struct member *to)
{
    const char *url = to->advertise;
    const struct gz_message *message;
    do message = gz_client_next(client, CLUSTER_SECONDS);
    while (message != NULL && message->op != GZ_OP_BYE);
    assert_non_null(message);
    if (message->bye.url.size != strlen(url) ||
        memcmp(message->bye.url.bytes, url, strlen(url)) != 0)
        test_daemon_fail(&from->stage.daemon, "sent its client to \"%.*s\", not to %s",
                         (int)message->bye.url.size, message->bye.url.bytes, url);
}

TEST_WITH_CLUSTER(test_a_scene_moves_when_it_is_asked_to)
{
    struct gz_error error = {0};
    struct cluster *cluster = *state;
    struct gz_client *anna = stage_join(member_start(cluster, A), "arm", "anna");
    struct stage *b = member_start(cluster, B);
    struct test_output output;
    uint64_t id = put_node(anna, "link", 1);
    await_words(cluster, A, "there is a link to", 1); /* they know each other */
    await_words(cluster, B, "there is a link to", 1);
    test_ctl(&output, NULL, NULL,
             (const char *const[]){"move", cluster->postgres->uri, "arm", "b", NULL});
    if (output.code != 0) fail_msg("%s%s", output.out, output.err);
    test_output_finish(&output);
    await_row(cluster, "SELECT count(*) FROM gizmod.scenes WHERE member = 'b'", 1);
    expect_sent_to(anna, &cluster->members[A], &cluster->members[B]);
    stage_check(gz_client_reconnect(anna, &error), &error, "back");
    struct gz_client *bert = await_join(b, "arm", "bert");
    move_node(bert, id, 2, "");
    await_equal(cluster, B, A, "arm");
    /* The other way it is not asked for: the member ends. */
    test_daemon_ask_to_end(&b->daemon);
    expect_sent_to(bert, &cluster->members[B], &cluster->members[A]);
    assert_int_equal(test_daemon_wait(&b->daemon), 0);
}

/* An edit that comes while the scene moves is not refused: it is answered before, or the client is
 * told to come back, and sends it again. */
TEST_WITH_CLUSTER(test_no_edit_is_refused_while_a_scene_moves)
{
    struct cluster *cluster = *state;
    struct stage *a = member_start(cluster, A), *b = member_start(cluster, B);
    struct gz_client *anna = stage_join(b, "arm", "anna");
    stage_join(a, "arm", "bert");
    uint64_t id = put_node(anna, "link", 1);
    await_equal(cluster, A, B, "arm");
    for (int i = 0; i < 3; i++) {
        const char *to = test_postgres_ask(cluster->postgres, "SELECT count(*) FROM gizmod.scenes "
                                                              "WHERE member = 'a'") == 1
                             ? "b"
                             : "a";
        struct test_child move;
        struct test_output output;
        struct gz_error error = {0};
        test_ctl_start(&move, NULL,
                       (const char *const[]){"move", cluster->postgres->uri, "arm", to, NULL});
        for (int edits = 0; gz_client_is_open(anna); edits++) {
            const struct gz_set_node node = {
                .has = GZ_HAS_SET_NODE_T, .id = id, .trs.t = {edits, i, 0}};
            struct gz_message set = message_set_t(&node);
            const struct gz_message *answer = NULL;
            enum gz_status status = gz_client_request(anna, &set, CLUSTER_SECONDS, &answer, &error);
            if (status != GZ_OK && answer != NULL) fail_msg("refused: %s", error.message);
            if (edits > 100000) fail_msg("the scene does not move");
        }
        test_child_finish(&move, NULL, &output);
        if (output.code != 0) fail_msg("%s%s", output.out, output.err);
        test_output_finish(&output);
        stage_check(gz_client_reconnect(anna, &error), &error, "back");
        await_equal(cluster, A, B, "arm");
    }
}

/* `move` says that it did not come about. */
TEST_WITH_CLUSTER(test_a_scene_does_not_move_to_a_member_that_is_not_level)
{
    struct cluster *cluster = *state;
    struct test_output output;
    put_node(stage_join(member_start(cluster, A), "arm", "anna"), "link", 1);
    member_start(cluster, B);
    await_equal(cluster, A, B, "arm");
    kill(cluster->members[B].stage.daemon.pid, SIGSTOP);
    test_postgres_ask(cluster->postgres,
                      "UPDATE gizmod.members SET lacking = ' arm ' WHERE name = 'b'");
    test_ctl(&output, NULL, NULL,
             (const char *const[]){"move", cluster->postgres->uri, "arm", "b", NULL});
    kill(cluster->members[B].stage.daemon.pid, SIGCONT);
    assert_int_equal(output.code, 7);
    if (strstr(output.err, "the file of member b lacks changes of arm") == NULL)
        fail_msg("%s", output.err);
    test_output_finish(&output);
}

/* What one member deleted is gone at once for the other, whose folder still has the file. */
TEST_WITH_CLUSTER(test_a_deleted_name_is_free_at_each_member)
{
    struct cluster *cluster = *state;
    struct stage *a = member_start(cluster, A), *b = member_start(cluster, B);
    struct test_output output;
    for (int i = 0; i < 4; i++) {
        put_node(stage_join(a, "engine", "anna"), "old", i);
        await_file(cluster, B, "engine", true);
        put_node(stage_join(a, "leg", "anna"), "shank", i);
        assert_int_equal(ask_http(cluster, A, "DELETE", "/scenes/engine", ""), 204);
        if (i % 2 == 0) {
            test_ctl(&output, &b->daemon, NULL,
                     (const char *const[]){"import", MODEL_ENGINE, "engine", NULL});
            if (output.code != 0) fail_msg("%s", output.err);
            test_output_finish(&output);
            assert_int_equal(ask_http(cluster, A, "DELETE", "/scenes/leg", ""), 204);
        } else {
            assert_int_equal(ask_http(cluster, B, "PATCH", "/scenes/leg", "{\"name\": \"engine\"}"),
                             200);
        }
        assert_int_equal(ask_http(cluster, B, "DELETE", "/scenes/engine", ""), 204);
    }
}

/* A member without room gives its scenes to one that has some, though no commit has failed. */
TEST_WITH_CLUSTER(test_a_full_disk_hands_its_scenes_over)
{
    struct cluster *cluster = *state;
    struct stage *b = member_start(cluster, B), *a = &cluster->members[A].stage;
    uint64_t id = put_node(stage_join(b, "arm", "bert"), "link", 1);
    a->daemon.options = cluster->members[A].options;
    test_daemon_start(&a->daemon, "--keep-free", "1000000000");
    await_equal(cluster, B, A, "arm");
    member_stop(cluster, B);
    struct gz_client *anna = stage_join(a, "arm", "anna"); /* only it is there */
    const struct gz_set_node node = {.has = GZ_HAS_SET_NODE_T, .id = id, .trs.t = {2, 0, 0}};
    struct gz_message set = message_set_t(&node);
    struct gz_error error = {0};
    /* While b still counts as there, the scene is handed over, to nobody. */
    for (int i = 0; gz_client_request(anna, &set, STAGE_SECONDS, NULL, &error) != GZ_STORAGE; i++) {
        if (i == 20 || gz_client_is_open(anna)) fail_msg("set: %s", error.message);
        anna = await_join(a, "arm", "anna");
    }
    member_start(cluster, B);
    await_row(cluster, "SELECT count(*) FROM gizmod.scenes WHERE member = 'a'", 0);
    move_node(await_join(a, "arm", "anna"), id, 3, "");
    await_row(cluster, "SELECT count(*) FROM gizmod.scenes WHERE member = 'b'", 1);
}

/* A file that one member takes is the scene at the other, which takes no second one of the name. */
static void expect_metrics(const struct stage *stage)
{
    struct raw_response response;
    raw_request(stage->daemon.port, "GET", "/metrics", "", "", 0, &response);
    assert_int_equal(response.status, 200);
    assert_true(response.body_size < sizeof response.body);
    assert_non_null(strstr(response.body, "\ngizmod_cluster_behind_seconds "));
    assert_non_null(strstr(response.body, "\n# TYPE gizmod_cluster_scene_behind_seconds gauge\n"));
    test_promtool(&stage->daemon, response.body);
}

TEST_WITH_CLUSTER(test_files_go_through_each_member)
{
    struct cluster *cluster = *state;
    struct stage *a = member_start(cluster, A), *b = member_start(cluster, B);
    struct test_output output;
    stage_import_engine(b);
    test_ctl(&output, &a->daemon, NULL,
             (const char *const[]){"import", MODEL_ENGINE, "engine", NULL});
    assert_int_not_equal(output.code, 0);
    assert_non_null(strstr(output.err, "exists already"));
    test_output_finish(&output);
    await_equal(cluster, B, A, "engine");
    assert_int_equal(ask_http(cluster, A, "GET", "/readyz", ""), 200);
    expect_metrics(a);
    assert_int_equal(ask_http(cluster, A, "DELETE", "/scenes/engine", ""), 204);
    await_file(cluster, B, "engine", false);
    assert_int_equal(ask_http(cluster, B, "DELETE", "/scenes/engine", ""), 404);
}

/* ---- a hook ---- */

/* Starts the receiver of the manual, which prints what it is told into the file. */
static pid_t start_receiver(const char *secret, const char *port, const char *file)
{
    const pid_t pid = fork();
    if (pid != 0) return pid;
    char script[512];
    snprintf(script, sizeof script,
             "sed -n '/^```python/,/^```$/p' " GZ_SOURCE_DIR
             "/server/OPERATING.md | sed /^\\`/d >%s.py && "
             "exec python3 %s.py %s %s >%s 2>/dev/null",
             file, file, secret, port, file);
    execl("/bin/sh", "sh", "-c", script, (char *)NULL);
    _exit(1);
}

/* How often the receiver was told of this edit. */
static int count_told(const char *file, uint64_t edit)
{
    char words[64], line[1 << 16];
    int count = 0;
    FILE *told = fopen(file, "r");
    snprintf(words, sizeof words, "'op': 'edit', 'id': %llu,", (unsigned long long)edit);
    while (told != NULL && fgets(line, sizeof line, told) != NULL)
        for (const char *at = line; (at = strstr(at, words)) != NULL; at++) count++;
    if (told != NULL) fclose(told);
    return count;
}

static void await_told(const char *file, const uint64_t *edits, size_t count)
{
    const double end_s = now_s() + CLUSTER_SECONDS;
    for (size_t i = 0; i < count; i++) {
        while (count_told(file, edits[i]) == 0) {
            if (now_s() > end_s) fail_msg("edit %llu was not told", (unsigned long long)edits[i]);
            wait_a_little();
        }
    }
}

TEST_WITH_CLUSTER(test_the_member_that_has_a_scene_tells_the_hook)
{
    struct cluster *cluster = *state;
    static char url[64], secret[160], port[8];
    char file[160];
    uint64_t edits[3 * EDITS];
    if (system("command -v python3 >/dev/null") != 0) skip();
    snprintf(port, sizeof port, "%d", find_port());
    snprintf(url, sizeof url, "http://127.0.0.1:%s/", port);
    snprintf(secret, sizeof secret, "%s.hook", cluster->secret);
    snprintf(file, sizeof file, "%s.told", cluster->secret);
    const int made = open(secret, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(dprintf(made, "whsec_%040d\n", 0) > 0);
    close(made);
    for (size_t which = A; which <= B; which++) {
        const char **options = cluster->members[which].options;
        while (*options != NULL) options++;
        memcpy(options, (const char *[]){"--hook", url, "--hook-secret", secret, NULL},
               5 * sizeof *options);
    }
    const pid_t receiver = start_receiver(secret, port, file);
    struct gz_client *anna = stage_join(member_start(cluster, A), "arm", "anna"),
                     *bert = stage_join(member_start(cluster, B), "arm", "bert");
    const uint64_t id = put_node(bert, "link", 1);
    for (int i = 0; i < 2 * EDITS; i++) {
        edits[i] = move_node(i % 2 == 0 ? anna : bert, id, i, "");
    }
    await_told(file, edits, 2 * EDITS);
    for (int i = 0; i < 2 * EDITS; i++) assert_int_equal(count_told(file, edits[i]), 1);
    await_equal(cluster, A, B, "arm"); /* also how far the hook was told */
    member_kill(cluster, A);
    struct gz_client *after = await_join(&cluster->members[B].stage, "arm", "bert");
    for (int i = 0; i < EDITS; i++) {
        edits[2 * EDITS + i] = move_node(after, id, 100 + i, "");
    }
    await_told(file, edits, 3 * EDITS);
    kill(receiver, SIGKILL);
    (void)waitpid(receiver, NULL, 0);
}

int main(void)
{
    return run_with_postgres();
}
