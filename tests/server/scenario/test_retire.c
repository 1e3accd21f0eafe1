/* A scene gives up its name while people are in it: renamed, deleted, its file taken away, and the
 * daemon killed in the middle. Every edit that was answered ok is there under one name, or the
 * scene is gone; the only allowed outcomes. */
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#include "proto/limits.h"
#include "stage.h"
#include "support/raw_ws.h"

/* More with GZ_ROUNDS=1000. */
#define ROUNDS 20
/* Microseconds within which a round is killed: a rename takes some 10 ms. */
#define KILL_US 20000
#define EDITS 50

/* ---- what all of these need ---- */

static int ask_http(const struct stage *stage, const char *method, const char *path,
                    const char *body, struct raw_response *response)
{
    char length[64] = "";
    if (body[0] != '\0') snprintf(length, sizeof length, "Content-Length: %zu\r\n", strlen(body));
    raw_request(stage->daemon.port, method, path, length, body, strlen(body), response);
    return response->status;
}

static bool has_file(const struct stage *stage, const char *file)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", stage->daemon.data, file);
    return access(path, F_OK) == 0;
}

static void rename_file(const struct stage *stage, const char *from, const char *to)
{
    char old[256], new[256];
    snprintf(old, sizeof old, "%s/%s", stage->daemon.data, from);
    snprintf(new, sizeof new, "%s/%s", stage->daemon.data, to);
    assert_int_equal(rename(old, new), 0);
}

static void assert_no_files(const struct stage *stage, const char *scene)
{
    static const char *const endings[] = {".db", ".db-wal", ".db-shm", ".db-journal", ".db.owner"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        char file[128];
        snprintf(file, sizeof file, "%s%s", scene, endings[i]);
        if (has_file(stage, file)) fail_msg("%s is still there", file);
    }
}

static void assert_refused(struct stage *stage, const char *scene, bool create,
                           enum gz_status expected)
{
    int socket = raw_open(stage->daemon.port);
    bool fatal = false;
    const struct gz_message hello = {.op = GZ_OP_HELLO,
                                     .hello = {.v = 1,
                                               .scene = gz_client_text(scene),
                                               .user = gz_client_text("zoe"),
                                               .create = create}};
    assert_true(raw_send_message(socket, &hello));
    assert_int_equal(raw_read_error(socket, &fatal), expected);
    assert_true(fatal);
    close(socket);
}

static void assert_unknown(struct stage *stage, const char *scene)
{
    assert_refused(stage, scene, false, GZ_UNKNOWN_SCENE);
}

static struct gz_message set_x(struct gz_set_node *node, uint64_t id, double x)
{
    *node = (struct gz_set_node){.has = GZ_HAS_SET_NODE_T, .id = id, .trs.t = {x, 0, 0}};
    return message_set_t(node);
}

/* Reads to the end of the connection, which says why, and what the scene is called now if it has a
 * new name. */
static void assert_bye(struct gz_client *client, const char *reason, const char *new_name)
{
    bool is_fatal = false;
    char scene[GZ_SCENE_NAME_BYTES_MAX + 1] = "";
    for (const struct gz_message *message;
         (message = gz_client_next(client, STAGE_SECONDS)) != NULL;) {
        if (message->op != GZ_OP_BYE) continue;
        is_fatal = message->bye.fatal;
        if (message->has & GZ_HAS_BYE_SCENE)
            snprintf(scene, sizeof scene, "%.*s", (int)message->bye.scene.size,
                     message->bye.scene.bytes);
    }
    assert_string_equal(scene, new_name);
    assert_false(gz_client_is_open(client));
    assert_string_equal(gz_client_reason(client), reason);
    assert_true(is_fatal);
}

static size_t count_in_log(const struct stage *stage, const char *words)
{
    char line[1024];
    size_t count = 0;
    FILE *log = fopen(stage->daemon.log, "r");
    assert_non_null(log);
    while (fgets(line, sizeof line, log) != NULL) count += strstr(line, words) != NULL;
    fclose(log);
    return count;
}

/* ---- renaming ---- */

static void begin_drag(struct gz_client *client, uint64_t id)
{
    stage_ask(client, message_camera((gz_vec3){0, 0, 10}, (gz_vec3){0, 0, 0}));
    stage_ask(client, message_grab(&id, GZ_TX, 960, 540));
    stage_ask(client, message_pointer(GZ_PHASE_MOVE, 990, 540));
}

TEST_ON_STAGE(test_rename_while_two_people_drag)
{
    struct stage *stage = *state;
    struct raw_response response;
    struct gz_client *anna = stage_join(stage, "arm", "anna"),
                     *bert = stage_join(stage, "arm", "bert");
    uint64_t left = stage_create(anna, "left", 0, (gz_vec3){0}),
             right = stage_create(anna, "right", 0, (gz_vec3){0});
    stage_catch_up(bert, anna);
    begin_drag(anna, left);
    begin_drag(bert, right);
    assert_int_equal(
        ask_http(stage, "PATCH", "/scenes/arm?user=carl", "{\"name\": \"hand\"}", &response), 200);
    assert_string_equal(response.body, "{\"scene\":\"hand\"}\n");
    /* The new name can be joined at once, by whom the answer reaches. */
    struct gz_client *after = stage_join(stage, "hand", "dora");
    assert_bye(anna, "this scene was renamed to hand by carl", "hand");
    assert_bye(bert, "this scene was renamed to hand by carl", "hand");
    assert_true(node_in(anna, left)->trs.t.x > 0 && node_in(bert, right)->trs.t.x > 0);
    assert_same_trs(&node_in(after, left)->trs, &node_in(anna, left)->trs, "what anna dragged");
    assert_same_trs(&node_in(after, right)->trs, &node_in(bert, right)->trs, "what bert dragged");
    const struct gz_message *history = stage_ask(
        after,
        (struct gz_message){.op = GZ_OP_HISTORY, .has = GZ_HAS_HISTORY_LIMIT, .history.limit = 2});
    assert_int_equal(history->ok.edit_count, 2);
    for (size_t i = 0; i < 2; i++) assert_int_equal(history->ok.edits[i].handle, GZ_TX);
    begin_drag(after, left); /* nobody holds it */
    assert_no_files(stage, "arm");
    assert_unknown(stage, "arm");
}

/* Edits are on their way when the scene is renamed: each is answered, and those that are ok are
 * there. */
TEST_ON_STAGE(test_edits_in_flight_are_answered)
{
    struct stage *stage = *state;
    struct raw_response response;
    struct gz_client *anna = stage_join(stage, "arm", "anna");
    struct gz_set_node node;
    uint64_t id = stage_create(anna, "link", 0, (gz_vec3){0}), rids[EDITS];
    struct gz_error error = {0};
    for (size_t i = 0; i < EDITS; i++) {
        struct gz_message set = set_x(&node, id, (double)i + 1);
        stage_check(gz_client_send(anna, &set, &rids[i], &error), &error, "set");
    }
    assert_int_equal(ask_http(stage, "PATCH", "/scenes/arm", "{\"name\":\"hand\"}", &response),
                     200);
    size_t answered = 0, done = 0;
    for (const struct gz_message *message;
         (message = gz_client_next(anna, STAGE_SECONDS)) != NULL;) {
        if (message->op != GZ_OP_OK && message->op != GZ_OP_ERROR) continue;
        answered++;
        if (message->op == GZ_OP_OK) assert_int_equal(message->rid, rids[done++]);
        if (message->op == GZ_OP_OK) continue;
        assert_int_equal(message->error.code, GZ_BAD_STATE);
        assert_non_null(
            strstr(message->error.message.bytes, "this scene is being renamed to hand"));
    }
    assert_int_equal(answered, EDITS);
    assert_string_equal(gz_client_reason(anna), "this scene was renamed to hand");
    assert_true(node_in(stage_join(stage, "hand", "bert"), id)->trs.t.x == (double)done);
}

TEST_ON_STAGE(test_rename_table)
{
    static const struct {
        const char *method, *path, *body;
        int status;
        const char *said;
    } rows[] = {
        {"PATCH", "/scenes/arm", "{\"name\":\"leg\"}", 409, "\"code\":\"conflict\""},
        {"PATCH", "/scenes/arm", "{\"name\":\"arm\"}", 409, "\"code\":\"conflict\""},
        {"PATCH", "/scenes/none", "{\"name\":\"new\"}", 404, "\"code\":\"unknown_scene\""},
        {"PATCH", "/scenes/Arm", "{\"name\":\"new\"}", 400, "\"code\":\"bad_value\""},
        {"PATCH", "/scenes/arm", "{\"name\":\"../new\"}", 400, "\"code\":\"bad_value\""},
        {"PATCH", "/scenes/arm", "{\"name\":\"\"}", 400, "\"code\":\"bad_value\""},
        {"PATCH", "/scenes/arm", "{\"name\":7}", 400, "\"code\":\"bad_message\""},
        {"PATCH", "/scenes/arm", "[]", 400, "\"code\":\"bad_message\""},
        {"PATCH", "/scenes/arm", "{\"name\":\"a\",\"name\":\"b\"}", 400,
         "\"code\":\"bad_message\""},
        {"PATCH", "/scenes/arm", "", 411, "\"code\":\"bad_message\""},
        {"PATCH", "/scenes/arm?user=%ff", "{\"name\":\"new\"}", 400, "\"code\":\"bad_value\""},
        {"PATCH", "/scenes", "{\"name\":\"new\"}", 405, "\"code\":\"unknown_op\""},
        {"DELETE", "/scenes/none", "", 404, "\"code\":\"unknown_scene\""},
        {"DELETE", "/scenes/Arm", "", 400, "\"code\":\"bad_value\""},
        {"DELETE", "/scenes/arm", "body", 400, "\"code\":\"bad_message\""},
        {"DELETE", "/scenes/arm/asset", "", 405, "\"code\":\"unknown_op\""},
    };
    struct stage *stage = *state;
    struct gz_client *anna = stage_join(stage, "arm", "anna");
    stage_join(stage, "leg", "anna");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct raw_response response;
        int status = ask_http(stage, rows[i].method, rows[i].path, rows[i].body, &response);
        if (status != rows[i].status || strstr(response.body, rows[i].said) == NULL)
            fail_msg("row %zu: %s %s %s: %d %s", i, rows[i].method, rows[i].path, rows[i].body,
                     status, response.body);
    }
    struct raw_response response;
    raw_request(stage->daemon.port, "DELETE", "/scenes/arm", "Origin: http://evil.example\r\n", "",
                0, &response);
    assert_int_equal(response.status, 403);
    stage_create(anna, "still here", 0, (gz_vec3){0});
}

/* ---- deleting ---- */

TEST_ON_STAGE(test_deleted_scene_is_gone_and_its_name_free)
{
    struct stage *stage = *state;
    struct raw_response response;
    struct gz_client *anna = stage_join(stage, "arm", "anna");
    stage_create(anna, "link", 0, (gz_vec3){0});
    assert_int_equal(ask_http(stage, "DELETE", "/scenes/arm?user=carl", "", &response), 204);
    assert_int_equal(response.body_size, 0);
    assert_no_files(stage, "arm");
    assert_bye(anna, "this scene was deleted by carl", "");
    assert_int_equal(ask_http(stage, "GET", "/scenes", "", &response), 200);
    assert_null(strstr(response.body, "arm"));
    assert_int_equal(gz_mirror_seq(gz_client_mirror(stage_join(stage, "arm", "bert"))), 0);
    assert_int_equal(ask_http(stage, "DELETE", "/scenes/arm", "", &response), 204);
    assert_unknown(stage, "arm");
}

/* ---- its file is taken away ---- */

static void await_health(const struct stage *stage)
{
    struct raw_response response;
    for (int i = 0; i < 6000 && ask_http(stage, "GET", "/readyz", "", &response) != 200; i++)
        usleep(10000);
    assert_int_equal(response.status, 200);
}

TEST_ON_STAGE(test_file_that_vanishes_is_said_once)
{
    struct stage *stage = *state;
    char path[256];
    struct gz_set_node node;
    struct gz_client *anna = stage_join(stage, "arm", "anna"),
                     *bert = stage_join(stage, "arm", "bert");
    uint64_t id = stage_create(anna, "link", 0, (gz_vec3){0});
    snprintf(path, sizeof path, "%s/arm.db", stage->daemon.data);
    assert_int_equal(unlink(path), 0);
    const struct gz_message *refusal = stage_refused(anna, set_x(&node, id, 1), GZ_STORAGE);
    assert_non_null(strstr(refusal->error.message.bytes, "the scene's file was moved or deleted"));
    assert_bye(anna, "this scene was closed, as its file was moved or deleted", "");
    assert_bye(bert, "this scene was closed, as its file was moved or deleted", "");
    await_health(stage);
    assert_no_files(stage, "arm");
    assert_int_equal(count_in_log(stage, "error "), 1);
    assert_int_equal(count_in_log(stage, "arm: closed, as its file was moved or deleted"), 1);
    assert_unknown(stage, "arm");
}

TEST_ON_STAGE(test_who_comes_to_a_file_that_vanished_is_told)
{
    struct stage *stage = *state;
    char path[256];
    stage_join(stage, "arm", "anna");
    snprintf(path, sizeof path, "%s/arm.db", stage->daemon.data);
    assert_int_equal(unlink(path), 0);
    assert_unknown(stage, "arm");
}

/* It takes along what was acknowledged. */
TEST_ON_STAGE(test_file_that_is_moved_away_is_whole)
{
    struct stage *stage = *state;
    char from[256], to[256];
    struct gz_set_node node;
    struct gz_client *anna = stage_join(stage, "arm", "anna");
    uint64_t id = stage_create(anna, "link", 0, (gz_vec3){0});
    for (int i = 1; i <= EDITS; i++) stage_ask(anna, set_x(&node, id, i));
    snprintf(from, sizeof from, "%s/arm.db", stage->daemon.data);
    snprintf(to, sizeof to, "%s/leg.db", stage->daemon.data);
    assert_int_equal(rename(from, to), 0);
    stage_refused(anna, set_x(&node, id, EDITS + 1), GZ_STORAGE);
    assert_bye(anna, "this scene was closed, as its file was moved or deleted", "");
    await_health(stage);
    assert_true(node_in(stage_join(stage, "leg", "bert"), id)->trs.t.x == EDITS);
}

/* Somebody reads an old state, so that not all of the log can be folded into the file: the rest
 * stays where it is. */
TEST_ON_STAGE(test_file_that_is_moved_beside_a_reader_leaves_its_log)
{
    struct stage *stage = *state;
    char path[256];
    sqlite3 *reader;
    struct gz_set_node node;
    struct gz_client *anna = stage_join(stage, "arm", "anna");
    uint64_t id = stage_create(anna, "link", 0, (gz_vec3){0});
    snprintf(path, sizeof path, "%s/arm.db", stage->daemon.data);
    assert_int_equal(sqlite3_open(path, &reader), SQLITE_OK);
    assert_int_equal(sqlite3_exec(reader, "BEGIN; SELECT * FROM scene", NULL, NULL, NULL),
                     SQLITE_OK);
    for (int i = 1; i <= EDITS; i++) stage_ask(anna, set_x(&node, id, i));
    rename_file(stage, "arm.db", "leg.db");
    stage_refused(anna, set_x(&node, id, EDITS + 1), GZ_STORAGE);
    assert_bye(anna, "this scene was closed, as its file was moved or deleted", "");
    await_health(stage);
    assert_int_equal(
        count_in_log(stage, "arm.db-wal is the log of a file that was moved or deleted"), 1);
    assert_refused(stage, "arm", true, GZ_STORAGE);
    sqlite3_close(reader);
    rename_file(stage, "arm.db-wal", "leg.db-wal");
    assert_true(node_in(stage_join(stage, "leg", "bert"), id)->trs.t.x == EDITS);
}

/* ---- the daemon is killed in the middle ---- */

static int rounds(void)
{
    const char *wanted = getenv("GZ_ROUNDS");
    return wanted != NULL ? atoi(wanted) : ROUNDS;
}

/* Sends the request and kills the daemon before, while or after it is done. */
static void kill_during(struct stage *stage, const char *request)
{
    int socket = raw_connect(stage->daemon.port);
    assert_true(raw_send_text(socket, request));
    usleep((useconds_t)(rand() % KILL_US));
    test_daemon_kill(&stage->daemon);
    close(socket);
    test_daemon_start(&stage->daemon, NULL, NULL);
}

static void forget_clients(struct stage *stage)
{
    while (stage->count > 0) gz_client_destroy(stage->clients[--stage->count]);
}

TEST_ON_STAGE(test_kill_during_a_rename_leaves_one_name)
{
    struct stage *stage = *state;
    struct gz_set_node node;
    const char *names[] = {"arm", "hand"};
    int at = 0;
    uint64_t id = stage_create(stage_join(stage, "arm", "anna"), "link", 0, (gz_vec3){0});
    for (int round = 1, last = rounds(); round <= last; round++) {
        char request[256];
        forget_clients(stage);
        stage_ask(stage_join(stage, names[at], "anna"), set_x(&node, id, round));
        snprintf(request, sizeof request,
                 "PATCH /scenes/%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                 "%zu\r\n\r\n{\"name\":\"%s\"}",
                 names[at], strlen(names[!at]) + 11, names[!at]);
        kill_during(stage, request);
        bool is_renamed = has_file(stage, at == 0 ? "hand.db" : "arm.db");
        assert_int_equal(has_file(stage, at == 0 ? "arm.db" : "hand.db"), !is_renamed);
        if (is_renamed)
            assert_no_files(stage, names[at]);
        else
            assert_no_files(stage, names[!at]);
        if (is_renamed) at = !at;
        struct gz_client *after = stage_join(stage, names[at], "bert");
        if (node_in(after, id)->trs.t.x != round)
            fail_msg("round %d: x is %g", round, node_in(after, id)->trs.t.x);
    }
}

TEST_ON_STAGE(test_kill_during_a_deletion_leaves_all_or_nothing)
{
    struct stage *stage = *state;
    struct gz_set_node node;
    uint64_t id = 0;
    for (int round = 1, last = rounds(); round <= last; round++) {
        forget_clients(stage);
        struct gz_client *anna = stage_join(stage, "arm", "anna");
        if (gz_mirror_count(gz_client_mirror(anna)) == 0)
            id = stage_create(anna, "link", 0, (gz_vec3){0});
        stage_ask(anna, set_x(&node, id, round));
        kill_during(stage, "DELETE /scenes/arm HTTP/1.1\r\nHost: localhost\r\n\r\n");
        if (!has_file(stage, "arm.db")) assert_no_files(stage, "arm");
        struct gz_client *after = stage_join(stage, "arm", "bert");
        if (gz_mirror_count(gz_client_mirror(after)) > 0)
            assert_true(node_in(after, id)->trs.t.x == round);
        else
            assert_int_equal(gz_mirror_seq(gz_client_mirror(after)), 0);
    }
}

/* A kill leaves a database and its log, and somebody moves the first alone. */
TEST_ON_STAGE(test_start_beside_a_lone_log_keeps_it)
{
    struct stage *stage = *state;
    struct gz_set_node node;
    char path[256];
    struct gz_client *anna = stage_join(stage, "arm", "anna");
    uint64_t id = stage_create(anna, "link", 0, (gz_vec3){0});
    for (int i = 1; i <= EDITS; i++) stage_ask(anna, set_x(&node, id, i));
    test_daemon_kill(&stage->daemon);
    forget_clients(stage);
    rename_file(stage, "arm.db", "leg.db");
    snprintf(path, sizeof path, "%s/arm.db-old", stage->daemon.data);
    fclose(fopen(path, "w"));
    test_daemon_start(&stage->daemon, NULL, NULL);
    assert_int_equal(
        count_in_log(stage, "arm.db-wal is the log of a file that was moved or deleted"), 1);
    assert_int_equal(count_in_log(stage, "deleted arm.db-wal") + count_in_log(stage, "arm.db-old"),
                     0);
    assert_true(has_file(stage, "arm.db-wal") && has_file(stage, "arm.db-old"));
    assert_refused(stage, "arm", true, GZ_STORAGE);
    rename_file(stage, "leg.db", "arm.db");
    assert_true(node_in(stage_join(stage, "arm", "bert"), id)->trs.t.x == EDITS);
}
