/* open_bench - what people in one scene wait while somebody joins another one, which is closed and
 * large. open_bench [NODES [ROUNDS]]        100000 and 10 without
 *
 * A real daemon with its disk, real sockets on loopback, all clients in this thread. In a scene of
 * one node an editor drags 500 times a second; a wait is from the send of its pointer to the moment
 * at which a viewer's kernel had the delta that shows it. In each round a viewer joins a copy of
 * the large scene that nobody has opened yet, and the waits count from its connect to its whole
 * first state. The longest turn of the daemon's loop is noted by turn_preload.c: on the wall's
 * clock, which includes what other programs took of the processor meanwhile, and in the thread's
 * own time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/quantile.h"
#include "store/store.h"
#include "support/cmocka.h"
#include "support/crowd.h"
#include "support/daemon.h"
#include "support/turn_preload.h"

#define SCENE "small"
#define MOVES_PER_S 500
#define CALM_SECONDS 2.0
#define PATIENCE_S 60.0
#define ROUNDS_MAX 100

struct bench {
    struct test_daemon daemon;
    struct turn_page *page;
    struct crowd crowd;
    struct crowd_member *mover, *viewer;
    uint64_t n; /* the last pointer */
    double *sent_s;
    size_t sent_capacity;
    double *waits_s;
    size_t wait_count, wait_capacity;
    uint64_t from; /* waits for pointers after this one count */
};

struct result {
    double p50_s, p99_s, most_s, turn_s, turn_cpu_s, joined_s;
    size_t moves;
};

/* ---- the files ---- */

static void write_scene(const char *path, size_t count)
{
    struct gz_store *store;
    struct gz_scene_state state;
    struct gz_error error;
    struct gz_store_options options = {.path = path, .create = true, .time = 1.7e9};
    if (gz_store_open(&store, &options, &state, &error) != GZ_OK ||
        gz_store_start(store, &error) != GZ_OK)
        fail_msg("%s", error.message);
    struct gz_batch *batch = gz_batch_create();
    struct gz_node_record *nodes = gz_arena_take(&batch->arena, count, sizeof *nodes);
    struct gz_change *changes = gz_arena_take(&batch->arena, count, sizeof *changes);
    struct gz_edit_record *edit = gz_arena_take(&batch->arena, 1, sizeof *edit);
    assert_non_null(nodes);
    assert_non_null(changes);
    assert_non_null(edit);
    for (size_t i = 0; i < count; i++) {
        nodes[i] = (struct gz_node_record){.id = i + 1, .seq = i + 1};
        nodes[i].content = (struct gz_content){.name = "a part of a large assembly",
                                               .trs = gz_trs_identity,
                                               .parent = i % 100 == 0 ? 0 : i - i % 100 + 1,
                                               .has_bounds = true,
                                               .bounds = {{-1, -1, -1}, {1, 1, 1}},
                                               .asset = -1};
        nodes[i].content.trs.t = (gz_vec3){(double)(i % 317), 0.1, (double)(i / 317)};
        changes[i] = (struct gz_change){.node = i + 1, .exists = true, .after = nodes[i].content};
    }
    *edit = (struct gz_edit_record){.id = 1,
                                    .kind = GZ_EDIT_CREATE,
                                    .user = "anna",
                                    .began = 1.7e9,
                                    .ended = 1.7e9,
                                    .seq = count,
                                    .changes = changes,
                                    .change_count = count};
    batch->nodes = nodes, batch->node_count = count;
    batch->ended = edit, batch->ended_count = 1;
    batch->seq = count, batch->time = 1.7e9;
    batch->next_node = count + 1, batch->next_edit = 2;
    enum gz_status status;
    gz_store_submit(store, batch);
    while ((batch = gz_store_take(store, &status, &error)) == NULL) usleep(1000);
    if (status != GZ_OK) fail_msg("%s", error.message);
    gz_batch_destroy(batch);
    gz_store_close(store);
    gz_scene_state_finish(&state);
}

static void copy_file(const char *from, const char *to)
{
    char command[600];
    snprintf(command, sizeof command, "cp '%s' '%s'", from, to);
    assert_int_equal(system(command), 0);
}

static void write_scenes(const struct bench *bench, size_t nodes, size_t rounds)
{
    char first[256], path[256];
    assert_int_equal(mkdir(bench->daemon.data, 0700), 0);
    snprintf(first, sizeof first, "%s/large-0.db", bench->daemon.data);
    write_scene(first, nodes);
    for (size_t i = 1; i < rounds; i++) {
        snprintf(path, sizeof path, "%s/large-%zu.db", bench->daemon.data, i);
        copy_file(first, path);
    }
}

/* ---- the waits ---- */

static void handle_message(void *context, struct crowd_member *member,
                           const struct gz_message *message, double came_s)
{
    struct bench *bench = context;
    if (message->op != GZ_OP_DELTA || member != bench->viewer) return;
    for (size_t i = 0; i < message->delta.ack_count; i++) {
        for (uint64_t n = member->mark + 1; n <= message->delta.acks[i].n; n++) {
            if (n <= bench->from) continue;
            assert_true(gz_grow(&bench->waits_s, &bench->wait_capacity, bench->wait_count + 1,
                                sizeof *bench->waits_s));
            bench->waits_s[bench->wait_count++] = came_s - bench->sent_s[n];
        }
        member->mark = message->delta.acks[i].n;
    }
}

static void move(struct bench *bench)
{
    static uint64_t id = 1;
    struct gz_message grab = {
        .op = GZ_OP_GRAB, .has = GZ_HAS_POINTER_NODES | GZ_HAS_POINTER_VALUE | GZ_HAS_POINTER_N};
    grab.pointer = (struct gz_pointer_message){.phase = GZ_PHASE_DOWN,
                                               .handle = GZ_TX,
                                               .n = ++bench->n,
                                               .nodes = {&id, 1},
                                               .value = {{(double)bench->n}, 1}};
    assert_true(
        gz_grow(&bench->sent_s, &bench->sent_capacity, bench->n + 1, sizeof *bench->sent_s));
    bench->sent_s[bench->n] = crowd_unix_s();
    crowd_send(bench->mover, &grab);
}

/* Drags at an even pace for so long, or until `joining` has joined. */
static struct result measure(struct bench *bench, struct crowd_member *joining, double seconds)
{
    double begin_s = crowd_unix_s();
    atomic_store(&bench->page->wall_ns, 0);
    atomic_store(&bench->page->cpu_ns, 0);
    bench->wait_count = 0;
    bench->from = bench->n;
    for (int i = 0;
         joining != NULL ? joining->state < CROWD_JOINED : crowd_unix_s() - begin_s < seconds;
         i++) {
        move(bench);
        crowd_run(&bench->crowd, fmax(0, begin_s + (i + 1.0) / MOVES_PER_S - crowd_unix_s()));
        assert_true(crowd_unix_s() - begin_s < PATIENCE_S);
    }
    struct result result = {.joined_s = crowd_unix_s() - begin_s};
    crowd_run(&bench->crowd, 0.1);
    assert_true(bench->wait_count > 0);
    result.moves = bench->wait_count;
    result.p50_s = quantile(bench->waits_s, bench->wait_count, 0.5);
    result.p99_s = quantile(bench->waits_s, bench->wait_count, 0.99);
    result.most_s = quantile(bench->waits_s, bench->wait_count, 1);
    result.turn_s = (double)atomic_load(&bench->page->wall_ns) * 1e-9;
    result.turn_cpu_s = (double)atomic_load(&bench->page->cpu_ns) * 1e-9;
    return result;
}

static void print_result(const char *what, const struct result *result)
{
    printf("%-10s %6zu %10.2f %10.2f %10.2f %10.2f %10.2f %10.1f\n", what, result->moves,
           1e3 * result->p50_s, 1e3 * result->p99_s, 1e3 * result->most_s, 1e3 * result->turn_s,
           1e3 * result->turn_cpu_s, 1e3 * result->joined_s);
}

/* ---- the daemon and its people ---- */

static void open_bench(struct bench *bench, size_t nodes, size_t rounds)
{
    *bench = (struct bench){.n = 0};
    test_daemon_init(&bench->daemon);
    write_scenes(bench, nodes, rounds);
    bench->page = turn_page_open(&bench->daemon);
    test_daemon_start(&bench->daemon, "--messages-per-s=2000", NULL);
    crowd_init(&bench->crowd, bench->daemon.port);
    bench->crowd.handle = handle_message;
    bench->crowd.context = bench;
    bench->mover = crowd_enter(&bench->crowd, SCENE, GZ_ROLE_EDITOR, 0);
    assert_int_equal(crowd_gather(&bench->crowd, PATIENCE_S), 1);
    struct gz_create_node node = {.name = {"one", 3}};
    struct gz_message create = {.op = GZ_OP_CREATE, .create = {&node, 1}};
    crowd_send(bench->mover, &create);
    bench->viewer = crowd_enter(&bench->crowd, SCENE, GZ_ROLE_VIEWER, 0);
    assert_int_equal(crowd_gather(&bench->crowd, PATIENCE_S), 2);
    (void)measure(bench, NULL, CALM_SECONDS / 2);
}

static void close_bench(struct bench *bench)
{
    assert_int_equal(crowd_count(&bench->crowd, CROWD_ENDED), 0);
    crowd_finish(&bench->crowd);
    test_daemon_end(&bench->daemon);
    test_daemon_finish(&bench->daemon);
    munmap(bench->page, sizeof *bench->page);
    free(bench->waits_s);
    free(bench->sent_s);
}

int main(int count, char **arguments)
{
    size_t nodes = count > 1 ? strtoul(arguments[1], NULL, 10) : 100000;
    size_t rounds = count > 2 ? strtoul(arguments[2], NULL, 10) : 10;
    if (nodes == 0 || rounds == 0 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "open_bench [NODES [ROUNDS]], 1 to %d rounds\n", ROUNDS_MAX);
        return 1;
    }
    struct bench bench;
    char scene[32];
    open_bench(&bench, nodes, rounds);
    printf("a scene of %zu nodes is opened; %d moves a second in another; milliseconds\n", nodes,
           MOVES_PER_S);
    printf("%-10s %6s %10s %10s %10s %10s %10s %10s\n", "", "moves", "wait p50", "p99", "most",
           "turn most", "its cpu", "joined in");
    for (size_t i = 0; i < rounds; i++) {
        struct result calm = measure(&bench, NULL, CALM_SECONDS);
        print_result("calm", &calm);
        snprintf(scene, sizeof scene, "large-%zu", i);
        struct crowd_member *joining = crowd_enter(&bench.crowd, scene, GZ_ROLE_VIEWER, 0);
        struct result then = measure(&bench, joining, 0);
        print_result("a join", &then);
    }
    close_bench(&bench);
    return 0;
}
