/* targets.c - finds the nodes that a gizmo stands on. See targets.h. */
#include "session/targets.h"

struct gz_target gz_target_of(struct gz_scene *scene, const struct gz_node *node)
{
    return (struct gz_target){
        .local = node->trs,
        .parent = gz_scene_parent_world(scene, node),
        .bounds = node->has_bounds ? &node->bounds : NULL,
    };
}

struct gz_targets gz_targets_of(const struct gz_selection *selection, struct gz_scene *scene,
                                struct gz_arena *arena)
{
    size_t selected = selection->count;
    struct gz_targets targets = {.nodes = gz_arena_take(arena, selected, sizeof *targets.nodes),
                                 .ids = gz_arena_take(arena, selected, sizeof *targets.ids)};
    if (selected == 0 || targets.nodes == NULL || targets.ids == NULL) return targets;
    targets.count = gz_scene_tops(scene, selection->ids, selected, targets.nodes);
    for (size_t i = 0; i < targets.count; i++) targets.ids[i] = targets.nodes[i]->id;
    return targets;
}
