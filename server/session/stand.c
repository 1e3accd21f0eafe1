/* stand.c - finds where a gizmo of many nodes stands. See stand.h. */
#include "session/stand.h"

#include <stdlib.h>

bool gz_stand_is_looking(const struct gz_stand *stand)
{
    return stand->count > 0;
}

void gz_stand_finish(struct gz_stand *stand)
{
    free(stand->list);
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
    stand->list = calloc(count, sizeof *stand->list);
    stand->ids = calloc(count, sizeof *stand->ids);
    if (stand->list == NULL || stand->ids == NULL) {
        gz_stand_finish(stand);
        return;
    }
    for (size_t i = 0; i < count; i++) stand->ids[i] = tops[i]->id;
    stand->count = count;
    stand->seq = gz_scene_seq(scene);
    stand->selected = selection->version;
    stand->removals = gz_scene_removals(scene);
}

bool gz_stand_go_on(struct gz_stand *stand, const struct gz_selection *selection,
                    struct gz_scene *scene, size_t *budget)
{
    if (!gz_stand_is_looking(stand)) return false;
    if (stand->selected != selection->version || stand->removals != gz_scene_removals(scene)) {
        gz_stand_finish(stand);
        return false;
    }
    for (; *budget > 0 && stand->at < stand->count; stand->at++, --*budget)
        stand->list[stand->at] = gz_target_of(scene, gz_scene_find(scene, stand->ids[stand->at]));
    return stand->at == stand->count;
}
