/* hits.h - the nodes that a look found, which are told in their order: by distance, then by id.
 * They are a heap, so that neither adding one nor taking the next one goes through all of them.
 *
 * Ownership: the caller owns the struct; finish frees what it holds and is fine on a zeroed one. */
#ifndef GZ_SESSION_HITS_H
#define GZ_SESSION_HITS_H

#include "proto/message.h"

struct gz_hits {
    struct gz_hit *heap; /* each is before both of those at twice its place plus one and two */
    size_t count, capacity;
};

/* Of two hits, as for qsort: which of them comes first. */
int gz_hit_compare(const void *a, const void *b);
/* False without memory. */
GZ_MUST_USE bool gz_hits_add(struct gz_hits *hits, const struct gz_hit *hit);
/* Takes the first one out; there is one. */
struct gz_hit gz_hits_take(struct gz_hits *hits);
void gz_hits_finish(struct gz_hits *hits);

#endif
