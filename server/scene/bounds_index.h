/* bounds_index.h - finds the nodes that may reach into a region of the world, without a look at
 * each node.
 *
 * The scene keeps a box in the world for each node, dense in memory, and scans all boxes: the
 * largest scene takes less than a millisecond. A query brings the index up to date from the order
 * of change, so that a drag costs nothing; a scene that is never queried has no index. Frames:
 * world. Ownership: the scene's. Threads: one. Errors: false without memory; the next call tries
 * again. */
#ifndef GZ_SCENE_BOXES_H
#define GZ_SCENE_BOXES_H

#include "scene/scene.h"

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

#endif
