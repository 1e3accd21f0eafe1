/* ids.c - checks ids of nodes. See ids.h. */
#include "scene/ids.h"

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
