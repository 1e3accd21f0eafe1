/* core_mirror.h - a scene as a client knows it, from deltas alone. It fails the test where a delta does not fit: a gap, a node
 * that is new and not told whole, an id that is both there and gone.
 * Ownership: it keeps copies. Threads: one. */
#ifndef GZ_TEST_CORE_MIRROR_H
#define GZ_TEST_CORE_MIRROR_H

#include "proto/message.h"
#include "scene/record.h"

struct mirror_node {
    uint64_t id;
    struct gz_content content; /* the name is the mirror's own */
};

struct mirror {
    struct mirror_node *nodes; /* ascending by id */
    size_t count, capacity;
    uint64_t seq;      /* where it stands */
    uint64_t complete; /* where it last stood without more to come: a resume may be from here */
    bool more;
    size_t deltas, snapshots;
};

void mirror_finish(struct mirror *mirror);
void mirror_clear(struct mirror *mirror);
void mirror_apply(struct mirror *mirror, const struct gz_delta *delta);
const struct mirror_node *mirror_find(const struct mirror *mirror, uint64_t id); /* NULL where it is not there */
/* Fails the test unless the mirror holds exactly these nodes, bit for bit. */
void mirror_assert_equal(const struct mirror *mirror, const struct gz_node_record *nodes, size_t count);

#endif
