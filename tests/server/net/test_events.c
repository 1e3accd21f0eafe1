/* Events over HTTP: what happens in a scene, told to a client that only reads. */
#include "net_fixture.h"
#include "support/json_ws.h"

#include <stdlib.h>
#include <sys/socket.h>

static struct net_fixture fixture;

#define EVENTS "/scenes/told/events"
#define EDITS_AT_ONCE 300

/* A client that is told events, and what it read of them so far. */
struct listener {
    int socket;
    char text[1 << 18];
    size_t size, taken;
};

static void listen_at(struct listener *listener, int port, const char *path, const char *headers)
{
    char head[512];
    struct raw_response response;
    const struct timeval minute = {.tv_sec = 60}; /* then read_more fails */
    listener->socket = raw_connect(port);
    setsockopt(listener->socket, SOL_SOCKET, SO_RCVTIMEO, &minute, sizeof minute);
    listener->size = listener->taken = 0;
    snprintf(head, sizeof head, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n", path, port,
             headers);
    assert_true(raw_send_text(listener->socket, head));
    raw_read_response(listener->socket, &response);
    if (response.status != 200) fail_msg("%d %s", response.status, response.body);
    assert_non_null(strcasestr(response.head, "content-type: text/event-stream\r\n"));
    assert_null(strcasestr(response.head, "content-length"));
}

static bool read_more(struct listener *listener)
{
    if (listener->taken > 0) {
        memmove(listener->text, listener->text + listener->taken, listener->size - listener->taken);
        listener->size -= listener->taken;
        listener->taken = 0;
    }
    const ssize_t count = recv(listener->socket, listener->text + listener->size,
                               sizeof listener->text - 1 - listener->size, 0);
    if (count > 0) listener->size += (size_t)count;
    listener->text[listener->size] = '\0';
    return count > 0;
}

/* Reads on until an event of this kind comes. Its data, a new reference; and its id. */
static json_t *hear(struct listener *listener, const char *kind, char id[64])
{
    char begin[64];
    snprintf(begin, sizeof begin, "event: %s\n", kind);
    for (;;) {
        char *at = listener->text + listener->taken, *end = NULL;
        if (listener->size > listener->taken) end = strstr(at, "\n\n");
        if (end == NULL) {
            if (!read_more(listener)) fail_msg("no %s came", kind);
            continue;
        }
        listener->taken = (size_t)(end + 2 - listener->text);
        *end = '\0';
        assert_null(strstr(at, "event: delta"));
        if (strncmp(at, begin, strlen(begin)) != 0) continue;
        const char *said = strstr(at, "\nid: "), *data = strstr(at, "\ndata: ");
        if (id != NULL)
            snprintf(id, 64, "%.*s", said ? (int)strcspn(said + 5, "\n") : 0, said ? said + 5 : "");
        json_t *json = json_loads(data + 7, JSON_REJECT_DUPLICATES, NULL);
        if (!json_is_object(json)) fail_msg("%s", data);
        return json;
    }
}

static void assert_edit(struct listener *listener, const char *name, char id[64])
{
    json_t *edit = hear(listener, "edit", id);
    assert_string_equal(json_word(edit, "name"), name);
    json_decref(edit);
}

/* ---- what is told ---- */

TEST(test_events_tell_what_happens)
{
    struct listener *listener = malloc(sizeof *listener);
    assert_non_null(listener);
    listen_at(listener, fixture.daemon.port, EVENTS "?user=eve", "");
    json_decref(hear(listener, "crowd", NULL));
    struct json_client editor = json_join(fixture.daemon.port, "told", "anna");
    json_t *presence = hear(listener, "presence", NULL);
    assert_true(json_array_size(json_object_get(presence, "users")) > 0);
    json_decref(presence);
    json_set_name(&editor, 1, "Zo\\u00eb");
    char id[64];
    assert_edit(listener, "Zo\xc3\xab", id);
    assert_true(strchr(id, '-') != NULL);
    json_decref(json_ask(&editor, "[{\"op\":\"note\",\"rid\":2,\"text\":\"two\\nlines\"}]", 2));
    json_t *notes = hear(listener, "notes", NULL);
    assert_string_equal(json_word(json_array_get(json_object_get(notes, "notes"), 0), "text"),
                        "two\nlines");
    json_decref(notes);
    json_decref(json_ask(&editor, "[{\"op\":\"checkpoint\",\"rid\":3,\"name\":\"c\"}]", 3));
    json_decref(hear(listener, "checkpoints", NULL));
    json_decref(json_ask(&editor,
                         "[{\"op\":\"grab\",\"rid\":4,\"handle\":\"tx\",\"nodes\":[1],\"value\":1},"
                         "{\"op\":\"pointer\",\"phase\":\"up\",\"rid\":5}]",
                         5));
    json_t *edit = hear(listener, "edit", NULL);
    assert_string_equal(json_word(edit, "kind"), "translate");
    json_decref(edit);
    json_leave(&editor);
    close(listener->socket);
    free(listener);
    net_fixture_await_empty(fixture.daemon.port, "told");
}

/* Each edit once, also of the time when nobody listened. An id of no edit is as none. */
TEST(test_events_go_on_after_the_last_id)
{
    static const char *const others[] = {"what-ever", "ffffffffffffffff-1",
                                         "1-18446744073709551615"};
    struct listener *listener = malloc(sizeof *listener);
    assert_non_null(listener);
    char id[64], header[128], name[16];
    struct json_client editor = json_join(fixture.daemon.port, "told", "anna");
    listen_at(listener, fixture.daemon.port, EVENTS, "");
    json_decref(hear(listener, "crowd", NULL));
    json_set_name(&editor, 1, "first");
    assert_edit(listener, "first", id);
    for (int round = 0; round < 5; round++) {
        close(listener->socket);
        for (int i = 0; i < 3; i++) {
            snprintf(name, sizeof name, "n%d-%d", round, i);
            json_set_name(&editor, 1, name);
        }
        snprintf(header, sizeof header, "Last-Event-ID: %s\r\n", id);
        listen_at(listener, fixture.daemon.port, EVENTS, header);
        for (int i = 0; i < 3; i++) {
            snprintf(name, sizeof name, "n%d-%d", round, i);
            assert_edit(listener, name, id);
        }
    }
    close(listener->socket);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        snprintf(header, sizeof header, "Last-Event-ID: %s\r\n", others[i]);
        listen_at(listener, fixture.daemon.port, EVENTS, header);
        json_set_name(&editor, 1, others[i]);
        assert_edit(listener, others[i], id);
        close(listener->socket);
    }
    json_leave(&editor);
    free(listener);
}

TEST(test_events_end_with_their_scene)
{
    struct listener *listener = malloc(sizeof *listener);
    struct raw_response response;
    assert_non_null(listener);
    struct json_client editor = json_join(fixture.daemon.port, "gone", "anna");
    listen_at(listener, fixture.daemon.port, "/scenes/gone/events", "");
    json_decref(hear(listener, "crowd", NULL));
    raw_request(fixture.daemon.port, "DELETE", "/scenes/gone", "", "", 0, &response);
    assert_int_equal(response.status, 204);
    json_t *bye = hear(listener, "bye", NULL);
    assert_true(json_is_true(json_object_get(bye, "fatal")));
    json_decref(bye);
    assert_true(raw_is_closed_within(listener->socket, 60));
    close(listener->socket);
    json_leave(&editor);
    free(listener);
}

/* ---- those that are slow, gone or wrong ---- */

/* One that does not read keeps nobody waiting, and is told the rest when it does. */
TEST(test_events_of_one_that_does_not_read)
{
    struct listener *listener = malloc(sizeof *listener);
    assert_non_null(listener);
    struct json_client editor = json_join(fixture.daemon.port, "told", "anna");
    listen_at(listener, fixture.daemon.port, EVENTS, "");
    json_decref(hear(listener, "crowd", NULL));
    const int small = 32768;
    setsockopt(listener->socket, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    char name[256];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    for (int i = 0; i < 400; i++) {
        name[0] = (char)('a' + i % 26);
        json_set_name(&editor, 1, name);
    }
    json_set_name(&editor, 1, "the last");
    net_fixture_assert_unharmed(&fixture);
    for (bool found = false; !found;) {
        json_t *edit = hear(listener, "edit", NULL);
        found = strcmp(json_word(edit, "name"), "the last") == 0;
        json_decref(edit);
    }
    close(listener->socket);
    json_leave(&editor);
    free(listener);
}

/* Makes edits with long names over HTTP, whose clients do not stay. */
static void make_edits(int port, const char *path)
{
    char *body = malloc(EDITS_AT_ONCE * 320), *at = body, length[64];
    struct raw_response response;
    assert_non_null(body);
    for (int i = 0; i < EDITS_AT_ONCE; i++)
        at += sprintf(at, "%c{\"op\":\"set\",\"nodes\":[{\"id\":1,\"name\":\"%0250d\"}]}",
                      i == 0 ? '[' : ',', i);
    at = stpcpy(at, "]");
    snprintf(length, sizeof length, "Content-Length: %zu\r\n", (size_t)(at - body));
    raw_request(port, "POST", path, length, body, (size_t)(at - body), &response);
    assert_int_equal(response.status, 200);
    free(body);
}

/* One that takes nothing is closed. One without news is sent a comment now and then. */
TEST(test_events_of_one_that_takes_nothing_and_of_one_without_news)
{
    struct net_fixture impatient;
    struct listener *deaf = malloc(sizeof *deaf), *quiet = malloc(sizeof *quiet);
    const int small = 4096;
    assert_non_null(deaf);
    assert_non_null(quiet);
    net_fixture_start(&impatient, "--ping-seconds=1", "--silence-seconds=3");
    const int port = impatient.daemon.port;
    json_create_nodes(port, "deaf", 1);
    json_create_nodes(port, "quiet", 1);
    listen_at(deaf, port, "/scenes/deaf/events", "");
    setsockopt(deaf->socket, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    listen_at(quiet, port, "/scenes/quiet/events", "");
    for (int i = 0; i < 20; i++) make_edits(port, "/scenes/deaf/edits");
    net_fixture_await_empty(port, "deaf");
    for (bool found = false; !found; found = strstr(quiet->text, "\n:\n\n") != NULL)
        if (!read_more(quiet)) fail_msg("no comment came");
    close(deaf->socket);
    close(quiet->socket);
    free(deaf);
    free(quiet);
    net_fixture_renew_witness(&impatient);
    net_fixture_stop(&impatient);
    net_fixture_renew_witness(&fixture);
}

TEST(test_events_of_clients_that_hang_up)
{
    for (int i = 0; i < 100; i++) {
        int socket = raw_connect(fixture.daemon.port);
        assert_true(raw_send_text(socket, "GET " EVENTS " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"));
        if (i % 3 == 1) raw_send_text(socket, "GET / HTTP/1.1\r\n\r\n");
        if (i % 3 == 2) (void)raw_is_closed_within(socket, 0.01);
        close(socket);
    }
    net_fixture_await_empty(fixture.daemon.port, "told");
    net_fixture_assert_unharmed(&fixture);
}

TEST(test_events_that_cannot_be)
{
    static const struct {
        const char *method, *path;
        int status;
        const char *said;
    } rows[] = {
        {"GET", "/scenes/nowhere/events", 404, "\"unknown_scene\""},
        {"GET", "/scenes/No/events", 400, "\"bad_value\""},
        {"GET", EVENTS "?user=%ff", 400, "\"user: "},
        {"HEAD", EVENTS, 405, ""},
        {"POST", EVENTS, 405, "only GET is allowed"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct raw_response response;
        raw_request(fixture.daemon.port, rows[i].method, rows[i].path, "", "", 0, &response);
        if (response.status != rows[i].status || strstr(response.body, rows[i].said) == NULL)
            fail_msg("%s: %d %s", rows[i].path, response.status, response.body);
    }
    net_fixture_assert_unharmed(&fixture);
}

static int start(void **state)
{
    net_fixture_start(&fixture, NULL, NULL);
    *state = &fixture;
    json_create_nodes(fixture.daemon.port, "told", 1);
    return 0;
}

int main(void)
{
    return test_run(start, net_fixture_end);
}
