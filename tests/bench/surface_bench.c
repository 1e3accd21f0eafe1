/* surface_bench.c - what a look at what is seen costs beside one at bounds: microseconds for a
 * `pick`, at random places of the picture. Usage: surface_bench [FILE.glb] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/quantile.h"
#include "core/core.h"
#include "core/session.h"
#include "gltf/gltf.h"
#include "proto/limits.h"
#include "solver/surface.h"
#include "support/clock.h"

#define ENGINE "/usr/share/assimp/models/glTF2/2CylinderEngine-glTF-Binary/2CylinderEngine.glb"
#define LOOKS 2000

static double between(double low, double high)
{
    return low + (high - low) * rand() / RAND_MAX;
}

static void handle_commit(void *context, struct gz_batch *batch)
{
    (void)context;
    gz_batch_destroy(batch);
}

/* ---- a core with one session that looks ---- */

struct bench {
    struct gz_core *core;
    struct gz_session *session;
    struct gz_now now;
};

static double say(struct bench *bench, struct gz_message *message)
{
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, GZ_MESSAGE_BYTES_MAX, 0);
    message->has |= GZ_HAS_RID;
    message->rid++;
    if (gz_encode(&bytes, message) != GZ_OK) abort();
    bench->now.mono_s += 1;
    double before = now_s();
    gz_core_receive(bench->core, bench->session, bytes.data, bytes.size, bench->now);
    double took = now_s() - before;
    gz_buffer_finish(&bytes);
    gz_core_turn(bench->core, bench->now);
    struct gz_bytes *frame;
    while ((frame = gz_core_next_frame(bench->core, bench->session, bench->now)) != NULL)
        gz_bytes_release(frame);
    return took;
}

static void begin(struct bench *bench, const struct gz_core_import_node *nodes, size_t count,
                  struct gz_surfaces *surfaces)
{
    struct gz_core_options options = {
        .scene = "bench", .host = {.commit = handle_commit}, .server = "bench"};
    const struct gz_scene_state state = {.epoch = 1, .next_edit = 1, .next_node = 1};
    const struct gz_message hello = {.op = GZ_OP_HELLO, .hello = {.v = 1, .user = {"ann", 3}}};
    const struct gz_claims claims = gz_claims_open("ann", 3, GZ_ROLE_EDITOR);
    struct gz_core_import import = {
        .user = "ann", .nodes = nodes, .count = count, .surfaces = surfaces};
    struct gz_error error = {.message = ""};
    bench->now = (struct gz_now){1e9, 1};
    bench->core = gz_core_create(&options, &state);
    if (bench->core == NULL || gz_core_import(bench->core, &import, bench->now, &error) != GZ_OK ||
        gz_core_join(bench->core, 1, &hello, &claims, NULL, bench->now, &bench->session, &error) !=
            GZ_OK) {
        fprintf(stderr, "no core: %s\n", error.message);
        exit(1);
    }
    gz_core_turn(bench->core, bench->now);
}

/* From outside at the middle, 60 degrees high. */
static void look_at(struct bench *bench, double distance)
{
    struct gz_message camera = {.op = GZ_OP_CAMERA, .camera.viewport = {0, 0, 1920, 1080}};
    gz_affine view = {.origin = {0, 0, -distance}};
    gz_quat turn;
    if (!gz_quat_normalize((gz_quat){0.2, -0.25, 0.05, 0.946}, &turn)) abort();
    view.linear = gz_mat3_from_quat(turn);
    gz_affine_to_matrix(&view, camera.camera.view);
    const double proj[16] = {0.974, 0, 0, 0, 0, 1.732, 0, 0, 0, 0, -1.001, -1, 0, 0, -0.2, 0};
    memcpy(camera.camera.proj, proj, sizeof proj);
    say(bench, &camera);
}

static void measure(struct bench *bench, bool surface, double *p50, double *p99)
{
    static double took[LOOKS];
    srand(1);
    struct gz_message tool = {
        .op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_SURFACE | GZ_HAS_TOOL_MODE, .tool.surface = surface};
    say(bench, &tool);
    for (int i = 0; i < LOOKS; i++) {
        struct gz_message press = {
            .op = GZ_OP_POINTER, .has = GZ_HAS_POINTER_AT, .pointer.phase = GZ_PHASE_DOWN};
        press.pointer.at[0] = between(480, 1440);
        press.pointer.at[1] = between(270, 810);
        took[i] = 1e6 * say(bench, &press);
    }
    *p50 = quantile(took, LOOKS, 0.5);
    *p99 = quantile(took, LOOKS, 0.99);
}

static void show(const char *what, const struct gz_core_import_node *nodes, size_t count,
                 struct gz_surfaces *surfaces, double distance, double made_s)
{
    struct bench bench;
    double p50[2], p99[2];
    size_t triangles = surfaces->triangle_count, bytes = surfaces->bytes;
    begin(&bench, nodes, count, surfaces);
    look_at(&bench, distance);
    for (int i = 0; i < 2; i++) measure(&bench, i == 1, &p50[i], &p99[i]);
    printf("%-34s %8zu %9zu %6.1f %7.0f  %8.1f %8.1f  %8.1f %8.1f\n", what, count, triangles,
           (double)bytes / 1e6, 1e3 * made_s, p50[0], p99[0], p50[1], p99[1]);
    gz_core_leave(bench.core, bench.session, bench.now);
    gz_core_destroy(bench.core);
}

/* ---- a file ---- */

static void bench_file(const char *path)
{
    struct gz_buffer bytes;
    struct gz_import import;
    struct gz_error error = {.message = ""};
    gz_buffer_init(&bytes, GZ_ASSET_BYTES_MAX, 0);
    double before = now_s();
    if (gz_gltf_load(&bytes, path, NULL, &error) != GZ_OK ||
        gz_import_parse(&import, bytes.data, bytes.size, &error) != GZ_OK ||
        import.surfaces == NULL) {
        fprintf(stderr, "%s: %s\n", path, error.message);
        exit(1);
    }
    double made_s = now_s() - before;
    struct gz_core_import_node *nodes = calloc(import.count, sizeof *nodes);
    if (nodes == NULL) abort();
    double reach = 0;
    for (size_t i = 0; i < import.count; i++) {
        const struct gz_import_node *node = &import.nodes[i];
        nodes[i] = (struct gz_core_import_node){node->parent,
                                                {.name = node->name,
                                                 .trs = node->trs,
                                                 .has_bounds = node->has_bounds,
                                                 .bounds = node->bounds,
                                                 .asset = node->asset}};
        if (node->has_bounds) reach = fmax(reach, gz_length(node->bounds.max));
    }
    show(strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path, nodes, import.count,
         import.surfaces, 2 * reach, made_s);
    import.surfaces = NULL;
    gz_import_finish(&import);
    free(nodes);
    gz_buffer_finish(&bytes);
}

/* ---- balls ---- */

static void put(struct gz_triangle *triangle, int corner, double u, double v, double bumps)
{
    double r = 1 + 0.05 * sin(bumps * u) * sin(bumps * v), s = sin(v);
    triangle->corner[corner][0] = (float)(r * s * cos(u));
    triangle->corner[corner][1] = (float)(r * cos(v));
    triangle->corner[corner][2] = (float)(-r * s * sin(u));
}

/* A ball with bumps, of 2 n * n triangles, for so many nodes. */
static struct gz_surfaces *make_ball(size_t n, size_t node_count)
{
    size_t count = 2 * n * n, boxes = gz_surface_box_count(count);
    size_t head = sizeof(struct gz_surfaces) + sizeof(struct gz_surface);
    size_t bytes = head + node_count * sizeof(uint32_t) + count * sizeof(struct gz_triangle) +
                   boxes * 6 * sizeof(float);
    char *memory = malloc(bytes);
    if (memory == NULL) abort();
    struct gz_surfaces *surfaces = (struct gz_surfaces *)(void *)memory;
    uint32_t *mesh_of = (uint32_t *)(void *)(memory + head);
    struct gz_triangle *triangles = (struct gz_triangle *)(void *)(mesh_of + node_count);
    *surfaces = (struct gz_surfaces){.bytes = bytes,
                                     .triangle_count = count,
                                     .meshes = (struct gz_surface *)(void *)(surfaces + 1),
                                     .mesh_of = mesh_of,
                                     .node_count = node_count};
    for (size_t i = 0; i < node_count; i++) mesh_of[i] = 1;
    for (size_t i = 0; i < n * n; i++) {
        double u[2] = {2 * M_PI * (double)(i % n) / (double)n,
                       2 * M_PI * (double)(i % n + 1) / (double)n};
        double v[2] = {M_PI * (double)(i / n) / (double)n, M_PI * (double)(i / n + 1) / (double)n};
        for (int half = 0; half < 2; half++) {
            struct gz_triangle *triangle = &triangles[2 * i + (size_t)half];
            triangle->both_sides = 0;
            put(triangle, 0, u[0], v[0], 20);
            put(triangle, 1, half ? u[1] : u[0], v[1], 20);
            put(triangle, 2, u[1], half ? v[0] : v[1], 20);
        }
    }
    gz_surface_build(surfaces->meshes, triangles, count, (float(*)[6])(void *)(triangles + count));
    return surfaces;
}

static void bench_balls(const char *what, size_t n, size_t count, double reach, double distance)
{
    struct gz_core_import_node *nodes = calloc(count, sizeof *nodes);
    if (nodes == NULL) abort();
    srand(2);
    for (size_t i = 0; i < count; i++) {
        gz_vec3 place = {between(-reach, reach), between(-reach, reach), between(-reach, reach)};
        nodes[i] =
            (struct gz_core_import_node){-1,
                                         {.name = "ball",
                                          .trs = {place, {0, 0, 0, 1}, {1, 1, 1}},
                                          .has_bounds = true,
                                          .bounds = {{-1.05, -1.05, -1.05}, {1.05, 1.05, 1.05}},
                                          .asset = (int64_t)i}};
    }
    double before = now_s();
    struct gz_surfaces *surfaces = make_ball(n, count);
    show(what, nodes, count, surfaces, distance, now_s() - before);
    free(nodes);
}

int main(int argc, char **argv)
{
    printf("%-34s %8s %9s %6s %7s  %17s  %17s\n", "", "", "", "", "made in", "by bounds, us",
           "what is seen, us");
    printf("%-34s %8s %9s %6s %7s  %8s %8s  %8s %8s\n", "", "nodes", "triangles", "MB", "ms", "p50",
           "p99", "p50", "p99");
    bench_file(argc > 1 ? argv[1] : ENGINE);
    bench_balls("a ball of a million triangles", 707, 1, 0, 3);
    bench_balls("10,000 balls of 5,000, apart", 50, 10000, 60, 150);
    bench_balls("10,000 balls of 5,000, in one place", 50, 10000, 0.2, 3);
    return 0;
}
