/* trunk_bench - what viewers of one scene cost its authority, and the edges through which they
 * watch, beside the same viewers at the daemon itself.
 *
 * trunk_bench [SECONDS [ROUNDS [VIEWERS EDGES]]]
 *
 * One editor, at the daemon that has the scene, drags a node 20 times a second. In each row so many
 * viewers watch: at that daemon, through one edge, and through two, in turns; or VIEWERS through
 * EDGES alone. Printed are medians of the rounds, for each move: the processor time of the loop of
 * the daemon and of all edges together, the edges' for each viewer, the bytes on the trunks, how
 * many pieces of frames there were for viewers of edges and how many of them were sent, and the
 * frames that a viewer got. In the end all viewers stand where the editor does. Then, for each
 * viewer: the daemon's processor time of its join, and the memory that it takes there. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/quantile.h"
#include "server/net/relay_fixture.h"
#include "support/crowd.h"

#define MOVES_PER_S 20
#define PATIENCE_S 300.0
/* On a busy machine a daemon may not run for a while. */
#define PATIENT "--silence-seconds=300"
/* Joins that are under way at once. */
#define JOINS 500
#define ROUNDS_MAX 25
#define EDGES 8

enum value {
    AUTHORITY_US,
    EDGES_US,
    VIEWER_US,
    TRUNK_BYTES,
    PIECES,
    PIECES_SENT,
    FRAMES,
    MOVE_VALUES,
    JOIN_US = MOVE_VALUES,
    MEMORY_KB,
    VALUES
};

static struct test_daemon edges[EDGES];
static size_t edges_started;
static int scenes;

struct bench {
    char scene[32];
    struct crowd crowd;
    struct crowd_member *editor;
    size_t viewers;
    uint64_t n;
};

/* ---- what is counted ---- */

static double resident_kb(pid_t pid)
{
    char path[64];
    double pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL || fscanf(file, "%*s %lf", &pages) != 1) perror(path);
    if (file != NULL) fclose(file);
    return pages * (double)sysconf(_SC_PAGESIZE) / 1024;
}

static void read_counts(const struct bench *bench, double counts[VALUES])
{
    counts[AUTHORITY_US] = processor_s(authority.pid) * 1e6;
    counts[EDGES_US] = 0;
    for (size_t i = 0; i < edges_started; i++) counts[EDGES_US] += processor_s(edges[i].pid) * 1e6;
    counts[VIEWER_US] = counts[EDGES_US] / (double)bench->viewers;
    counts[TRUNK_BYTES] = (double)count(&authority, "\ngizmod_trunk_sent_bytes_total ");
    counts[PIECES] = (double)count(&authority, "\ngizmod_trunk_pieces_total ");
    counts[PIECES_SENT] = (double)count(&authority, "\ngizmod_trunk_pieces_sent_total ");
    counts[FRAMES] = 0;
    for (const struct crowd_member *member = bench->crowd.members; member != NULL;
         member = member->next)
        counts[FRAMES] += (double)member->frames / (double)bench->viewers;
}

/* ---- the scene ---- */

/* A drag by typed values: nothing that presence shows changes, so that a frame is a delta. */
static void move(struct bench *bench)
{
    static const uint64_t node = 1;
    struct gz_message grab = {
        .op = GZ_OP_GRAB, .has = GZ_HAS_POINTER_NODES | GZ_HAS_POINTER_VALUE | GZ_HAS_POINTER_N};
    grab.pointer = (struct gz_pointer_message){.phase = GZ_PHASE_DOWN,
                                               .handle = GZ_TX,
                                               .n = ++bench->n,
                                               .nodes = {&node, 1},
                                               .value = {{(double)bench->n}, 1}};
    crowd_send(bench->editor, &grab);
}

static void move_for(struct bench *bench, double seconds)
{
    const double begin_s = crowd_unix_s();
    for (int i = 0; i < seconds * MOVES_PER_S; i++) {
        move(bench);
        crowd_run(&bench->crowd, fmax(0, begin_s + (double)(i + 1) / MOVES_PER_S - crowd_unix_s()));
    }
}

/* Looks along -z from (0, 0, 10), so that there is a gizmo, at a node. */
static void set_up(struct bench *bench)
{
    struct gz_create_node node = {.name = {"node", 4}};
    struct gz_message create = {.op = GZ_OP_CREATE, .create = {.nodes = &node, .count = 1}};
    struct gz_message camera = {.op = GZ_OP_CAMERA};
    static const double view[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -10, 1};
    static const double proj[16] = {1.3, 0, 0, 0, 0, 1.7, 0, 0, 0, 0, -1.002, -1, 0, 0, -0.2, 0};
    static const double viewport[4] = {0, 0, 800, 600};
    memcpy(camera.camera.view, view, sizeof view);
    memcpy(camera.camera.proj, proj, sizeof proj);
    memcpy(camera.camera.viewport, viewport, sizeof viewport);
    crowd_send(bench->editor, &create);
    crowd_send(bench->editor, &camera);
    crowd_run(&bench->crowd, 0.2);
}

static bool is_told(void *context)
{
    const struct crowd *crowd = context;
    for (const struct crowd_member *member = crowd->members; member != NULL; member = member->next)
        if (member->seq != crowd->members->seq) return false;
    return true;
}

/* All are there, and stand where the editor does. */
static void expect_all(struct bench *bench)
{
    const size_t joined = crowd_count(&bench->crowd, CROWD_JOINED);
    const bool is_same = crowd_until(&bench->crowd, is_told, &bench->crowd, PATIENCE_S);
    if (joined == bench->crowd.count && is_same) return;
    printf("%zu of %zu are there%s\n", joined, bench->crowd.count,
           is_same ? "" : ", and not all were told everything");
    for (const struct crowd_member *member = bench->crowd.members; member != NULL;
         member = member->next)
        if (member->reason[0] != '\0') printf("one was told: %s\n", member->reason);
    exit(EXIT_FAILURE);
}

/* `edge_count` 0: at the daemon that has the scene. */
static void enter(struct bench *bench, size_t viewers, size_t edge_count)
{
    *bench = (struct bench){.viewers = viewers};
    snprintf(bench->scene, sizeof bench->scene, "bench-%d", ++scenes);
    crowd_init(&bench->crowd, authority.port);
    bench->editor = crowd_enter(&bench->crowd, bench->scene, GZ_ROLE_EDITOR, 0);
    assert_int_equal(crowd_gather(&bench->crowd, PATIENCE_S), 1);
    set_up(bench);
    for (size_t i = 0; i < viewers; i++) {
        bench->crowd.port = edge_count > 0 ? edges[i % edge_count].port : authority.port;
        crowd_enter(&bench->crowd, bench->scene, GZ_ROLE_VIEWER, 0);
        if (i % JOINS == 0) crowd_gather(&bench->crowd, PATIENCE_S);
    }
    crowd_gather(&bench->crowd, PATIENCE_S);
    crowd_run(&bench->crowd, 1);
    expect_all(bench);
}

static void measure(size_t viewers, size_t edge_count, double seconds, double values[VALUES])
{
    struct bench bench;
    double before[VALUES], after[VALUES];
    const double memory_kb = resident_kb(authority.pid),
                 processor_us = processor_s(authority.pid) * 1e6;
    enter(&bench, viewers, edge_count);
    values[JOIN_US] = (processor_s(authority.pid) * 1e6 - processor_us) / (double)viewers;
    values[MEMORY_KB] = (resident_kb(authority.pid) - memory_kb) / (double)viewers;
    move_for(&bench, 0.5);
    expect_all(&bench);
    read_counts(&bench, before);
    move_for(&bench, seconds);
    expect_all(&bench);
    read_counts(&bench, after);
    for (int i = 0; i < MOVE_VALUES; i++)
        values[i] = (after[i] - before[i]) / (seconds * MOVES_PER_S);
    crowd_finish(&bench.crowd);
}

/* ---- the table ---- */

static void print_row(size_t viewers, size_t edge_count, double values[ROUNDS_MAX][VALUES],
                      size_t rounds)
{
    double medians[VALUES], column[ROUNDS_MAX];
    for (int i = 0; i < VALUES; i++) {
        for (size_t round = 0; round < rounds; round++) column[round] = values[round][i];
        medians[i] = quantile(column, rounds, 0.5);
    }
    printf("| %zu | %zu | %.0f | %.0f | %.2f | %.0f | %.1f | %.2f | %.2f | %.0f | %.1f |\n",
           viewers, edge_count, medians[AUTHORITY_US], medians[EDGES_US], medians[VIEWER_US],
           medians[TRUNK_BYTES], medians[PIECES], medians[PIECES_SENT], medians[FRAMES],
           medians[JOIN_US], medians[MEMORY_KB]);
    fflush(stdout);
}

/* One row, through each of these numbers of edges. */
static void print_rows(size_t viewers, size_t fewest, size_t most, double seconds, size_t rounds)
{
    static double values[EDGES + 1][ROUNDS_MAX][VALUES];
    for (size_t round = 0; round < rounds; round++)
        for (size_t edge_count = fewest; edge_count <= most; edge_count++)
            measure(viewers, edge_count, seconds, values[edge_count][round]);
    for (size_t edge_count = fewest; edge_count <= most; edge_count++)
        print_row(viewers, edge_count, values[edge_count], rounds);
}

static void start_edges(size_t edge_count)
{
    for (; edges_started < edge_count; edges_started++) {
        char name[32];
        snprintf(name, sizeof name, "edge-%zu", edges_started);
        start_front(&edges[edges_started], name, SECRET, PATIENT);
    }
}

int main(int argument_count, char **arguments)
{
    static const size_t viewers[] = {100, 500, 2000};
    const double seconds = argument_count > 1 ? atof(arguments[1]) : 3;
    const size_t rounds = argument_count > 2 ? (size_t)atoi(arguments[2]) : 5;
    const size_t edge_count = argument_count > 4 ? (size_t)atoi(arguments[4]) : 2;
    assert_true(rounds > 0 && rounds <= ROUNDS_MAX && edge_count <= EDGES);
    test_daemon_init(&authority);
    start_member(&authority, NULL, SECRET, PATIENT);
    start_edges(edge_count);
    printf(
        "| viewers | edges | authority us | edges us | edges us per viewer | bytes on trunks | "
        "pieces | sent | frames per viewer | join us | kB per viewer |\n| --- | --- | --- | --- | "
        "--- | --- | --- | --- | --- | --- | --- |\n");
    if (argument_count > 4)
        print_rows((size_t)atoi(arguments[3]), edge_count, edge_count, seconds, rounds);
    for (size_t row = 0; argument_count <= 4 && row < sizeof viewers / sizeof viewers[0]; row++)
        print_rows(viewers[row], 0, edge_count, seconds, rounds);
    for (size_t i = 0; i < edges_started; i++) test_daemon_end(&edges[i]);
    test_daemon_end(&authority);
    test_daemon_finish(&authority);
    return 0;
}
