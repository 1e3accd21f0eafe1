/* tops.h - the targets of a gizmo: the top-most selected nodes, as the server finds them.
 * Ownership: the lists are the struct's, valid until the next call. Threads: one at a time. */
#ifndef GZ_CLIENT_TOPS_H
#define GZ_CLIENT_TOPS_H

#include "foreseen.h"
#include "solver/solver.h"

struct gz_tops {
    size_t count, capacity;
    uint64_t *ids;
    struct gz_target *targets; /* as expected; bounds point into the mirror, or to `boxes` */
    gz_box *boxes;             /* of groups, which have no bounds of their own */
    gz_affine *inverses;       /* from the world to the groups */
    struct gz_named *named;    /* the selection, by id */
};

/* Finds the targets; `with_groups` with the boxes of groups, which looks at every node. False
 * without memory, or if a node does not exist: then there are none. */
GZ_MUST_USE bool gz_tops_find(struct gz_tops *tops, const struct gz_foreseen *foreseen,
                              const uint64_t *selected, size_t count, bool with_groups);
/* Updates the same targets. False if one does not exist any more. */
GZ_MUST_USE bool gz_tops_follow(struct gz_tops *tops, const struct gz_foreseen *foreseen);
void gz_tops_finish(struct gz_tops *tops);

#endif
