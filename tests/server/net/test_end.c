/* Ends: of a daemon by a signal, of a connection by silence or by not reading. */
#include "net_fixture.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#define PING "--ping-seconds=1"
#define SILENCE "--silence-seconds=2"
#define WIDE_NODES 500

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int join(const struct net_fixture *fixture, const char *scene, const char *user)
{
    int socket = raw_open(fixture->daemon.port);
    assert_true(raw_send_hello(socket, scene, user));
    assert_true(raw_answers(socket));
    return socket;
}

/* Makes nodes with long names, so that the scene is large on the wire; waits until they are saved. */
static void create_nodes(int socket, size_t count)
{
    static char name[GZ_NAME_BYTES_MAX];
    struct gz_create_node *nodes = calloc(count, sizeof *nodes);
    assert_non_null(nodes);
    memset(name, 'n', sizeof name);
    for (size_t i = 0; i < count; i++) {
        nodes[i] = (struct gz_create_node){.name = {name, sizeof name}, .trs = {.r = {0, 0, 0, 1}, .s = {1, 1, 1}}};
    }
    struct gz_message answer, create = {.op = GZ_OP_CREATE, .has = GZ_HAS(RID), .rid = 3};
    struct raw_frame *frame = malloc(sizeof *frame);
    struct gz_arena arena;
    assert_non_null(frame);
    gz_arena_init(&arena, 0);
    create.create = (struct gz_create){.nodes = nodes, .count = count};
    assert_true(raw_send_message(socket, &create));
    assert_true(raw_read_message(socket, GZ_OP_OK, frame, &arena, &answer));
    gz_arena_finish(&arena);
    free(frame);
    free(nodes);
}

static uint64_t seq_of(int port, const char *scene)
{
    struct raw_response response;
    char row[96];
    unsigned long long nodes, seq = 0;
    raw_request(port, "GET", "/scenes", "", "", 0, &response);
    snprintf(row, sizeof row, "{\"name\":\"%s\",", scene);
    const char *at = strstr(response.body, row);
    if (at == NULL || sscanf(at + strlen(row), "\"nodes\":%llu,\"seq\":%llu", &nodes, &seq) != 2) {
        fail_msg("no %s in %s", scene, response.body);
    }
    return seq;
}

/* ---- signals ---- */

static void end_by(int number)
{
    struct net_fixture fixture;
    struct raw_frame frame;
    struct gz_message bye;
    struct gz_arena arena;
    int code;
    gz_arena_init(&arena, 0);
    net_fixture_start(&fixture, NULL, NULL);
    int editor = join(&fixture, "ending", "anna"), lobby = raw_open(fixture.daemon.port);
    create_nodes(editor, 3);
    uint64_t seq = seq_of(fixture.daemon.port, "ending");
    int idle_http = raw_connect(fixture.daemon.port);

    double began_s = now_s();
    assert_int_equal(kill(fixture.daemon.pid, number), 0);
    assert_true(raw_read_message(editor, GZ_OP_BYE, &frame, &arena, &bye));
    assert_true(bye.has & GZ_HAS(RETRY_S));
    assert_true(raw_is_ended_within(editor, 5, &code));
    assert_int_equal(code, 1001);
    assert_true(raw_read_message(lobby, GZ_OP_BYE, &frame, &arena, &bye));
    assert_true(raw_is_ended_within(lobby, 5, &code));
    assert_int_equal(code, 1001);
    net_fixture_stop(&fixture);
    assert_true(now_s() - began_s < GZ_SHUTDOWN_SECONDS_MAX);
    assert_true(seq > 0);
    close(editor);
    close(lobby);
    close(idle_http);
    gz_arena_finish(&arena);
}

static void test_end_by_sigterm_is_in_order(void **state)
{
    (void)state;
    end_by(SIGTERM);
}

static void test_end_by_sigint_is_in_order(void **state)
{
    (void)state;
    end_by(SIGINT);
}

/* Nobody may hold up the end: neither one who does not read nor one who does not close. */
static void test_end_does_not_wait_for_those_who_do_not_answer(void **state)
{
    struct net_fixture fixture;
    (void)state;
    net_fixture_start(&fixture, NULL, NULL);
    int editor = join(&fixture, "ending", "anna"), deaf = join(&fixture, "ending", "ben");
    for (int i = 0; i < 20; i++) create_nodes(editor, WIDE_NODES);
    int half = raw_connect(fixture.daemon.port);
    assert_true(raw_send_text(half, "PUT /scenes/half HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{"));
    double began_s = now_s();
    net_fixture_stop(&fixture);
    assert_true(now_s() - began_s < GZ_SHUTDOWN_SECONDS_MAX);
    close(editor);
    close(deaf);
    close(half);
}

static void test_end_keeps_what_was_acknowledged(void **state)
{
    struct test_daemon daemon;
    (void)state;
    test_daemon_init(&daemon);
    test_daemon_start(&daemon, NULL, NULL);
    int editor = raw_open(daemon.port);
    assert_true(raw_send_hello(editor, "kept", "anna"));
    create_nodes(editor, 10);
    uint64_t seq = seq_of(daemon.port, "kept");
    close(editor);
    assert_int_equal(test_daemon_stop(&daemon), 0);
    test_daemon_start(&daemon, NULL, NULL);
    assert_int_equal(seq_of(daemon.port, "kept"), seq);
    assert_int_equal(test_daemon_stop(&daemon), 0);
    test_daemon_finish(&daemon);
}

/* ---- silence ---- */

static void test_silent_client_is_dismissed_and_a_quiet_one_is_not(void **state)
{
    struct net_fixture fixture;
    struct raw_frame frame;
    struct gz_message bye;
    struct gz_arena arena;
    int code;
    (void)state;
    gz_arena_init(&arena, 0);
    net_fixture_start(&fixture, PING, SILENCE);
    int silent = join(&fixture, "silence", "anna"), quiet = join(&fixture, "silence", "ben");
    /* The quiet one says nothing of its own, but its pongs: raw_read_frame gives them. */
    for (double end_s = now_s() + 5; now_s() < end_s;) (void)raw_read_frame(quiet, &frame, 0.2);
    assert_true(raw_answers(quiet));
    assert_true(raw_read_message(silent, GZ_OP_BYE, &frame, &arena, &bye));
    assert_true(raw_is_ended_within(silent, 5, &code));
    close(quiet);
    close(silent);
    /* The witness of this fixture was as silent. */
    close(fixture.witness);
    fixture.witness = join(&fixture, WITNESS_SCENE, "witness");
    net_fixture_stop(&fixture);
    gz_arena_finish(&arena);
}

/* How many sessions a scene has, as the metrics say. */
static int users_of(int port, const char *scene)
{
    struct raw_response response;
    char row[96];
    int users = -1;
    raw_request(port, "GET", "/metrics", "", "", 0, &response);
    snprintf(row, sizeof row, "gizmod_scene_users{scene=\"%s\"} ", scene);
    const char *at = strstr(response.body, row);
    if (at != NULL) users = atoi(at + strlen(row));
    return users;
}

static void test_client_that_does_not_read_is_ended_and_others_are_served(void **state)
{
    struct net_fixture fixture;
    struct raw_frame frame;
    (void)state;
    net_fixture_start(&fixture, PING, SILENCE);
    int editor = join(&fixture, "deaf", "anna"), deaf = join(&fixture, "deaf", "ben");
    assert_int_equal(users_of(fixture.daemon.port, "deaf"), 2);
    /* Much more than the kernels keep for a socket. */
    for (int i = 0; i < 40; i++) create_nodes(editor, WIDE_NODES);
    bool gone = false;
    for (double end_s = now_s() + 10; !gone && now_s() < end_s;) {
        (void)raw_read_frame(editor, &frame, 0.2);
        gone = users_of(fixture.daemon.port, "deaf") == 1;
    }
    assert_true(gone);
    assert_true(raw_answers(editor));
    close(editor);
    close(deaf);
    net_fixture_stop(&fixture);
}

/* A slow reader is behind, not dead: it gets fewer and larger deltas, and in the end it is where the others are. */
static void test_slow_reader_is_not_ended(void **state)
{
    struct net_fixture fixture;
    struct raw_frame *frame = malloc(sizeof *frame);
    (void)state;
    assert_non_null(frame);
    net_fixture_start(&fixture, PING, SILENCE);
    int editor = join(&fixture, "slow", "anna");
    for (int i = 0; i < 20; i++) create_nodes(editor, WIDE_NODES);
    int slow = raw_open(fixture.daemon.port), small = 4096;
    assert_int_equal(setsockopt(slow, SOL_SOCKET, SO_RCVBUF, &small, sizeof small), 0);
    assert_true(raw_send_hello(slow, "slow", "ben"));
    /* 2.6 MB at 0.4 MB/s: three times as long as silence may be. It sends nothing meanwhile. */
    char piece[4096];
    ssize_t count = 0;
    size_t taken = 0;
    for (double end_s = now_s() + 6; now_s() < end_s; taken += (size_t)count) {
        usleep(10000);
        count = recv(slow, piece, sizeof piece, 0);
        if (count <= 0) fail_msg("ended after %zu bytes", taken);
        (void)raw_read_frame(editor, frame, 0);
    }
    close(slow);
    close(editor);
    close(fixture.witness);
    fixture.witness = join(&fixture, WITNESS_SCENE, "witness");
    net_fixture_stop(&fixture);
    free(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_end_by_sigterm_is_in_order),
        cmocka_unit_test(test_end_by_sigint_is_in_order),
        cmocka_unit_test(test_end_does_not_wait_for_those_who_do_not_answer),
        cmocka_unit_test(test_end_keeps_what_was_acknowledged),
        cmocka_unit_test(test_silent_client_is_dismissed_and_a_quiet_one_is_not),
        cmocka_unit_test(test_client_that_does_not_read_is_ended_and_others_are_served),
        cmocka_unit_test(test_slow_reader_is_not_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
