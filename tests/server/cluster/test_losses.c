/* Real members on one PostgreSQL, of which one is killed, stopped or away: what was answered `ok`
 * is there, and nobody who lost a scene writes to its log. */
#include <signal.h>

#include "members.h"
#include "proto/limits.h"
#include "server/maxima.h"
#include "support/chance.h"
#include "support/clock.h"

/* ---- somebody goes ---- */

TEST_WITH_CLUSTER(test_another_member_goes_on_after_a_kill)
{
    struct cluster *cluster = *state;
    struct gz_client *anna = stage_join(member_start(cluster, A), "arm", "anna");
    struct stage *b = member_start(cluster, B);
    uint64_t id = put_node(anna, "link", 1), edits[EDITS];
    for (int i = 0; i < EDITS; i++) {
        char key[16];
        snprintf(key, sizeof key, "key %d", i);
        edits[i] = move_node(anna, id, i, key);
    }
    member_kill(cluster, A);
    struct gz_client *again = await_join(b, "arm", "anna");
    check_x(again, id, EDITS - 1);
    assert_int_equal(move_node(again, id, EDITS - 1, "key 19"), edits[EDITS - 1]);
    assert_int_equal(move_node(again, id, 0, "key 0"), edits[0]);
    uint64_t edit = move_node(again, id, 100, "");
    assert_true(edit > edits[EDITS - 1]);
    member_start(cluster, A);
    await_equal(cluster, B, A, "arm");
}

TEST_WITH_CLUSTER(test_another_member_goes_on_after_an_end_in_order)
{
    struct cluster *cluster = *state;
    struct gz_client *anna = stage_join(member_start(cluster, A), "arm", "anna");
    struct stage *b = member_start(cluster, B);
    uint64_t id = put_node(anna, "link", 1);
    member_stop(cluster, A);
    assert_int_equal(test_postgres_ask(cluster->postgres,
                                       "SELECT count(*) FROM gizmod.scenes WHERE member <> ''"),
                     0);
    struct gz_client *bert = stage_join(b, "arm", "bert");
    check_x(bert, id, 1);
    move_node(bert, id, 2, "");
}

/* The late writer was stopped for longer than its lease, and an edit was on its way to it. */
TEST_WITH_CLUSTER(test_a_late_writer_is_fenced)
{
    struct cluster *cluster = *state;
    struct stage *a = member_start(cluster, A);
    struct gz_client *anna = stage_join(a, "arm", "anna");
    struct stage *b = member_start(cluster, B);
    uint64_t id = put_node(anna, "link", 1);
    const struct gz_set_node node = {.has = GZ_HAS_SET_NODE_T, .id = id, .trs.t = {66, 0, 0}};
    struct gz_message late = message_set_t(&node);
    struct gz_error error = {0};
    kill(a->daemon.pid, SIGSTOP);
    stage_check(gz_client_send(anna, &late, NULL, &error), &error, "the late edit");
    stage_check(gz_client_flush(anna, CLUSTER_SECONDS, &error), &error, "the late edit");
    struct gz_client *bert = await_join(b, "arm", "bert");
    move_node(bert, id, 2, "");
    kill(a->daemon.pid, SIGCONT);
    for (const struct gz_message *message;
         (message = gz_client_next(anna, CLUSTER_SECONDS)) != NULL;)
        assert_true(message->op != GZ_OP_OK);
    assert_false(gz_client_is_open(anna));
    struct gz_client *again = await_join(a, "arm", "anna");
    check_x(again, id, 2);
    move_node(again, id, 3, "");
    await_equal(cluster, B, A, "arm");
}

/* ---- PostgreSQL goes ---- */

TEST_WITH_CLUSTER(test_edits_wait_for_postgresql)
{
    struct cluster *cluster = *state;
    struct gz_client *anna = stage_join(member_start(cluster, A), "arm", "anna");
    member_start(cluster, B);
    uint64_t id = put_node(anna, "link", 1), rid;
    test_postgres_kill(cluster->postgres);
    const struct gz_set_node node = {.has = GZ_HAS_SET_NODE_T, .id = id, .trs.t = {2, 0, 0}};
    struct gz_message set = message_set_t(&node);
    struct gz_error error = {0};
    stage_check(gz_client_send(anna, &set, &rid, &error), &error, "an edit");
    stage_check(gz_client_flush(anna, CLUSTER_SECONDS, &error), &error, "an edit");
    struct gz_client *bert = await_join(&cluster->members[A].stage, "arm", "bert"); /* goes on */
    await_words(cluster, A, "cluster: ", 1);
    for (int i = 0; i < 4; i++) { /* over the time after which the member is not well */
        assert_int_equal(ask_http(cluster, A, "GET", "/readyz", ""), 200);
        sleep(1);
    }
    test_postgres_start(cluster->postgres);
    stage_check(gz_client_answer(anna, rid, CLUSTER_SECONDS, NULL, &error), &error, "its answer");
    stage_catch_up(bert, anna);
    check_x(bert, id, 2);
    await_equal(cluster, A, B, "arm");
    assert_int_equal(ask_http(cluster, A, "GET", "/readyz", ""), 200);
}

TEST_WITH_CLUSTER(test_a_member_ends_while_postgresql_is_away)
{
    struct cluster *cluster = *state;
    struct gz_client *anna = stage_join(member_start(cluster, A), "arm", "anna");
    uint64_t id = put_node(anna, "link", 1);
    test_postgres_kill(cluster->postgres);
    const struct gz_set_node node = {.has = GZ_HAS_SET_NODE_T, .id = id, .trs.t = {2, 0, 0}};
    struct gz_message set = message_set_t(&node);
    struct gz_error error = {0};
    stage_check(gz_client_send(anna, &set, NULL, &error), &error, "an edit");
    stage_check(gz_client_flush(anna, CLUSTER_SECONDS, &error), &error, "an edit");
    wait_a_little();
    assert_int_not_equal(test_daemon_stop(&cluster->members[A].stage.daemon), 0);
    test_postgres_start(cluster->postgres);
    struct gz_client *after = await_join(member_start(cluster, A), "arm", "anna");
    double x = node_in(after, id)->trs.t.x;
    assert_true(x == 1 || x == 2); /* nobody was told */
}

/* A silent PostgreSQL takes requests and answers none: that a lease is given back, and after some
 * seconds those of the member's own threads. Everything is saved, and the status says so. */
TEST_WITH_CLUSTER(test_a_member_ends_in_order_while_postgresql_is_silent)
{
    static const unsigned silent_s[] = {0, 2};
    struct cluster *cluster = *state;
    struct test_daemon *daemon = &cluster->members[A].stage.daemon;
    daemon->options = cluster->members[A].options;
    for (size_t i = 0; i < 2; i++) {
        test_daemon_start(daemon, "--open", "arm");
        await_row(cluster, "SELECT count(*) FROM gizmod.scenes WHERE member = 'a'", 1);
        test_postgres_pause(cluster->postgres);
        sleep(silent_s[i]);
        int code = test_daemon_stop(daemon);
        test_postgres_go_on(cluster->postgres);
        if (code != 0) test_daemon_fail(daemon, "ended with %d", code);
    }
}

/* One who waits for the answer to an edit, and for that to a `ping` after it. */
struct waiting {
    struct gz_client *client;
    uint64_t edit, ping;
    bool is_answered, has_pong; /* is_answered: or the connection ended */
};

/* The same edit for everybody: it changes nothing for those who come later. */
static struct waiting send_edit(struct gz_client *client, uint64_t id, double x)
{
    const struct gz_set_node node = {.has = GZ_HAS_SET_NODE_T, .id = id, .trs.t = {x, 0, 0}};
    struct gz_message set = message_set_t(&node), ping = {.op = GZ_OP_PING};
    struct waiting waiting = {.client = client};
    struct gz_error error = {0};
    stage_check(gz_client_send(client, &set, &waiting.edit, &error), &error, "an edit");
    stage_check(gz_client_send(client, &ping, &waiting.ping, &error), &error, "a ping");
    stage_check(gz_client_flush(client, CLUSTER_SECONDS, &error), &error, "both");
    return waiting;
}

/* The answer to its edit, or the end of its connection. */
static void hear(struct waiting *waiting, double timeout_s)
{
    const struct gz_message *message = gz_client_next(waiting->client, timeout_s);
    if (message != NULL && message->rid == waiting->ping) waiting->has_pong = true;
    if (message != NULL && (message->op == GZ_OP_OK || message->op == GZ_OP_ERROR))
        waiting->is_answered |= message->rid == waiting->edit;
    waiting->is_answered |= !gz_client_is_open(waiting->client);
}

static void stop(struct test_postgres *postgres)
{
    test_postgres_pause(postgres);
}

static void go_on(struct test_postgres *postgres)
{
    test_postgres_go_on(postgres);
}

static void refuse_writing(struct test_postgres *postgres)
{
    test_postgres_ask(postgres, "ALTER SYSTEM SET default_transaction_read_only = on");
    test_postgres_ask(postgres, "SELECT pg_reload_conf()");
}

static void allow_writing(struct test_postgres *postgres)
{
    test_postgres_ask(postgres, "ALTER SYSTEM RESET default_transaction_read_only");
    test_postgres_ask(postgres, "SELECT pg_reload_conf()");
}

/* Asks on a connection to another database. */
static void ask_beside(const struct test_postgres *postgres, const char *sql)
{
    struct test_postgres other = *postgres;
    snprintf(strrchr(other.uri, '/'), sizeof "/template1", "/template1");
    test_postgres_ask(&other, sql);
}

/* Ends all connections, and takes no other one. */
static void refuse_connections(struct test_postgres *postgres)
{
    ask_beside(postgres, "ALTER DATABASE postgres ALLOW_CONNECTIONS false");
    ask_beside(postgres, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                         "WHERE datname = 'postgres'");
}

static void allow_connections(struct test_postgres *postgres)
{
    ask_beside(postgres, "ALTER DATABASE postgres ALLOW_CONNECTIONS true");
}

/* What can become of PostgreSQL, in seconds. */
struct outage {
    void (*begin)(struct test_postgres *postgres), (*end)(struct test_postgres *postgres);
    unsigned seconds;
    bool begins_late; /* an edit may be just in time */
};

/* The last ones, in the long suite, are longer than a lease, and than the time after which a member
 * gives a request up. */
static const struct outage outages[] = {
    {stop, go_on, 1, false},
    {refuse_writing, allow_writing, 1, true},
    {refuse_connections, allow_connections, 1, false},
    {test_postgres_kill, test_postgres_start, 1, false},
    {stop, go_on, GZ_CLUSTER_LEASE_SECONDS + 2, false},
    {refuse_writing, allow_writing, GZ_CLUSTER_LEASE_SECONDS + 2, true},
    {refuse_connections, allow_connections, GZ_CLUSTER_LEASE_SECONDS + 2, false},
    {stop, go_on, GZ_CLUSTER_ANSWER_SECONDS + 2, false},
};
enum { OUTAGES = sizeof outages / sizeof outages[0], SHORT_OUTAGES = 4 };

/* Nobody gets an `ok` meanwhile; after it each edit is answered, or its connection ends. */
static void try_outage(struct cluster *cluster, uint64_t id, size_t which)
{
    const struct outage *outage = &outages[which];
    struct stage *a = &cluster->members[A].stage, *b = &cluster->members[B].stage;
    struct gz_client *people[] = {await_join(a, "arm", "anna"), await_join(a, "arm", "bert"),
                                  await_join(b, "arm", "cleo")};
    enum { PEOPLE = sizeof people / sizeof people[0] };
    struct waiting waiting[PEOPLE];
    outage->begin(cluster->postgres);
    for (size_t i = 0; i < PEOPLE; i++) waiting[i] = send_edit(people[i], id, 1 + (double)which);
    for (const double until_s = now_s() + outage->seconds; now_s() < until_s;)
        for (size_t i = 0; i < PEOPLE; i++) hear(&waiting[i], 0.02);
    for (size_t i = 0; i < PEOPLE; i++) {
        assert_true(waiting[i].has_pong);
        assert_true(!waiting[i].is_answered || outage->begins_late);
    }
    outage->end(cluster->postgres);
    for (size_t i = 0; i < PEOPLE; i++) {
        const double until_s = now_s() + CLUSTER_SECONDS;
        while (!waiting[i].is_answered && now_s() < until_s) hear(&waiting[i], 0.1);
        if (!waiting[i].is_answered)
            test_daemon_fail(&a->daemon, "leaves person %zu waiting after outage %zu", i, which);
    }
    while (a->count > 1) gz_client_destroy(a->clients[--a->count]);
    while (b->count > 0) gz_client_destroy(b->clients[--b->count]);
}

TEST_WITH_CLUSTER(test_edits_wait_whatever_postgresql_does)
{
    struct cluster *cluster = *state;
    struct stage *a = member_start(cluster, A);
    member_start(cluster, B);
    uint64_t id = put_node(stage_join(a, "arm", "dora"), "link", 0);
    const size_t count = chance_times() > 1 ? OUTAGES : SHORT_OUTAGES;
    for (size_t i = 0; i < count; i++) {
        await_equal(cluster, A, B, "arm");
        try_outage(cluster, id, i);
        if (i >= SHORT_OUTAGES) sleep(GZ_CLUSTER_LEASE_SECONDS); /* both renew their leases */
    }
}

int main(void)
{
    return run_with_postgres();
}
