/* What gizmoctl, and so the C client, says to a server, and what it makes of one that says no: a
 * proxy that answers, certificates that nobody trusts, a daemon that drops what comes too fast. But
 * for the last the server is one thread here that takes a request and sends an answer as it is
 * written below. */
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "answering.h"
#include "stage.h"

/* Runs gizmoctl against the port, and wants this exit code with one line that has all of `words` in
 * it. */
static void check_refused(int code, const char *scheme, int port, const char *const *arguments,
                          const char *const *words)
{
    char url[64];
    const char *all[8] = {0};
    struct test_output output;
    size_t count = 0;
    for (; arguments[count] != NULL; count++) all[count] = arguments[count];
    snprintf(url, sizeof url, "%s://127.0.0.1:%d/ws", scheme, port);
    all[count] = "--server";
    all[count + 1] = url;
    test_ctl(&output, NULL, NULL, all);
    if (output.code != code) fail_msg("%d and not %d: %s", output.code, code, output.err);
    assert_string_equal(output.out, "");
    for (size_t i = 0; words[i] != NULL; i++)
        if (strstr(output.err, words[i]) == NULL)
            fail_msg("gizmoctl %s: \"%s\" is not in: %s", all[0], words[i], output.err);
    assert_ptr_equal(strchr(output.err, '\n') + 1, output.err + strlen(output.err));
    test_output_finish(&output);
}

#define REFUSAL "{\"code\":\"forbidden\",\"message\":\"Host: not by this name\"}"
#define ANSWER_403                                                                                 \
    "HTTP/1.1 403 Forbidden\r\nContent-Length: 55\r\nConnection: close\r\n\r\n" REFUSAL
#define ANSWER_401 "HTTP/1.1 401 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
#define ANSWER_413 "HTTP/1.1 413 Whatever\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>"
#define ANSWER_502 "HTTP/1.1 502 Oh\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

static const char *const list[] = {"ls", NULL}, *const join[] = {"ls", "arm", NULL};

TEST(test_programs_say_no_origin)
{
    struct answering server;
    answering_start(&server, ANSWER_403);
    check_refused(4, "ws", server.port, list,
                  (const char *const[]){"Host: not by this name (forbidden)", NULL});
    check_refused(4, "ws", server.port, join, (const char *const[]){"(forbidden)", NULL});
    answering_end(&server);
    assert_true(server.count >= 2);
    assert_non_null(strcasestr(server.requests[1], "\r\nUpgrade: websocket\r\n"));
    for (int i = 0; i < server.count; i++) {
        assert_non_null(strcasestr(server.requests[i], "\r\nHost: 127.0.0.1:"));
        assert_null(strcasestr(server.requests[i], "\r\nOrigin:"));
    }
}

TEST(test_a_refused_handshake_is_told_with_its_status_and_words)
{
    struct answering server;
    answering_start(&server, ANSWER_403);
    check_refused(4, "ws", server.port, join,
                  (const char *const[]){"cannot connect to ws://127.0.0.1:",
                                        "HTTP status 403: Host: not by this name", NULL});
    answering_end(&server);
    answering_start(&server, ANSWER_502);
    check_refused(3, "ws", server.port, join,
                  (const char *const[]){
                      "HTTP status 502 (Bad Gateway), from http://127.0.0.1:", "/ws\n", NULL});
    answering_end(&server);
}

TEST(test_a_proxys_refusal_is_told_with_its_meaning_and_url)
{
    struct answering server;
    answering_start(&server, ANSWER_502);
    check_refused(3, "ws", server.port, list,
                  (const char *const[]){
                      "HTTP status 502 (Bad Gateway), from http://127.0.0.1:", "/scenes\n", NULL});
    answering_end(&server);
    answering_start(&server, ANSWER_413);
    check_refused(7, "ws", server.port,
                  (const char *const[]){"import", GZ_SOURCE_DIR "/server/gltf/sample/robot-arm.glb",
                                        "arm", NULL},
                  (const char *const[]){"HTTP status 413 (Content Too Large): a proxy",
                                        "/scenes/arm (too_large)\n", NULL});
    answering_end(&server);
    answering_start(&server, ANSWER_401);
    check_refused(4, "ws", server.port, list,
                  (const char *const[]){"HTTP status 401 (Unauthorized): a proxy before the daemon "
                                        "asks for a user and a password",
                                        "/scenes (forbidden)\n", NULL});
    check_refused(4, "ws", server.port, join,
                  (const char *const[]){": HTTP status 401 (Unauthorized): a proxy before the "
                                        "daemon asks for a user and a password",
                                        "/ws (forbidden)\n", NULL});
    answering_end(&server);
}

/* Escape sequences, controls of eight bits, and what is no UTF-8. */
#define ESCAPES                                                                                    \
    "\x1b]0;x\a\xc2\x9b"                                                                           \
    "2J\xff\x9b\xe2\x80\xae"
#define ANSWER_DROPPED                                                                             \
    "HTTP/1.1 200 OK\r\nContent-Type: model/gltf-binary\r\nGizmod-Dropped: skin " ESCAPES          \
    "\r\nContent-Length: 4\r\nConnection: close\r\n\r\nglTF"
#define ANSWER_ESCAPES                                                                             \
    "HTTP/1.1 500 " ESCAPES "\r\nContent-Length: 61\r\nConnection: close\r\n\r\n"                  \
    "{\"code\":\"internal\",\"message\":\"\\u001b[2J\\u009b\\u202e\\u200f!\"}"

#define EXPORTED "/tmp/gizmod-test-escapes.glb"

static void check_clean(const char *text)
{
    for (const char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c >= 0x7f || ((unsigned char)*c < 0x20 && *c != '\n'))
            fail_msg("0x%02x is in: %s", (unsigned char)*c, text);
}

TEST(test_a_server_s_escapes_do_not_reach_the_terminal)
{
    static const struct {
        const char *answer, *arguments[4];
        int code;
    } rows[] = {{ANSWER_DROPPED, {"export", "arm", EXPORTED, NULL}, 0},
                {ANSWER_ESCAPES, {"export", "arm", EXPORTED, NULL}, 1},
                {ANSWER_ESCAPES, {"ls", NULL}, 1},
                {ANSWER_ESCAPES, {"ls", "arm", NULL}, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct answering server;
        char url[64];
        const char *all[8] = {0};
        struct test_output output;
        size_t count = 0;
        answering_start(&server, rows[i].answer);
        for (; rows[i].arguments[count] != NULL; count++) all[count] = rows[i].arguments[count];
        snprintf(url, sizeof url, "ws://127.0.0.1:%d/ws", server.port);
        all[count] = "--server";
        all[count + 1] = url;
        test_ctl(&output, NULL, NULL, all);
        assert_int_equal(output.code, rows[i].code);
        check_clean(output.err);
        check_clean(output.out);
        if (i == 0) assert_non_null(strstr(output.err, "left out skin ?]0;x??2J???"));
        test_output_finish(&output);
        answering_end(&server);
    }
    unlink(EXPORTED);
}

/* A shell is offered names that can be scenes, and nothing else that a server makes up. */
#define ANSWER_NAMES                                                                               \
    "HTTP/1.1 200 OK\r\nContent-Length: 91\r\nConnection: close\r\n\r\n"                           \
    "[{\"name\":\"arm\"},{\"name\":\"a$(touch "                                                    \
    "x)\"},{\"name\":\"b\\nc\"},{\"name\":\"-d\"},{\"name\":7},"                                   \
    "{},8      ]"

TEST(test_only_names_of_scenes_are_completed)
{
    struct answering server;
    struct test_output output;
    char url[64];
    answering_start(&server, ANSWER_NAMES);
    snprintf(url, sizeof url, "ws://127.0.0.1:%d/ws", server.port);
    test_ctl(&output, NULL, NULL,
             (const char *const[]){"--complete", "ls", "--server", url, "", NULL});
    answering_end(&server);
    assert_string_equal(output.err, "");
    assert_string_equal(output.out, "arm\n");
    test_output_finish(&output);
}

/* ---- certificates ---- */

/* A server of the openssl program with a certificate that it made itself. */
static pid_t start_tls(int port)
{
    char script[512];
    snprintf(script, sizeof script,
             "d=$(mktemp -d) && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 "
             "-nodes -days 1 "
             "-subj /CN=127.0.0.1 -keyout $d/key -out $d/cert 2>/dev/null && "
             "{ (sleep 1; rm -r $d) & exec openssl s_server -accept 127.0.0.1:%d -key $d/key -cert "
             "$d/cert -quiet "
             "2>/dev/null; }",
             port);
    pid_t child = fork();
    assert_int_not_equal(child, -1);
    if (child != 0) return child;
    alarm(60);
    execl("/bin/sh", "sh", "-c", script, (char *)NULL);
    _exit(127);
}

static void await_port(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                  .sin_port = htons((uint16_t)port)};
    for (int tries = 0; tries < 1200; tries++) {
        int socket_ = socket(AF_INET, SOCK_STREAM, 0);
        bool is_there = connect(socket_, (struct sockaddr *)&address, sizeof address) == 0;
        close(socket_);
        if (is_there) return;
        usleep(50000);
    }
    fail_msg("openssl s_server did not start");
}

TEST(test_an_untrusted_certificate_is_told_in_words)
{
    int port, listener = answering_listen(&port);
    close(listener);
    pid_t server = start_tls(port);
    await_port(port);
    check_refused(3, "wss", port, list,
                  (const char *const[]){"by an authority that is not known here", NULL});
    check_refused(3, "wss", port, join,
                  (const char *const[]){"by an authority that is not known here", NULL});
    kill(server, SIGTERM);
    waitpid(server, NULL, 0);
}

/* ---- faster than the server takes it ---- */

#define RATE "--messages-per-s=100"
#define FLOOD 1000

/* Sends pings, many more than a second's; returns the rid of the last one. */
static uint64_t flood(struct gz_client *client)
{
    uint64_t rid = 0;
    for (int i = 0; i < FLOOD; i++) {
        struct gz_message ping = {.op = GZ_OP_PING};
        assert_int_equal(gz_client_send(client, &ping, &rid, NULL), GZ_OK);
    }
    return rid;
}

static void assert_dropped(struct gz_client *client, uint64_t rid)
{
    struct gz_error error = {.status = GZ_OK};
    const struct gz_message *answer;
    assert_int_equal(gz_client_answer(client, rid, STAGE_SECONDS, &answer, &error),
                     GZ_RATE_LIMITED);
    assert_non_null(strstr(error.message, "the server dropped some, perhaps this one"));
    assert_null(answer);
}

/* The second flood is dropped when the server has just said that it drops: it says so once more a
 * second later. */
TEST(test_dropped_requests_fail_all_at_once)
{
    void *stage = NULL;
    struct gz_error error;
    struct gz_message ping = {.op = GZ_OP_PING};
    assert_int_equal(stage_setup_with(&stage, RATE), 0);
    struct gz_client *client = stage_join(stage, "flood", "ann");
    uint64_t last = flood(client);
    assert_dropped(client, last);
    assert_dropped(client, last - 1);
    assert_dropped(client, flood(client));
    for (int i = 0; gz_client_request(client, &ping, STAGE_SECONDS, NULL, &error) != GZ_OK; i++) {
        assert_int_equal(error.status, GZ_RATE_LIMITED);
        assert_true(i < 20 && gz_client_is_open(client));
        usleep(200000);
    }
    stage_teardown(&stage);
}
