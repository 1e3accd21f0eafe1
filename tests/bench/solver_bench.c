/* solver_bench - what the gizmo's making and a hover cost, mode by mode (`solver_bench gizmos`:
 * only these), and one update of a drag, handle by handle, for one node and for ten thousand. The
 * camera is prepared, as in a session; each update is one pointer position to one motion and one
 * node's transform. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "solver/solver.h"

/* A round is shorter than a time slice, so that among so many some ran alone. */
#define UPDATES 4000
#define ROUNDS 300
#define ROUNDS_OF_MANY 60
#define NODES 10000

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static struct gz_camera make_camera(void)
{
    struct gz_camera_input input = {
        .view = {0.8, -0.36, 0.48, 0, 0, 0.8, 0.6, 0, -0.6, -0.48, 0.64, 0, 0.2, -0.1, -9, 1},
        .proj = {0.974279, 0, 0, 0, 0, 1.732051, 0, 0, 0, 0, -1.0002, -1, 0, 0, -0.20002, 0},
        .viewport = {0, 0, 1920, 1080},
    };
    struct gz_camera camera;
    const char *why;
    if (!gz_camera_prepare(&camera, &input, &why)) {
        fprintf(stderr, "camera: %s\n", why);
        exit(1);
    }
    return camera;
}

static struct gz_target make_target(void)
{
    static const gz_box box = {{-0.5, -0.4, -0.3}, {0.5, 0.6, 0.7}};
    struct gz_target target = {gz_trs_identity, gz_affine_identity, &box};
    target.local.t = (gz_vec3){0.3, -0.2, 0.4};
    target.local.r = gz_quat_about((gz_vec3){0.6, 0, 0.8}, 0.7);
    return target;
}

/* The least time of several rounds: what the work costs when nothing else runs. */
static double measure_handle(const struct gz_camera *camera, const struct gz_tool *tool,
                             enum gz_handle handle, bool apply)
{
    struct gz_target target = make_target();
    struct gz_gizmo gizmo;
    struct gz_drag drag;
    struct gz_motion motion = gz_motion_none;
    gz_trs result = target.local;
    double at[2], best = 1e18, residual = 0;
    volatile double sink = 0; /* keeps the work from being left out */
    if (!gz_gizmo_build(&gizmo, tool, camera, NULL, &target, 1, 0)) return -1;
    if (!gz_camera_project(camera, gizmo.origin, at, NULL)) return -1;
    struct gz_pointer pointer = {.at = {at[0] + 60, at[1] - 35}};
    if (gz_drag_begin(&drag, handle, &gizmo, tool, camera, &pointer, 0) != GZ_SOLVE_OK) return -1;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now_ns();
        for (int i = 0; i < UPDATES; i++) {
            pointer.at[0] = at[0] + 60 + (i & 127) * 0.37;
            pointer.at[1] = at[1] - 35 - (i & 63) * 0.53;
            (void)gz_drag_solve(&drag, camera, &pointer, 0, &motion);
            if (apply) (void)gz_motion_apply(&motion, &target, &target.parent, &result, &residual);
        }
        double each = (now_ns() - start) / UPDATES;
        if (each < best) best = each;
        sink += result.t.x + motion.value[0];
    }
    (void)sink;
    return best;
}

/* Nodes that are each turned otherwise, beneath parents of their own, by even scales and by uneven
 * ones. */
static double measure_many(const struct gz_camera *camera, const struct gz_tool *tool,
                           enum gz_handle handle, bool even)
{
    static struct gz_target targets[NODES];
    static gz_trs results[NODES];
    struct gz_gizmo gizmo;
    struct gz_drag drag;
    struct gz_motion motion = gz_motion_none;
    double at[2], best = 1e18, residual = 0;
    for (int i = 0; i < NODES; i++) {
        targets[i] = make_target();
        if (!even) targets[i].local.s = (gz_vec3){0.5, 1 + i * 1e-4, 3};
        targets[i].local.t.x += i * 1e-4;
        targets[i].parent.linear = gz_mat3_from_quat(gz_quat_about((gz_vec3){0, 1, 0}, i * 0.01));
    }
    if (!gz_gizmo_build(&gizmo, tool, camera, NULL, targets, NODES, 0)) return -1;
    if (!gz_camera_project(camera, gizmo.origin, at, NULL)) return -1;
    struct gz_pointer pointer = {.at = {at[0] + 60, at[1] - 35}};
    if (gz_drag_begin(&drag, handle, &gizmo, tool, camera, &pointer, 0) != GZ_SOLVE_OK) return -1;
    for (int round = 0; round < ROUNDS_OF_MANY; round++) {
        pointer.at[0] += 1;
        double start = now_ns();
        (void)gz_drag_solve(&drag, camera, &pointer, 0, &motion);
        for (int i = 0; i < NODES; i++)
            (void)gz_motion_apply(&motion, &targets[i], &targets[i].parent, &results[i], &residual);
        double all = now_ns() - start;
        if (all < best) best = all;
    }
    return best;
}

static void print_handle(const char *word, const struct gz_camera *camera,
                         const struct gz_tool *tool, enum gz_handle handle)
{
    double motion = measure_handle(camera, tool, handle, false),
           node = measure_handle(camera, tool, handle, true);
    double even = measure_many(camera, tool, handle, true),
           uneven = measure_many(camera, tool, handle, false);
    printf("%-12s %12.1f %12.1f %12.3f %12.3f\n", word, motion, node, even / 1e6, uneven / 1e6);
}

/* What a hover costs: the pointer goes over the whole gizmo, or stays far from it. */
static double measure_hover(const struct gz_camera *camera, const struct gz_tool *tool, double away)
{
    struct gz_target target = make_target();
    struct gz_gizmo gizmo;
    double at[2], best = 1e18;
    volatile unsigned sink = 0;
    if (!gz_gizmo_build(&gizmo, tool, camera, NULL, &target, 1, 0)) return -1;
    if (!gz_camera_project(camera, gizmo.origin, at, NULL)) return -1;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now_ns();
        for (int i = 0; i < UPDATES; i++) {
            const struct gz_pointer pointer = {
                .at = {at[0] + away + (i % 61 - 30) * 4, at[1] + (i % 59 - 29) * 4}};
            sink += gz_gizmo_pick(&gizmo, tool, camera, &pointer);
        }
        double each = (now_ns() - start) / UPDATES;
        if (each < best) best = each;
    }
    return best;
}

static double measure_build(const struct gz_camera *camera, const struct gz_tool *tool,
                            struct gz_target target)
{
    struct gz_gizmo gizmo = {.size = 0};
    double best = 1e18;
    volatile double sink = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now_ns();
        for (int i = 0; i < UPDATES; i++) {
            target.local.t.x += 1e-6;
            if (!gz_gizmo_build(&gizmo, tool, camera, NULL, &target, 1, 0)) return -1;
            sink += gizmo.size;
        }
        double each = (now_ns() - start) / UPDATES;
        if (each < best) best = each;
    }
    return best;
}

/* A plane's pointer beyond the horizon. */
static double measure_beyond(const struct gz_camera *camera, const struct gz_tool *tool)
{
    struct gz_target target = make_target();
    struct gz_gizmo gizmo;
    struct gz_drag drag;
    struct gz_motion motion = gz_motion_none;
    double at[2], best = 1e18;
    int clamped = 0;
    if (!gz_gizmo_build(&gizmo, tool, camera, NULL, &target, 1, 0)) return -1;
    if (!gz_camera_project(camera, gizmo.origin, at, NULL)) return -1;
    struct gz_pointer pointer = {.at = {at[0] + 60, at[1] - 35}};
    if (gz_drag_begin(&drag, GZ_TZX, &gizmo, tool, camera, &pointer, 0) != GZ_SOLVE_OK) return -1;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now_ns();
        for (int i = 0; i < UPDATES; i++) {
            pointer.at[1] = at[1] - 4000 - i % 64;
            clamped += gz_drag_solve(&drag, camera, &pointer, 0, &motion) == GZ_SOLVE_CLAMPED;
        }
        double each = (now_ns() - start) / UPDATES;
        if (each < best) best = each;
    }
    return clamped == ROUNDS * UPDATES ? best : -1;
}

static void print_gizmos(const struct gz_camera *camera)
{
    struct gz_tool tool = gz_tool_default;
    struct gz_target plain = make_target(), skewed = make_target();
    const gz_trs parent = {{1, 2, 3}, gz_quat_about((gz_vec3){0, 0.6, 0.8}, 0.5), {2, 0.7, 1.3}};
    gz_mat3 turn = gz_mat3_from_quat(gz_quat_about((gz_vec3){1, 0, 0}, 0.4));
    skewed.parent = gz_affine_from_trs(&parent);
    skewed.parent.linear = gz_mat3_multiply(&skewed.parent.linear, &turn);
    printf("\n%-12s %12s %12s %12s %12s\n", "ns", "hover", "760 px away", "build", "skewed");
    for (enum gz_mode mode = GZ_MODE_TRANSLATE; mode < GZ_MODE_ORBIT; mode++) {
        tool.mode = mode;
        printf("%-12s %12.0f %12.0f %12.0f %12.0f\n", gz_vocabulary_word(&gz_mode_words, (int)mode),
               measure_hover(camera, &tool, 0), measure_hover(camera, &tool, 760),
               measure_build(camera, &tool, plain), measure_build(camera, &tool, skewed));
    }
    printf("%-12s %12.0f\n", "horizon", measure_beyond(camera, &gz_tool_default));
}

int main(int argc, char **argv)
{
    struct gz_camera camera = make_camera();
    struct gz_tool tool = gz_tool_default;
    print_gizmos(&camera);
    if (argc > 1 && strcmp(argv[1], "gizmos") == 0) return 0;
    printf("\n%-12s %12s %12s %12s %12s\n", "", "ns", "ns", "ms", "ms");
    printf("%-12s %12s %12s %12d %12s\n", "an update", "motion", "and a node", NODES, "unevenly");
    for (enum gz_handle handle = GZ_HANDLE_NONE + 1; handle < GZ_HANDLE_COUNT; handle++)
        print_handle(gz_vocabulary_word(&gz_handle_words, (int)handle), &camera, &tool, handle);
    for (enum gz_ball ball = GZ_BALL_SHOEMAKE; ball <= GZ_BALL_CHEN; ball++) {
        tool.ball = ball;
        print_handle(gz_vocabulary_word(&gz_ball_words, (int)ball), &camera, &tool, GZ_RB);
    }
    return 0;
}
