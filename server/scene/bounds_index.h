/* bounds_index.h - where the nodes are: which of them may reach into a part of the world, without
 * asking each one.
 *
 * The scene keeps a box in the world for each node, side by side in memory, and looks through all
 * of them: a scan of the largest scene takes less than a millisecond. It is brought up to date when
 * somebody asks, from the order of change, so that a drag costs it nothing; in a scene where nobody
 * asks there is none. Frames: world. Ownership: the scene's. Threads: one. Errors: false without
 * memory; the next call tries again. */
#ifndef GZ_SCENE_BOXES_H
#define GZ_SCENE_BOXES_H

#include "scene/scene.h"

/* What passed a cull, in no order. Valid until the next cull of this scene, or until it
 * changes. */
struct gz_culled {
    const struct gz_node *const *nodes;
    size_t count;
    size_t renewed; /* nodes whose box had to be found anew: what the call cost beside the scan */
};

/* All nodes whose box reaches into every one of these halves of space, and some that do not: boxes
 * are rounded outward, a corner between two planes is not looked at, and nodes that are so squeezed
 * that rounding decides where they are always pass. */
GZ_MUST_USE bool gz_scene_cull(struct gz_scene *scene, const gz_plane *planes, size_t plane_count,
                               struct gz_culled *culled);

/* The box in the world about the node's own bounds, or its origin where it has none. False where it
 * is not finite. */
GZ_MUST_USE bool gz_scene_world_box(struct gz_scene *scene, const struct gz_node *node,
                                    gz_box *box);

#endif
