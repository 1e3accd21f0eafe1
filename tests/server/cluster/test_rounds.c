/* Rounds of bad things that happen to three real members, to a PostgreSQL with a synchronous
 * standby and to the network between, while people work at random members: everything that a driver
 * of its own (fault/driver.c) was answered is in every file once, and what was refused for good is
 * nowhere. A round kills or stops the authority, kills PostgreSQL or both, promotes the standby,
 * cuts a member off, or lets one miss changes, after a kill or an end in order. GIZMOD_TIMES scales
 * the rounds, GIZMOD_SEED chooses what happens. */
#include <math.h>
#include <signal.h>
#include <unistd.h>

#include "fault/driven.h"
#include "fault/fault_stage.h"
#include "members.h"
#include "support/chance.h"
#include "support/proxy.h"

#define ROUNDS 2
/* Its first rounds kill both, and promote the standby. */
#define USUAL_SEED 514
#define ROUNDS_MAX 4096
/* A round begins at most so long after everybody is at work, seconds. */
#define ROUND_S_MAX 0.5
/* Seconds that something is away for at most; a lease is 5 s. */
#define AWAY_S_MAX 8.0
/* Answers that a member misses. */
#define MISSED 300
#define SERVERS 2

enum kind {
    AUTHORITY_KILLED,
    POSTGRES_KILLED,
    BOTH_KILLED,
    AUTHORITY_STOPPED,
    STANDBY_PROMOTED,
    MEMBER_CUT_OFF,
    MEMBER_AWAY,
    KINDS
};

static const char *const kind_words[KINDS] = {
    "kill -9 of the authority", "kill -9 of PostgreSQL",    "kill -9 of both",
    "SIGSTOP of the authority", "promotion of the standby", "a member cut off",
    "a member that was away",
};

struct rounds {
    struct cluster *cluster;
    struct test_postgres *servers[SERVERS];
    size_t primary;
    struct test_proxy proxies[MEMBERS_MAX][SERVERS];
    struct driver driver;
    uint64_t chance;
    size_t from; /* entry of the driver's log, and time, from which a silence counts */
    double from_s;
    double silence_s[KINDS][ROUNDS_MAX]; /* without any answer, longest of each round */
    size_t counts[KINDS];
    bool is_done;
};

/* 0 to limit. */
static double chance_s(struct rounds *rounds, double limit)
{
    return limit * (double)chance_below(&rounds->chance, 1000) / 1000;
}

static void sleep_s(double seconds)
{
    usleep((useconds_t)(seconds * 1e6));
}

/* ---- what there is ---- */

static void start_servers(struct rounds *rounds)
{
    struct cluster *cluster = rounds->cluster;
    rounds->servers[0] = cluster->postgres;
    rounds->servers[1] = calloc(1, sizeof *rounds->servers[1]);
    assert_non_null(rounds->servers[1]);
    test_postgres_init_standby(rounds->servers[1]);
    test_postgres_stand_by(rounds->servers[1], rounds->servers[0]);
    for (size_t i = 0; i < MEMBERS_MAX; i++) {
        struct member *member = &cluster->members[i];
        for (size_t j = 0; j < SERVERS; j++)
            test_proxy_start_many(&rounds->proxies[i][j], rounds->servers[j]->port);
        snprintf(member->database, sizeof member->database,
                 "postgresql://gizmod@127.0.0.1:%d,127.0.0.1:%d/postgres"
                 "?target_session_attrs=read-write",
                 rounds->proxies[i][0].port, rounds->proxies[i][1].port);
    }
}

static int rounds_setup(void **state)
{
    struct rounds *rounds = calloc(1, sizeof *rounds);
    const char *urls[MEMBERS_MAX + 1] = {NULL};
    assert_non_null(rounds);
    assert_int_equal(cluster_setup(state), 0);
    rounds->cluster = *state;
    rounds->chance = chance_seed(USUAL_SEED);
    start_servers(rounds);
    for (size_t i = 0; i < MEMBERS_MAX; i++) urls[i] = member_start(rounds->cluster, i)->daemon.url;
    driver_start(&rounds->driver, rounds->cluster->members[0].stage.daemon.directory, urls);
    *state = rounds;
    return 0;
}

/* After a failure, which may leave PostgreSQL away, nothing ends in order: whatever runs dies with
 * this process. The folders stay, with all logs. */
static int keep_folders(void **state)
{
    struct rounds *rounds = *state;
    for (size_t i = 0; i < MEMBERS_MAX; i++)
        print_error("member %s: %s\n", rounds->cluster->members[i].name,
                    rounds->cluster->members[i].stage.daemon.directory);
    for (size_t i = 0; i < SERVERS; i++) {
        rounds->servers[i]->keeps_folder = true;
        print_error("PostgreSQL: %s\n", rounds->servers[i]->directory);
    }
    *state = rounds->servers[0];
    return 0;
}

static int rounds_teardown(void **state)
{
    struct rounds *rounds = *state;
    if (!rounds->is_done) return keep_folders(state);
    driver_finish(&rounds->driver);
    *state = rounds->cluster;
    assert_int_equal(cluster_teardown(state), 0);
    test_postgres_finish(rounds->servers[1]); /* the other one ends with all tests */
    free(rounds->servers[1]);
    for (size_t i = 0; i < MEMBERS_MAX; i++)
        for (size_t j = 0; j < SERVERS; j++) test_proxy_kill(&rounds->proxies[i][j]);
    free(rounds);
    return 0;
}

/* Which member has the scene; any, if none has. */
static size_t find_authority(struct rounds *rounds)
{
    long long found = test_postgres_ask(
        rounds->cluster->postgres,
        "SELECT ascii(member) - ascii('a') FROM gizmod.scenes WHERE name = '" DRIVER_SCENE
        "' AND member IS NOT NULL AND gone IS NULL");
    return (size_t)found;
}

static pid_t process(const struct rounds *rounds, size_t which)
{
    return rounds->cluster->members[which].stage.daemon.pid;
}

/* Everybody works again, from now on. */
static void await_work(struct rounds *rounds)
{
    driver_read(&rounds->driver);
    driver_await_work(&rounds->driver, rounds->driver.count);
}

static void await_answers(struct rounds *rounds, size_t count)
{
    driver_read(&rounds->driver);
    size_t from = rounds->driver.count;
    for (double until_s = now_s() + STAGE_SECONDS; now_s() < until_s; wait_a_little()) {
        size_t answers = 0;
        driver_read(&rounds->driver);
        for (size_t i = from; i < rounds->driver.count; i++)
            answers += rounds->driver.entries[i].kind == DRIVER_OK;
        if (answers >= count) return;
    }
    fail_msg("the driver does not get %zu answers", count);
}

/* Before this PostgreSQL was away, so that nobody could be answered. */
static void count_silence_from_now(struct rounds *rounds)
{
    driver_read(&rounds->driver);
    rounds->from = rounds->driver.count;
    rounds->from_s = now_s();
}

/* ---- what happens ---- */

static void kill_authority(struct rounds *rounds)
{
    size_t authority = find_authority(rounds);
    member_kill(rounds->cluster, authority);
    if (chance_below(&rounds->chance, 2) == 0) await_work(rounds);
    member_start(rounds->cluster, authority);
}

static void kill_postgres(struct rounds *rounds)
{
    test_postgres_kill(rounds->cluster->postgres);
    sleep_s(chance_s(rounds, AWAY_S_MAX));
    test_postgres_start(rounds->cluster->postgres);
    count_silence_from_now(rounds);
}

static void kill_both(struct rounds *rounds)
{
    size_t authority = find_authority(rounds);
    test_postgres_kill(rounds->cluster->postgres);
    sleep_s(chance_s(rounds, 0.1));
    member_kill(rounds->cluster, authority);
    sleep_s(chance_s(rounds, 1));
    test_postgres_start(rounds->cluster->postgres);
    count_silence_from_now(rounds);
    if (chance_below(&rounds->chance, 2) == 0) await_work(rounds);
    member_start(rounds->cluster, authority);
}

/* It comes back as a late writer, with what people had sent to it. */
static void stop_authority(struct rounds *rounds)
{
    size_t authority = find_authority(rounds);
    kill(process(rounds, authority), SIGSTOP);
    char sql[128];
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM gizmod.scenes WHERE name = '" DRIVER_SCENE
             "' AND member <> '%s'",
             rounds->cluster->members[authority].name);
    await_row(rounds->cluster, sql, 1);
    sleep_s(chance_s(rounds, 1));
    kill(process(rounds, authority), SIGCONT);
}

/* The machine of the primary is lost, and a new one stands by. */
static void promote_standby(struct rounds *rounds)
{
    struct test_postgres *lost = rounds->cluster->postgres;
    test_postgres_kill(lost);
    sleep_s(chance_s(rounds, 1));
    rounds->primary = 1 - rounds->primary;
    rounds->cluster->postgres = rounds->servers[rounds->primary];
    test_postgres_promote(rounds->cluster->postgres);
    await_work(rounds);
    test_postgres_stand_by(lost, rounds->cluster->postgres);
}

static void cut(struct rounds *rounds, size_t which)
{
    for (size_t i = 0; i < SERVERS; i++) test_proxy_silence(&rounds->proxies[which][i]);
}

static void join(struct rounds *rounds, size_t which)
{
    for (size_t i = 0; i < SERVERS; i++) test_proxy_go_on(&rounds->proxies[which][i]);
}

/* Mostly the authority. */
static void cut_off(struct rounds *rounds)
{
    size_t which = find_authority(rounds);
    which = (which + (chance_below(&rounds->chance, 3) == 0)) % MEMBERS_MAX;
    cut(rounds, which);
    sleep_s(chance_s(rounds, AWAY_S_MAX));
    join(rounds, which);
}

/* Who has become the authority meanwhile may have something that is not saved. */
static void end_cut_off(struct rounds *rounds, size_t which)
{
    struct test_daemon *daemon = &rounds->cluster->members[which].stage.daemon;
    cut(rounds, which);
    int code = test_daemon_stop(daemon);
    if (code != 0 && find_authority(rounds) != which)
        test_daemon_fail(daemon, "ended with %d", code);
    join(rounds, which);
}

static void stay_away(struct rounds *rounds)
{
    size_t which = (find_authority(rounds) + 1) % MEMBERS_MAX;
    switch (chance_below(&rounds->chance, 4)) {
    case 0: member_stop(rounds->cluster, which); break;
    case 1: end_cut_off(rounds, which); break;
    default: member_kill(rounds->cluster, which);
    }
    await_answers(rounds, MISSED);
    member_start(rounds->cluster, which);
}

static void do_bad_thing(struct rounds *rounds, enum kind kind)
{
    switch (kind) {
    case AUTHORITY_KILLED: kill_authority(rounds); break;
    case POSTGRES_KILLED: kill_postgres(rounds); break;
    case BOTH_KILLED: kill_both(rounds); break;
    case AUTHORITY_STOPPED: stop_authority(rounds); break;
    case STANDBY_PROMOTED: promote_standby(rounds); break;
    case MEMBER_CUT_OFF: cut_off(rounds); break;
    case MEMBER_AWAY: stay_away(rounds); break;
    case KINDS: break;
    }
}

/* ---- how long nobody was answered ---- */

static double longest_silence(const struct rounds *rounds)
{
    const struct driver *driver = &rounds->driver;
    double longest_s = 0, from_s = rounds->from_s;
    for (size_t i = rounds->from; i < driver->count; i++) {
        if (driver->entries[i].kind != DRIVER_OK) continue;
        longest_s = fmax(longest_s, driver->entries[i].clock_s - from_s);
        from_s = driver->entries[i].clock_s;
    }
    return longest_s;
}

static int compare_seconds(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

static void print_silence(struct rounds *rounds)
{
    for (size_t kind = 0; kind < KINDS; kind++) {
        size_t count = rounds->counts[kind];
        double *seconds = rounds->silence_s[kind];
        if (count == 0) continue;
        qsort(seconds, count, sizeof *seconds, compare_seconds);
        print_message("%s: %zu rounds, without an answer for %.1f s, at most %.1f s\n",
                      kind_words[kind], count, seconds[count / 2], seconds[count - 1]);
    }
}

/* ---- rounds ---- */

static void play_round(struct rounds *rounds, uint64_t number)
{
    enum kind kind = (enum kind)chance_below(&rounds->chance, KINDS);
    sleep_s(chance_s(rounds, ROUND_S_MAX));
    count_silence_from_now(rounds);
    const double begun_s = rounds->from_s;
    do_bad_thing(rounds, kind);
    await_work(rounds);
    await_row(rounds->cluster,
              "SELECT count(*) FROM gizmod.members WHERE seen > now() - interval '3 s'",
              MEMBERS_MAX);
    double silence_s = longest_silence(rounds);
    print_message("round %llu: %s: %.1f s without an answer, %.1f s in all\n",
                  (unsigned long long)number, kind_words[kind], silence_s, now_s() - begun_s);
    rounds->silence_s[kind][rounds->counts[kind]++] = silence_s;
}

TEST_BETWEEN(test_what_was_answered_is_in_every_file_once, rounds_setup, rounds_teardown)
{
    struct rounds *rounds = *state;
    struct cluster *cluster = rounds->cluster;
    uint64_t count = chance_count(ROUNDS);
    assert_true(count <= ROUNDS_MAX);
    await_work(rounds);
    for (uint64_t i = 0; i < count; i++) play_round(rounds, i);
    driver_end(&rounds->driver);
    for (size_t i = 0; i + 1 < MEMBERS_MAX; i++) await_equal(cluster, i, i + 1, DRIVER_SCENE);
    for (size_t i = 0; i < MEMBERS_MAX; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/" DRIVER_SCENE ".db",
                 cluster->members[i].stage.daemon.data);
        judge_whole(&rounds->driver, path);
    }
    print_silence(rounds);
    rounds->is_done = true;
}

int main(void)
{
    return run_with_postgres();
}
