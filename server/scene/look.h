/* look.h - a look at all nodes that may reach into a region of the world, in slices: between two of
 * them the scene may change.
 *
 * The nodes are those that reached into the region when the look began. A node that enters it later
 * is not given; a caller that needs it looks afterwards at the changes since look->seq. Frames:
 * world. Ownership: the caller owns the struct; finish frees what it holds and is fine on a zeroed
 * one. Threads: one. */
#ifndef GZ_SCENE_LOOK_H
#define GZ_SCENE_LOOK_H

#include "scene/scene.h"

#define GZ_LOOK_PLANES_MAX 6

struct gz_look {
    gz_plane planes[GZ_LOOK_PLANES_MAX];
    size_t plane_count;
    bool has_nodes; /* the nodes are found; before that the index is brought up to date */
    uint64_t *ids;  /* of the nodes that are to be given */
    size_t count, next;
    uint64_t seq; /* of the scene when they were found */
    size_t spent; /* nodes looked at so far, for themselves or for the index */
};

enum gz_look_step {
    GZ_LOOK_NODE,  /* here is the next one, which is not deleted */
    GZ_LOOK_PAUSE, /* the budget is spent */
    GZ_LOOK_END,
    GZ_LOOK_NO_MEMORY
};

/* A look at the nodes that reach into every one of these half-spaces; without planes at all
 * nodes. */
struct gz_look gz_look_into(const gz_plane *planes, size_t count);
/* A look at these nodes. The look owns the array and frees it. */
struct gz_look gz_look_at(const struct gz_scene *scene, uint64_t *ids, size_t count);
/* Whether the scan of all boxes, with which a look begins, fits into the budget. Where it does not,
 * a look may also begin, and its first step uses up the budget. */
bool gz_look_fits(const struct gz_scene *scene, size_t budget);
/* The next step. Each node that is looked at takes one from *budget, whether it is given or not. A
 * node that moved takes along all nodes below it, even beyond the budget. */
enum gz_look_step gz_look_next(struct gz_look *look, struct gz_scene *scene, size_t *budget,
                               const struct gz_node **node);
void gz_look_finish(struct gz_look *look);

#endif
