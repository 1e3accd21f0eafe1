/* Requests that no RFC allows, written by hand to a daemon behind a trusted proxy, which this
 * program is: each is refused before anything of it is believed, and is the last of its connection.
 * So are those that are allowed and mean something else than they seem to. */
#include "support/cmocka.h"
#include "support/daemon.h"
#include "support/raw_ws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/maxima.h"

#define USER "X-Remote-User: ada\r\n"
#define HOST "Host: 127.0.0.1\r\n"
#define SUBPROTOCOL "Sec-WebSocket-Protocol: gizmod.v1\r\n"
#define KEY "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define SHAKE                                                                                      \
    HOST USER SUBPROTOCOL "Upgrade: websocket\r\nConnection: Upgrade\r\n"                          \
                          "Sec-WebSocket-Version: 13\r\n"

/* `named` takes the user from the proxy; `keyed` takes a token, too. */
static struct test_daemon named, keyed;

/* A row of bytes, which may have a NUL in them. */
#define ROW(text, status)                                                                          \
    {                                                                                              \
        text, sizeof text - 1, status                                                              \
    }
struct row {
    const char *text;
    size_t size;
    int status;
};

/* The status, and whether nothing else came before the end. */
static int ask(const struct test_daemon *daemon, const char *text, size_t size, bool *is_last)
{
    struct raw_response response, second;
    int socket = raw_connect(daemon->port);
    (void)raw_send(socket, text, size);
    raw_read_response(socket, &response);
    raw_read_response(socket, &second);
    *is_last = second.status == 0;
    close(socket);
    return response.status;
}

static void ask_all(const struct test_daemon *daemon, const struct row *rows, size_t count)
{
    static const char next[] = "\r\nGET /healthz HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n";
    for (size_t i = 0; i < count; i++) {
        char all[1024];
        bool is_last;
        assert_true(rows[i].size + sizeof next <= sizeof all);
        memcpy(all, rows[i].text, rows[i].size);
        memcpy(all + rows[i].size, next, sizeof next - 1);
        const int status = ask(daemon, all, rows[i].size + sizeof next - 1, &is_last);
        if (status != rows[i].status || !is_last)
            fail_msg("row %zu: %d%s: %s", i, status, is_last ? "" : " and more", rows[i].text);
    }
}

/* The scene is there, as whoever has a name may see. */
static void assert_kept(void)
{
    struct raw_response response;
    raw_request(named.port, "GET", "/scenes", USER, "", 0, &response);
    assert_int_equal(response.status, 200);
    assert_non_null(strstr(response.body, "\"name\":\"kept\""));
}

/* An encoded line end must not pass for one, wherever it stands. */
TEST(test_request_with_an_encoded_control_character_is_refused)
{
    static const char *const targets[] = {
        "/scenes/kept%0aX-Remote-User:zed",
        "/scenes/kept%0AX-Remote-User:zed",
        "/scenes/kept%0d%0aX-Remote-User:zed",
        "/scenes/kept%0dX-Remote-User:zed",
        "/scenes/kept?x=%0aX-Remote-User:zed",
        "/scenes/kept?%0aX-Remote-User:zed",
        "/scenes/kept?replace&user=a%0ab",
        "/scenes/kept%0aHos",
        "/scenes/kept%0d.anything?x",
        "/%0aX-Remote-User:zed",
        "/scenes/kept%00",
        "/%00",
        "/scenes?%00",
        "/scenes/kept%1b[2J",
        "/scenes/kept%7f",
        "/scenes/kept%09",
    };
    static const char *const methods[] = {"GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "x"};
    static const char *const names[] = {"", USER};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        for (size_t k = 0; k < 2 * sizeof methods / sizeof methods[0]; k++) {
            char text[512];
            bool is_last;
            const struct test_daemon *daemon = k % 2 == 0 ? &named : &keyed;
            const int size = snprintf(text, sizeof text, "%s %s HTTP/1.1\r\n" HOST "%s\r\n",
                                      methods[k / 2], targets[i], names[k / 2 % 2]);
            const int status = ask(daemon, text, (size_t)size, &is_last);
            if (status != 400 || !is_last)
                fail_msg("%s %s: %d", methods[k / 2], targets[i], status);
        }
    }
    assert_kept();
}

TEST(test_websocket_with_an_encoded_control_character_is_refused)
{
    static const char *const paths[] = {
        "/ws%0aX-Remote-User:zed",
        "/ws?%0aX-Remote-User:zed",
        "/x%0aX-Remote-User:zed/ws",
        "/ws?a=%0d%0aX-Remote-User:z",
        "/%00/ws",
        "/%0d/ws",
    };
    const struct test_daemon *daemons[] = {&named, &keyed};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        for (size_t k = 0; k < 2; k++) {
            int socket = raw_connect(daemons[k]->port);
            const int status = raw_handshake(socket, daemons[k]->port, paths[i], SUBPROTOCOL);
            close(socket);
            if (status != 400) fail_msg("%s: %d", paths[i], status);
        }
    }
}

/* The request line and the lines of the header, by RFC 9112 and 9110. */
TEST(test_request_that_no_rfc_allows_is_refused)
{
    static const struct row rows[] = {
        ROW("GET /scenes\r\n" HOST USER, 400),
        ROW("GET /scenes \r\n" HOST USER, 400),
        ROW("GET /scenes HTTP/3.7\r\n" HOST USER, 505),
        ROW("GET /scenes HTTP/2.0\r\n" HOST USER, 505),
        ROW("GET /scenes HTTP/0.9\r\n" HOST USER, 505),
        ROW("GET /scenes HTTP/1.2\r\n" HOST USER, 505),
        ROW("GET /scenes HTTP/1.10\r\n" HOST USER, 400),
        ROW("GET /scenes HTTP/1.\r\n" HOST USER, 400),
        ROW("GET /scenes http/1.1\r\n" HOST USER, 400),
        ROW("GET /scenes HTTP/1.1 \r\n" HOST USER, 400),
        ROW("GET /scenes HTTP/1.1x\r\n" HOST USER, 400),
        ROW("GET /scenes x HTTP/1.1\r\n" HOST USER, 400),
        ROW("GET  /scenes HTTP/1.1\r\n" HOST USER, 400),
        ROW("GET\t/scenes HTTP/1.1\r\n" HOST USER, 400),
        ROW(" GET /scenes HTTP/1.1\r\n" HOST USER, 400),
        ROW("G(T /scenes HTTP/1.1\r\n" HOST USER, 400),
        ROW(" /scenes HTTP/1.1\r\n" HOST USER, 400),
        ROW("GET scenes HTTP/1.1\r\n" HOST USER, 400),
        ROW("GET * HTTP/1.1\r\n" HOST USER, 400),
        ROW("CONNECT 127.0.0.1:80 HTTP/1.1\r\n" HOST USER, 400),
        ROW("GET /scenes#a HTTP/1.1\r\n" HOST USER, 400),
        ROW("GET /a\\b HTTP/1.1\r\n" HOST USER, 400),
        ROW("GET /a|b HTTP/1.1\r\n" HOST USER, 400),
        ROW("GET /\xc3\xbc HTTP/1.1\r\n" HOST USER, 400),
        ROW("GET /scenes?\"a\" HTTP/1.1\r\n" HOST USER, 400),
        ROW("GET /scenes%0 HTTP/1.1\r\n" HOST USER, 400),
        ROW("GET /scenes% HTTP/1.1\r\n" HOST USER, 400),
        ROW("GET /scenes%xx HTTP/1.1\r\n" HOST USER, 400),
        ROW("GET /scenes?%4 HTTP/1.1\r\n" HOST USER, 400),
        ROW("GET http://evil.example/scenes HTTP/1.1\r\n" HOST USER, 400),
        ROW("GET http:///scenes HTTP/1.1\r\n" HOST USER, 400),
        ROW("GET ftp://127.0.0.1/scenes HTTP/1.1\r\n" HOST USER, 400),
        ROW("GET http://a@127.0.0.1/scenes HTTP/1.1\r\n" HOST USER, 400),
        ROW("GET /scenes HTTP/1.1\r\n" USER, 400),
        ROW("GET /scenes HTTP/1.1\r\n" HOST HOST USER, 400),
        ROW("GET /scenes HTTP/1.0\r\n" HOST "host: a\r\n" USER, 400),
        ROW("GET /scenes HTTP/1.1\r\n" HOST USER USER, 400),
        ROW("GET /scenes HTTP/1.1\r\n" HOST USER "X-REMOTE-USER:zed\r\n", 400),
        ROW("GET /healthz HTTP/1.1\r\n" HOST USER "x-remote-user:\r\n", 400),
        ROW("GET /scenes HTTP/1.1\r\n" HOST USER "X-Forwarded-Proto: http\r\n"
            "X-Forwarded-Proto: https\r\n",
            400),
        ROW("GET /scenes HTTP/1.1\r\n" HOST USER "Authorization: Bearer a\r\n"
            "Authorization: Bearer b\r\n",
            400),
        ROW("GET /scenes HTTP/1.1\n" HOST USER, 400),
        ROW("GET /scenes HTTP/1.1\r\n" HOST "X-Remote-User: ada\n", 400),
        ROW("GET /scenes HTTP/1.1\r\n" HOST "X-A: b\nX-Remote-User: ada\r\n", 400),
        ROW("GET /scenes HTTP/1.1\r\n" HOST "X-A: b\rX-Remote-User: ada\r\n", 400),
        ROW("GET /scenes HTTP/1.1\r\r\n" HOST USER, 400),
        ROW("GET /scenes HTTP/1.1\r\n" HOST "X-Remote-User: ada\r\n zed\r\n", 400),
        ROW("GET /scenes HTTP/1.1\r\n" HOST "X-Remote-User:\r\n\tada\r\n", 400),
        ROW("GET /scenes HTTP/1.1\r\n " HOST USER, 400),
        ROW("GET /scenes HTTP/1.1\r\n" HOST "X-Remote-User : ada\r\n", 400),
        ROW("GET /scenes HTTP/1.1\r\n" HOST "X-Remote-User ada\r\n", 400),
        ROW("GET /scenes HTTP/1.1\r\n" HOST ": ada\r\n" USER, 400),
        ROW("GET /scenes HTTP/1.1\r\n" HOST "X Remote-User: ada\r\n", 400),
        ROW("GET /scenes HTTP/1.1\r\n" HOST "X-\xc3\xbc: ada\r\n" USER, 400),
        ROW("GET /scenes HTTP/1.1\r\n" HOST "X-Remote-User: root\0x\r\n", 400),
        ROW("GET /scenes HTTP/1.1\r\n" HOST "X-A\0: b\r\n" USER, 400),
        ROW("GET /sce\0nes HTTP/1.1\r\n" HOST USER, 400),
        ROW("GET /scenes HTTP/1.1\r\n" HOST "X-A: \x1b[2J\r\n" USER, 400),
        ROW("GET /scenes HTTP/1.1\r\n" HOST "X-A: \x7f\r\n" USER, 400),
        ROW("\r\n\r\nGET /scenes HTTP/1.1\r\n" HOST USER, 400),
        ROW("\nGET /scenes HTTP/1.1\r\n" HOST USER, 400),
        ROW("\x16\x03\x01", 400),
        ROW("\0", 400),
    };
    ask_all(&named, rows, sizeof rows / sizeof rows[0]);
    assert_kept();
}

/* No line is lost, and a name is taken whole. */
TEST(test_request_is_what_its_bytes_say)
{
    static const struct row rows[] = {
        ROW("GET /scenes HTTP/1.1\r\n" HOST USER, 200),
        ROW("GET /scenes HTTP/1.0\r\n" HOST USER, 200),
        ROW("\r\nGET /scenes HTTP/1.1\r\n" HOST USER, 200),
        ROW("GET /scenes?a=%20b/c?d HTTP/1.1\r\n" HOST USER, 200),
        ROW("GET http://127.0.0.1/scenes HTTP/1.1\r\n" HOST USER, 200),
        ROW("GET HTTPS://127.0.0.1/scenes?x HTTP/1.1\r\n" HOST USER, 200),
        ROW("GET /scenes HTTP/1.1\r\n" HOST "x-remote-user:ada\r\n", 200),
        ROW("GET /scenes HTTP/1.1\r\n" HOST "X-Remote-User: \t ada\t \r\n", 200),
        ROW("GET /scenes HTTP/1.1\r\n" HOST "X-Forwarded-Fo: a\r\n" USER, 200),
        ROW("GET /scenes HTTP/1.1\r\n" HOST "Hos: a\r\n" USER, 200),
        ROW("GET /scenes HTTP/1.1\r\n" HOST "X-A:\r\n" USER, 200),
        ROW("GET /scenes HTTP/1.1\r\n" HOST "X-A: \xff\t\xc3\xbc\r\n" USER, 200),
        ROW("GET /scenes HTTP/1.1\r\n" HOST "X-Remote-Use: ada\r\n", 401),
        ROW("GET /scenes HTTP/1.1\r\n" HOST "X-Remote-User-: ada\r\n", 401),
        ROW("GET /scenes HTTP/1.1\r\n" HOST "X_Remote_User: ada\r\n", 401),
        ROW("get /scenes HTTP/1.1\r\n" HOST USER, 405),
        ROW("TRACE /scenes HTTP/1.1\r\n" HOST USER, 405),
        ROW("OPTIONS * HTTP/1.1\r\n" HOST USER, 405),
        ROW("GET /scenes/kept%2fexport HTTP/1.1\r\n" HOST USER, 404),
        ROW("GET /%73cenes HTTP/1.1\r\n" HOST USER, 200),
    };
    ask_all(&named, rows, sizeof rows / sizeof rows[0]);
}

/* RFC 6455, 4.2.1. */
TEST(test_handshake_that_no_rfc_allows_is_refused)
{
    static const struct row rows[] = {
        ROW("GET /ws HTTP/1.0\r\n" SHAKE KEY, 400),
        ROW("POST /ws HTTP/1.1\r\n" SHAKE KEY, 400),
        ROW("HEAD /ws HTTP/1.1\r\n" SHAKE KEY, 400),
        ROW("GET /ws HTTP/1.1\r\n" SHAKE, 400),
        ROW("GET /ws HTTP/1.1\r\n" SHAKE KEY KEY, 400),
        ROW("GET /ws HTTP/1.1\r\n" SHAKE KEY "Sec-WebSocket-Version: 13\r\n", 400),
        ROW("GET /ws HTTP/1.1\r\n" SHAKE "Sec-WebSocket-Key: short\r\n", 400),
        ROW("GET /ws HTTP/1.1\r\n" SHAKE "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=\r\n", 400),
        ROW("GET /ws HTTP/1.1\r\n" SHAKE "Sec-WebSocket-Key:\r\n", 400),
        ROW("GET /ws HTTP/1.1\r\n" SHAKE KEY "Content-Length: 5\r\n", 400),
        ROW("GET /ws HTTP/1.1\r\n" SHAKE KEY "Transfer-Encoding: chunked\r\n", 400),
        ROW("GET /ws HTTP/1.1\r\n" HOST USER SUBPROTOCOL KEY "Upgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\n",
            400),
        ROW("GET /ws HTTP/1.1\r\n" HOST USER SUBPROTOCOL KEY "Upgrade: websocket\r\n"
            "Connection: close\r\nSec-WebSocket-Version: 13\r\n",
            400),
        ROW("GET /ws HTTP/1.1\r\n" SHAKE KEY USER, 400),
        ROW("GET /ws HTTP/1.1\r\n" SHAKE KEY HOST, 400),
    };
    ask_all(&named, rows, sizeof rows / sizeof rows[0]);
}

TEST(test_header_that_is_too_long_is_refused_in_words)
{
    char *text = malloc(2 * GZ_HTTP_HEADER_BYTES_MAX + 256);
    bool is_last;
    assert_non_null(text);
    int size = sprintf(text, "GET /scenes HTTP/1.1\r\n" HOST USER "X-Long: ");
    memset(text + size, 'a', 2 * GZ_HTTP_HEADER_BYTES_MAX);
    assert_int_equal(ask(&named, text, (size_t)size + 2 * GZ_HTTP_HEADER_BYTES_MAX, &is_last), 431);
    /* The longest that fits. */
    memcpy(text + GZ_HTTP_HEADER_BYTES_MAX - 4, "\r\n\r\n", 4);
    assert_int_equal(ask(&named, text, GZ_HTTP_HEADER_BYTES_MAX, &is_last), 200);
    size = sprintf(text, "GET /scenes HTTP/1.1\r\n" HOST USER);
    for (int i = 2; i < GZ_HTTP_LINES_MAX; i++) size += sprintf(text + size, "X-%d:\r\n", i);
    assert_int_equal(
        ask(&named, text, (size_t)sprintf(text + size, "\r\n") + (size_t)size, &is_last), 200);
    size += sprintf(text + size, "X-One-More:\r\n\r\n");
    assert_int_equal(ask(&named, text, (size_t)size, &is_last), 431);
    free(text);
}

/* Bytes may come one by one, and requests together. */
TEST(test_requests_are_taken_as_they_come)
{
    static const char one[] = "PUT /scenes/kept HTTP/1.1\r\n" HOST "X-Remote-User: \r\n"
                              "Content-Length: 3\r\n\r\nabc";
    static const char three[] = "GET /healthz HTTP/1.1\r\n" HOST "\r\n"
                                "\r\nHEAD /healthz HTTP/1.1\r\n" HOST "\r\n"
                                "GET /nothing HTTP/1.1\r\n" HOST "\r\n";
    struct raw_response response;
    int socket = raw_connect(named.port);
    for (size_t i = 0; i < sizeof one - 1; i++) assert_true(raw_send(socket, one + i, 1));
    raw_read_response(socket, &response);
    assert_int_equal(response.status, 401);
    close(socket);
    /* A trusted proxy's connection ends with its first answer. */
    bool is_last;
    assert_int_equal(ask(&named, three, sizeof three - 1, &is_last), 200);
    assert_true(is_last);
}

/* ---- who the proxy does not name ---- */

/* A daemon beside `named`, with the same certificate. */
static void init_beside(struct test_daemon *daemon, const char *name)
{
    *daemon = named;
    daemon->pid = daemon->port = 0;
    snprintf(daemon->data, sizeof daemon->data, "%s/%s", named.directory, name);
    snprintf(daemon->log, sizeof daemon->log, "%s/%s.log", named.directory, name);
}

static int ask_for(int port, const char *headers)
{
    struct raw_response response;
    raw_request(port, "GET", "/healthz", headers, "", 0, &response);
    return response.status;
}

/* Holds `count` WebSockets of clients that the proxy describes so; the status of one more. */
static int crowd(const struct test_daemon *daemon, const char *headers, size_t count)
{
    int sockets[8];
    char all[512];
    snprintf(all, sizeof all, SUBPROTOCOL USER "%s", headers);
    for (size_t i = 0; i < count; i++) {
        sockets[i] = raw_connect(daemon->port);
        const int status = raw_handshake(sockets[i], daemon->port, "/ws", all);
        if (status != 101) fail_msg("%zu: %s: %d", i, headers, status);
    }
    const int status = ask_for(daemon->port, headers);
    for (size_t i = 0; i < count; i++) close(sockets[i]);
    return status;
}

TEST(test_clients_that_a_proxy_does_not_name_share_a_bound)
{
    static const char *const nobody[] = {
        "X-Forwarded-For: unknown\r\n",
        "X-Forwarded-For: _hidden\r\n",
        "X-Forwarded-For: 203.0.113.9, nonsense\r\n",
        "X-Forwarded-For:\r\n",
        "Forwarded: for=unknown\r\n",
        "Forwarded: by=203.0.113.43\r\n",
        "Forwarded: for=[::1\r\n",
        "X-Forwarded-For: 203.0.113.9\r\nForwarded: for=203.0.113.10\r\n",
        "Via: 1.1 a\r\n",
        "X-Real-IP: 203.0.113.9\r\n",
    };
    static const char *const somebody[] = {
        "X-Forwarded-For: 203.0.113.9:4711\r\n",
        "X-Forwarded-For: [2001:4860::8]:4711\r\n",
        "X-Forwarded-For: [2001:4860::8]\r\n",
        "X-Forwarded-For: 2001:4860::8\r\n",
        "X-Forwarded-For: unknown\r\nX-Forwarded-For: 203.0.113.9:1\r\n",
        "X-Forwarded-Fo: a\r\nX-Forwarded-For: 203.0.113.9\r\n",
        "X-Forwarded-For: 203.0.113.9\r\nForwarded: for=203.0.113.9;proto=http\r\n",
        "Forwarded: for=\"203.0.113.9:4711\"\r\n",
        "Forwarded: for=unknown, For=\"[2001:4860::8]:4711\";by=203.0.113.43\r\n",
    };
    static const char *const options[] = {"--trusted-proxy=127.0.0.1/32",
                                          "--trust-header=X-Remote-User",
                                          "--connections-per-address=4", NULL};
    struct test_daemon daemon;
    init_beside(&daemon, "counting");
    daemon.options = options;
    test_daemon_start(&daemon, NULL, NULL);
    for (size_t i = 0; i < sizeof nobody / sizeof nobody[0]; i++) {
        int sockets[4];
        if (crowd(&daemon, nobody[i], 4) != 429) fail_msg("%s", nobody[i]);
        for (int k = 0; k < 100 && ask_for(daemon.port, nobody[i]) == 429; k++) usleep(20000);
        for (size_t k = 0; k < 4; k++) { /* of different kinds: it is one bound */
            char all[512];
            const char *other = nobody[(i + k) % (sizeof nobody / sizeof nobody[0])];
            snprintf(all, sizeof all, SUBPROTOCOL USER "%s", other);
            sockets[k] = raw_connect(daemon.port);
            assert_int_equal(raw_handshake(sockets[k], daemon.port, "/ws", all), 101);
        }
        assert_int_equal(ask_for(daemon.port, nobody[i]), 429);
        assert_int_equal(ask_for(daemon.port, somebody[0]), 200);
        for (size_t k = 0; k < 4; k++) close(sockets[k]);
        for (int k = 0; k < 100 && ask_for(daemon.port, nobody[i]) == 429; k++) usleep(20000);
    }
    for (size_t i = 0; i < sizeof somebody / sizeof somebody[0]; i++) {
        if (crowd(&daemon, somebody[i], 4) != 429) fail_msg("%s", somebody[i]);
        assert_int_equal(ask_for(daemon.port, nobody[0]), 200);
        for (int k = 0; k < 100 && ask_for(daemon.port, somebody[i]) == 429; k++) usleep(20000);
    }
    test_daemon_end(&daemon);
}

/* ---- the daemons ---- */

static const char *named_options[] = {"--trusted-proxy=127.0.0.1/32",
                                      "--trust-header=X-Remote-User", NULL};
static char keys_option[160];
static const char *keyed_options[] = {"--trusted-proxy=127.0.0.1/32",
                                      "--trust-header=X-Remote-User", keys_option, NULL};

static void write_keys(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/keys.json", keyed.directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("{\"keys\":[{\"kty\":\"oct\",\"kid\":\"n\","
          "\"k\":\"YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODk\"}]}",
          file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0600), 0);
    snprintf(keys_option, sizeof keys_option, "--keys=%s", path);
}

static int start(void **state)
{
    static const char scene[] = "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}]}";
    struct raw_response response;
    char headers[128];
    (void)state;
    test_daemon_init(&named);
    named.options = named_options;
    test_daemon_start(&named, NULL, NULL);
    init_beside(&keyed, "keyed");
    write_keys();
    keyed.options = keyed_options;
    test_daemon_start(&keyed, NULL, NULL);
    snprintf(headers, sizeof headers, USER "Content-Length: %zu\r\n", sizeof scene - 1);
    raw_request(named.port, "PUT", "/scenes/kept", headers, scene, sizeof scene - 1, &response);
    assert_int_equal(response.status, 201);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    test_daemon_end(&keyed);
    test_daemon_end(&named);
    test_daemon_finish(&named);
    return 0;
}

int main(void)
{
    return test_run(start, stop);
}
