/* predicted.h - the expected transforms of nodes that this client's messages change, and the
 * expected scene. Each change has a number, and is applied after those with lower numbers; it sets
 * a whole transform or a part of it. Ownership: the mirror is the caller's. Threads: one at a
 * time. */
#ifndef GZ_CLIENT_PREDICTED_H
#define GZ_CLIENT_PREDICTED_H

#include "gizmo_client.h"
#include "records.h"

/* A whole transform, in the bits of a node of `set`. */
#define GZ_FORESEEN_ALL (GZ_HAS_SET_NODE_T | GZ_HAS_SET_NODE_R | GZ_HAS_SET_NODE_S)

struct gz_predicted {
    const struct gz_mirror *mirror;
    struct gz_records nodes; /* struct gz_predicted_node by id */
    uint64_t version;        /* grows with each change of an expected transform */
};

/* Expects the node at `trs` because of the change with this number; `has` names the parts of `trs`
 * that count. False without memory: then nothing changed. */
GZ_MUST_USE bool gz_predicted_put(struct gz_predicted *foreseen, uint64_t id, uint64_t number,
                                  uint64_t has, const gz_trs *trs);
/* Drops the change with this number. True if each of its nodes exists and is expected at the same
 * place without it. */
bool gz_predicted_drop(struct gz_predicted *foreseen, uint64_t number);
/* Drops all changes. */
void gz_predicted_clear(struct gz_predicted *foreseen);

/* The node's expected local transform, and that in the world, composed from the root on as the
 * server does. False if the node or a node above it does not exist. */
bool gz_predicted_trs(const struct gz_predicted *foreseen, uint64_t id, gz_trs *trs);
bool gz_predicted_world(const struct gz_predicted *foreseen, uint64_t id, gz_affine *world);

/* Whether two transforms differ only by rounding: by at most 1e-9 of their size. */
bool gz_trs_near(const gz_trs *a, const gz_trs *b);

#endif
