/* parts.h - the nodes of a drag, grouped by parent, so that the drag can be sent as one rigid
 * motion for each parent (sync.h).
 *
 * A drag that rotates or moves its nodes is a rigid motion in the frame of each parent, as long as
 * the parents do not move, scale uniformly, and every node can follow. Each posed node is compared
 * with its motion. Frames: the parents'. Ownership: the gesture's. Threads: the core's. */
#ifndef GZ_SESSION_PARTS_H
#define GZ_SESSION_PARTS_H

#include "session/gesture.h"
#include "sync/sync.h"

struct gz_parts {
    size_t count;
    uint64_t parents[GZ_MOTIONS_MAX]; /* ids; 0: the root */
    gz_affine frames[GZ_MOTIONS_MAX]; /* of the parents, to the world, at the beginning */
    gz_rigid rigids[GZ_MOTIONS_MAX];  /* of the pass */
    bool is_rigid;     /* each node that the pass has posed is where its rigid has it */
    bool has_foreign;  /* a node was last changed by another session */
    uint8_t part_of[]; /* the part of each target, in the gesture's order */
};
static_assert(GZ_MOTIONS_MAX <= UINT8_MAX, "a part is a byte");

/* Whether the gesture is of a kind and a size that may be sent as motions. */
bool gz_parts_suit(const struct gz_gesture *gesture);
/* NULL if there are too many parents, or without memory. */
struct gz_parts *gz_parts_create(const struct gz_gesture *gesture, const struct gz_scene *scene);
void gz_parts_destroy(struct gz_parts *parts); /* NULL is fine */
/* Fills `nodes`, part after part, for the sync to take over. False without memory. */
GZ_MUST_USE bool gz_parts_list(const struct gz_parts *parts, const struct gz_gesture *gesture,
                               const struct gz_scene *scene, struct gz_motion_nodes *nodes);
/* Begins a pass with this motion. */
void gz_parts_aim(struct gz_parts *parts, const struct gz_motion *motion);
/* Compares a target that the pass has posed, or left where it was. `follows`: it was posed, and its
 * parent has not moved. `by` is the session. */
void gz_parts_check(struct gz_parts *parts, const struct gz_gesture_target *target, size_t place,
                    const struct gz_node *node, bool follows, uint64_t by);

#endif
