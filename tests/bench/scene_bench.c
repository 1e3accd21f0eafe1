/* scene_bench.c - what looking for nodes costs in a large scene: microseconds for one pick,
 * interest or look of a moving camera. Usage: scene_bench [NODES] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/session.h"
#include "proto/limits.h"
#include "support/clock.h"

#define PER_PARENT 50

static double between(double low, double high)
{
    return low + (high - low) * rand() / RAND_MAX;
}

/* Assemblies of parts a metre in size, on a square of a kilometre. */
static void make_nodes(struct gz_node_record *nodes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct gz_content *content = &nodes[i].content;
        bool top = i % PER_PARENT == 0;
        double reach = top ? 500 : 5;
        nodes[i] = (struct gz_node_record){.id = i + 1, .seq = i + 1};
        content->name = "part";
        content->parent = top ? 0 : i - i % PER_PARENT + 1;
        content->trs = gz_trs_identity;
        content->trs.t = (gz_vec3){between(-reach, reach), between(0, 5), between(-reach, reach)};
        content->trs.r = gz_quat_about((gz_vec3){0, 1, 0}, between(-3, 3));
        content->has_bounds = true;
        content->bounds = (gz_box){{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
        content->asset = -1;
    }
}

static void handle_commit(void *context, struct gz_batch *batch)
{
    (void)context;
    gz_batch_destroy(batch);
}

struct bench {
    struct gz_core *core;
    struct gz_session *session;
    struct gz_now now;
};

static void say(struct bench *bench, struct gz_message *message)
{
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, GZ_MESSAGE_BYTES_MAX, 0);
    message->has |= GZ_HAS_RID;
    message->rid++;
    if (gz_encode(&bytes, message) != GZ_OK) abort();
    bench->now.mono_s += 1;
    gz_core_receive(bench->core, bench->session, bytes.data, bytes.size, bench->now);
    gz_buffer_finish(&bytes);
}

static size_t take_frames(struct bench *bench)
{
    size_t bytes = 0;
    struct gz_bytes *frame;
    gz_core_turn(bench->core, bench->now);
    while ((frame = gz_core_next_frame(bench->core, bench->session, bench->now)) != NULL) {
        bytes += frame->size;
        gz_bytes_release(frame);
    }
    return bytes;
}

static void look_along(double angle, struct gz_message *camera)
{
    double c = cos(angle), s = sin(angle);
    const double view[16] = {c, 0, s, 0, 0, 1, 0, 0, -s, 0, c, 0, 0, -2, 0, 1};
    const double proj[16] = {0.75, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1.001, -1, 0, 0, -0.2, 0};
    *camera = (struct gz_message){.op = GZ_OP_CAMERA, .camera.viewport = {0, 0, 800, 600}};
    memcpy(camera->camera.view, view, sizeof view);
    memcpy(camera->camera.proj, proj, sizeof proj);
}

static void measure(struct bench *bench, const char *what, struct gz_message *message, bool turns)
{
    const int times = 50;
    double taken = 0;
    size_t bytes = 0;
    for (int i = -1; i < times; i++) {
        if (turns) look_along(0.05 * i, message);
        double began = now_s();
        say(bench, message);
        bytes = take_frames(bench);
        if (i >= 0) taken += now_s() - began;
    }
    printf("%-44s %10.1f us  %8zu bytes\n", what, 1e6 * taken / times, bytes);
}

static void open_core(struct bench *bench, size_t count)
{
    struct gz_scene_state state = {
        .epoch = 1, .seq = count, .next_node = count + 1, .next_edit = 1};
    struct gz_node_record *nodes = calloc(count, sizeof *nodes);
    if (nodes == NULL) abort();
    make_nodes(nodes, count);
    state.nodes = nodes;
    state.node_count = count;
    struct gz_core_options options = {
        .scene = "bench", .host.commit = handle_commit, .server = "bench", .messages_per_s = 1e9};
    bench->core = gz_core_create(&options, &state);
    free(nodes);
    struct gz_message hello = {.op = GZ_OP_HELLO, .hello.user = {"bench", 5}};
    const struct gz_claims claims = gz_claims_open("bench", 5, GZ_ROLE_EDITOR);
    if (bench->core == NULL || gz_core_join(bench->core, 1, &hello, &claims, NULL, bench->now,
                                            &bench->session, NULL) != GZ_OK)
        abort();
    (void)take_frames(bench);
}

int main(int count, char **words)
{
    size_t nodes = count > 1 ? strtoull(words[1], NULL, 10) : 100000;
    struct bench bench = {.now = {1.7e9, 1}};
    open_core(&bench, nodes);
    struct gz_message camera, pick = {.op = GZ_OP_PICK};
    look_along(0, &camera);
    say(&bench, &camera);
    pick.has = GZ_HAS_PICK_AT;
    pick.pick.at[0] = 400, pick.pick.at[1] = 330;
    measure(&bench, "pick at a pixel", &pick, false);
    pick = (struct gz_message){
        .op = GZ_OP_PICK, .has = GZ_HAS_PICK_RECT, .pick.rect = {380, 280, 420, 320}};
    measure(&bench, "pick in a small rectangle", &pick, false);
    pick = (struct gz_message){
        .op = GZ_OP_PICK, .has = GZ_HAS_PICK_RECT, .pick.rect = {0, 0, 800, 600}};
    measure(&bench, "pick in the whole window", &pick, false);
    struct gz_message small = {.op = GZ_OP_INTEREST,
                               .has = GZ_HAS_INTEREST_BOX,
                               .interest.box = {{0, 0, 0}, {20, 20, 20}}};
    measure(&bench, "interest in a small box", &small, false);
    struct gz_message large = {.op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_BOX};
    large.interest.box = (gz_box){{-1000, -1000, -1000}, {1000, 1000, 1000}};
    measure(&bench, "interest in a box about everything", &large, false);
    struct gz_message view = {
        .op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_VIEW, .interest.view = true};
    measure(&bench, "interest in the view", &view, false);
    measure(&bench, "the camera turns by 3 degrees", &camera, true);
    gz_core_destroy(bench.core);
    return 0;
}
