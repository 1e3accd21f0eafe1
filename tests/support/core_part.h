/* core_part.h - finds the part of a scene that an interest names, by going through all of it: plain
 * and slow, with mathematics of its own. Where rounding may decide, both answers are right.
 * Ownership: a wish keeps copies. Threads: one. */
#ifndef GZ_TEST_CORE_PART_H
#define GZ_TEST_CORE_PART_H

#include "proto/message.h"
#include "scene/record.h"

/* The part that a client asked to follow. */
struct part_wish {
    enum { PART_WHOLE, PART_NODES, PART_BOX, PART_VIEW } kind;
    uint64_t *ids;
    size_t count;
    gz_box box;
    struct gz_camera_message camera; /* of the view */
};

struct part_wish part_wish_of(const struct gz_interest *interest, uint64_t has);
void part_wish_finish(struct part_wish *wish);

/* For each node (alive, parents first) whether it has to be in the part, and whether it may. Both
 * lists are freed by the caller. */
void part_wish_nodes(const struct part_wish *wish, const struct gz_node_record *nodes, size_t count,
                     bool **must, bool **may);

#endif
