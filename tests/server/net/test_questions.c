/* Questions over HTTP, in the words of the wire: the nodes page by page, the history, the past, the
 * path of a node. */
#include "net_fixture.h"
#include "support/json_ws.h"

#include <stdlib.h>
#include <time.h>

static struct net_fixture fixture;

#define SCENE "/scenes/asked"
#define NODES 25

static int get(const char *path, const char *headers, struct raw_response *response)
{
    raw_request(fixture.daemon.port, "GET", path, headers, "", 0, response);
    return response->status;
}

/* The body of an answer that is one. A new reference. */
static json_t *ask(const char *path)
{
    struct raw_response response;
    json_error_t error;
    if (get(path, "", &response) != 200) fail_msg("%s: %s", path, response.body);
    assert_non_null(strcasestr(response.head, "content-type: application/json\r\n"));
    json_t *body = json_loads(response.body, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(body)) fail_msg("%s: %s", path, error.text);
    return body;
}

static json_int_t number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* ---- pages ---- */

/* Each node is in one page, in the order of the ids; a page that is shorter is the last. */
TEST(test_questions_nodes_come_page_by_page)
{
    json_int_t after = 0;
    size_t count = 0, on_page = 10;
    while (on_page == 10) {
        char path[128];
        snprintf(path, sizeof path, SCENE "/nodes?limit=10&after=%d", (int)after);
        json_t *body = ask(path);
        const json_t *nodes = json_object_get(body, "nodes");
        on_page = json_array_size(nodes);
        for (size_t i = 0; i < on_page; i++) {
            const json_t *node = json_array_get(nodes, i);
            assert_true(number(node, "id") > after);
            after = number(node, "id");
            assert_true(json_is_array(json_object_get(node, "t")));
            assert_true(json_is_null(json_object_get(node, "parent")));
        }
        count += on_page;
        json_decref(body);
    }
    assert_int_equal(count, NODES);
    json_t *all = ask(SCENE "/nodes");
    assert_int_equal(json_array_size(json_object_get(all, "nodes")), NODES);
    json_decref(all);
}

static void copy_etag(const struct raw_response *response, char *header, size_t size)
{
    const char *at = strcasestr(response->head, "\r\netag: ");
    assert_non_null(at);
    snprintf(header, size, "If-None-Match: %.*s\r\n", (int)strcspn(at + 8, "\r"), at + 8);
}

/* An edit that was answered is there in the next answer, and changes the tag. */
TEST(test_questions_nodes_have_a_tag_by_their_seq)
{
    struct raw_response response;
    char tag[128], later[128];
    struct json_client client = json_join(fixture.daemon.port, "asked", "anna");
    assert_int_equal(get(SCENE "/nodes", "", &response), 200);
    copy_etag(&response, tag, sizeof tag);
    assert_int_equal(get(SCENE "/nodes", tag, &response), 304);
    assert_int_equal(get(SCENE "/nodes?limit=2", tag, &response), 304);
    for (int i = 1; i < 20; i++) {
        char name[16], quoted[32];
        snprintf(name, sizeof name, "name %d", i);
        snprintf(quoted, sizeof quoted, "\"%s\"", name);
        const json_int_t seq = json_set_name(&client, 3, name);
        assert_int_equal(get(SCENE "/nodes?after=2&limit=1", tag, &response), 200);
        assert_non_null(strstr(response.body, quoted));
        char said[32];
        snprintf(said, sizeof said, "{\"seq\":%d,", (int)seq);
        assert_non_null(strstr(response.body, said));
        copy_etag(&response, later, sizeof later);
        assert_string_not_equal(tag, later);
        memcpy(tag, later, sizeof tag);
    }
    json_leave(&client);
}

/* ---- the past ---- */

TEST(test_questions_about_the_past)
{
    struct json_client client = json_join(fixture.daemon.port, "asked", "ben");
    const json_int_t first = json_set_name(&client, 3, "one"),
                     second = json_set_name(&client, 3, "two");
    char path[128];
    json_t *body = ask(SCENE "/history?user=ben&limit=1&changes=false");
    const json_t *edits = json_object_get(body, "edits");
    assert_int_equal(json_array_size(edits), 1);
    assert_int_equal(number(json_array_get(edits, 0), "seq"), second);
    assert_null(json_object_get(body, "op"));
    assert_null(json_object_get(body, "rid"));
    json_decref(body);
    snprintf(path, sizeof path, SCENE "/at?seq=%d&after=2&limit=1", (int)first);
    body = ask(path);
    assert_string_equal(json_word(json_array_get(json_object_get(body, "nodes"), 0), "name"),
                        "one");
    json_decref(body);
    json_decref(json_ask(&client, "[{\"op\":\"checkpoint\",\"rid\":3,\"name\":\"a b&c\"}]", 3));
    body = ask(SCENE "/at?checkpoint=a+b%26c");
    assert_int_equal(number(body, "seq"), second);
    assert_int_equal(json_array_size(json_object_get(body, "nodes")), NODES);
    json_decref(body);
    body = ask(SCENE "/path?node=3");
    assert_true(json_array_size(json_object_get(body, "path")) > 1);
    json_decref(body);
    json_leave(&client);
}

/* Nobody has been there for a while: the present is no future. */
TEST(test_questions_know_what_time_it_is)
{
    struct timespec now;
    char path[128];
    clock_gettime(CLOCK_REALTIME, &now);
    /* Rounded down: a millisecond that is not over is the future. */
    snprintf(path, sizeof path, SCENE "/at?time=%lld.%03ld", (long long)now.tv_sec,
             now.tv_nsec / 1000000);
    json_decref(ask(path));
}

/* ---- what cannot be ---- */

TEST(test_questions_that_cannot_be)
{
    static const struct {
        const char *method, *path;
        int status;
        const char *said;
    } rows[] = {
        {"GET", SCENE "/nodes?limit=1001", 400,
         "\"bad_value\",\"message\":\"limit: more than 1000\""},
        {"GET", SCENE "/nodes?limit=ten", 400, "\"bad_message\",\"message\":\"limit: expected"},
        {"GET", SCENE "/nodes?limit=1e400", 400, "\"limit: not finite\""},
        {"GET", SCENE "/nodes?after=9007199254740992", 400, "\"after: 2^53 or more\""},
        {"GET", SCENE "/nodes?seq=1", 400, "\"seq: given twice\""},
        {"GET", SCENE "/nodes?time=1", 400, "only one of"},
        {"GET", SCENE "/at", 400, "\"at: one of seq, time, checkpoint is missing\""},
        {"GET", SCENE "/at?seq=1&time=1", 400, "only one of"},
        {"GET", SCENE "/at?seq=99999", 400, "\"seq: is in the future"},
        {"GET", SCENE "/at?time=1e300", 400, "\"time: is in the future\""},
        {"GET", SCENE "/at?checkpoint=none", 400, "\"checkpoint: "},
        {"GET", SCENE "/history?limit=1&limit=2", 400, "\"limit: given twice\""},
        {"GET", SCENE "/history?alone", 400, "\"alone: needs `node`\""},
        {"GET", SCENE "/history?changes=maybe", 400, "\"changes: expected true or false\""},
        {"GET", SCENE "/history?user=%ff", 400, "of UTF-8"},
        {"GET", SCENE "/path", 400, "\"node: missing\""},
        {"GET", SCENE "/path?node=12345", 404, "\"unknown_node\""},
        {"GET", SCENE "/path?node=0", 400, "\"node: 0 is not an id\""},
        {"GET", "/scenes/nowhere/nodes", 404, "\"unknown_scene\""},
        {"GET", "/scenes/No/history", 400, "\"bad_value\""},
        {"POST", SCENE "/nodes", 405, "only GET is allowed"},
        {"GET", SCENE "/nodes?other=1&&=&rid=x&op=set&limit=1", 200, "{\"seq\":"},
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
    json_create_nodes(fixture.daemon.port, "asked", NODES);
    return 0;
}

int main(void)
{
    return test_run(start, net_fixture_end);
}
