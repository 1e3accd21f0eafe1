/* Real members, of which one is frozen, or cut off from the database, from the others, or from
 * both: its clients, wherever they are, leave it when its lease is over, and go on at another
 * member. The silence that ends a connection is set to far more than the tests take, so that only
 * the lease can end it. How long it took is printed, and decides nothing. */
#include <signal.h>

#include "members.h"
#include "server/maxima.h"
#include "support/clock.h"
#include "support/proxy.h"

/* Longer than anything here takes. */
#define SILENCE "600"

/* The ways to the first member, and from it to the database. */
struct ways {
    struct test_proxy database, members;
};

static void write_port(char *uri, size_t size, int port)
{
    char after[128] = "";
    char *colon = strrchr(uri, ':');
    assert_non_null(colon);
    snprintf(after, sizeof after, "%s", colon + 1 + strspn(colon + 1, "0123456789"));
    snprintf(colon, size - (size_t)(colon - uri), ":%d%s", port, after);
}

static struct stage *start_patient(struct cluster *cluster, size_t which)
{
    struct member *member = &cluster->members[which];
    size_t count = 0;
    while (member->options[count] != NULL) count++;
    member->options[count] = "--silence-seconds";
    member->options[count + 1] = SILENCE;
    return member_start(cluster, which);
}

/* The first member gets its ways. */
static void make_ways(struct cluster *cluster, struct ways *ways)
{
    struct member *a = &cluster->members[A];
    test_proxy_start_many(&ways->database, cluster->postgres->port);
    test_proxy_start_many(&ways->members, a->stage.daemon.port);
    write_port(a->database, sizeof a->database, ways->database.port);
    write_port(a->advertise, sizeof a->advertise, ways->members.port);
}

static void end_ways(const struct ways *ways)
{
    struct test_proxy proxies[] = {ways->database, ways->members};
    for (size_t i = 0; i < 2; i++) {
        test_proxy_go_on(&proxies[i]);
        test_proxy_kill(&proxies[i]);
    }
}

/* All members that run reach each other. */
static void await_trunks(const struct cluster *cluster, const struct ways *ways)
{
    char words[160];
    snprintf(words, sizeof words, "there is a link to http://127.0.0.1:%d",
             ways != NULL ? ways->members.port : cluster->members[A].stage.daemon.port);
    await_words(cluster, B, words, 1);
    await_words(cluster, A, "there is a link to", 1);
}

/* Waits for the end of the client's connection, which is not of its own making. */
static void await_end(struct gz_client *client)
{
    const double until_s = now_s() + CLUSTER_SECONDS;
    while (gz_client_is_open(client) && now_s() < until_s) (void)gz_client_next(client, 0.1);
    if (gz_client_is_open(client)) fail_msg("the client is still there");
}

/* Joins at once or later, and edits. */
static void await_edit(struct stage *stage, uint64_t id, double x, double from_s, const char *what)
{
    struct gz_client *client = await_join(stage, "arm", "bert");
    move_node(client, id, x, "");
    check_x(client, id, x);
    printf("%s: %.1f s until an edit at another member\n", what, now_s() - from_s);
}

static void await_health(const struct cluster *cluster, size_t which, int status)
{
    const double until_s = now_s() + CLUSTER_SECONDS;
    while (ask_http(cluster, which, "GET", "/readyz", "") != status) {
        if (now_s() > until_s)
            test_daemon_fail(&cluster->members[which].stage.daemon, "has another health than %d",
                             status);
        wait_a_little();
    }
}

TEST_WITH_CLUSTER(test_clients_leave_a_frozen_authority)
{
    struct cluster *cluster = *state;
    struct stage *a = start_patient(cluster, A), *b = start_patient(cluster, B);
    uint64_t id = put_node(stage_join(a, "arm", "anna"), "link", 1);
    struct gz_client *bert = stage_join(b, "arm", "bert");
    await_trunks(cluster, NULL);
    await_equal(cluster, A, B, "arm");
    const double from_s = now_s();
    kill(a->daemon.pid, SIGSTOP);
    await_end(bert);
    printf("frozen: %.1f s until its clients at the edge are told\n", now_s() - from_s);
    await_edit(b, id, 2, from_s, "frozen");
    kill(a->daemon.pid, SIGCONT);
    await_health(cluster, A, 200);
    await_equal(cluster, B, A, "arm");
}

/* It reaches the others, and not the database. */
TEST_WITH_CLUSTER(test_an_authority_without_the_database_steps_down)
{
    struct cluster *cluster = *state;
    struct ways ways;
    make_ways(cluster, &ways);
    struct stage *a = start_patient(cluster, A), *b = start_patient(cluster, B);
    struct gz_client *anna = stage_join(a, "arm", "anna"), *bert = stage_join(b, "arm", "bert");
    uint64_t id = put_node(anna, "link", 1);
    await_trunks(cluster, &ways);
    await_equal(cluster, A, B, "arm");
    const double from_s = now_s();
    test_proxy_silence(&ways.database);
    await_end(anna);
    await_end(bert);
    printf("without the database: %.1f s until its clients are told\n", now_s() - from_s);
    assert_int_equal(ask_http(cluster, A, "GET", "/readyz", ""), 503);
    await_edit(b, id, 2, from_s, "without the database");
    test_proxy_go_on(&ways.database);
    await_health(cluster, A, 200);
    check_x(await_join(a, "arm", "anna"), id, 2);
    await_equal(cluster, B, A, "arm");
    end_ways(&ways);
}

/* It reaches nobody. */
TEST_WITH_CLUSTER(test_clients_leave_an_isolated_authority)
{
    struct cluster *cluster = *state;
    struct ways ways;
    make_ways(cluster, &ways);
    struct stage *a = start_patient(cluster, A), *b = start_patient(cluster, B);
    struct gz_client *anna = stage_join(a, "arm", "anna"), *bert = stage_join(b, "arm", "bert");
    uint64_t id = put_node(anna, "link", 1);
    await_trunks(cluster, &ways);
    await_equal(cluster, A, B, "arm");
    const double from_s = now_s();
    test_proxy_silence(&ways.database);
    test_proxy_silence(&ways.members);
    await_end(bert);
    await_end(anna);
    printf("isolated: %.1f s until its clients are told\n", now_s() - from_s);
    assert_int_equal(ask_http(cluster, A, "GET", "/readyz", ""), 503);
    await_edit(b, id, 2, from_s, "isolated");
    end_ways(&ways);
}

/* It reaches the database, and no other member reaches it: of three the other two go on; of two the
 * one that is asked. */
static void leave_unreached(struct cluster *cluster, size_t count)
{
    struct ways ways;
    make_ways(cluster, &ways);
    struct stage *a = start_patient(cluster, A), *b = start_patient(cluster, B);
    if (count > 2) start_patient(cluster, C);
    struct gz_client *anna = stage_join(a, "arm", "anna"), *bert = stage_join(b, "arm", "bert");
    uint64_t id = put_node(anna, "link", 1);
    await_trunks(cluster, &ways);
    await_equal(cluster, A, B, "arm");
    const double from_s = now_s();
    test_proxy_silence(&ways.members);
    await_end(bert);
    await_end(anna);
    printf("unreached, of %zu: %.1f s until its clients are told\n", count, now_s() - from_s);
    await_edit(b, id, 2, from_s, "unreached");
    if (count > 2) await_health(cluster, A, 503);
    test_proxy_go_on(&ways.members);
    await_health(cluster, A, 200);
    check_x(await_join(a, "arm", "anna"), id, 2);
    end_ways(&ways);
}

TEST_WITH_CLUSTER(test_an_authority_that_no_member_reaches_gives_way)
{
    leave_unreached(*state, 3);
}

TEST_WITH_CLUSTER(test_one_of_two_that_do_not_reach_each_other_gives_way)
{
    leave_unreached(*state, 2);
}

/* Nobody can have taken the scenes: what is open can be seen, at each member. */
TEST_WITH_CLUSTER(test_scenes_are_joined_at_an_edge_without_the_database)
{
    struct cluster *cluster = *state;
    struct stage *a = start_patient(cluster, A), *b = start_patient(cluster, B);
    struct gz_client *anna = stage_join(a, "arm", "anna");
    uint64_t id = put_node(anna, "link", 1);
    await_trunks(cluster, NULL);
    await_equal(cluster, A, B, "arm");
    test_postgres_kill(cluster->postgres);
    check_x(stage_join(b, "arm", "bert"), id, 1);
    sleep(GZ_CLUSTER_LEASE_SECONDS + 2);
    check_x(stage_join(b, "arm", "cleo"), id, 1);
    check_x(stage_join(a, "arm", "dora"), id, 1);
    assert_int_equal(ask_http(cluster, B, "GET", "/readyz", ""), 200);
    assert_true(gz_client_is_open(anna));
    test_postgres_start(cluster->postgres);
    move_node(anna, id, 2, "");
}

int main(void)
{
    return run_with_postgres();
}
