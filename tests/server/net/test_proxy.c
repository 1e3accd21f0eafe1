/* What trusted proxies say and others may not: the client's address, its scheme, the user's name.
 * The proxy is 127.0.0.2, which is this machine too. */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>

#include "net_fixture.h"

#define PROXY "127.0.0.2"
#define STRANGER "127.0.0.1"
#define HEADER "X-Remote-User"

static struct test_daemon gizmod;

/* Connects from one address of this machine to another. */
static int connect_between(const char *from, const char *to, int port)
{
    struct sockaddr_in source = {.sin_family = AF_INET},
                       target = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    assert_int_equal(inet_pton(AF_INET, from, &source.sin_addr), 1);
    assert_int_equal(inet_pton(AF_INET, to, &target.sin_addr), 1);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&source, sizeof source), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&target, sizeof target), 0);
    return fd;
}

static int ask(const char *from, const char *line, const char *headers,
               struct raw_response *response)
{
    char text[2048];
    int socket = connect_between(from, "127.0.0.1", gizmod.port);
    snprintf(text, sizeof text, "%s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n", line, headers);
    assert_true(raw_send_text(socket, text));
    raw_read_response(socket, response);
    close(socket);
    return response->status;
}

static bool is_logged(const char *words)
{
    char line[1024];
    bool is_there = false;
    FILE *log = fopen(gizmod.log, "r");
    assert_non_null(log);
    while (!is_there && fgets(line, sizeof line, log) != NULL)
        is_there = strstr(line, words) != NULL;
    fclose(log);
    return is_there;
}

/* Each row asks for a path of its own, so that its line in the log is found. */
TEST(test_proxy_address_table)
{
    static const struct {
        const char *from, *headers, *logged;
    } rows[] = {
        {STRANGER, "", "127.0.0.1"},
        {STRANGER, "X-Forwarded-For: 203.0.113.9\r\n", "127.0.0.1"},
        {PROXY, "", "127.0.0.2"},
        {PROXY, "X-Forwarded-For: 203.0.113.9\r\n", "203.0.113.9"},
        {PROXY, "X-Forwarded-For: 198.51.100.1, 203.0.113.8\r\n", "203.0.113.8"},
        {PROXY, "X-Forwarded-For: 198.51.100.1\r\nX-Forwarded-For: 203.0.113.7\r\n", "203.0.113.7"},
        {PROXY, "X-Forwarded-For: 203.0.113.6, 127.0.0.2\r\n", "203.0.113.6"},
        {PROXY, "X-Forwarded-For: 2001:db8::5\r\n", "2001:db8::5"},
        {PROXY, "X-Forwarded-For: unknown\r\n", "127.0.0.2"},
        {PROXY, "X-Forwarded-For:\r\n", "127.0.0.2"},
        {PROXY, "X-Forwarded-For: 203.0.113.5 HTTP 200\r\n", "127.0.0.2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char line[64], words[128], headers[256];
        struct raw_response response;
        snprintf(line, sizeof line, "GET /scenes/x%zu.db/asset", i);
        snprintf(headers, sizeof headers, "%s%s", rows[i].headers,
                 strcmp(rows[i].from, PROXY) == 0 ? HEADER ": ada\r\n" : "");
        int status = ask(rows[i].from, line, headers, &response);
        snprintf(words, sizeof words, "HTTP %d to %s: ", status, rows[i].logged);
        if (status < 400 || !is_logged(words)) fail_msg("row %zu: no line with %s", i, words);
    }
}

/* The daemon has no TLS: only a trusted proxy makes https of its own origin. */
TEST(test_proxy_scheme_table)
{
    static const struct {
        const char *from, *headers;
        int status;
    } rows[] = {
        {PROXY, "Origin: http://127.0.0.1\r\n", 200},
        {PROXY, "Origin: http://127.0.0.1\r\nX-Forwarded-Proto: http\r\n", 200},
        {PROXY, "Origin: https://127.0.0.1\r\nX-Forwarded-Proto: https\r\n", 200},
        {PROXY, "Origin: https://127.0.0.1\r\nX-Forwarded-Proto: HTTPS\r\n", 200},
        {PROXY, "Origin: https://127.0.0.1\r\n", 403},
        {PROXY, "Origin: http://127.0.0.1\r\nX-Forwarded-Proto: https\r\n", 403},
        {PROXY, "Origin: https://127.0.0.1\r\nX-Forwarded-Proto: https, http\r\n", 403},
        {PROXY, "Origin: https://127.0.0.1\r\nX-Forwarded-Proto: httpsssssssssss\r\n", 403},
        {PROXY, "Origin: https://evil.example\r\nX-Forwarded-Proto: https\r\n", 403},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char headers[256];
        struct raw_response response;
        snprintf(headers, sizeof headers, HEADER ": ada\r\n%s", rows[i].headers);
        int status = ask(rows[i].from, "GET /scenes", headers, &response);
        if (status != rows[i].status) fail_msg("row %zu: %d", i, status);
    }
}

#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

TEST(test_proxy_user_table)
{
    static const struct {
        const char *from, *line, *headers;
        int status;
    } rows[] = {
        {PROXY, "GET /scenes", HEADER ": ada\r\n", 200},
        {PROXY, "GET /scenes", "x-remote-user:ada\r\n", 200},
        {PROXY, "GET /scenes", HEADER ": Z\xc3\xbcrich\r\n", 200},
        {PROXY, "GET /scenes", HEADER ": " A64 "\r\n", 200},
        {PROXY, "GET /scenes", "", 401},
        {PROXY, "GET /scenes", HEADER ":\r\n", 401},
        {PROXY, "GET /scenes", HEADER ":  \t \r\n", 401},
        {PROXY, "GET /scenes", "Remote-User: ada\r\n", 401},
        {PROXY, "GET /scenes", "X-Remote-User2: ada\r\n", 401},
        {PROXY, "GET /scenes", HEADER " : ada\r\n", 400},
        {PROXY, "GET /scenes", HEADER ": ada\r\n" HEADER ": ada\r\n", 400},
        {PROXY, "GET /healthz", HEADER ": ada\r\nX-A: b\r\nx-remote-USER: bob\r\n", 400},
        {PROXY, "GET /scenes", HEADER ": " A64 "a\r\n", 400},
        {PROXY, "GET /scenes", HEADER ": \xff\xfe\r\n", 400},
        {PROXY, "GET /scenes", HEADER ": ada (guest)\r\n", 400},
        {PROXY, "GET /scenes", HEADER ": ada (guest) \r\n", 400},
        {PROXY, "GET /scenes", HEADER ": (guest)\r\n", 200},
        {PROXY, "GET /scenes", HEADER ": a\xe2\x80\xae\x64\x61\r\n", 400},
        {PROXY, "GET /metrics", "", 401},
        {PROXY, "DELETE /scenes/x", "", 401},
        {PROXY, "GET /scenes/x/export", "", 401},
        {PROXY, "GET /healthz", "", 200},
        {STRANGER, "GET /scenes", HEADER ": ada\r\n", 403},
        {STRANGER, "GET /scenes", "x-REMOTE-user: ada\r\n", 403},
        {STRANGER, "GET /healthz", HEADER ": ada\r\n", 403},
        {STRANGER, "GET /", HEADER ":\r\n", 403},
        {STRANGER, "GET /scenes", "X-Forwarded-For: 127.0.0.2\r\n" HEADER ": ada\r\n", 403},
        {STRANGER, "GET /scenes", "", 401},
        {STRANGER, "GET /healthz", "", 200},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct raw_response response;
        int status = ask(rows[i].from, rows[i].line, rows[i].headers, &response);
        if (status != rows[i].status) fail_msg("row %zu: %d %s", i, status, response.body);
    }
}

static int upgrade(const char *from, const char *headers, int *status)
{
    char all[512];
    int socket = connect_between(from, "127.0.0.1", gizmod.port);
    snprintf(all, sizeof all, "Sec-WebSocket-Protocol: gizmod.v1\r\n%s", headers);
    *status = raw_handshake(socket, gizmod.port, "/ws", all);
    return socket;
}

/* Reads on until presence comes: who the first user is. */
static void assert_present(int socket, const char *user)
{
    struct gz_message message;
    struct gz_arena arena;
    struct raw_frame *frame = malloc(sizeof *frame);
    assert_non_null(frame);
    gz_arena_init(&arena, 0);
    assert_true(raw_read_message(socket, GZ_OP_PRESENCE, frame, &arena, &message));
    assert_true(message.presence.count >= 1);
    struct gz_text name = message.presence.users[0].user;
    assert_int_equal(name.size, strlen(user));
    assert_memory_equal(name.bytes, user, name.size);
    gz_arena_finish(&arena);
    free(frame);
}

TEST(test_proxy_user_is_who_joins)
{
    int status;
    int socket = upgrade(PROXY, "X-Forwarded-For: 203.0.113.77\r\n" HEADER ": ada\r\n", &status);
    assert_int_equal(status, 101);
    assert_true(raw_send_hello(socket, "proxied", "mallory"));
    assert_present(socket, "ada");
    assert_true(is_logged("connected from 203.0.113.77"));
    close(socket);
    close(upgrade(PROXY, "", &status));
    assert_int_equal(status, 401);
    close(upgrade(PROXY, HEADER ": \xff\r\n", &status));
    assert_int_equal(status, 400);
    close(upgrade(STRANGER, HEADER ": ada\r\n", &status));
    assert_int_equal(status, 403);
    close(upgrade(STRANGER, "", &status));
    assert_int_equal(status, 401);
}

/* ---- beyond loopback ---- */

/* An address of this machine beside loopback; false if it has none. */
static bool find_own_address(char text[INET_ADDRSTRLEN])
{
    struct ifaddrs *list, *at;
    bool is_found = false;
    assert_int_equal(getifaddrs(&list), 0);
    for (at = list; at != NULL && !is_found; at = at->ifa_next) {
        if (at->ifa_addr == NULL || at->ifa_addr->sa_family != AF_INET ||
            (at->ifa_flags & IFF_LOOPBACK) != 0)
            continue;
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)at->ifa_addr;
        is_found = inet_ntop(AF_INET, &v4->sin_addr, text, INET_ADDRSTRLEN) != NULL;
    }
    freeifaddrs(list);
    return is_found;
}

/* What a request without TLS is answered with; 0 for a connection that is hung up on. */
static int answer(const char *from, const char *to, int port)
{
    struct raw_response response;
    int socket = connect_between(from, to, port);
    (void)raw_send_text(socket, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    raw_read_response(socket, &response);
    close(socket);
    return response.status;
}

static void try_beyond(const char *own, const char *proxy, bool tls, int from_own)
{
    struct test_daemon daemon;
    char option[64];
    test_daemon_init(&daemon);
    daemon.host = "0.0.0.0";
    if (tls) test_daemon_use_tls(&daemon);
    snprintf(option, sizeof option, "--trusted-proxy=%s", proxy);
    test_daemon_start(&daemon, option, "--trust-header=" HEADER);
    assert_int_equal(answer("127.0.0.1", "127.0.0.1", daemon.port), tls ? 403 : 200);
    assert_int_equal(answer("127.0.0.3", "127.0.0.1", daemon.port), tls ? 403 : 200);
    assert_int_equal(answer(own, own, daemon.port), from_own);
    test_daemon_end(&daemon);
    test_daemon_finish(&daemon);
}

/* With TLS everybody may connect: a request in the open is refused in words. */
TEST(test_proxy_beyond_loopback_only_proxies_connect)
{
    char own[INET_ADDRSTRLEN];
    if (!find_own_address(own)) skip();
    try_beyond(own, "198.51.100.7/32", false, 0);
    try_beyond(own, own, false, 200);
    try_beyond(own, "0.0.0.0/0", false, 200);
    try_beyond(own, "198.51.100.7/32", true, 403);
}

static int start(void **state)
{
    (void)state;
    test_daemon_init(&gizmod);
    test_daemon_start(&gizmod, "--trusted-proxy=" PROXY "/32", "--trust-header=" HEADER);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    test_daemon_end(&gizmod);
    test_daemon_finish(&gizmod);
    return 0;
}

int main(void)
{
    return test_run(start, stop);
}
