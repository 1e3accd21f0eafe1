/* cluster_bench - what a cluster costs an edit: edits_go at one daemon, at the authority of a
 * cluster, and through another member, without and with a synchronous standby of PostgreSQL, by
 * turns. All on this machine: real networks come on top.
 * cluster_bench [SECONDS [ROUNDS]] */
#include <stdio.h>
#include <stdlib.h>

#include "bench/edits.h"
#include "bench/quantile.h"
#include "server/cluster/members.h"
#include "support/cmocka.h"

#define ROUNDS_MAX 15

enum way { ALONE, AUTHORITY, EDGE, AUTHORITY_STANDBY, EDGE_STANDBY, WAYS };

static const char *const names[WAYS] = {"one daemon", "authority", "through another member",
                                        "authority, standby", "through another member, standby"};
static const size_t flights[] = {1, 16, 64};
#define FLIGHTS (sizeof flights / sizeof flights[0])

struct figures {
    double per_s[ROUNDS_MAX], p50_ms[ROUNDS_MAX], p99_ms[ROUNDS_MAX];
};

static void begin(struct cluster *cluster, size_t which, bool is_member)
{
    struct member *member = &cluster->members[which];
    member->stage.daemon.options = is_member ? member->options : NULL;
    test_daemon_start(&member->stage.daemon, "--messages-per-s", "1000000");
}

/* One scene for each of them, whose authority is A from the first edit on. */
static void go(const struct cluster *cluster, enum way way, size_t flight, double seconds,
               struct figures *figures, int round)
{
    char scene[32];
    const bool is_edge = way == EDGE || way == EDGE_STANDBY;
    const int near = cluster->members[way == ALONE ? C : A].stage.daemon.port;
    snprintf(scene, sizeof scene, "bench-%d-%zu-%d", (int)way, flight, round);
    (void)edits_go(near, scene, 1, 0.1);
    const struct edits edits =
        edits_go(is_edge ? cluster->members[B].stage.daemon.port : near, scene, flight, seconds);
    figures->per_s[round] = edits.per_s;
    figures->p50_ms[round] = edits.p50_ms;
    figures->p99_ms[round] = edits.p99_ms;
}

static void print(enum way way, size_t flight, struct figures *figures, size_t rounds)
{
    printf("| %zu | %s | %.0f | %.2f | %.2f |\n", flight, names[way],
           quantile(figures->per_s, rounds, 0.5), quantile(figures->p50_ms, rounds, 0.5),
           quantile(figures->p99_ms, rounds, 0.5));
}

int main(int count, char **arguments)
{
    static struct figures figures[WAYS][FLIGHTS];
    const double seconds = count > 1 ? atof(arguments[1]) : 2;
    const int rounds = count > 2 ? atoi(arguments[2]) : 5;
    struct test_postgres standby;
    void *state = NULL;
    if (rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "cluster_bench [SECONDS [ROUNDS]]: 1 to %d rounds\n", ROUNDS_MAX);
        return 1;
    }
    postgres_setup(&state);
    struct test_postgres *postgres = state;
    cluster_setup(&state);
    struct cluster *cluster = state;
    test_postgres_init_standby(&standby);
    test_postgres_stand_by(&standby, postgres);
    begin(cluster, A, true);
    begin(cluster, B, true);
    begin(cluster, C, false);
    for (int round = 0; round < rounds; round++) {
        for (enum way way = 0; way < WAYS; way++) {
            const bool waits = way >= AUTHORITY_STANDBY;
            (void)test_postgres_ask(postgres,
                                    waits ? "ALTER SYSTEM SET synchronous_standby_names = '*'"
                                          : "ALTER SYSTEM SET synchronous_standby_names = ''");
            (void)test_postgres_ask(postgres, "SELECT pg_reload_conf()");
            for (size_t i = 0; i < FLIGHTS; i++)
                go(cluster, way, flights[i], seconds, &figures[way][i], round);
        }
    }
    printf(
        "| in flight | at | edits a second | p50 ms | p99 ms |\n| --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < FLIGHTS; i++)
        for (enum way way = 0; way < WAYS; way++)
            print(way, flights[i], &figures[way][i], (size_t)rounds);
    cluster_teardown(&state);
    test_postgres_finish(&standby);
    postgres_teardown(&state);
    return 0;
}
