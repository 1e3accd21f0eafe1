/* net_fixture.c - a daemon and a client that behaves. See net_fixture.h. */
#include "net_fixture.h"
#include "proto/limits.h"

#include <stdlib.h>

void net_fixture_start(struct net_fixture *fixture, const char *first, const char *second)
{
    test_daemon_init(&fixture->daemon);
    test_daemon_start(&fixture->daemon, first, second);
    fixture->witness = net_fixture_join(fixture, WITNESS_SCENE, "witness");
}

static void print_log(const struct net_fixture *fixture)
{
    char line[1024];
    FILE *log = fopen(fixture->daemon.log, "r");
    while (log != NULL && fgets(line, sizeof line, log) != NULL) print_error("%s", line);
    if (log != NULL) fclose(log);
}

void net_fixture_stop(struct net_fixture *fixture)
{
    close(fixture->witness);
    int code = test_daemon_stop(&fixture->daemon);
    if (code != 0) print_log(fixture);
    assert_int_equal(code, 0);
    test_daemon_finish(&fixture->daemon);
}

int net_fixture_end(void **state)
{
    net_fixture_stop(*state);
    return 0;
}

void net_fixture_assert_unharmed(struct net_fixture *fixture)
{
    assert_true(raw_answers(fixture->witness));
}

int net_fixture_join(const struct net_fixture *fixture, const char *scene, const char *user)
{
    int socket = raw_open(fixture->daemon.port);
    assert_true(raw_send_hello(socket, scene, user));
    assert_true(raw_answers(socket));
    return socket;
}

void net_fixture_renew_witness(struct net_fixture *fixture)
{
    close(fixture->witness);
    fixture->witness = net_fixture_join(fixture, WITNESS_SCENE, "witness");
}

static void fill_nodes(struct gz_create_node *nodes, size_t count)
{
    static char name[GZ_NAME_BYTES_MAX];
    memset(name, 'n', sizeof name);
    for (size_t i = 0; i < count; i++) {
        nodes[i] = (struct gz_create_node){.has = GZ_HAS_CREATE_NODE_BOUNDS,
                                           .name = {name, sizeof name},
                                           .trs = {.r = {0, 0, 0, 1}, .s = {1, 1, 1}},
                                           .bounds = {{-1, -1, -1}, {1, 1, 1}}};
    }
}

void net_fixture_create_nodes(int socket, size_t count)
{
    struct gz_create_node *nodes = calloc(count, sizeof *nodes);
    struct raw_frame *frame = malloc(sizeof *frame);
    struct gz_message answer, create = {.op = GZ_OP_CREATE, .has = GZ_HAS_RID, .rid = 3};
    struct gz_arena arena;
    assert_non_null(nodes);
    assert_non_null(frame);
    gz_arena_init(&arena, 0);
    fill_nodes(nodes, count);
    create.create = (struct gz_create){.nodes = nodes, .count = count};
    assert_true(raw_send_message(socket, &create));
    assert_true(raw_read_message(socket, GZ_OP_OK, frame, &arena, &answer));
    assert_int_equal(answer.rid, create.rid);
    gz_arena_finish(&arena);
    free(frame);
    free(nodes);
}

static long number_after(const char *metrics, const char *row)
{
    const char *at = strstr(metrics, row);
    if (at == NULL) fail_msg("no %s in %s", row, metrics);
    return strtol(at + strlen(row), NULL, 10);
}

static long metric(int port, const char *row)
{
    struct raw_response response;
    raw_request(port, "GET", "/metrics", "", "", 0, &response);
    return number_after(response.body, row);
}

long net_fixture_measure(int port, const char *scene, const char *what)
{
    char row[128];
    snprintf(row, sizeof row, "\ngizmod_scene_%s{scene=\"%s\"} ", what, scene);
    return metric(port, row);
}

void net_fixture_await_empty(int port, const char *scene)
{
    long users = 1;
    for (int i = 0; i < 6000 && users > 0; i++) {
        if (i > 0) usleep(10000);
        users = net_fixture_measure(port, scene, "users");
    }
    assert_int_equal(users, 0);
}

long net_fixture_number(int port, const char *what)
{
    char row[128];
    snprintf(row, sizeof row, "\ngizmod_%s ", what);
    return metric(port, row);
}

struct net_fixture_memory net_fixture_memory(int port)
{
    struct raw_response response;
    raw_request(port, "GET", "/metrics", "", "", 0, &response);
    const long heap = number_after(response.body, "\ngizmod_heap_bytes "),
               sqlite = number_after(response.body, "\ngizmod_sqlite_bytes ");
    return (struct net_fixture_memory){.own = heap - sqlite, .sqlite = sqlite};
}

long net_fixture_errors(int port, const char *code)
{
    char row[128];
    snprintf(row, sizeof row, "\ngizmod_errors_total{code=\"%s\"} ", code);
    return metric(port, row);
}

long net_fixture_frames_in(int port)
{
    return metric(port, "\ngizmod_frames_received_total ");
}
