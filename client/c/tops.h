/* tops.h - the nodes that a gizmo stands on: the top-most selected ones, as the server finds them.
 * Ownership: the lists are the struct's and live until the next call. Threads: one at a time. */
#ifndef GZ_CLIENT_TOPS_H
#define GZ_CLIENT_TOPS_H

#include "foreseen.h"
#include "solver/solver.h"

struct gz_tops {
    size_t count, capacity;
    uint64_t *ids;
    struct gz_target *targets; /* as foreseen; bounds point into the mirror, or to `boxes` */
    gz_box *boxes;             /* of groups, which have no bounds of their own */
    gz_affine *inverses;       /* from the world to the groups */
    struct gz_named *named;    /* what is selected, by id */
};

/* `with_groups`: finds the boxes of groups too, which takes a look at every node. False without
 * memory, or if a node is not there: then there are none. */
GZ_MUST_USE bool gz_tops_find(struct gz_tops *tops, const struct gz_foreseen *foreseen,
                              const uint64_t *selected, size_t count, bool with_groups);
/* The same nodes as they are now. False if one is not there any more. */
GZ_MUST_USE bool gz_tops_follow(struct gz_tops *tops, const struct gz_foreseen *foreseen);
void gz_tops_finish(struct gz_tops *tops);

#endif
