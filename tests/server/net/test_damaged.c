/* A scene whose file was damaged while no daemon had it open: what is whole can be looked at, edits
 * are refused in words, and nothing is written. */
#include "net_fixture.h"

#include <sqlite3.h>

static const char tiny[] = "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]"
                           "}],\"nodes\":[{\"name\":\"base\"}]}";

static struct test_daemon server;

static int request(const char *method, const char *path, const char *body, size_t size,
                   struct raw_response *response)
{
    char headers[64] = "";
    if (size > 0) snprintf(headers, sizeof headers, "Content-Length: %zu\r\n", size);
    raw_request(server.port, method, path, headers, body, size, response);
    return response->status;
}

static void tell(const char *sql)
{
    char path[256];
    sqlite3 *db;
    snprintf(path, sizeof path, "%s/arm.db", server.data);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) fail_msg("%s", sqlite3_errmsg(db));
    sqlite3_close(db);
}

static void assert_text(struct gz_text text, const char *words)
{
    char terminated[GZ_ERROR_BYTES_MAX + 1];
    snprintf(terminated, sizeof terminated, "%.*s", (int)text.size, text.bytes);
    if (strstr(terminated, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", terminated, words);
}

static void assert_viewer_is_told(void)
{
    static struct raw_frame frame;
    struct gz_arena arena;
    struct gz_message message;
    struct gz_message removal = {.op = GZ_OP_DELETE, .has = GZ_HAS_RID, .rid = 7};
    static const uint64_t node = 1;
    removal.remove = (struct gz_ids){&node, 1};
    gz_arena_init(&arena, 1 << 20);
    int socket = raw_open(server.port);
    assert_true(raw_send_hello(socket, "arm", "anna")); /* who asks to be an editor */
    assert_true(raw_read_message(socket, GZ_OP_WELCOME, &frame, &arena, &message));
    assert_int_equal(message.welcome.role, GZ_ROLE_VIEWER);
    assert_text(message.welcome.read_only, "node 1 (base) has another translation than edit 1");
    assert_true(raw_send_message(socket, &removal));
    assert_true(raw_read_message(socket, GZ_OP_ERROR, &frame, &arena, &message));
    assert_int_equal(message.error.code, GZ_FORBIDDEN);
    assert_text(message.error.message, "delete: this scene is read-only");
    assert_true(raw_answers(socket));
    close(socket);
    gz_arena_finish(&arena);
}

TEST(test_damaged_scene_is_looked_at_and_not_edited)
{
    struct raw_response response;
    assert_int_equal(request("PUT", "/scenes/arm", tiny, sizeof tiny - 1, &response), 201);
    test_daemon_end(&server);
    tell("UPDATE nodes SET tx = 5.0");
    test_daemon_start(&server, NULL, NULL);
    assert_viewer_is_told();
    assert_int_equal(request("PUT", "/scenes/arm?replace", tiny, sizeof tiny - 1, &response), 403);
    assert_non_null(strstr(response.body, "this scene is read-only"));
    static const char *const paths[] = {"/scenes", "/scenes/arm/asset", "/scenes/arm/export",
                                        "/healthz"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        assert_int_equal(request("GET", paths[i], "", 0, &response), 200);
    test_daemon_end(&server);
    tell("UPDATE nodes SET tx = 0.0"); /* which mends it: nothing was written meanwhile */
    test_daemon_start(&server, NULL, NULL);
    assert_int_equal(request("PUT", "/scenes/arm?replace", tiny, sizeof tiny - 1, &response), 200);
    test_daemon_end(&server);
}

static int start(void **state)
{
    (void)state;
    test_daemon_init(&server);
    test_daemon_start(&server, NULL, NULL);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    test_daemon_finish(&server);
    return 0;
}

int main(void)
{
    return test_run(start, stop);
}
