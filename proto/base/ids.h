/* ids.h - lists of ids: sorted ones, for a fast search, and selections, with each id once and in
 * the order of selection. Plain data; the lists are the caller's. */
#ifndef GZ_BASE_IDS_H
#define GZ_BASE_IDS_H

#include "proto/base/buffer.h"
#include "proto/base/wire_vocabulary.h"

/* Puts the ids into ascending order. */
void gz_sort_ids(uint64_t *ids, size_t count);
/* A copy in ascending order, in `arena`; NULL without memory. */
GZ_MUST_USE uint64_t *gz_sorted_ids(struct gz_arena *arena, const uint64_t *ids, size_t count);
/* Whether `id` is in a sorted list. */
bool gz_has_id(const uint64_t *sorted, size_t count, uint64_t id);

/* Sets `selected` to the ids in `named`, or adds, removes or toggles them; `selected` has room for
 * `named_count` more. An id that is added again becomes the last. The lists must not overlap.
 * Returns the new count; SIZE_MAX without memory in `scratch`: then nothing changed. */
GZ_MUST_USE size_t gz_select_ids(uint64_t *selected, size_t count, const uint64_t *named,
                                 size_t named_count, enum gz_how how, struct gz_arena *scratch);

#endif
