/* ids.h - checks lists of node ids. */
#ifndef GZ_SCENE_IDS_H
#define GZ_SCENE_IDS_H

#include "proto/base/ids.h"
#include "scene/record.h"
#include "scene/scene.h"

/* GZ_UNKNOWN_NODE about the first id without a node in the scene; `field` is the field of the
 * message that has the ids. */
GZ_MUST_USE enum gz_status gz_check_ids(const struct gz_scene *scene, const char *field,
                                        const uint64_t *ids, size_t count,
                                        struct gz_failure *failure);

#endif
