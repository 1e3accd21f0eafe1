/* bounds_index.h - which nodes are where, and a look at them in slices. */
#ifndef GZ_SCENE_BOUNDS_INDEX_H
#define GZ_SCENE_BOUNDS_INDEX_H

#include "scene/scene.h"

/* ---- bounds index ---- */

/* Finds the nodes that may reach into a region of the world, without a look at
 * each node.
 *
 * The scene keeps a box in the world for each node, dense in memory, and scans all boxes: the
 * largest scene takes less than a millisecond. A query brings the index up to date from the order
 * of change, so that a drag costs nothing; a scene that is never queried has no index. Frames:
 * world. Ownership: the scene's. Threads: one. Errors: false without memory; the next call tries
 * again. */

/* The nodes that passed a cull, in no order. Valid until the scene changes or is culled again. */
struct gz_culled {
    const struct gz_node *const *nodes;
    size_t count;
    size_t renewed; /* how many boxes were recomputed, which is the cost besides the scan */
};

/* Finds all nodes whose box reaches into every one of these half-spaces, and some that do not:
 * boxes are rounded outward, corners between two planes are not tested, and a node whose transform
 * is nearly degenerate always passes. */
GZ_MUST_USE bool gz_scene_cull(struct gz_scene *scene, const gz_plane *planes, size_t plane_count,
                               struct gz_culled *culled);

/* The box around all nodes, those without bounds as points; an empty box at the origin if there are
 * none. `looked_at` is how many nodes were looked at: those that moved since the last query, and
 * some hundred for each of them. */
GZ_MUST_USE bool gz_scene_bounds(struct gz_scene *scene, gz_box *all, size_t *looked_at);

/* Brings a part of the index up to date ahead of a cull: recomputes `most` boxes. A node that moved
 * takes along all nodes below it, so that *renewed may be more than `most`. *is_done: nothing is
 * left. */
GZ_MUST_USE bool gz_scene_renew_boxes(struct gz_scene *scene, size_t most, size_t *renewed,
                                      bool *is_done);

/* The box in the world around the node's bounds, or around its origin if it has none. False if it
 * is not finite. */
GZ_MUST_USE bool gz_scene_world_box(struct gz_scene *scene, const struct gz_node *node,
                                    gz_box *box);

/* ---- look ---- */

/* A look at all nodes that may reach into a region of the world, in slices: between two of
 * them the scene may change.
 *
 * The nodes are those that reached into the region when the look began. A node that enters it later
 * is not given; a caller that needs it looks afterwards at the changes since look->seq. Frames:
 * world. Ownership: the caller owns the struct; finish frees what it holds and is fine on a zeroed
 * one. Threads: one. */

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
