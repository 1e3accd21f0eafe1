/* selection_roots.h - the targets of a gizmo: the top-most selected nodes, as the server finds
 * them. Ownership: the lists are the struct's, valid until the next call. Threads: one at a time.
 */
#ifndef GZ_CLIENT_SELECTION_ROOTS_H
#define GZ_CLIENT_SELECTION_ROOTS_H

#include "predicted.h"
#include "solver/solver.h"

struct gz_selection_roots {
    size_t count, capacity;
    uint64_t *ids;
    struct gz_target *targets; /* as expected; bounds point into the mirror, or to `boxes` */
    gz_box *boxes;             /* of groups, which have no bounds of their own */
    gz_affine *inverses;       /* from the world to the groups */
    struct gz_named *named;    /* the selection, by id */
};

/* Finds the targets; `with_groups` with the boxes of groups, which looks at every node. False
 * without memory, or if a node does not exist: then there are none. */
GZ_MUST_USE bool gz_selection_roots_find(struct gz_selection_roots *tops,
                                         const struct gz_predicted *foreseen,
                                         const uint64_t *selected, size_t count, bool with_groups);
/* Updates the same targets. False if one does not exist any more. */
GZ_MUST_USE bool gz_selection_roots_follow(struct gz_selection_roots *tops,
                                           const struct gz_predicted *foreseen);
void gz_selection_roots_finish(struct gz_selection_roots *tops);

#endif
