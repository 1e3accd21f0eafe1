/* hits.c - a heap of hits. See hits.h. */
#include "session/hits.h"

#include <stdlib.h>

#include "proto/base/buffer.h"

int gz_hit_compare(const void *a, const void *b)
{
    const struct gz_hit *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

bool gz_hits_add(struct gz_hits *hits, const struct gz_hit *hit)
{
    if (!gz_grow(&hits->heap, &hits->capacity, hits->count + 1, sizeof *hits->heap)) return false;
    size_t at = hits->count++;
    for (size_t up = (at - 1) / 2; at > 0 && gz_hit_compare(hit, &hits->heap[up]) < 0;
         up = (at - 1) / 2) {
        hits->heap[at] = hits->heap[up];
        at = up;
    }
    hits->heap[at] = *hit;
    return true;
}

struct gz_hit gz_hits_take(struct gz_hits *hits)
{
    const struct gz_hit first = hits->heap[0], *last = &hits->heap[--hits->count];
    size_t at = 0;
    for (size_t down = 1; down < hits->count; down = 2 * at + 1) {
        if (down + 1 < hits->count && gz_hit_compare(&hits->heap[down + 1], &hits->heap[down]) < 0)
            down++;
        if (gz_hit_compare(last, &hits->heap[down]) <= 0) break;
        hits->heap[at] = hits->heap[down];
        at = down;
    }
    hits->heap[at] = *last;
    return first;
}

void gz_hits_finish(struct gz_hits *hits)
{
    free(hits->heap);
    *hits = (struct gz_hits){.count = 0};
}
