/* The log of a cluster in a real PostgreSQL: tables, locks, a server that stops, is killed and
 * starts again, connections, and what gizmoctl says of it. A late writer waits while a lease is
 * taken and writes nothing, a late copy deletes nothing of the next one, and an incomplete copy is
 * not in force; an append that is found again is on the standby; many make the tables at once; no
 * error has a password. */
#include <libpq-fe.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cluster/postgres.h"
#include "support/daemon.h"
#include "unit/cluster/log_stage.h"

#define LOCK_WAITERS                                                                               \
    "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE "         \
    "'WITH fence%'"
#define STANDBY_WAITERS "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
#define TRIES 3000 /* of 10 ms */

/* Waits until a statement counts so many. */
static void await_count(const struct log_stage *stage, const char *sql, long long count)
{
    for (int i = 0; test_postgres_ask(&stage->postgres, sql) != count; i++) {
        if (i == TRIES) fail_msg("never %lld: %s", count, sql);
        usleep(10000);
    }
}

/* ---- tables ---- */

static void uri_of(const struct log_stage *stage, const char *database, char uri[160])
{
    snprintf(uri, 160, "postgresql://gizmod@127.0.0.1:%d/%s", stage->postgres.port, database);
}

static enum gz_status handle_nobody(void *to, const struct gz_member *member,
                                    struct gz_error *error)
{
    (void)to;
    (void)member;
    (void)error;
    return GZ_OK;
}

static enum gz_status look(const char *uri, struct gz_error *error)
{
    struct gz_cluster_log log = {0};
    enum gz_status status = gz_postgres_create(&log, uri, error);
    if (status == GZ_OK) status = log.members(log.context, handle_nobody, NULL, error);
    gz_postgres_destroy(&log);
    return status;
}

struct maker {
    pthread_t thread;
    const char *uri;
    struct gz_error error;
};

static void *make_tables(void *context)
{
    struct maker *maker = context;
    maker->error.status = gz_postgres_init(maker->uri, &maker->error);
    return NULL;
}

TEST(tables_are_made_by_many_at_once)
{
    struct log_stage *stage = *state;
    struct maker makers[4] = {0};
    struct gz_error error;
    char uri[160];
    test_postgres_ask(&stage->postgres, "CREATE DATABASE fresh");
    uri_of(stage, "fresh", uri);
    assert_int_equal(look(uri, &error), GZ_VERSION);
    assert_non_null(strstr(error.message, "gizmoctl cluster init"));
    for (int i = 0; i < 4; i++) {
        makers[i].uri = uri;
        assert_int_equal(pthread_create(&makers[i].thread, NULL, make_tables, &makers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(makers[i].thread, NULL);
        if (makers[i].error.status != GZ_OK) fail_msg("%s", makers[i].error.message);
    }
    assert_int_equal(look(uri, &error), GZ_OK);
}

/* The words say what to do. */
TEST(tables_of_another_version_are_left_alone)
{
    static const struct {
        const char *set, *says, *todo;
        int version;
    } cases[] = {
        {"UPDATE gizmod.version SET version = 99", "version 99", "update this program", 99},
        {"UPDATE gizmod.version SET version = 1", "version 1,", "in a new database", 1},
    };
    struct log_stage *stage = *state;
    struct gz_error error;
    char uri[160];
    test_postgres_ask(&stage->postgres, "CREATE DATABASE later");
    uri_of(stage, "later", uri);
    assert_int_equal(gz_postgres_init(uri, &error), GZ_OK);
    struct test_postgres later = stage->postgres;
    snprintf(later.uri, sizeof later.uri, "%.120s", uri);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_postgres_ask(&later, cases[i].set);
        assert_int_equal(look(uri, &error), GZ_VERSION);
        assert_non_null(strstr(error.message, cases[i].says));
        assert_non_null(strstr(error.message, cases[i].todo));
        assert_int_equal(gz_postgres_init(uri, &error), GZ_VERSION);
        assert_int_equal(test_postgres_ask(&later, "SELECT version FROM gizmod.version"),
                         cases[i].version);
    }
}

TEST(no_error_has_a_password)
{
    static const char *const uris[] = {
        "postgresql://anna:hunter2@127.0.0.1:1/x", "postgresql://anna:hunter2/@127.0.0.1:1/x",
        "postgresql://anna:hun/ter2@127.0.0.1/x",  "postgresql://anna:hunter2@127.0.0.1:1/x?frob=1",
        "postgresql://anna:hunter2@[::1:5432/x",   "hunter2"};
    for (size_t i = 0; i < sizeof uris / sizeof uris[0]; i++) {
        struct gz_error error = {0};
        assert_int_not_equal(look(uris[i], &error), GZ_OK);
        if (strstr(error.message, "hun") != NULL) fail_msg("%s: %s", uris[i], error.message);
    }
}

/* ---- the fence, between transactions ---- */

struct writer {
    pthread_t thread;
    const struct gz_cluster_log *log;
    const char *scene;
    uint64_t epoch, n;
    enum gz_status status;
    atomic_bool is_done;
};

static void *write_one(void *context)
{
    struct writer *writer = context;
    writer->status = log_stage_append(writer->log, writer->scene, writer->epoch, writer->n, 100);
    atomic_store(&writer->is_done, true);
    return NULL;
}

static void start_writer(struct writer *writer, const struct gz_cluster_log *log,
                         const struct gz_cluster_scene *mine)
{
    *writer =
        (struct writer){.log = log, .scene = mine->name, .epoch = mine->epoch, .n = mine->n + 1};
    assert_int_equal(pthread_create(&writer->thread, NULL, write_one, writer), 0);
}

static enum gz_status finish_writer(struct writer *writer)
{
    pthread_join(writer->thread, NULL);
    return writer->status;
}

static void run(PGconn *link, const char *sql)
{
    PGresult *result = PQexec(link, sql);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) fail_msg("%s: %s", sql, PQerrorMessage(link));
    PQclear(result);
}

TEST(a_late_writer_waits_for_a_taking)
{
    struct log_stage *stage = *state;
    struct gz_cluster_scene mine = log_stage_take(&stage->anna, "late");
    struct writer writer;
    PGconn *taker = PQconnectdb(stage->postgres.uri);
    run(taker, "BEGIN");
    run(taker, "UPDATE gizmod.scenes SET member = 'bert', epoch = epoch + 1 WHERE name = 'late'");
    start_writer(&writer, &stage->anna, &mine);
    await_count(stage, LOCK_WAITERS, 1);
    assert_false(atomic_load(&writer.is_done));
    run(taker, "COMMIT");
    assert_int_equal(finish_writer(&writer), GZ_BAD_STATE);
    assert_int_equal(log_stage_read(&stage->bert, "late", mine.n).count, 0);
    /* A taking that is given up leaves the lease where it was. */
    mine = log_stage_take(&stage->bert, "late");
    run(taker, "BEGIN");
    run(taker, "UPDATE gizmod.scenes SET member = 'anna', epoch = epoch + 1 WHERE name = 'late'");
    start_writer(&writer, &stage->bert, &mine);
    await_count(stage, LOCK_WAITERS, 1);
    run(taker, "ROLLBACK");
    assert_int_equal(finish_writer(&writer), GZ_OK);
    PQfinish(taker);
}

TEST(a_taking_waits_for_a_writer)
{
    struct log_stage *stage = *state;
    struct gz_cluster_scene mine = log_stage_take(&stage->anna, "early");
    struct writer writer;
    PGconn *late = PQconnectdb(stage->postgres.uri);
    /* As append does, and stops in the middle. */
    run(late, "BEGIN");
    run(late, "UPDATE gizmod.scenes SET n = n + 1 WHERE name = 'early'");
    start_writer(&writer, &stage->anna, &mine);
    await_count(stage, LOCK_WAITERS, 1);
    run(late, "COMMIT");
    /* That was the place. */
    assert_int_equal(finish_writer(&writer), GZ_BAD_STATE);
    PQfinish(late);
}

TEST(a_broken_connection_leaves_an_append_undone_or_done)
{
    struct log_stage *stage = *state;
    struct gz_cluster_scene mine = log_stage_take(&stage->anna, "broken");
    struct writer writer;
    PGconn *holder = PQconnectdb(stage->postgres.uri);
    run(holder, "BEGIN");
    run(holder, "UPDATE gizmod.scenes SET epoch = epoch WHERE name = 'broken'");
    start_writer(&writer, &stage->anna, &mine);
    await_count(stage, LOCK_WAITERS, 1);
    test_postgres_ask(&stage->postgres,
                      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE "
                      "wait_event_type = 'Lock'");
    assert_int_equal(finish_writer(&writer), GZ_STORAGE);
    run(holder, "ROLLBACK");
    PQfinish(holder);
    for (int i = 0; i < 2; i++)
        assert_int_equal(log_stage_append(&stage->anna, "broken", mine.epoch, mine.n + 1, 100),
                         GZ_OK);
    assert_int_equal(log_stage_read(&stage->bert, "broken", mine.n).count, 1);
}

/* ---- copies, between transactions ---- */

#define PARTS_OF(scene, epoch)                                                                     \
    "SELECT count(*) FROM gizmod.copies c JOIN gizmod.scenes s ON s.life = c.life WHERE s.name = " \
    "'" scene "' AND c.epoch = " epoch

static void *copy_one(void *context)
{
    struct writer *writer = context;
    writer->status = log_stage_copy(writer->log, writer->scene, writer->epoch, writer->n, 10);
    return NULL;
}

/* It had found that the lease was its own, and then was stopped. */
TEST(a_late_copy_deletes_nothing_of_the_next_authority)
{
    struct log_stage *stage = *state;
    struct gz_cluster_scene mine = log_stage_take(&stage->anna, "tardy");
    struct writer writer = {
        .log = &stage->anna, .scene = mine.name, .epoch = mine.epoch, .n = mine.n};
    PGconn *taker = PQconnectdb(stage->postgres.uri);
    run(taker, "BEGIN");
    run(taker, "LOCK TABLE gizmod.copies IN ACCESS EXCLUSIVE MODE");
    assert_int_equal(pthread_create(&writer.thread, NULL, copy_one, &writer), 0);
    await_count(stage,
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query "
                "LIKE 'DELETE FROM gizmod.copies%'",
                1);
    run(taker, "UPDATE gizmod.scenes SET member = 'bert', epoch = epoch + 1 WHERE name = 'tardy'");
    run(taker, "INSERT INTO gizmod.copies (life, n, epoch, part, bytes) SELECT life, n, epoch, 0, "
               "'begun' FROM gizmod.scenes WHERE name = 'tardy'");
    run(taker, "COMMIT");
    assert_int_equal(finish_writer(&writer), GZ_BAD_STATE);
    assert_int_equal(test_postgres_ask(&stage->postgres, PARTS_OF("tardy", "2")), 1);
    PQfinish(taker);
}

/* However a part was lost. */
TEST(a_copy_without_all_of_its_parts_is_not_in_force)
{
    struct log_stage *stage = *state;
    struct gz_cluster_scene mine = log_stage_take(&stage->anna, "part");
    const size_t size = 2 * (size_t)GZ_CLUSTER_PART_BYTES;
    PGconn *link = PQconnectdb(stage->postgres.uri);
    assert_int_equal(log_stage_copy(&stage->anna, "part", mine.epoch, mine.n, 10), GZ_OK);
    assert_int_equal(log_stage_append(&stage->anna, "part", mine.epoch, mine.n + 1, 10), GZ_OK);
    run(link, "CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM "
              "gizmod.copies c WHERE c.n = NEW.n AND c.part = 0; RETURN NULL; END'");
    run(link, "CREATE TRIGGER lose AFTER INSERT ON gizmod.copies FOR EACH ROW WHEN (NEW.part = 1) "
              "EXECUTE FUNCTION lose()");
    assert_int_equal(log_stage_copy(&stage->anna, "part", mine.epoch, mine.n + 1, size),
                     GZ_BAD_STATE);
    assert_int_equal(log_stage_find(&stage->bert, "part").copy_n, mine.n);
    assert_int_equal(log_stage_read(&stage->bert, "part", mine.n).count, 1);
    run(link, "DROP TRIGGER lose ON gizmod.copies");
    assert_int_equal(log_stage_copy(&stage->anna, "part", mine.epoch, mine.n + 1, size), GZ_OK);
    PQfinish(link);
}

/* ---- members that leave ---- */

/* It had the lease when the taking looked, and is gone when it is asked where it is. */
TEST(who_leaves_meanwhile_has_no_lease)
{
    struct log_stage *stage = *state;
    struct gz_cluster_log cleo;
    struct gz_lease lease;
    struct gz_error error;
    PGconn *link = PQconnectdb(stage->postgres.uri);
    log_stage_enter(stage, &cleo, "cleo");
    log_stage_take(&cleo, "left");
    run(link, "CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM "
              "gizmod.members WHERE name = ''cleo''; RETURN NULL; END'");
    run(link, "CREATE TRIGGER leave AFTER UPDATE ON gizmod.scenes FOR EACH STATEMENT EXECUTE "
              "FUNCTION leave()");
    assert_int_equal(stage->anna.take(stage->anna.context, "left", false, 0, &lease, &error),
                     GZ_OK);
    run(link, "DROP TRIGGER leave ON gizmod.scenes");
    assert_true(lease.is_mine);
    log_stage_drop(stage, &cleo);
    PQfinish(link);
}

/* ---- the server goes away ---- */

TEST(a_server_that_pauses_is_waited_for)
{
    struct log_stage *stage = *state;
    struct gz_cluster_scene mine = log_stage_take(&stage->anna, "pause");
    struct writer writer;
    test_postgres_pause(&stage->postgres);
    start_writer(&writer, &stage->anna, &mine);
    usleep(300000);
    assert_false(atomic_load(&writer.is_done));
    test_postgres_go_on(&stage->postgres);
    assert_int_equal(finish_writer(&writer), GZ_OK);
    assert_int_equal(log_stage_read(&stage->bert, "pause", mine.n).count, 1);
}

TEST(a_server_that_was_killed_has_what_was_answered)
{
    struct log_stage *stage = *state;
    struct gz_cluster_scene mine = log_stage_take(&stage->anna, "killed");
    struct gz_error error;
    for (uint64_t i = 1; i <= 20; i++)
        assert_int_equal(log_stage_append(&stage->anna, "killed", mine.epoch, mine.n + i, 500),
                         GZ_OK);
    test_postgres_kill(&stage->postgres);
    assert_int_equal(log_stage_append(&stage->anna, "killed", mine.epoch, mine.n + 21, 500),
                     GZ_STORAGE);
    assert_int_equal(stage->anna.renew(stage->anna.context, &simulated_log_well, &error),
                     GZ_STORAGE);
    assert_non_null(strstr(error.message, "the cluster's database: "));
    test_postgres_start(&stage->postgres);
    assert_int_equal(stage->anna.renew(stage->anna.context, &simulated_log_well, &error), GZ_OK);
    assert_int_equal(log_stage_append(&stage->anna, "killed", mine.epoch, mine.n + 21, 500), GZ_OK);
    assert_int_equal(log_stage_read(&stage->bert, "killed", mine.n).count, 21);
}

/* ---- connections ---- */

#define WRITERS 24

/* What the primary had written when it was killed may not be at the standby yet. */
TEST(an_append_that_is_found_again_is_on_the_standby)
{
    struct log_stage *stage = *state;
    struct gz_cluster_scene mine = log_stage_take(&stage->anna, "twice");
    struct test_postgres standby;
    struct writer writer;
    test_postgres_init_standby(&standby);
    test_postgres_stand_by(&standby, &stage->postgres);
    test_postgres_pause(&standby);
    start_writer(&writer, &stage->anna, &mine);
    await_count(stage, STANDBY_WAITERS, 1);
    test_postgres_kill(&stage->postgres);
    assert_int_equal(finish_writer(&writer), GZ_STORAGE);
    test_postgres_start(&stage->postgres);
    assert_int_equal(test_postgres_ask(&stage->postgres, "SELECT count(*) FROM gizmod.log l JOIN "
                                                         "gizmod.scenes s ON s.life = l.life "
                                                         "WHERE s.name = 'twice'"),
                     1);
    start_writer(&writer, &stage->anna, &mine);
    await_count(stage, STANDBY_WAITERS, 1);
    assert_false(atomic_load(&writer.is_done));
    test_postgres_go_on(&standby);
    assert_int_equal(finish_writer(&writer), GZ_OK);
    assert_int_equal(log_stage_read(&stage->bert, "twice", mine.n).count, 1);
    test_postgres_go_alone(&stage->postgres);
    test_postgres_finish(&standby);
}

TEST(many_threads_share_a_few_connections)
{
    struct log_stage *stage = *state;
    struct writer writers[WRITERS];
    struct gz_cluster_scene mine[WRITERS];
    const char *count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'gizmod' "
                        "AND datname = 'postgres'";
    char name[16];
    PGconn *holder = PQconnectdb(stage->postgres.uri);
    long long before = test_postgres_ask(&stage->postgres, count);
    for (int i = 0; i < WRITERS; i++) {
        snprintf(name, sizeof name, "many%d", i);
        mine[i] = log_stage_take(&stage->anna, name);
    }
    run(holder, "BEGIN");
    run(holder, "LOCK TABLE gizmod.log IN ACCESS EXCLUSIVE MODE");
    for (int i = 0; i < WRITERS; i++) start_writer(&writers[i], &stage->anna, &mine[i]);
    await_count(stage, LOCK_WAITERS, GZ_CLUSTER_CONNECTIONS_MAX);
    struct gz_error error;
    assert_int_equal(stage->anna.renew(stage->anna.context, &simulated_log_well, &error), GZ_OK);
    assert_true(test_postgres_ask(&stage->postgres, count) <= before + GZ_CLUSTER_CONNECTIONS_MAX);
    run(holder, "COMMIT");
    for (int i = 0; i < WRITERS; i++) assert_int_equal(finish_writer(&writers[i]), GZ_OK);
    PQfinish(holder);
}

/* ---- gizmoctl ---- */

static void call(const char *const *arguments, int code, const char *out, const char *err)
{
    struct test_output output;
    test_ctl(&output, NULL, NULL, arguments);
    if (output.code != code || (out != NULL && strstr(output.out, out) == NULL) ||
        (err != NULL && strstr(output.err, err) == NULL))
        fail_msg("gizmoctl %s: %d, says: %s%s", arguments[0], output.code, output.out, output.err);
    test_output_finish(&output);
}

TEST(gizmoctl_says_who_has_what)
{
    struct log_stage *stage = *state;
    const char *uri = stage->postgres.uri;
    struct gz_error error;
    log_stage_set_age(stage, LOG_STAGE_ALIVE);
    log_stage_take(&stage->anna, "shown");
    call((const char *[]){"cluster", "init", uri, NULL}, 0, "up to date", NULL);
    call((const char *[]){"cluster", uri, NULL}, 0, "http://bert.example:7432", NULL);
    call((const char *[]){"cluster", uri, NULL}, 0, "\nshown             anna              ch",
         NULL);
    const struct gz_member_lag lag = {.changes = 7, .seconds = 3600, .scene = "shown"}, none = {0};
    assert_int_equal(stage->bert.report(stage->bert.context, &lag, &error), GZ_OK);
    call((const char *[]){"cluster", uri, NULL}, 0, "7 changes behind, the most delayed by 3600.",
         NULL);
    call((const char *[]){"cluster", uri, "--json", NULL}, 0, "\"behind_scene\":\"shown\"", NULL);
    assert_int_equal(stage->bert.report(stage->bert.context, &none, &error), GZ_OK);
    call((const char *[]){"cluster", uri, NULL}, 0, "  alive\nbert ", NULL);
    call((const char *[]){"move", uri, "shown", "emil", NULL}, 7, NULL, "no member emil");
    call((const char *[]){"move", uri, "nowhere", "bert", NULL}, 5, NULL, "no scene nowhere");
    call((const char *[]){"move", uri, "shown", "anna", NULL}, 0, NULL, NULL);
    assert_int_equal(stage->bert.want(stage->bert.context, "shown", "bert", &error), GZ_OK);
    call((const char *[]){"cluster", uri, NULL}, 0, "moves to bert", NULL);
    call((const char *[]){"cluster", uri, "--json", NULL}, 0, "\"wanted\":\"bert\"", NULL);
    const struct gz_member_health full = {
        .trouble = "its clock is wrong", .refuses = "no room", .unreached = " anna "};
    assert_int_equal(stage->bert.renew(stage->bert.context, &full, &error), GZ_OK);
    call((const char *[]){"cluster", uri, NULL}, 0,
         "not alive: its clock is wrong  takes no scenes: no room  does not reach anna", NULL);
    log_stage_set_age(stage, LOG_STAGE_DEAD);
    call((const char *[]){"cluster", uri, NULL}, 0, "not seen for 36", NULL);
    call((const char *[]){"cluster", "init", NULL}, 2, NULL, "init: URI is missing");
    call((const char *[]){"cluster", "a", "b", NULL}, 2, NULL, "unexpected operand \"b\"");
    call((const char *[]){"cluster", "postgresql://127.0.0.1:1/x", NULL}, 3, NULL, "refused");
}

int main(void)
{
    if (!test_postgres_is_there()) {
        puts(TEST_POSTGRES_MISSING);
        return 77;
    }
    return test_run(log_stage_postgres, log_stage_finish);
}
