/* ids.h - lists of ids: in ascending order, where one of them is found fast, and as selected, each
 * once and in the order of selecting. Plain data; the lists are the caller's. */
#ifndef GZ_BASE_IDS_H
#define GZ_BASE_IDS_H

#include "proto/base/buffer.h"
#include "proto/base/wire_vocabulary.h"

/* Puts the ids into ascending order. */
void gz_sort_ids(uint64_t *ids, size_t count);
/* A copy in ascending order, in `arena`; NULL without memory. */
GZ_MUST_USE uint64_t *gz_sorted_ids(struct gz_arena *arena, const uint64_t *ids, size_t count);
/* Whether `id` is among them. */
bool gz_has_id(const uint64_t *sorted, size_t count, uint64_t id);

/* Selects these ids, or adds, removes or toggles them in `selected`, which has room for
 * `named_count` more. An id that is named again comes last. `named` is not a part of `selected`.
 * Returns how many are selected then; SIZE_MAX without memory in `scratch`: nothing changed. */
GZ_MUST_USE size_t gz_select_ids(uint64_t *selected, size_t count, const uint64_t *named,
                                 size_t named_count, enum gz_how how, struct gz_arena *scratch);

#endif
