/* many_scenes_bench - what many scenes of a daemon cost, and whether one makes the others wait.
 *
 * many_scenes_bench [-q] [-r ROUNDS] [-s SECONDS] [-n NODES] [-w WORDS] GIZMOD...
 *
 * Each GIZMOD is a daemon's binary; they take turns, round by round, and what is printed are the
 * medians of the rounds. In each scene two people drag a node each. A change is delivered when the
 * other one of the two has it; the wait is from the send of a pointer to the moment at which that
 * one's kernel had the delta that shows it. "60/s" is the pace of each person; "flat out" is the
 * next move of each as soon as the one before is delivered. The processor time is that of all
 * threads of the daemon.
 *
 * The large scenes have NODES (100,000). In one of them somebody, in a process of their own that
 * takes what processors have left, works on half of the nodes (bench/asker.h), and two people drag
 * in each of the others. The last rows are open scenes with two nodes that everybody has left:
 * resident memory, descriptors and threads of the daemon for each of 100 of them. WORDS chooses the
 * rows that have them in their name; -q is one short round with smaller scenes, and fewer idle
 * ones. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/cmocka.h"

#include "bench/asker.h"
#include "bench/drags.h"
#include "bench/process.h"
#include "bench/quantile.h"
#include "support/daemon.h"

#define SCENES_MAX 100
#define MOVES_PER_S 60
#define PATIENCE_S 120.0
#define ROUNDS_MAX 25
#define SERVERS_MAX 8
#define ROWS_MAX 16
/* Moves of a person that the other one has not heard of yet. */
#define FLIGHT_MAX 4096
/* Idle scenes before the measured ones: what comes once for all scenes is there by then. */
#define IDLE_BEFORE 10
#define IDLE_SETTLE_S 1.5

/* ---- the people ---- */

struct person {
    struct crowd_member *member;
    struct person *other;
    uint64_t node, n, told; /* told: its last move that the other one has */
    double sent_s[FLIGHT_MAX];
};

struct bench {
    struct test_daemon daemon;
    struct crowd crowd;
    struct person people[2 * SCENES_MAX];
    size_t count;
    double *samples;
    size_t sample_count, sample_capacity;
    bool is_measuring, is_flat_out;
    struct large_scene large;
    char names[SCENES_MAX + IDLE_BEFORE][16];
};

static void move(struct person *person)
{
    if (person->n - person->told == FLIGHT_MAX) return; /* these wait long enough */
    person->sent_s[++person->n % FLIGHT_MAX] = crowd_unix_s();
    drags_move(person->member, person->node, person->n);
}

static void add_sample(struct bench *bench, double wait_s)
{
    assert_true(gz_grow(&bench->samples, &bench->sample_capacity, bench->sample_count + 1,
                        sizeof *bench->samples));
    bench->samples[bench->sample_count++] = wait_s;
}

static void hear_ack(struct bench *bench, struct person *mover, uint64_t n, double came_s)
{
    for (uint64_t i = mover->told + 1; i <= n && bench->is_measuring; i++)
        add_sample(bench, came_s - mover->sent_s[i % FLIGHT_MAX]);
    if (n > mover->told) mover->told = n;
    if (bench->is_flat_out && mover->told == mover->n) move(mover);
}

static void handle_message(void *context, struct crowd_member *member,
                           const struct gz_message *message, double came_s)
{
    struct bench *bench = context;
    struct person *other = bench->people[member->mark].other;
    if (message->op == GZ_OP_ERROR)
        fail_msg("%.*s", (int)message->error.message.size, message->error.message.bytes);
    if (message->op != GZ_OP_DELTA || other == NULL) return;
    for (size_t i = 0; i < message->delta.ack_count; i++)
        if (message->delta.acks[i].session == other->member->session)
            hear_ack(bench, other, message->delta.acks[i].n, came_s);
}

static bool is_answered(void *context)
{
    const struct crowd_member *member = context;
    return member->oks > 0;
}

static void create_nodes(struct bench *bench, struct crowd_member *member)
{
    struct gz_create_node nodes[2] = {{.name = {"node", 4}}, {.name = {"node", 4}}};
    struct gz_message create = {
        .op = GZ_OP_CREATE, .has = GZ_HAS_RID, .rid = 1, .create = {nodes, 2}};
    crowd_send(member, &create);
    assert_true(crowd_until(&bench->crowd, is_answered, member, PATIENCE_S));
}

/* Two people who drag the scene's last two nodes, one of whom is the other's first one. */
static void enter_two(struct bench *bench, const char *scene, uint64_t last_node)
{
    struct person *two = &bench->people[bench->count];
    for (size_t i = 0; i < 2; i++) {
        two[i] = (struct person){.node = last_node - i};
        two[i].member = crowd_enter(&bench->crowd, scene, GZ_ROLE_EDITOR, 0);
        two[i].member->mark = bench->count++;
    }
    assert_int_equal(crowd_gather(&bench->crowd, PATIENCE_S), bench->count);
    if (bench->large.nodes == 0) create_nodes(bench, two[0].member);
    two[0].other = &two[1];
    two[1].other = &two[0];
    for (size_t i = 0; i < 2; i++) drags_look(two[i].member);
}

/* ---- a daemon and its scenes ---- */

static void start_daemon(struct bench *bench, const char *server, const char *option)
{
    *bench = (struct bench){.count = 0};
    assert_int_equal(setenv("GIZMOD", server, 1), 0);
    test_daemon_init(&bench->daemon);
    test_daemon_start(&bench->daemon, option, NULL);
    crowd_init(&bench->crowd, bench->daemon.port);
    bench->crowd.handle = handle_message;
    bench->crowd.context = bench;
    for (size_t i = 0; i < SCENES_MAX + IDLE_BEFORE; i++)
        snprintf(bench->names[i], sizeof bench->names[i], "scene-%zu", i);
}

/* Nodes 0: small scenes, with people in all of them. Of large ones the first is the asker's. */
static void open_bench(struct bench *bench, const char *server, size_t scenes, size_t nodes)
{
    start_daemon(bench, server, nodes == 0 ? "--messages-per-s=1000000" : NULL);
    if (nodes > 0) large_scene_init(&bench->large, nodes);
    for (size_t i = 0; i < scenes && nodes > 0; i++) {
        char path[64];
        snprintf(path, sizeof path, "/scenes/%s", bench->names[i]);
        large_scene_import(&bench->large, bench->daemon.port, path);
    }
    for (size_t i = nodes > 0; i < scenes; i++)
        enter_two(bench, bench->names[i], nodes > 0 ? nodes : 2);
}

static void close_bench(struct bench *bench)
{
    assert_int_equal(crowd_count(&bench->crowd, CROWD_ENDED), 0);
    crowd_finish(&bench->crowd);
    test_daemon_end(&bench->daemon);
    test_daemon_finish(&bench->daemon);
    if (bench->large.nodes > 0) large_scene_finish(&bench->large);
    free(bench->samples);
}

/* ---- what is measured ---- */

struct row {
    const char *name;
    bool is_flat_out;
    asker_act *before, *ask;
    double per_s;
};

struct result {
    double per_s, cpu_s, cores, p50_s, p99_s; /* cpu_s: for a delivered change */
};

/* People take turns at an even pace; those who go flat out are only begun. */
static void move_for(struct bench *bench, double seconds)
{
    const double begin_s = crowd_unix_s(), pace_s = 1.0 / MOVES_PER_S / (double)bench->count;
    for (size_t i = 0; i < bench->count && bench->is_flat_out; i++)
        if (bench->people[i].told == bench->people[i].n) move(&bench->people[i]);
    for (size_t i = 0; !bench->is_flat_out && (double)i * pace_s < seconds; i++) {
        move(&bench->people[i % bench->count]);
        const double wait_s = begin_s + (double)(i + 1) * pace_s - crowd_unix_s();
        if (wait_s > 0 || i % bench->count == 0) crowd_run(&bench->crowd, fmax(0, wait_s));
    }
    crowd_run(&bench->crowd, fmax(0, begin_s + seconds - crowd_unix_s()));
}

static bool is_all_told(void *context)
{
    const struct bench *bench = context;
    for (size_t i = 0; i < bench->count; i++)
        if (bench->people[i].told != bench->people[i].n) return false;
    return true;
}

static pid_t start_asker(struct bench *bench, const struct row *row)
{
    const pid_t pid = asker_fork();
    if (pid > 0) return pid;
    struct asker asker = {
        .scene = &bench->large, .port = bench->daemon.port, .name = bench->names[0]};
    asker_ask(&asker, row->before, row->ask, row->per_s);
}

static struct result measure(struct bench *bench, const struct row *row, double seconds)
{
    const pid_t asker = row->ask != NULL ? start_asker(bench, row) : 0;
    bench->is_flat_out = row->is_flat_out;
    move_for(bench, seconds / 3);
    const double before_s = process_cpu_s(bench->daemon.pid), begin_s = crowd_unix_s();
    bench->sample_count = 0;
    bench->is_measuring = true;
    move_for(bench, seconds);
    bench->is_measuring = false;
    const double used_s = process_cpu_s(bench->daemon.pid) - before_s;
    const double taken_s = crowd_unix_s() - begin_s, changes = (double)bench->sample_count;
    bench->is_flat_out = false;
    if (asker > 0) asker_end(asker);
    assert_true(crowd_until(&bench->crowd, is_all_told, bench, PATIENCE_S));
    return (struct result){changes / taken_s, used_s / changes, used_s / taken_s,
                           quantile(bench->samples, bench->sample_count, 0.5),
                           quantile(bench->samples, bench->sample_count, 0.99)};
}

/* ---- idle scenes ---- */

struct idle {
    double kb, descriptors, threads;
};

static double count_entries(pid_t pid, const char *folder)
{
    char path[64];
    double count = 0;
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, folder);
    DIR *entries = opendir(path);
    assert_non_null(entries);
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(entries);
    return count;
}

static double resident_kb(pid_t pid)
{
    char path[64], line[256];
    double kb = NAN;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) (void)sscanf(line, "VmRSS: %lf", &kb);
    fclose(file);
    return kb;
}

/* The daemon, once everybody has come to these scenes, made two nodes in each, and left. */
static struct idle leave_scenes(struct bench *bench, size_t from, size_t end)
{
    const pid_t pid = bench->daemon.pid;
    for (size_t i = from; i < end; i++) {
        struct crowd_member *member =
            crowd_enter(&bench->crowd, bench->names[i], GZ_ROLE_EDITOR, 0);
        assert_int_equal(crowd_gather(&bench->crowd, PATIENCE_S), 1);
        create_nodes(bench, member);
        crowd_disperse(&bench->crowd, NULL);
    }
    crowd_run(&bench->crowd, IDLE_SETTLE_S);
    return (struct idle){resident_kb(pid), count_entries(pid, "fd"), count_entries(pid, "task")};
}

static struct idle measure_idle(const char *server, size_t scenes)
{
    static struct bench bench;
    start_daemon(&bench, server, NULL);
    const struct idle before = leave_scenes(&bench, 0, IDLE_BEFORE),
                      after = leave_scenes(&bench, IDLE_BEFORE, IDLE_BEFORE + scenes);
    close_bench(&bench);
    return (struct idle){(after.kb - before.kb) / (double)scenes,
                         (after.descriptors - before.descriptors) / (double)scenes,
                         (after.threads - before.threads) / (double)scenes};
}

/* ---- the table ---- */

static const struct row small_rows[] = {{.name = "60/s"},
                                        {.name = "flat out", .is_flat_out = true}};
static const struct row large_rows[] = {
    {.name = "calm"},
    {"drag of half, 60/s", false, asker_put_grab_half, asker_put_drag, 60},
    {"drags of half, ended", false, NULL, asker_put_whole_drag, 10},
    {"undo and redo of half", false, asker_put_whole_drag, asker_put_undo_or_redo, 10},
};

/* Scenes of a daemon, in which the rows are measured one after the other. */
struct place {
    size_t scenes;
    bool is_large;
    const struct row *rows;
    size_t row_count;
};

static const struct place places[] = {
    {1, false, small_rows, 2},   {2, false, small_rows, 2}, {8, false, small_rows, 2},
    {100, false, small_rows, 2}, {8, true, large_rows, 4},
};

struct wishes {
    char **servers;
    size_t server_count, rounds, nodes, idle_scenes;
    double seconds;
    const char *words;
};

static double median_of(const void *results, size_t size, size_t rounds, size_t member)
{
    double values[ROUNDS_MAX];
    for (size_t i = 0; i < rounds; i++)
        memcpy(&values[i], (const char *)results + i * size + member, sizeof values[i]);
    return quantile(values, rounds, 0.5);
}

#define MEDIAN(results, rounds, member)                                                            \
    median_of(results, sizeof *(results), rounds,                                                  \
              (size_t)((const char *)&(results)->member - (const char *)(results)))

static void name_row(const struct place *place, const struct row *row, size_t nodes, char name[64])
{
    if (place->is_large)
        snprintf(name, 64, "%zu of %zu nodes, %s", place->scenes, nodes, row->name);
    else
        snprintf(name, 64, "%zu x 2, %s", place->scenes, row->name);
}

static bool is_wanted(const struct wishes *wishes, const struct place *place, const struct row *row)
{
    char name[64];
    name_row(place, row, wishes->nodes, name);
    return strstr(name, wishes->words) != NULL;
}

static void bench_place(const struct wishes *wishes, const struct place *place)
{
    static struct bench bench;
    static struct result results[ROWS_MAX][SERVERS_MAX][ROUNDS_MAX];
    bool is_any = false;
    for (size_t r = 0; r < place->row_count; r++)
        is_any = is_any || is_wanted(wishes, place, &place->rows[r]);
    for (size_t i = 0; is_any && i < wishes->rounds * wishes->server_count; i++) {
        const size_t server = i % wishes->server_count, round = i / wishes->server_count;
        open_bench(&bench, wishes->servers[server], place->scenes,
                   place->is_large ? wishes->nodes : 0);
        for (size_t r = 0; r < place->row_count; r++)
            if (is_wanted(wishes, place, &place->rows[r]))
                results[r][server][round] = measure(&bench, &place->rows[r], wishes->seconds);
        close_bench(&bench);
    }
    for (size_t r = 0; r < place->row_count; r++) {
        char name[64];
        name_row(place, &place->rows[r], wishes->nodes, name);
        for (size_t i = 0; is_wanted(wishes, place, &place->rows[r]) && i < wishes->server_count;
             i++) {
            const struct result *result = results[r][i];
            printf(
                "%-40s %-28s %10.0f %9.1f %6.2f %8.3f %8.3f\n", name, wishes->servers[i],
                MEDIAN(result, wishes->rounds, per_s), 1e6 * MEDIAN(result, wishes->rounds, cpu_s),
                MEDIAN(result, wishes->rounds, cores), 1e3 * MEDIAN(result, wishes->rounds, p50_s),
                1e3 * MEDIAN(result, wishes->rounds, p99_s));
        }
    }
    fflush(stdout);
}

static void bench_idle(const struct wishes *wishes)
{
    static struct idle results[SERVERS_MAX][ROUNDS_MAX];
    for (size_t round = 0; round < wishes->rounds; round++)
        for (size_t i = 0; i < wishes->server_count; i++)
            results[i][round] = measure_idle(wishes->servers[i], wishes->idle_scenes);
    printf("%-40s %-28s %10s %9s %6s\n", "", "", "kB", "descript.", "thr.");
    for (size_t i = 0; i < wishes->server_count; i++)
        printf("%-40s %-28s %10.0f %9.2f %6.2f\n", "an idle scene", wishes->servers[i],
               MEDIAN(results[i], wishes->rounds, kb),
               MEDIAN(results[i], wishes->rounds, descriptors),
               MEDIAN(results[i], wishes->rounds, threads));
}

int main(int count, char **arguments)
{
    struct wishes wishes = {
        .rounds = 5, .nodes = 100000, .idle_scenes = SCENES_MAX, .seconds = 3, .words = ""};
    for (int option; (option = getopt(count, arguments, "qr:s:n:w:")) != -1;) {
        if (option == 'q')
            wishes.rounds = 1, wishes.seconds = 0.6, wishes.nodes = 5000, wishes.idle_scenes = 20;
        if (option == 'r') wishes.rounds = strtoul(optarg, NULL, 10);
        if (option == 's') wishes.seconds = strtod(optarg, NULL);
        if (option == 'n') wishes.nodes = strtoul(optarg, NULL, 10);
        if (option == 'w') wishes.words = optarg;
    }
    wishes.servers = arguments + optind;
    wishes.server_count = (size_t)(count - optind);
    if (wishes.rounds == 0 || wishes.rounds > ROUNDS_MAX || !(wishes.seconds > 0) ||
        wishes.nodes < 10 || wishes.nodes > GZ_NODES_MAX || wishes.server_count == 0 ||
        wishes.server_count > SERVERS_MAX) {
        fprintf(stderr,
                "many_scenes_bench [-q] [-r ROUNDS] [-s SECONDS] [-n NODES] [-w WORDS] GIZMOD..., "
                "1 to %d rounds, up to %d daemons\n",
                ROUNDS_MAX, SERVERS_MAX);
        return 1;
    }
    printf("two people in each scene; medians of %zu rounds of %.1f s\n", wishes.rounds,
           wishes.seconds);
    printf("%-40s %-28s %10s %9s %6s %8s %8s\n", "", "", "changes/s", "us/change", "cores",
           "p50 ms", "p99 ms");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) bench_place(&wishes, &places[i]);
    if (strstr("an idle scene", wishes.words) != NULL) bench_idle(&wishes);
    return 0;
}
