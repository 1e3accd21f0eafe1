/* The book of the simulation: what the log answered. A change that must not be there is found at
 * once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/cluster/life.h"

const char *const life_scenes[SCENES] = {"arm", "leg"};

static uint64_t sum_of(const uint8_t *bytes, size_t size)
{
    uint64_t sum = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < size; i++) sum = (sum ^ bytes[i]) * UINT64_C(1099511628211);
    return sum;
}

static size_t scene_of(const char *name)
{
    size_t i = 0;
    while (strcmp(life_scenes[i], name) != 0) i++;
    return i;
}

/* On any thread, on most of which cmocka can fail nothing. */
static void must(bool is_so, const char *what, const struct shipped *change)
{
    if (is_so) return;
    fprintf(stderr, "ERROR: change %llu of %s, epoch %llu: %s\n", (unsigned long long)change->n,
            life_scenes[change->scene], (unsigned long long)change->epoch, what);
    abort();
}

/* No place has two changes, and no change came after a later lease was taken. */
static void note_shipped(struct book *book, const struct shipped *now)
{
    for (size_t i = 0; i < book->taken_count; i++) {
        const struct taken *taken = &book->taken[i];
        must(taken->scene != now->scene || taken->epoch <= now->epoch || taken->n >= now->n,
             "its author had lost the lease", now);
    }
    for (size_t i = 0; i < book->shipped_count; i++) {
        const struct shipped *before = &book->shipped[i];
        if (before->scene != now->scene || before->n != now->n) continue;
        must(before->epoch == now->epoch && before->sum == now->sum, "its place has two", now);
        return;
    }
    must(book->shipped_count < CHANGES_MAX, "the book is full", now);
    book->shipped[book->shipped_count++] = *now;
}

static void note_taken(struct book *book, size_t scene, const struct gz_lease *lease)
{
    if (!lease->is_mine || book->taken_count == TAKEN_MAX) return;
    book->taken[book->taken_count++] =
        (struct taken){.scene = scene, .n = lease->scene.n, .epoch = lease->scene.epoch};
}

void life_note(struct world *world, const struct simulated_call *call)
{
    const struct gz_cluster_change *change = &call->change;
    if (!call->is_answer || call->status != GZ_OK) return;
    if (call->lease != NULL) note_taken(&world->book, scene_of(call->scene), call->lease);
    if (call->is_append)
        note_shipped(&world->book, &(struct shipped){.scene = scene_of(call->scene),
                                                     .n = change->n,
                                                     .epoch = change->epoch,
                                                     .sum = sum_of(change->bytes, change->size)});
}
