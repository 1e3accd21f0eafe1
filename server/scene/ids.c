/* ids.c - sorts and checks ids. See ids.h. */
#include "scene/ids.h"

#include <stdlib.h>
#include <string.h>

static int compare_ids(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void gz_sort_ids(uint64_t *ids, size_t count)
{
    size_t at = 1;
    while (at < count && ids[at - 1] <= ids[at]) at++; /* as ids mostly come */
    if (at < count) qsort(ids, count, sizeof *ids, compare_ids);
}

uint64_t *gz_sorted_ids(struct gz_arena *arena, const uint64_t *ids, size_t count)
{
    uint64_t *sorted = gz_arena_take(arena, count + 1, sizeof *sorted);
    if (sorted == NULL) return NULL;
    if (count > 0) memcpy(sorted, ids, count * sizeof *sorted);
    gz_sort_ids(sorted, count);
    return sorted;
}

bool gz_has_id(const uint64_t *sorted, size_t count, uint64_t id)
{
    return count > 0 && bsearch(&id, sorted, count, sizeof id, compare_ids) != NULL;
}

enum gz_status gz_check_ids(const struct gz_scene *scene, const char *field, const uint64_t *ids,
                            size_t count, struct gz_failure *failure)
{
    for (size_t i = 0; i < count; i++) {
        if (gz_scene_find(scene, ids[i]) != NULL) continue;
        failure->node = ids[i];
        return gz_fail(&failure->error, GZ_UNKNOWN_NODE, "%s[%zu]: there is no node %llu", field, i,
                       (unsigned long long)ids[i]);
    }
    return GZ_OK;
}
