/* join_bench.c - what the joins of very many people cost, in bytes: they come to a scene one after
 * the other, each with a name of their own, and none does anything. Everybody takes what they are
 * sent in every turn. There is no network and no disk.
 *
 * Usage: join_bench COUNT [FORM [NODES]], so many people; FORM is `plain` or `packed`, which is
 * also what counts without it. The scene has NODES nodes (0) named `part N`, at random places. The
 * time is the processor's, of all of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/core.h"
#include "proto/token/claims.h"

#define JOINS_PER_S 1000

struct stage {
    struct gz_core *core;
    struct gz_batch *batch;
    struct gz_session **sessions;
    size_t count;
    struct gz_now now;
    uint64_t bytes, frames;
};

static void keep_batch(void *context, struct gz_batch *batch)
{
    ((struct stage *)context)->batch = batch;
}

/* From -5 to 5, in all 53 bits. */
static double draw_place(void)
{
    return 10 * ((double)random() / 0x1p31 + (double)random() / 0x1p62) - 5;
}

static void add_nodes(struct gz_scene_state *state, size_t count)
{
    struct gz_node_record *nodes = gz_arena_take(&state->arena, count + 1, sizeof *nodes);
    for (size_t i = 0; i < count; i++) {
        char *name = gz_arena_take(&state->arena, 32, 1);
        if (nodes == NULL || name == NULL) abort();
        snprintf(name, 32, "part %zu", i);
        nodes[i] =
            (struct gz_node_record){.id = i + 1,
                                    .seq = i + 1,
                                    .content = {.trs = gz_trs_identity, .asset = -1, .name = name}};
        nodes[i].content.trs.t = (gz_vec3){draw_place(), draw_place(), draw_place()};
    }
    state->nodes = nodes;
    state->node_count = state->seq = count;
    state->next_node = count + 1;
}

static void open_stage(struct stage *stage, size_t people, size_t count)
{
    const struct gz_core_options options = {
        .scene = "bench", .server = "bench", .host = {.context = stage, .commit = keep_batch}};
    struct gz_scene_state state = {.epoch = 1, .next_edit = 1, .next_note = 1};
    gz_arena_init(&state.arena, SIZE_MAX / 2);
    add_nodes(&state, count);
    *stage = (struct stage){.core = gz_core_create(&options, &state),
                            .sessions = calloc(people, sizeof *stage->sessions),
                            .now = {1767225600, 1000}};
    if (stage->core == NULL || stage->sessions == NULL) abort();
    gz_arena_finish(&state.arena);
}

static void close_stage(struct stage *stage)
{
    for (size_t i = 0; i < stage->count; i++)
        gz_core_leave(stage->core, stage->sessions[i], stage->now);
    if (stage->batch != NULL) gz_core_committed(stage->core, stage->batch, GZ_OK, "", stage->now);
    gz_core_destroy(stage->core);
    free(stage->sessions);
}

static void join(struct stage *stage, const char *form)
{
    char user[32];
    const uint8_t secret[16] = {0};
    struct gz_error error;
    struct gz_message hello = {.op = GZ_OP_HELLO, .hello.v = GZ_PROTOCOL_VERSION};
    const int size = snprintf(user, sizeof user, "person %zu", stage->count);
    const struct gz_claims claims = gz_claims_open(user, (size_t)size, GZ_ROLE_VIEWER);
    hello.hello.user = (struct gz_text){user, (size_t)size};
    hello.hello.packed = strcmp(form, "plain") != 0;
    if (gz_core_join(stage->core, stage->count + 1, &hello, &claims, secret, stage->now,
                     &stage->sessions[stage->count], &error) != GZ_OK)
        abort();
    stage->count++;
}

static void take_frames(struct stage *stage, struct gz_session *session)
{
    struct gz_bytes *frame;
    while ((frame = gz_core_next_frame(stage->core, session, stage->now)) != NULL) {
        stage->bytes += frame->size;
        stage->frames++;
        gz_bytes_release(frame);
    }
}

static void turn(struct stage *stage)
{
    const bool for_all = gz_core_turn(stage->core, stage->now);
    struct gz_session *session = NULL;
    for (size_t i = 0; for_all && i < stage->count; i++) take_frames(stage, stage->sessions[i]);
    while (!for_all && (session = gz_core_next_awake(stage->core, session)) != NULL)
        take_frames(stage, session);
    struct gz_batch *batch = stage->batch;
    stage->batch = NULL;
    if (batch != NULL) gz_core_committed(stage->core, batch, GZ_OK, "", stage->now);
}

static void pass(struct stage *stage, double seconds)
{
    stage->now.mono_s += seconds;
    stage->now.unix_s += seconds;
}

int main(int count, char **words)
{
    const size_t people = count > 1 ? strtoul(words[1], NULL, 10) : 100;
    const char *form = count > 2 ? words[2] : "packed";
    struct stage stage;
    open_stage(&stage, people, count > 3 ? strtoul(words[3], NULL, 10) : 0);
    const clock_t began = clock();
    for (size_t i = 0; i < people; i++) {
        join(&stage, form);
        turn(&stage);
        pass(&stage, 1.0 / JOINS_PER_S);
    }
    for (int i = 0; i < 100; i++) {
        turn(&stage);
        pass(&stage, 0.1);
    }
    printf("%zu people: %llu frames, %llu bytes, %.0f bytes a join, %.3f s\n", people,
           (unsigned long long)stage.frames, (unsigned long long)stage.bytes,
           (double)stage.bytes / (double)people, (double)(clock() - began) / CLOCKS_PER_SEC);
    close_stage(&stage);
    return 0;
}
