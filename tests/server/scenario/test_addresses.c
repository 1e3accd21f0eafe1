/* The addresses that a client takes: their forms, several of them, and what goes with them to a
 * proxy before the daemon. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "answering.h"
#include "headers.h"
#include "stage.h"
#include "url.h"

#define CLOSED "ws://127.0.0.1:1/ws" /* nobody listens there */
#define EMPTY "\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"

/* ---- one address ---- */

TEST(test_an_address_is_that_of_the_websocket_or_of_the_page)
{
    static const struct {
        const char *text;
        bool tls;
        const char *authority, *path, *base, *login;
    } cases[] = {
        {"ws://host/ws", false, "host:80", "/ws", "", ""},
        {"ws://host", false, "host:80", "/ws", "", ""},
        {"ws://host:7432/a/ws", false, "host:7432", "/a/ws", "/a", ""},
        {"wss://host/", true, "host:443", "/ws", "", ""},
        {"http://host:1", false, "host:1", "/ws", "", ""},
        {"http://host/laws", false, "host:80", "/laws/ws", "/laws", ""},
        {"https://host/gizmo/", true, "host:443", "/gizmo/ws", "/gizmo", ""},
        {"https://host/gizmo/ws//", true, "host:443", "/gizmo/ws", "/gizmo", ""},
        {"https://[::1]:8443/ws", true, "[::1]:8443", "/ws", "", ""},
        {"https://ada:pass@host/", true, "host:443", "/ws", "", "ada:pass"},
        {"wss://ada:@[::1]/ws", true, "[::1]:443", "/ws", "", "ada:"},
        {"ws://a%40b:%3a%2C%c3%a9@host/ws", false, "host:80", "/ws", "", "a@b::,\xc3\xa9"},
        {"ws://ada:p@ss@host/ws", false, "host:80", "/ws", "", "ada:p@ss"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gz_url url;
        struct gz_error error;
        stage_check(gz_url_parse(&url, cases[i].text, strlen(cases[i].text), &error), &error,
                    cases[i].text);
        assert_int_equal(url.tls, cases[i].tls);
        assert_string_equal(url.authority, cases[i].authority);
        assert_string_equal(url.path, cases[i].path);
        assert_string_equal(url.base, cases[i].base);
        assert_string_equal(url.login, cases[i].login);
        assert_null(strstr(url.shown, "@"));
    }
}

TEST(test_a_wrong_address_is_refused_in_words_and_its_password_is_not_shown)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "begin with ws://"},
        {"host/ws", "begin with ws://"},
        {"WS://host/ws", "begin with ws://"},
        {"ws://", "no host"},
        {"ws://:80/ws", "no host"},
        {"ws://[::1/ws", "no host"},
        {"ws://host:0/ws", "no port"},
        {"ws://host:65536/ws", "no port"},
        {"ws://host:/ws", "no port"},
        {"ws://host/elsewhere", "end in /ws"},
        {"https://host/?scene=a", "end in /ws"},
        {"ws://host/ws#a/ws", "end in /ws"},
        {"ws://secret@host/ws", "USER:PASSWORD"},
        {"ws://ada:secret%4@host/ws", "USER:PASSWORD"},
        {"ws://ada:secret%zz@host/ws", "USER:PASSWORD"},
        {"ws://ada:secret%0a@host/ws", "USER:PASSWORD"},
        {"ws://ada:secret%00@host/ws", "USER:PASSWORD"},
        {"ws://a%3ada:secret@host/ws", "USER:PASSWORD"},
        {"ws://ada:secret@host/ws\r\n", "control character"},
        {"x://ada:secret@host/ws", "begin with ws://"},
        {"ws://ada:secret@host:x/ws", "no port"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gz_url url;
        struct gz_error error;
        assert_int_equal(gz_url_parse(&url, cases[i].text, strlen(cases[i].text), &error),
                         GZ_BAD_VALUE);
        if (strstr(error.message, cases[i].words) == NULL)
            fail_msg("\"%s\": %s", cases[i].text, error.message);
        assert_null(strstr(error.message, "secret"));
    }
}

TEST(test_a_list_of_addresses_has_commas_or_white_space_between)
{
    struct gz_urls urls = {0};
    struct gz_error error;
    stage_check(gz_urls_parse(&urls, " ws://a/ws, https://b/ ,\n\tws://c:1/ws ", &error), &error,
                "a list");
    assert_int_equal(urls.count, 3);
    static const char *const hosts[] = {"a", "b", "c", "a"};
    for (int i = 0; i < 4; i++, gz_urls_next(&urls))
        assert_string_equal(gz_urls_here(&urls)->host, hosts[i]);
    gz_urls_free(&urls);
    assert_int_equal(gz_urls_parse(&urls, " ,", &error), GZ_BAD_VALUE);
    gz_urls_free(&urls);
    assert_int_equal(gz_urls_parse(&urls, "ws://a/ws,ws://b/", &error), GZ_OK);
    gz_urls_free(&urls);
    assert_int_equal(gz_urls_parse(&urls, "ws://a/ws;ws://b/ws", &error), GZ_BAD_VALUE);
    gz_urls_free(&urls);
    char many[32 * (GZ_URLS_MAX + 1)] = "";
    for (int i = 0; i <= GZ_URLS_MAX; i++) strcat(many, "ws://a/ws,");
    assert_int_equal(gz_urls_parse(&urls, many, &error), GZ_BAD_VALUE);
    gz_urls_free(&urls);
}

static void expect_next(struct gz_urls *urls, const char *named, const char *authority)
{
    gz_urls_name(urls, named, strlen(named));
    assert_string_equal(gz_urls_here(urls)->authority, authority);
}

static void expect_after_failure(struct gz_urls *urls, const char *authority)
{
    gz_urls_begin(urls);
    gz_urls_next(urls);
    assert_string_equal(gz_urls_here(urls)->authority, authority);
}

/* Once, and then those of the list go on. */
TEST(test_an_address_that_a_server_names_is_tried_first)
{
    struct gz_urls urls = {0};
    struct gz_error error;
    assert_int_equal(gz_urls_parse(&urls, "ws://a:1/ws, ws://b:2/ws", &error), GZ_OK);
    expect_next(&urls, "http://c:3", "c:3");
    expect_after_failure(&urls, "a:1");
    expect_next(&urls, "http://b:2/", "b:2"); /* one of its own */
    expect_after_failure(&urls, "a:1");
    expect_next(&urls, "no address", "a:1");
    expect_next(&urls, "http://user:secret@d:4", "a:1");
    expect_next(&urls, "https://d:4", "d:4");
    expect_next(&urls, "http://e:5", "d:4"); /* TLS is not given up */
    gz_urls_free(&urls);
}

/* It does not matter whether the client had joined by then. */
TEST(test_an_address_that_a_server_names_during_an_attempt_is_tried_next)
{
    struct gz_urls urls = {0};
    struct gz_error error;
    assert_int_equal(gz_urls_parse(&urls, "ws://a:1/ws, ws://b:2/ws, ws://d:4/ws", &error), GZ_OK);
    gz_urls_begin(&urls);
    expect_next(&urls, "http://c:3", "c:3");
    gz_urls_next(&urls);
    assert_string_equal(gz_urls_here(&urls)->authority, "c:3");
    gz_urls_begin(&urls);
    expect_next(&urls, "http://b:2", "b:2");
    gz_urls_next(&urls);
    assert_string_equal(gz_urls_here(&urls)->authority, "b:2");
    expect_after_failure(&urls, "d:4");
    gz_urls_free(&urls);
}

/* ---- headers ---- */

TEST(test_headers_that_could_change_the_request_are_refused)
{
    static const struct {
        const char *headers, *url;
        bool token;
        const char *words; /* NULL: taken */
    } cases[] = {
        {NULL, CLOSED, true, NULL},
        {"", CLOSED, false, NULL},
        {"CF-Access-Client-Id: a b\r\nX-Empty:\n", CLOSED, true, NULL},
        {"Authorization: Basic x", CLOSED, false, NULL},
        {"Authorization: Basic x", CLOSED, true, "the token"},
        {"AUTHORIZATION: x", "ws://a:b@host/ws", false, "the password"},
        {NULL, "ws://a:b@host/ws", true, "only one of them"},
        {"Host: a", CLOSED, false, "sets it itself"},
        {"connection: a", CLOSED, false, "sets it itself"},
        {"Transfer-Encoding: chunked", CLOSED, false, "sets it itself"},
        {"sec-websocket-protocol: a", CLOSED, false, "sets it itself"},
        {"A: b\nContent-Length: 0", CLOSED, false, "sets it itself"},
        {"no colon", CLOSED, false, "NAME: VALUE"},
        {": value", CLOSED, false, "NAME: VALUE"},
        {"A : value", CLOSED, false, "NAME: VALUE"},
        {"\xc3\xa4: value", CLOSED, false, "NAME: VALUE"},
        {"A: \x01", CLOSED, false, "control character"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gz_urls urls = {0};
        struct gz_error error;
        stage_check(gz_urls_parse(&urls, cases[i].url, &error), &error, cases[i].url);
        enum gz_status status = gz_headers_check(cases[i].headers, &urls, cases[i].token, &error);
        assert_int_equal(status, cases[i].words == NULL ? GZ_OK : GZ_BAD_VALUE);
        if (cases[i].words != NULL && strstr(error.message, cases[i].words) == NULL)
            fail_msg("%s", error.message);
        gz_urls_free(&urls);
    }
}

/* The same way for a WebSocket and a request: a proxy asks for both. */
TEST(test_a_password_and_headers_go_to_the_proxy_with_each_request)
{
    struct answering server;
    struct gz_client *client;
    struct gz_error error;
    char url[64];
    answering_start(&server, "HTTP/1.1 403 Forbidden" EMPTY);
    snprintf(url, sizeof url, "http://ada:p%%40ss@127.0.0.1:%d/", server.port);
    const char *headers = "CF-Access-Client-Id: id.access\nX-Team:  red ";
    struct gz_client_options options = {
        .url = url, .scene = "a", .user = "ada", .headers = headers};
    assert_int_not_equal(gz_client_create(&client, &options, &error), GZ_OK);
    struct gz_http http = {.url = url, .method = "GET", .path = "/scenes", .headers = headers};
    assert_int_not_equal(gz_http_perform(&http, &error), GZ_OK);
    answering_end(&server);
    assert_int_equal(server.count, 2); /* the WebSocket and the request */
    for (int i = 0; i < server.count; i++) {
        assert_non_null(strcasestr(server.requests[i], "\nauthorization: Basic YWRhOnBAc3M=\r\n"));
        assert_non_null(strcasestr(server.requests[i], "\nCF-Access-Client-Id: id.access\r\n"));
        assert_non_null(strcasestr(server.requests[i], "\nX-Team: red\r\n"));
    }
}

/* ---- several addresses ---- */

static struct gz_client *join(const char *urls, double timeout_s)
{
    struct gz_client *client;
    struct gz_error error;
    struct gz_client_options options = {
        .url = urls, .scene = "a", .user = "ada", .create = true, .timeout_s = timeout_s};
    stage_check(gz_client_create(&client, &options, &error), &error, urls);
    stage_check(gz_client_await(client, 0, STAGE_SECONDS, &error), &error, urls);
    return client;
}

TEST_ON_STAGE(test_a_client_goes_on_to_an_address_that_answers)
{
    struct stage *stage = *state;
    char urls[256], page[64], expected[64];
    int silent, listener = answering_listen(&silent);
    snprintf(urls, sizeof urls, CLOSED ",ws://127.0.0.1:%d/ws,%s", silent, stage->daemon.url);
    struct gz_client *client = join(urls, 6);
    gz_client_page(client, page, sizeof page);
    snprintf(expected, sizeof expected, "%.*s/", (int)strlen(stage->daemon.url) - 3,
             stage->daemon.url);
    assert_string_equal(strchr(page, ':'), strchr(expected, ':'));
    gz_client_destroy(client);

    struct gz_error error;
    struct gz_http http = {.url = urls, .method = "GET", .path = "/scenes", .timeout_s = 1};
    stage_check(gz_http_perform(&http, &error), &error, "GET");
    close(listener);
}

TEST_ON_STAGE(test_a_client_whose_server_dies_joins_at_the_next_address)
{
    struct stage *stage = *state;
    struct test_daemon other;
    struct gz_error error;
    char urls[256];
    test_daemon_init(&other);
    test_daemon_start(&other, NULL, NULL);
    snprintf(urls, sizeof urls, "%s %s", other.url, stage->daemon.url);
    struct gz_client *client = join(urls, STAGE_SECONDS);
    stage_create(client, "on the first", 0, (gz_vec3){1, 2, 3});
    test_daemon_kill(&other);
    while (gz_client_is_open(client)) gz_client_next(client, 0.1);
    stage_check(gz_client_reconnect(client, &error), &error, "reconnect");
    stage_check(gz_client_await(client, 0, STAGE_SECONDS, &error), &error, "await");
    stage_create(client, "on the second", 0, (gz_vec3){1, 2, 3});
    gz_client_destroy(client);
    test_daemon_finish(&other);
}

/* What the first of two servers answers to a request, and whether the second is asked. */
static void check_next(const char *method, const char *answer, bool goes_on)
{
    struct answering first, second;
    struct gz_error error;
    char urls[128];
    answering_start(&first, answer);
    answering_start(&second, "HTTP/1.1 404 Not Found" EMPTY);
    snprintf(urls, sizeof urls, "http://127.0.0.1:%d/,http://127.0.0.1:%d/", first.port,
             second.port);
    struct gz_http http = {.url = urls, .method = method, .path = "/scenes/a", .timeout_s = 5};
    assert_int_not_equal(gz_http_perform(&http, &error), GZ_OK);
    answering_end(&first);
    answering_end(&second);
    assert_int_equal(first.count, 1);
    if (second.count != goes_on) fail_msg("%s %s: %d", method, answer, second.count);
}

TEST(test_a_change_that_a_server_may_have_made_is_not_sent_to_another)
{
    check_next("GET", "HTTP/1.1 502 Bad Gateway" EMPTY, true);
    check_next("GET", "\r\n", true);
    check_next("GET", "HTTP/1.1 403 Forbidden" EMPTY, false);
    check_next("DELETE", "HTTP/1.1 503 Service Unavailable" EMPTY, true);
    check_next("DELETE", "HTTP/1.1 502 Bad Gateway" EMPTY, false);
    check_next("DELETE", "\r\n", false);
}
