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
    const struct gz_node **tops = gz_arena_take(arena, selected, sizeof *tops);
    struct gz_targets targets = {.list = gz_arena_take(arena, selected, sizeof *targets.list),
                                 .ids = gz_arena_take(arena, selected, sizeof *targets.ids)};
    if (selected == 0 || tops == NULL || targets.list == NULL || targets.ids == NULL)
        return targets;
    targets.count = gz_scene_tops(scene, selection->ids, selected, tops);
    targets.active = targets.count - 1;
    for (size_t i = 0; i < targets.count; i++) {
        targets.ids[i] = tops[i]->id;
        targets.list[i] = gz_target_of(scene, tops[i]);
    }
    return targets;
}
