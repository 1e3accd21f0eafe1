/* selection.c - changes which nodes are selected. See selection.h. */
#include "session/selection.h"

#include <stdlib.h>

#include "proto/base/ids.h"

bool gz_selection_prune(struct gz_selection *selection, const struct gz_scene *scene)
{
    size_t kept = 0, before = selection->count;
    if (selection->removals == gz_scene_removals(scene)) return false;
    selection->removals = gz_scene_removals(scene);
    for (size_t i = 0; i < before; i++) {
        if (gz_scene_find(scene, selection->ids[i]) != NULL)
            selection->ids[kept++] = selection->ids[i];
    }
    selection->count = kept;
    selection->version += kept != before;
    return kept != before;
}

enum gz_status gz_selection_change(struct gz_selection *selection, struct gz_arena *scratch,
                                   struct gz_ids ids, enum gz_how how)
{
    if (!gz_grow(&selection->ids, &selection->capacity, selection->count + ids.count,
                 sizeof *selection->ids))
        return GZ_NO_MEMORY;
    size_t count =
        gz_select_ids(selection->ids, selection->count, ids.ids, ids.count, how, scratch);
    if (count == SIZE_MAX) return GZ_NO_MEMORY;
    selection->count = count;
    selection->version++;
    return GZ_OK;
}

void gz_selection_finish(struct gz_selection *selection)
{
    free(selection->ids);
    *selection = (struct gz_selection){.count = 0};
}
