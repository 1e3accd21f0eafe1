/* stand.c - computes the seat of a gizmo on many nodes. See stand.h. */
#include "session/stand.h"

#include <stdlib.h>

bool gz_stand_is_looking(const struct gz_stand *stand)
{
    return stand->is_due || stand->count > 0;
}

void gz_stand_finish(struct gz_stand *stand)
{
    free(stand->seat);
    free(stand->origins);
    free(stand->ids);
    *stand = (struct gz_stand){.count = 0};
}

void gz_stand_begin(struct gz_stand *stand, const struct gz_selection *selection,
                    struct gz_scene *scene, struct gz_arena *scratch)
{
    const struct gz_node **tops = gz_arena_take(scratch, selection->count, sizeof *tops);
    gz_stand_finish(stand);
    if (selection->count == 0 || tops == NULL) return;
    size_t count = gz_scene_tops(scene, selection->ids, selection->count, tops);
    stand->seat = calloc(1, sizeof *stand->seat);
    stand->origins = malloc(count * sizeof *stand->origins);
    stand->ids = malloc(count * sizeof *stand->ids);
    if (stand->seat == NULL || stand->origins == NULL || stand->ids == NULL) {
        gz_stand_finish(stand);
        return;
    }
    for (size_t i = 0; i < count; i++) stand->ids[i] = tops[i]->id;
    stand->count = count;
    stand->seq = gz_scene_seq(scene);
    stand->selected = selection->version;
    stand->removals = gz_scene_removals(scene);
}

static void look_at_next(struct gz_stand *stand, struct gz_scene *scene, struct gz_groups *groups,
                         size_t *budget)
{
    const size_t place = stand->at++, walked = groups->walked;
    const struct gz_node *node = gz_scene_find(scene, stand->ids[place]);
    struct gz_target target = gz_target_of(scene, node);
    gz_groups_give(groups, scene, node, place, &target);
    gz_seat_add(stand->seat, &target, &stand->origins[place]);
    const size_t cost = 1 + groups->walked - walked;
    *budget -= cost < *budget ? cost : *budget;
}

bool gz_stand_go_on(struct gz_stand *stand, const struct gz_selection *selection,
                    struct gz_scene *scene, struct gz_groups *groups, size_t *budget)
{
    if (stand->count == 0) return false;
    if (stand->selected != selection->version || stand->removals != gz_scene_removals(scene)) {
        gz_stand_finish(stand);
        return false;
    }
    while (*budget > 0 && stand->at < stand->count) look_at_next(stand, scene, groups, budget);
    if (stand->at < stand->count) return false;
    gz_seat_complete(stand->seat, stand->origins);
    return true;
}
