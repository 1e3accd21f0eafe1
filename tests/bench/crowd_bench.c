/* crowd_bench - what a viewer waits for a change, and whether others can make it wait longer.
 * crowd_bench [VIEWERS [JOINS [ROUNDS [PLAIN]]]]        200, 2000, 5 and 0 without
 * PLAIN people are in a scene, and then ROUNDS more come one by one. A
 * real daemon with its disk, real sockets on loopback, all viewers in this thread. One editor drags
 * ten nodes a hundred times a second; the wait is from the send of its pointer to the moment at
 * which the kernel of a viewer had the delta that shows it, over all pointers and all viewers of
 * the three quarters that are healthy throughout. A trouble is measured between two calm times,
 * round by round, and compared with their mean: what else the machine does then is seen as the
 * spread. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/cmocka.h"

#include <sqlite3.h>

#include "bench/process.h"
#include "bench/quantile.h"
#include "proto/limits.h"
#include "support/crowd.h"
#include "support/daemon.h"
#include "support/raw_ws.h"

#define SCENE "bench"
#define NODES 1000
#define DRAGGED 10
#define MOVES_PER_S 100
#define SECONDS 2.0
#define SETTLE_SECONDS 1.0
#define ROUNDS_MAX 100
#define HISTORY_EDITS 500
#define HISTORY_NODES 100
#define PATIENCE_S 120.0
#define RECEIVE_BYTES 4096

enum trouble { CALM, STALLED, FLOODED, ASKED, READ, TROUBLE_COUNT };

static const char *const trouble_words[TROUBLE_COUNT] = {
    [STALLED] = "a quarter does not read",
    [FLOODED] = "one sends 100 x its rate",
    [ASKED] = "one asks for all history",
    [READ] = "one reads by SQL, no end",
};

struct waits {
    double p50, p99, most; /* seconds */
};

struct bench {
    struct test_daemon daemon;
    struct crowd crowd;
    struct crowd_member *mover, *asker;
    size_t viewers;
    uint64_t n;     /* the last pointer */
    double *sent_s; /* by n */
    size_t sent_capacity;
    double *samples;
    size_t sample_count, sample_capacity;
    bool measuring;
    size_t answers; /* of the past */
};

/* ---- the wait ---- */

static void sample(struct bench *bench, struct crowd_member *viewer, uint64_t n, double came_s)
{
    for (uint64_t i = viewer->mark + 1; i <= n && bench->measuring; i++) {
        assert_true(gz_grow(&bench->samples, &bench->sample_capacity, bench->sample_count + 1,
                            sizeof(double)));
        bench->samples[bench->sample_count++] = came_s - bench->sent_s[i];
    }
    viewer->mark = n;
}

static void handle_message(void *context, struct crowd_member *member,
                           const struct gz_message *message, double came_s)
{
    struct bench *bench = context;
    if (message->op == GZ_OP_OK && member == bench->asker && (message->has & GZ_HAS_OK_EDITS) != 0)
        bench->answers += !message->ok.more;
    if (message->op != GZ_OP_DELTA || member->role == GZ_ROLE_EDITOR || member->stalled) return;
    for (size_t i = 0; i < message->delta.ack_count; i++) {
        if (message->delta.acks[i].session == bench->mover->session)
            sample(bench, member, message->delta.acks[i].n, came_s);
    }
}

static void move(struct bench *bench)
{
    uint64_t ids[DRAGGED];
    for (uint64_t i = 0; i < DRAGGED; i++) ids[i] = i + 1;
    struct gz_message grab = {
        .op = GZ_OP_GRAB, .has = GZ_HAS_POINTER_NODES | GZ_HAS_POINTER_VALUE | GZ_HAS_POINTER_N};
    grab.pointer = (struct gz_pointer_message){.phase = GZ_PHASE_DOWN,
                                               .handle = GZ_TX,
                                               .n = ++bench->n,
                                               .nodes = {ids, DRAGGED},
                                               .value = {{(double)bench->n}, 1}};
    assert_true(
        gz_grow(&bench->sent_s, &bench->sent_capacity, bench->n + 1, sizeof *bench->sent_s));
    bench->sent_s[bench->n] = crowd_unix_s();
    crowd_send(bench->mover, &grab);
}

static void ask_history(struct bench *bench)
{
    static uint64_t rid;
    struct gz_message history = {.op = GZ_OP_HISTORY, .has = GZ_HAS_RID, .rid = ++rid};
    crowd_send(bench->asker, &history);
}

/* Moves at an even pace for so long; with `asks` there is always a question open. */
static void move_for(struct bench *bench, double seconds, bool asks)
{
    double begin_s = crowd_unix_s();
    size_t asked = bench->answers;
    for (int i = 0; i < (int)(seconds * MOVES_PER_S); i++) {
        move(bench);
        if (asks && asked == bench->answers) {
            ask_history(bench);
            asked++;
        }
        crowd_run(&bench->crowd, fmax(0, begin_s + (i + 1.0) / MOVES_PER_S - crowd_unix_s()));
    }
}

static struct waits measure(struct bench *bench, bool asks)
{
    move_for(bench, SETTLE_SECONDS, asks);
    bench->sample_count = 0;
    bench->measuring = true;
    move_for(bench, SECONDS, asks);
    crowd_run(&bench->crowd, 0.05);
    bench->measuring = false;
    return (struct waits){quantile(bench->samples, bench->sample_count, 0.5),
                          quantile(bench->samples, bench->sample_count, 0.99),
                          quantile(bench->samples, bench->sample_count, 1)};
}

/* ---- troubles ---- */

static bool is_in_quarter(size_t i)
{
    return i % 4 == 0;
}

static void stall_quarter(struct bench *bench, bool stalled)
{
    size_t i = 0;
    for (struct crowd_member *member = bench->crowd.members; member != NULL;
         member = member->next) {
        if (member->role == GZ_ROLE_VIEWER && is_in_quarter(i++)) crowd_stall(member, stalled);
    }
}

/* A process of its own: pings in frames of their own, 100 times as many as a second allows. */
static pid_t start_flood(const struct bench *bench)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0) return pid;
    enum { PER_MS = 100 * GZ_MESSAGES_PER_S_MAX / 1000 };
    static const uint8_t ping[] = {0x82, 0x80 | 9, 0,    0,   0,   0,   0x81, 0xA2,
                                   'o',  'p',      0xA4, 'p', 'i', 'n', 'g'};
    static uint8_t frames[PER_MS * sizeof ping];
    for (size_t i = 0; i < PER_MS; i++) memcpy(frames + i * sizeof ping, ping, sizeof ping);
    int socket = raw_open(bench->daemon.port);
    if (!raw_send_hello(socket, SCENE, "flood")) _exit(1);
    for (double next_s = crowd_unix_s(); raw_send(socket, frames, sizeof frames);) {
        next_s += 0.001;
        double left_s = next_s - crowd_unix_s();
        if (left_s > 0) usleep((useconds_t)(left_s * 1e6));
    }
    _exit(0);
}

static void stop_flood(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static sqlite3 *start_reader(const struct bench *bench)
{
    char path[256];
    sqlite3 *file;
    snprintf(path, sizeof path, "%s/" SCENE ".db", bench->daemon.data);
    assert_int_equal(sqlite3_open_v2(path, &file, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    if (sqlite3_exec(file, "BEGIN; SELECT count(*) FROM sqlite_schema;", NULL, NULL, NULL) !=
        SQLITE_OK)
        fail_msg("reading %s: %s", path, sqlite3_errmsg(file));
    return file;
}

static struct waits measure_trouble(struct bench *bench, enum trouble trouble)
{
    pid_t flood = trouble == FLOODED ? start_flood(bench) : 0;
    sqlite3 *reader = trouble == READ ? start_reader(bench) : NULL;
    if (trouble == STALLED) stall_quarter(bench, true);
    struct waits waits = measure(bench, trouble == ASKED);
    if (trouble == STALLED) stall_quarter(bench, false);
    if (reader != NULL) sqlite3_close(reader);
    if (flood != 0) stop_flood(flood);
    crowd_run(&bench->crowd, 0.2);
    return waits;
}

/* ---- the scene and its people ---- */

static bool is_answered(void *context)
{
    const struct crowd_member *member = context;
    return member->oks > 0;
}

static void ask(struct bench *bench, struct gz_message *message)
{
    message->has |= GZ_HAS_RID;
    message->rid = 1;
    bench->mover->oks = 0;
    crowd_send(bench->mover, message);
    assert_true(crowd_until(&bench->crowd, is_answered, bench->mover, PATIENCE_S));
}

/* Nodes, and so many edits of many of them that to tell of all is much. */
static void fill_scene(struct bench *bench)
{
    static struct gz_create_node nodes[NODES];
    static struct gz_set_node sets[HISTORY_NODES];
    for (size_t i = 0; i < NODES; i++)
        nodes[i] = (struct gz_create_node){.name = {"a node of a bench", 17}};
    struct gz_message create = {.op = GZ_OP_CREATE, .create = {nodes, NODES}};
    ask(bench, &create);
    for (int edit = 0; edit < HISTORY_EDITS; edit++) {
        for (size_t i = 0; i < HISTORY_NODES; i++)
            sets[i] = (struct gz_set_node){
                .has = GZ_HAS_SET_NODE_T, .id = i + 1, .trs.t = {edit, (double)i, 0.1}};
        struct gz_message set = {.op = GZ_OP_SET, .set = {.nodes = sets, .count = HISTORY_NODES}};
        ask(bench, &set);
    }
}

static void open_bench(struct bench *bench, size_t viewers)
{
    *bench = (struct bench){.viewers = viewers};
    test_daemon_init(&bench->daemon);
    test_daemon_start(&bench->daemon, "--messages-per-s=2000", NULL);
    crowd_init(&bench->crowd, bench->daemon.port);
    bench->crowd.handle = handle_message;
    bench->crowd.context = bench;
    bench->mover = crowd_enter(&bench->crowd, SCENE, GZ_ROLE_EDITOR, 0);
    bench->asker = crowd_enter(&bench->crowd, SCENE, GZ_ROLE_EDITOR, 0);
    assert_int_equal(crowd_gather(&bench->crowd, PATIENCE_S), 2);
    fill_scene(bench);
    for (size_t i = 0; i < viewers; i++)
        crowd_enter(&bench->crowd, SCENE, GZ_ROLE_VIEWER,
                    is_in_quarter(viewers - 1 - i) ? RECEIVE_BYTES : 0);
    assert_int_equal(crowd_gather(&bench->crowd, PATIENCE_S), viewers + 2);
}

static void close_bench(struct bench *bench)
{
    assert_int_equal(crowd_count(&bench->crowd, CROWD_ENDED), 0);
    crowd_finish(&bench->crowd);
    test_daemon_end(&bench->daemon);
    test_daemon_finish(&bench->daemon);
    free(bench->samples);
    free(bench->sent_s);
}

/* ---- the tables ---- */

static double median(const double *values, size_t count)
{
    double sorted[ROUNDS_MAX];
    memcpy(sorted, values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, compare_numbers);
    return (sorted[count / 2] + sorted[(count - 1) / 2]) / 2;
}

struct column {
    double values[ROUNDS_MAX];
};

static void print_trouble(const char *word, struct column columns[4], size_t rounds)
{
    double ratios[ROUNDS_MAX], least = INFINITY, most = 0;
    for (size_t i = 0; i < rounds; i++) {
        ratios[i] = columns[3].values[i] / columns[2].values[i];
        least = fmin(least, ratios[i]);
        most = fmax(most, ratios[i]);
    }
    printf("%-26s %8.3f %8.3f %8.3f %8.3f   %5.2f  (%.2f to %.2f)\n", word,
           1e3 * median(columns[0].values, rounds), 1e3 * median(columns[1].values, rounds),
           1e3 * median(columns[2].values, rounds), 1e3 * median(columns[3].values, rounds),
           median(ratios, rounds), least, most);
}

/* Calm and trouble by turns: each trouble stands between two calm times. */
static void bench_troubles(size_t viewers, size_t rounds)
{
    static struct column columns[TROUBLE_COUNT][4]; /* p50 calm, p50 then, p99 calm, p99 then */
    struct bench bench;
    open_bench(&bench, viewers);
    for (size_t round = 0; round < rounds; round++) {
        struct waits before = measure(&bench, false);
        for (enum trouble trouble = CALM + 1; trouble < TROUBLE_COUNT; trouble++) {
            struct waits then = measure_trouble(&bench, trouble), after = measure(&bench, false);
            columns[trouble][0].values[round] = (before.p50 + after.p50) / 2;
            columns[trouble][1].values[round] = then.p50;
            columns[trouble][2].values[round] = (before.p99 + after.p99) / 2;
            columns[trouble][3].values[round] = then.p99;
            before = after;
        }
    }
    printf("%zu viewers, %d moves a second of %d nodes, medians of %zu rounds; milliseconds from "
           "pointer to delta\n",
           viewers, MOVES_PER_S, DRAGGED, rounds);
    printf("%-26s %8s %8s %8s %8s   %5s\n", "", "p50 calm", "p50 then", "p99 calm", "p99 then",
           "p99 then / calm");
    for (enum trouble trouble = CALM + 1; trouble < TROUBLE_COUNT; trouble++)
        print_trouble(trouble_words[trouble], columns[trouble], rounds);
    printf("answers about the history: %zu, of %d edits with %d nodes each\n", bench.answers,
           HISTORY_EDITS, HISTORY_NODES);
    close_bench(&bench);
}

/* All connect at once; until each has its whole first state. */
static void bench_joins(size_t joins, size_t rounds)
{
    double taken_s[ROUNDS_MAX], least = INFINITY, most = 0, cpu_s = 0;
    struct bench bench;
    open_bench(&bench, 1);
    for (size_t round = 0; round < rounds; round++) {
        struct crowd_member *before = bench.crowd.members;
        size_t here = crowd_count(&bench.crowd, CROWD_JOINED);
        double begin_s = crowd_unix_s(), cpu_before_s = process_cpu_s(bench.daemon.pid);
        for (size_t i = 0; i < joins; i++) crowd_enter(&bench.crowd, SCENE, GZ_ROLE_VIEWER, 0);
        size_t joined = crowd_gather(&bench.crowd, PATIENCE_S) - here;
        taken_s[round] = crowd_unix_s() - begin_s;
        cpu_s += (process_cpu_s(bench.daemon.pid) - cpu_before_s) / (double)rounds;
        if (joined != joins) printf("only %zu of %zu joined\n", joined, joins);
        crowd_disperse(&bench.crowd, before);
        crowd_run(&bench.crowd, 1);
        least = fmin(least, taken_s[round]);
        most = fmax(most, taken_s[round]);
    }
    printf("%zu joins at once: all are in after %.2f s (%.2f to %.2f), %.2f s of the daemon's "
           "processors\n",
           joins, median(taken_s, rounds), least, most, cpu_s);
    close_bench(&bench);
}

/* What one has been told who joined; and all frames and bytes that everybody was told. */
struct told {
    size_t frames, bytes;
};

static struct told told_all(const struct crowd *crowd)
{
    struct told told = {0};
    for (const struct crowd_member *member = crowd->members; member != NULL;
         member = member->next) {
        told.frames += member->frames;
        told.bytes += member->bytes;
    }
    return told;
}

static bool is_joined(void *context)
{
    return ((const struct crowd_member *)context)->state >= CROWD_JOINED;
}

static void gather_plain(struct bench *bench, size_t plain)
{
    *bench = (struct bench){.viewers = plain};
    raw_allow_descriptors();
    test_daemon_init(&bench->daemon);
    test_daemon_start(&bench->daemon, NULL, NULL);
    crowd_init(&bench->crowd, bench->daemon.port);
    crowd_enter(&bench->crowd, SCENE, GZ_ROLE_EDITOR, 0);
    for (size_t i = 0; i < plain; i++) {
        crowd_enter(&bench->crowd, SCENE, GZ_ROLE_VIEWER, 0);
        if (i % 100 == 0) (void)crowd_gather(&bench->crowd, PATIENCE_S);
    }
    assert_int_equal(crowd_gather(&bench->crowd, PATIENCE_S), plain + 1);
    crowd_run(&bench->crowd, 2);
}

/* One joins, has its whole first state, and leaves, again and again. */
static void bench_one_more(size_t plain, size_t joins)
{
    struct bench bench;
    double *taken_s = calloc(joins, sizeof *taken_s);
    assert_non_null(taken_s);
    gather_plain(&bench, plain);
    const struct told before = told_all(&bench.crowd);
    const double cpu_s = process_cpu_s(bench.daemon.pid);
    for (size_t i = 0; i < joins; i++) {
        const double begin_s = crowd_unix_s();
        struct crowd_member *late = crowd_enter(&bench.crowd, SCENE, GZ_ROLE_VIEWER, 0);
        assert_true(crowd_until(&bench.crowd, is_joined, late, PATIENCE_S));
        taken_s[i] = crowd_unix_s() - begin_s;
        crowd_run(&bench.crowd, 0.1);
        crowd_leave(late);
        crowd_run(&bench.crowd, 0.1);
    }
    const struct told after = told_all(&bench.crowd);
    qsort(taken_s, joins, sizeof *taken_s, compare_numbers);
    printf("%zu people, then %zu joins one by one: p50 %.1f ms, p99 %.1f "
           "ms, longest %.1f ms; with the leave %zu frames and %zu bytes for everybody together, "
           "and %.2f ms of the daemon's processors, the calm between them included\n",
           plain, joins, 1e3 * taken_s[joins / 2], 1e3 * taken_s[(joins - 1) * 99 / 100],
           1e3 * taken_s[joins - 1], (after.frames - before.frames) / joins,
           (after.bytes - before.bytes) / joins,
           1e3 * (process_cpu_s(bench.daemon.pid) - cpu_s) / (double)joins);
    free(taken_s);
    close_bench(&bench);
}

static size_t argument(int count, char **arguments, int place, size_t usual)
{
    return count > place ? strtoul(arguments[place], NULL, 10) : usual;
}

int main(int count, char **arguments)
{
    size_t viewers = argument(count, arguments, 1, 200),
           joins = argument(count, arguments, 2, 2000);
    size_t rounds = argument(count, arguments, 3, 5);
    if (rounds == 0 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "crowd_bench [VIEWERS [JOINS [ROUNDS [PLAIN]]]], 1 to %d rounds\n",
                ROUNDS_MAX);
        return 1;
    }
    if (viewers > 0) bench_troubles(viewers, rounds);
    if (joins > 0) bench_joins(joins, rounds);
    const size_t people = argument(count, arguments, 4, 0);
    if (people > 0) bench_one_more(people, rounds);
    return 0;
}
