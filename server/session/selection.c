/* selection.c - changes which nodes are selected. See selection.h. */
#include "session/selection.h"

#include <stdlib.h>

#include "scene/ids.h"

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

static void unselect(struct gz_selection *selection, const uint64_t *sorted, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < selection->count; i++) {
        if (!gz_has_id(sorted, count, selection->ids[i]))
            selection->ids[kept++] = selection->ids[i];
    }
    selection->count = kept;
}

enum gz_status gz_selection_change(struct gz_selection *selection, struct gz_arena *scratch,
                                   struct gz_ids ids, enum gz_how how)
{
    size_t before_count = selection->count;
    bool toggles = how == GZ_HOW_TOGGLE, sets = how == GZ_HOW_SET;
    const uint64_t *before = gz_sorted_ids(scratch, selection->ids, toggles ? before_count : 0);
    const uint64_t *named = gz_sorted_ids(scratch, ids.ids, sets ? 0 : ids.count);
    if (before == NULL || named == NULL ||
        !gz_grow(&selection->ids, &selection->capacity, before_count + ids.count,
                 sizeof *selection->ids))
        return GZ_NO_MEMORY;
    selection->version++;
    if (sets) selection->count = 0;
    unselect(selection, named, ids.count);
    for (size_t i = 0; i < ids.count && how != GZ_HOW_REMOVE; i++) {
        bool was_selected = toggles && gz_has_id(before, before_count, ids.ids[i]);
        if (!was_selected) selection->ids[selection->count++] = ids.ids[i];
    }
    return GZ_OK;
}

void gz_selection_finish(struct gz_selection *selection)
{
    free(selection->ids);
    *selection = (struct gz_selection){.count = 0};
}
