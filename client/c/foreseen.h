/* foreseen.h - the nodes that are expected elsewhere than the server last said, because of what
 * this client has sent, and the scene as it is then. Each thing that was sent has a number, and
 * moves nodes on top of those with lower numbers; it says all of a transform or a part of it.
 * Ownership: the mirror is the caller's. Threads: one at a time. */
#ifndef GZ_CLIENT_FORESEEN_H
#define GZ_CLIENT_FORESEEN_H

#include "gizmo_client.h"
#include "records.h"

/* All of a transform, in the bits by which a node of `set` says what it has. */
#define GZ_FORESEEN_ALL (GZ_HAS_SET_NODE_T | GZ_HAS_SET_NODE_R | GZ_HAS_SET_NODE_S)

struct gz_foreseen {
    const struct gz_mirror *mirror;
    struct gz_records nodes; /* struct gz_foreseen_node by id */
    uint64_t version;        /* grows whenever a node is expected elsewhere */
};

/* Expects the node there because of what has this number: `has` says which parts of `trs` count.
 * False without memory: nothing changed then. */
GZ_MUST_USE bool gz_foreseen_put(struct gz_foreseen *foreseen, uint64_t id, uint64_t number,
                                 uint64_t has, const gz_trs *trs);
/* What has this number moves nothing any more. True if no node is expected elsewhere because of
 * that, and each one is there. */
bool gz_foreseen_drop(struct gz_foreseen *foreseen, uint64_t number);
/* Every node is expected where the server has it. */
void gz_foreseen_clear(struct gz_foreseen *foreseen);

/* The node's local transform, and its transform in the world, composed from the root on as the
 * server does. False if the node or a node above it is not there. */
bool gz_foreseen_trs(const struct gz_foreseen *foreseen, uint64_t id, gz_trs *trs);
bool gz_foreseen_world(const struct gz_foreseen *foreseen, uint64_t id, gz_affine *world);

/* Whether two transforms differ by rounding at most: by 1e-9 of their size. */
bool gz_trs_near(const gz_trs *a, const gz_trs *b);

#endif
