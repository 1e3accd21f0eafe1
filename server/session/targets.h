/* targets.h - the nodes that a gizmo stands on: the selected nodes without a selected node above
 * them. The others move along. */
#ifndef GZ_SESSION_TARGETS_H
#define GZ_SESSION_TARGETS_H

#include "session/selection.h"
#include "solver/solver.h"

/* The gizmo uses the space of the last one, which was selected last. */
struct gz_targets {
    const struct gz_node **nodes;
    uint64_t *ids; /* in the same order */
    size_t count;
};

/* A node as a target; its bounds point into the scene. */
struct gz_target gz_target_of(struct gz_scene *scene, const struct gz_node *node);
/* The targets of this selection, whose nodes all exist; made in `arena`. None if nothing is
 * selected, or without memory. */
struct gz_targets gz_targets_of(const struct gz_selection *selection, struct gz_scene *scene,
                                struct gz_arena *arena);

#endif
