/* parts.h - the nodes of a drag by their parents, below each of which they move alike: how the drag
 * is told as motions (sync.h), and whether it can be.
 *
 * A drag that turns or moves its nodes is one rigid motion in the frame of each parent, as long as
 * the parents stay where they are, scale evenly, and every node can follow. Each node that is posed
 * is held against that. Frames: the parents'. Ownership: the gesture's. Threads: the core's. */
#ifndef GZ_SESSION_PARTS_H
#define GZ_SESSION_PARTS_H

#include "session/gesture.h"
#include "sync/sync.h"

struct gz_parts {
    size_t count;
    uint64_t parents[GZ_MOTIONS_MAX]; /* ids; 0: the root */
    gz_affine frames[GZ_MOTIONS_MAX]; /* of the parents, to the world, at the beginning */
    gz_rigid rigids[GZ_MOTIONS_MAX];  /* of the pass */
    bool is_rigid;                    /* each node that the pass has posed is where they have it */
    bool has_foreign;                 /* one of them was last changed by another session */
    uint8_t part_of[];                /* each target, in the gesture's order */
};
static_assert(GZ_MOTIONS_MAX <= UINT8_MAX, "a part is a byte");

/* Whether it is of a kind and a size that may be told as motions. */
bool gz_parts_suit(const struct gz_gesture *gesture);
/* NULL: there are too many parents, or no memory. */
struct gz_parts *gz_parts_create(const struct gz_gesture *gesture, const struct gz_scene *scene);
void gz_parts_destroy(struct gz_parts *parts); /* NULL is fine */
/* The nodes, part after part, as the sync takes them over. False without memory. */
GZ_MUST_USE bool gz_parts_list(const struct gz_parts *parts, const struct gz_gesture *gesture,
                               const struct gz_scene *scene, struct gz_motion_nodes *nodes);
/* A pass begins, with this motion. */
void gz_parts_aim(struct gz_parts *parts, const struct gz_motion *motion);
/* The pass has come to this target, and posed it or left it where it was. `by` is the session. */
void gz_parts_check(struct gz_parts *parts, const struct gz_gesture_target *target, size_t place,
                    const struct gz_node *node, bool is_posed, uint64_t by);

#endif
