/* What a drag of many nodes costs those who watch it: bytes and frames of each viewer, in the
 * plain form, node by node, and in the packed one, as motions. The counts are of the whole drag
 * without its end, and of its end.
 *
 *     motion_bench [VIEWERS [NODES [SECONDS]]] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/cmocka.h"
#include "support/crowd.h"
#include "support/daemon.h"

#define SCENE "bench"
#define MOVES_PER_S 30
#define PATIENCE_S 120.0

struct bench {
    struct test_daemon daemon;
    struct crowd crowd;
    struct crowd_member *mover;
    size_t nodes;
    uint64_t n; /* the last pointer */
};

struct sum {
    size_t frames, deltas, bytes;
};

static bool is_answered(void *context)
{
    const struct bench *bench = context;
    return bench->mover->oks > 0;
}

static void ask(struct bench *bench, struct gz_message *message)
{
    message->has |= GZ_HAS_RID;
    message->rid = 1;
    crowd_forget(bench->mover);
    crowd_send(bench->mover, message);
    assert_true(crowd_until(&bench->crowd, is_answered, bench, PATIENCE_S));
}

static void fill_scene(struct bench *bench)
{
    struct gz_create_node *nodes = calloc(bench->nodes, sizeof *nodes);
    assert_non_null(nodes);
    for (size_t i = 0; i < bench->nodes; i++) {
        nodes[i] = (struct gz_create_node){.has = GZ_HAS_CREATE_NODE_T, .name = {"n", 1}};
        nodes[i].trs.t = (gz_vec3){0.1 * (double)(i % 100), 0.1 * (double)(i / 100), 0};
    }
    struct gz_message create = {.op = GZ_OP_CREATE, .create = {nodes, bench->nodes}};
    ask(bench, &create);
    free(nodes);
    crowd_run(&bench->crowd, 12); /* what it cost is paid */
}

static void grab(struct bench *bench, enum gz_handle handle)
{
    uint64_t *ids = calloc(bench->nodes, sizeof *ids);
    assert_non_null(ids);
    for (size_t i = 0; i < bench->nodes; i++) ids[i] = i + 1;
    struct gz_message message = {.op = GZ_OP_GRAB, .has = GZ_HAS_POINTER_NODES | GZ_HAS_POINTER_AT};
    message.pointer = (struct gz_pointer_message){
        .phase = GZ_PHASE_DOWN, .handle = handle, .at = {700, 300}, .nodes = {ids, bench->nodes}};
    ask(bench, &message);
    free(ids);
    crowd_run(&bench->crowd, 2);
}

static void look(struct bench *bench)
{
    struct gz_message camera = {
        .op = GZ_OP_CAMERA,
        .camera = {.view = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -5, -5, -20, 1},
                   .proj = {0.75, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -1, 0, 0, -2, 0},
                   .viewport = {0, 0, 800, 600}}};
    ask(bench, &camera);
}

static void move_for(struct bench *bench, double seconds)
{
    const double begin_s = crowd_unix_s();
    for (int i = 0; i < (int)(seconds * MOVES_PER_S); i++) {
        struct gz_message move = {.op = GZ_OP_POINTER, .has = GZ_HAS_POINTER_AT | GZ_HAS_POINTER_N};
        const double turn = 0.1 * (double)bench->n;
        move.pointer = (struct gz_pointer_message){
            .phase = GZ_PHASE_MOVE,
            .n = ++bench->n,
            .at = {400 + 300 * cos(turn), 300 + 200 * sin(turn)},
        };
        crowd_send(bench->mover, &move);
        crowd_run(&bench->crowd, fmax(0, begin_s + (i + 1.0) / MOVES_PER_S - crowd_unix_s()));
    }
}

static void let_go(struct bench *bench)
{
    struct gz_message up = {.op = GZ_OP_POINTER,
                            .has = GZ_HAS_POINTER_AT,
                            .pointer = {.phase = GZ_PHASE_UP, .at = {400, 200}}};
    ask(bench, &up);
    crowd_run(&bench->crowd, 3);
}

static void forget(struct bench *bench)
{
    for (struct crowd_member *member = bench->crowd.members; member != NULL; member = member->next)
        crowd_forget(member);
}

/* Of all viewers; and how many deltas those had who had fewest and most. */
static struct sum sum_of(const struct bench *bench, size_t *least, size_t *most)
{
    struct sum sum = {0, 0, 0};
    *least = SIZE_MAX;
    *most = 0;
    for (const struct crowd_member *at = bench->crowd.members; at != NULL; at = at->next) {
        if (at == bench->mover) continue;
        sum.frames += at->frames;
        sum.deltas += at->deltas;
        sum.bytes += at->bytes;
        if (at->deltas < *least) *least = at->deltas;
        if (at->deltas > *most) *most = at->deltas;
    }
    return sum;
}

static void print_row(const struct bench *bench, const char *what, double seconds)
{
    size_t least, most;
    const struct sum sum = sum_of(bench, &least, &most);
    printf("  %-14s %10.0f bytes/s in all, %9.0f bytes a frame, %5zu to %zu deltas a viewer\n",
           what, (double)sum.bytes / seconds, (double)sum.bytes / (double)sum.frames, least, most);
}

static void drag(struct bench *bench, enum gz_handle handle, double seconds)
{
    grab(bench, handle);
    forget(bench);
    move_for(bench, seconds);
    print_row(bench, "while it runs", seconds);
    forget(bench);
    let_go(bench);
    print_row(bench, "its end", 1);
}

static void measure(size_t viewers, size_t nodes, double seconds, bool packed)
{
    struct bench bench = {.nodes = nodes};
    test_daemon_init(&bench.daemon);
    test_daemon_start(&bench.daemon, NULL, NULL);
    crowd_init(&bench.crowd, bench.daemon.port);
    bench.mover = crowd_enter(&bench.crowd, SCENE, GZ_ROLE_EDITOR, 0);
    assert_int_equal(crowd_gather(&bench.crowd, PATIENCE_S), 1);
    fill_scene(&bench);
    for (size_t i = 0; i < viewers; i++) {
        struct crowd_member *viewer = crowd_enter(&bench.crowd, SCENE, GZ_ROLE_VIEWER, 0);
        viewer->packed = packed;
    }
    assert_int_equal(crowd_gather(&bench.crowd, PATIENCE_S), viewers + 1);
    look(&bench);
    printf("%zu nodes before %zu viewers, %s\n", nodes, viewers,
           packed ? "packed, as motions" : "plain, node by node");
    drag(&bench, GZ_TX, seconds);
    drag(&bench, GZ_RZ, seconds);
    crowd_finish(&bench.crowd);
    test_daemon_end(&bench.daemon);
    test_daemon_finish(&bench.daemon);
}

int main(int argc, char **argv)
{
    const size_t viewers = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
    const size_t nodes = argc > 2 ? strtoul(argv[2], NULL, 10) : 10000;
    const double seconds = argc > 3 ? strtod(argv[3], NULL) : 5;
    measure(viewers, nodes, seconds, false);
    measure(viewers, nodes, seconds, true);
    return 0;
}
