/* record.c - Creates and frees the records of the core and the store. */
#include "scene/record.h"

#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"

struct gz_batch *gz_batch_create(void)
{
    struct gz_batch *batch = calloc(1, sizeof *batch);
    if (batch != NULL) gz_arena_init(&batch->arena, GZ_BATCH_BYTES_MAX);
    return batch;
}

void gz_batch_destroy(struct gz_batch *batch)
{
    if (batch == NULL) return;
    gz_arena_finish(&batch->arena);
    free(batch);
}

void gz_batches_destroy(struct gz_batch *first)
{
    while (first != NULL) {
        struct gz_batch *next = first->next;
        gz_batch_destroy(first);
        first = next;
    }
}

void gz_scene_state_finish(struct gz_scene_state *state)
{
    gz_arena_finish(&state->arena);
    *state = (struct gz_scene_state){0};
}

void gz_answer_finish(struct gz_answer *answer)
{
    gz_arena_finish(&answer->arena);
    *answer = (struct gz_answer){0};
}

size_t gz_text_bytes(const char *text)
{
    return text != NULL ? strlen(text) + 1 : 0;
}

const char *gz_text_move(char **at, const char *text)
{
    if (text == NULL) return NULL;
    size_t bytes = gz_text_bytes(text);
    char *copy = memcpy(*at, text, bytes);
    *at += bytes;
    return copy;
}
