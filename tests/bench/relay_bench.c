/* relay_bench - what it costs that another member of a cluster has the scene: the time of a request
 * and its answer, and the processor's time at the member between, beside the direct way. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "quantile.h"
#include "support/clock.h"
#include "support/cmocka.h"
#include "support/daemon.h"
#include "support/raw_ws.h"

#define ROUNDS 5
#define REQUESTS_MAX 200000

static int join(int port)
{
    int socket = raw_open(port);
    assert_true(raw_send_hello(socket, "bench", "bench"));
    assert_true(raw_answers(socket));
    return socket;
}

struct way {
    double p50_ms[ROUNDS], p99_ms[ROUNDS], member_us[ROUNDS], own_us[ROUNDS];
};

/* One request after the other, for some seconds. */
static void go(const struct test_daemon *daemon, int socket, double seconds, struct way *way,
               int round)
{
    static double times_ms[REQUESTS_MAX];
    size_t count = 0;
    const double member_s = processor_s(daemon->relay_pid), own_s = processor_s(daemon->pid);
    for (double end_s = now_s() + seconds; now_s() < end_s && count < REQUESTS_MAX; count++) {
        const double from_s = now_s();
        assert_true(raw_answers(socket));
        times_ms[count] = (now_s() - from_s) * 1e3;
    }
    way->member_us[round] = (processor_s(daemon->relay_pid) - member_s) * 1e6 / (double)count;
    way->own_us[round] = (processor_s(daemon->pid) - own_s) * 1e6 / (double)count;
    way->p50_ms[round] = quantile(times_ms, count, 0.5);
    way->p99_ms[round] = quantile(times_ms, count, 0.99);
}

static void print(const char *name, struct way *way)
{
    printf("| %s | %.3f | %.3f | %.1f | %.1f |\n", name, quantile(way->p50_ms, ROUNDS, 0.5),
           quantile(way->p99_ms, ROUNDS, 0.5), quantile(way->own_us, ROUNDS, 0.5),
           quantile(way->member_us, ROUNDS, 0.5));
}

int main(int count, char **arguments)
{
    const double seconds = count > 1 ? atof(arguments[1]) : 1;
    static struct way direct, relayed;
    struct test_daemon daemon;
    setenv("GIZMOD_TEST_RELAY", GZ_MEMBER_PATH, 1);
    test_daemon_init(&daemon);
    test_daemon_start(&daemon, "--messages-per-s", "100000");
    const int near = join(daemon.own_port), far = join(daemon.port);
    for (int round = 0; round < ROUNDS; round++) {
        go(&daemon, near, seconds, &direct, round);
        go(&daemon, far, seconds, &relayed, round);
    }
    printf("| | p50 ms | p99 ms | us at the member with the scene | us at the member between |\n"
           "| --- | --- | --- | --- | --- |\n");
    print("direct", &direct);
    print("relayed", &relayed);
    close(near);
    close(far);
    test_daemon_end(&daemon);
    test_daemon_finish(&daemon);
    return 0;
}
