/* ids.h - lists of node ids. */
#ifndef GZ_SCENE_IDS_H
#define GZ_SCENE_IDS_H

#include "scene/failure.h"
#include "scene/scene.h"

/* Puts the ids into ascending order. */
void gz_sort_ids(uint64_t *ids, size_t count);
/* A copy in ascending order, in `arena`; NULL without memory. */
uint64_t *gz_sorted_ids(struct gz_arena *arena, const uint64_t *ids, size_t count);
/* Whether `id` is among them. */
bool gz_has_id(const uint64_t *sorted, size_t count, uint64_t id);
/* GZ_UNKNOWN_NODE about the first of the ids that is of no node in the scene; `field` is where the
 * message has the ids. */
GZ_MUST_USE enum gz_status gz_check_ids(const struct gz_scene *scene, const char *field,
                                        const uint64_t *ids, size_t count,
                                        struct gz_failure *failure);

#endif
