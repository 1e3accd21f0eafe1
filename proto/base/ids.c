/* ids.c - sorts ids and finds one among them. See ids.h. */
#include "proto/base/ids.h"

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
    while (at < count && ids[at - 1] <= ids[at]) at++; /* most lists of ids are sorted */
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

static size_t leave_out(uint64_t *ids, size_t count, const uint64_t *sorted, size_t sorted_count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!gz_has_id(sorted, sorted_count, ids[i])) ids[kept++] = ids[i];
    return kept;
}

size_t gz_select_ids(uint64_t *selected, size_t count, const uint64_t *named, size_t named_count,
                     enum gz_how how, struct gz_arena *scratch)
{
    bool sets = how == GZ_HOW_SET, toggles = how == GZ_HOW_TOGGLE;
    size_t before_count = toggles ? count : 0, leaving = sets ? 0 : named_count;
    const uint64_t *before = gz_sorted_ids(scratch, selected, before_count);
    const uint64_t *sorted = gz_sorted_ids(scratch, named, leaving);
    if (before == NULL || sorted == NULL) return SIZE_MAX;
    count = leave_out(selected, sets ? 0 : count, sorted, leaving);
    for (size_t i = 0; i < named_count && how != GZ_HOW_REMOVE; i++)
        if (!gz_has_id(before, before_count, named[i])) selected[count++] = named[i];
    return count;
}
