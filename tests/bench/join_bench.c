/* join_bench.c - what the joins of very many people cost, in bytes: they come to a scene of a few
 * nodes one after the other, each with a name of their own, and none does anything. Everybody takes
 * what they are sent in every turn. There is no network and no disk.
 *
 * Usage: join_bench COUNT [FORM], so many people; FORM is `plain`, `compact`, or `crowd` (the
 * compact form, and told of those alone who act), which is also what counts without it. The time is
 * the processor's, of all of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/token/claims.h"
#include "session/core.h"

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

static void open_stage(struct stage *stage, size_t people)
{
    const struct gz_core_options options = {
        .scene = "bench", .server = "bench", .host = {.context = stage, .commit = keep_batch}};
    const struct gz_scene_state state = {
        .epoch = 1, .next_edit = 1, .next_node = 1, .next_note = 1};
    *stage = (struct stage){.core = gz_core_create(&options, &state),
                            .sessions = calloc(people, sizeof *stage->sessions),
                            .now = {1767225600, 1000}};
    if (stage->core == NULL || stage->sessions == NULL) abort();
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
    hello.hello.compact = strcmp(form, "plain") != 0;
    hello.hello.crowd = strcmp(form, "crowd") == 0;
    if (gz_core_join(stage->core, stage->count + 1, &hello, &claims, secret, stage->now,
                     &stage->sessions[stage->count], &error) != GZ_OK)
        abort();
    stage->count++;
}

static void take_frames(struct stage *stage, struct gz_session *session)
{
    const struct gz_buffer *frame;
    while ((frame = gz_core_next_frame(stage->core, session, stage->now)) != NULL) {
        stage->bytes += frame->size;
        stage->frames++;
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
    const char *form = count > 2 ? words[2] : "crowd";
    struct stage stage;
    open_stage(&stage, people);
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
