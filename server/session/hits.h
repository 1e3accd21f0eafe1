/* hits.h - the hits of a pick, in the order in which they are sent: by distance, then by id. They
 * are a heap, so that neither adding a hit nor taking the next one goes through all of them.
 *
 * Ownership: the caller owns the struct; finish frees what it holds and is fine on a zeroed one. */
#ifndef GZ_SESSION_HITS_H
#define GZ_SESSION_HITS_H

#include "proto/message.h"

struct gz_hits {
    struct gz_hit *heap; /* hit i comes before hits 2i + 1 and 2i + 2 */
    size_t count, capacity;
};

/* Compares two hits, for qsort. */
int gz_hit_compare(const void *a, const void *b);
/* False without memory. */
GZ_MUST_USE bool gz_hits_add(struct gz_hits *hits, const struct gz_hit *hit);
/* Takes the first hit out; there must be one. */
struct gz_hit gz_hits_take(struct gz_hits *hits);
void gz_hits_finish(struct gz_hits *hits);

#endif
