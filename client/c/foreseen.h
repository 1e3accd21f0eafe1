/* foreseen.h - the nodes that are expected elsewhere than the server last said, because of what
 * this client has sent, and the scene as it is then. Ownership: the mirror is the caller's.
 * Threads: one at a time. */
#ifndef GZ_CLIENT_FORESEEN_H
#define GZ_CLIENT_FORESEEN_H

#include "gizmo_client.h"
#include "records.h"

struct gz_foreseen {
    const struct gz_mirror *mirror;
    struct gz_records nodes; /* struct gz_foreseen_node by id */
};

struct gz_foreseen_node {
    gz_trs trs;
    uint64_t gesture; /* that moves it */
};

/* False without memory: nothing changed then. */
GZ_MUST_USE bool gz_foreseen_put(struct gz_foreseen *foreseen, uint64_t id, const gz_trs *trs,
                                 uint64_t gesture);
/* What a gesture moved is where the server says. True if all of it was expected there. */
bool gz_foreseen_drop(struct gz_foreseen *foreseen, uint64_t gesture);

/* The node's local transform, and its transform in the world, composed from the root on as the
 * server does. False if the node or a node above it is not there. */
bool gz_foreseen_trs(const struct gz_foreseen *foreseen, uint64_t id, gz_trs *trs);
bool gz_foreseen_world(const struct gz_foreseen *foreseen, uint64_t id, gz_affine *world);

/* Whether two transforms differ by rounding at most: by 1e-9 of their size. */
bool gz_trs_near(const gz_trs *a, const gz_trs *b);

#endif
