/* Edits over HTTP: a list of messages in a body, each answered once it is on the disk. */
#include "net_fixture.h"
#include "proto/limits.h"
#include "support/json_ws.h"

#include <stdlib.h>

static struct net_fixture fixture;

#define EDITS "/scenes/edited/edits"

static int post_to(const char *path, const char *body, struct raw_response *response)
{
    char headers[64];
    snprintf(headers, sizeof headers, "Content-Length: %zu\r\n", strlen(body));
    raw_request(fixture.daemon.port, "POST", path, headers, body, strlen(body), response);
    return response->status;
}

/* The answers of all edits. A new reference. */
static json_t *post(const char *body, int wanted)
{
    struct raw_response response;
    json_error_t error;
    const int status = post_to(EDITS, body, &response);
    if (status != wanted) fail_msg("%d: %s", status, response.body);
    json_t *answers = json_loads(response.body, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_array(answers)) fail_msg("%s: %s", error.text, response.body);
    return answers;
}

static json_int_t number(const json_t *answers, size_t which, const char *key)
{
    return json_integer_value(json_object_get(json_array_get(answers, which), key));
}

static const char *word(const json_t *answers, size_t which, const char *key)
{
    return json_word(json_array_get(answers, which), key);
}

static long seq(void)
{
    return net_fixture_measure(fixture.daemon.port, "edited", "seq");
}

/* ---- what is done ---- */

/* Somebody who watches sees them as anybody's. */
TEST(test_edits_are_answered_and_seen)
{
    struct json_client watcher = json_join(fixture.daemon.port, "edited", "anna");
    struct raw_response response;
    assert_int_equal(post_to(EDITS "?user=rob%20o",
                             "[{\"op\":\"create\",\"nodes\":[{\"name\":\"b\"}]}]", &response),
                     200);
    json_t *edit = json_hear(&watcher, "edit", NULL, 0);
    assert_string_equal(json_word(edit, "user"), "rob o");
    assert_string_equal(json_word(edit, "kind"), "create");
    assert_non_null(strstr(response.body, "\"ids\":["));
    assert_null(strstr(response.body, "\"rid\""));
    json_decref(edit);
    json_leave(&watcher);
    net_fixture_await_empty(fixture.daemon.port, "edited");
}

/* In their order, each by itself: one that is refused is answered, and the next is made. */
TEST(test_edits_of_one_body_are_made_in_their_order)
{
    json_t *answers = post("[{\"op\":\"set\",\"nodes\":[{\"id\":1,\"name\":\"x\"}]},"
                           "{\"op\":\"set\",\"nodes\":[{\"id\":9999,\"name\":\"x\"}]},"
                           "{\"op\":\"set\",\"rid\":7,\"nodes\":[{\"id\":1,\"name\":\"y\"}]},"
                           "{\"op\":\"undo\"},{\"op\":\"checkpoint\",\"name\":\"c\"},"
                           "{\"op\":\"checkpoint\",\"name\":\"c\"}]",
                           404);
    assert_int_equal(json_array_size(answers), 6);
    assert_string_equal(word(answers, 5, "code"), "conflict"); /* the first error counts */
    assert_string_equal(word(answers, 1, "code"), "unknown_node");
    assert_int_equal(number(answers, 2, "seq"), number(answers, 0, "seq") + 1);
    assert_int_equal(number(answers, 3, "seq"), number(answers, 2, "seq") + 1);
    assert_int_equal(number(answers, 4, "seq"), number(answers, 3, "seq"));
    json_decref(answers);
    struct raw_response response;
    raw_request(fixture.daemon.port, "GET", "/scenes/edited/nodes?limit=1", "", "", 0, &response);
    assert_non_null(strstr(response.body, "\"name\":\"x\""));
}

/* The same key again is the same edit, and what was answered is there after a crash. */
TEST(test_edits_have_keys_and_survive_a_crash)
{
    static const char body[] =
        "[{\"op\":\"set\",\"nodes\":[{\"id\":1,\"t\":[0.1,-0.0,1e-7]}],\"key\":\"once\"}]";
    json_t *first = post(body, 200), *again = post(body, 200);
    assert_true(json_equal(first, again));
    json_decref(again);
    close(fixture.witness);
    test_daemon_kill(&fixture.daemon);
    test_daemon_start(&fixture.daemon, NULL, NULL);
    fixture.witness = net_fixture_join(&fixture, WITNESS_SCENE, "witness");
    again = post(body, 200);
    assert_true(json_equal(first, again));
    json_decref(first);
    json_decref(again);
    struct raw_response response;
    raw_request(fixture.daemon.port, "GET", "/scenes/edited/nodes?limit=1", "", "", 0, &response);
    assert_non_null(strstr(response.body, "\"t\":[0.1,-0.0,1e-7]"));
}

TEST(test_edits_of_a_node_that_is_held_are_refused)
{
    struct json_client holder = json_join(fixture.daemon.port, "edited", "hal");
    json_t *ok = json_ask(
        &holder, "[{\"op\":\"grab\",\"rid\":1,\"handle\":\"tx\",\"nodes\":[1],\"value\":1}]", 1);
    assert_string_equal(json_word(ok, "op"), "ok");
    json_decref(ok);
    json_t *answers = post("[{\"op\":\"set\",\"nodes\":[{\"id\":1,\"name\":\"z\"}]}]", 409);
    assert_string_equal(word(answers, 0, "code"), "locked");
    assert_true(number(answers, 0, "holder") > 0);
    json_decref(answers);
    json_leave(&holder);
}

/* As many as a request may have; those over the rate are said to be. */
TEST(test_edits_are_bounded_and_charged)
{
    char *body = malloc(200000), *at = body;
    struct raw_response response;
    assert_non_null(body);
    *at++ = '[';
    for (int i = 0; i < 1000; i++)
        at = stpcpy(at, i == 0 ? "{\"op\":\"undo\"}" : ",{\"op\":\"undo\"}");
    strcpy(at, "]");
    for (int i = 0; i < 6; i++) {
        const int status = post_to(EDITS "?user=nobody", body, &response);
        if (status != 409 && status != 429) fail_msg("%d %s", status, response.body);
    }
    strcpy(at, ",{\"op\":\"undo\"}]");
    assert_int_equal(post_to(EDITS, body, &response), 413);
    assert_non_null(strstr(response.body, "at most 1000 edits"));
    free(body);
    net_fixture_assert_unharmed(&fixture);
}

/* ---- what is not done ---- */

/* Of a body that cannot be read nothing is done. */
TEST(test_edits_that_cannot_be)
{
    static const struct {
        const char *path, *body;
        int status;
        const char *said;
    } rows[] = {
        {EDITS, "{\"op\":\"undo\"}", 400, "a frame is a list of messages"},
        {EDITS, "[]", 400, "the frame is empty"},
        {EDITS, "[{\"op\":\"undo\"},{\"op\":\"set\"}]", 400, "\"set.nodes: missing\""},
        {EDITS, "[{\"op\":\"undo\"},{\"op\":\"ping\"}]", 400, "\"op: ping is no edit\""},
        {EDITS, "[{\"op\":\"undo\"},{\"op\":\"hello\",\"v\":1,\"scene\":\"a\",\"user\":\"b\"}]",
         400, "\"op: hello is no edit\""},
        {EDITS, "[{\"op\":\"undo\"},{\"op\":\"dance\"}]", 404, "\"unknown_op\""},
        {EDITS, "[{\"op\":\"undo\"}", 400, "\"message: at byte 14: the frame is not complete\""},
        {EDITS, "[{\"op\":\"undo\"}] x", 400, "\"message: at byte 14: "},
        {EDITS, "[{\"op\":\"set\",\"nodes\":[{\"id\":1,\"name\":\"\xff\"}]}]", 400, "not UTF-8"},
        {EDITS, "\x91\x81\xa2op\xa4undo", 400, "\"bad_message\""},
        {"/scenes/nowhere/edits", "[{\"op\":\"undo\"}]", 404, "\"unknown_scene\""},
        {"/scenes/No/edits", "[{\"op\":\"undo\"}]", 400, "\"bad_value\""},
        {EDITS "?user=%ff", "[{\"op\":\"undo\"}]", 400, "\"user: "},
    };
    const long before = seq();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct raw_response response;
        const int status = post_to(rows[i].path, rows[i].body, &response);
        if (status != rows[i].status || strstr(response.body, rows[i].said) == NULL)
            fail_msg("%s: %d %s", rows[i].body, status, response.body);
    }
    assert_int_equal(seq(), before);
    struct raw_response response;
    raw_request(fixture.daemon.port, "GET", EDITS, "", "", 0, &response);
    assert_int_equal(response.status, 405);
    assert_non_null(strcasestr(response.head, "allow: post\r\n"));
    raw_request(fixture.daemon.port, "POST", EDITS, "", "", 0, &response);
    assert_int_equal(response.status, 411);
    raw_request(fixture.daemon.port, "POST", EDITS, "Content-Length: 1048577\r\n", "", 0,
                &response);
    assert_int_equal(response.status, 413);
    net_fixture_assert_unharmed(&fixture);
}

/* A body that is small enough has an edit that is too large as MessagePack: nothing is done. */
TEST(test_edits_one_of_which_is_too_large)
{
    static const char node[] =
        "{\"name\":\"\",\"t\":[1e9,1e9,1e9],\"r\":[1e9,1e9,1e9,1e9],\"s\":[1e9,1e9,1e9]}";
    char *body = malloc(GZ_MESSAGE_BYTES_MAX), *at = body;
    struct raw_response response;
    const long before = seq();
    assert_non_null(body);
    at = stpcpy(at,
                "[{\"op\":\"create\",\"nodes\":[{\"name\":\"\"}]},{\"op\":\"create\",\"nodes\":[");
    for (const char *first = at; at - body < GZ_MESSAGE_BYTES_MAX - 128;)
        at += sprintf(at, "%s%s", at > first ? "," : "", node);
    strcpy(at, "]}]");
    if (post_to(EDITS, body, &response) != 413) fail_msg("%s", response.body);
    assert_non_null(strstr(response.body, "\"an edit is larger than limits.message_bytes"));
    assert_int_equal(seq(), before);
    free(body);
    net_fixture_assert_unharmed(&fixture);
}

/* Clients that are gone before their answer, at every byte of a request. */
TEST(test_edits_of_clients_that_hang_up)
{
    static const char head[] =
        "POST " EDITS " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 61\r\n\r\n"
        "[{\"op\":\"set\",\"nodes\":[{\"id\":1,\"name\":\"gone\",\"r\":[0,0,0,1]}]}]";
    for (size_t size = 60; size <= sizeof head - 1; size++) {
        int socket = raw_connect(fixture.daemon.port);
        assert_true(raw_send(socket, head, size));
        close(socket);
    }
    struct raw_response response = {.status = 503};
    for (int i = 0; i < 600 && response.status == 503; i++) { /* their places become free */
        if (i > 0) usleep(100000);
        post_to(EDITS, "[{\"op\":\"set\",\"nodes\":[{\"id\":1,\"name\":\"here\"}]}]", &response);
    }
    assert_int_equal(response.status, 200);
    net_fixture_assert_unharmed(&fixture);
    net_fixture_await_empty(fixture.daemon.port, "edited");
}

static int start(void **state)
{
    net_fixture_start(&fixture, NULL, NULL);
    *state = &fixture;
    json_create_nodes(fixture.daemon.port, "edited", 1);
    return 0;
}

int main(void)
{
    return test_run(start, net_fixture_end);
}
